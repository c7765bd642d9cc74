"""Stories: which are told, how they are weighed, and what is believed in the end."""

import math

import numpy as np
import pytest

from trueward.policies.champion.rating_model import rating_model
from trueward.policies.champion.stories import (
    AT_THE_START,
    BURST,
    EARLIER,
    FIRST_RATINGS,
    NEXT,
    NOTHING,
    ONE_ARM,
    SHORT,
    STEEPNESS,
    STORIES,
    TOLD,
    consider,
    hear,
    judge,
    most_believed,
    no_stories,
    start_over,
    story_in_words,
)

from .test_rating_model import brute_force

HORIZON = 1000
MODEL = rating_model(11, centres=25, places=0, divided=0.0)


def told(sequence, n_arms=2, capacity=200):
    """Return stories that have heard (arm, rating) pairs."""
    stories = no_stories(n_arms, capacity, MODEL)
    for arm, rating in sequence:
        hear(stories, arm, rating, HORIZON)
    return stories


def change(stories, place, when, horizon):
    """Tell stories about a change of arm 0."""
    consider(stories, 0, 0, place, when, horizon)


def around(centre, n, arms=(0, 1)):
    """Return ratings of each arm in turn, around a centre for arm 0 and one below it for arm 1."""
    return [(arm, centre - arm + (i % 3) - 1) for i in range(n) for arm in arms]


def believed(stories):
    return stories.kind[0, most_believed(stories)]


def aside(stories):
    story = most_believed(stories)
    return [stories.aside[arm, story, :n].tolist() for arm, n in enumerate(stories.sizes)]


def test_before_any_change_there_is_one_story_and_it_costs_nothing():
    stories = told(around(8, 20))
    assert stories.counts[0, TOLD] == 1
    assert believed(stories) == NOTHING
    assert stories.weights[0, 0] == 1
    assert stories.scores[0, 0] == stories.judge.evidence[:, 0].sum()


def test_a_story_is_scored_by_the_evidence_of_both_parts_and_its_prior():
    stories = told([*around(2, 10), *around(8, 10)])
    change(stories, 10, 21, HORIZON)
    story = int(np.flatnonzero(stories.kind[0, : stories.counts[0, TOLD]] == EARLIER)[0])
    evidence = 0.0
    for arm in range(2):
        ratings = stories.ratings[arm, :20]
        evidence += brute_force(MODEL, ratings[:10])[1] + brute_force(MODEL, ratings[10:])[1]
    prior = AT_THE_START + math.log(SHORT * HORIZON) + STEEPNESS * 20 / HORIZON
    assert stories.scores[0, story] == pytest.approx(evidence - prior, rel=1e-12)


def test_every_burst_has_a_law_of_its_own():
    """Two bursts, of 0 and of 10, with good ratings between them."""
    stories = told([*around(5, 10, (0,)), *[(0, 0)] * 6, *around(5, 6, (0,)), *[(0, 10)] * 6], n_arms=1)
    labels = [0] * 10 + [1] * 6 + [0] * 6 + [1] * 6
    stories.aside[0, NEXT, :28] = labels
    judge(stories, NEXT, HORIZON)
    ratings = stories.ratings[0, :28]
    parts = [ratings[10:16], ratings[22:28], np.concatenate([ratings[:10], ratings[16:22]])]
    expected = sum(brute_force(MODEL, part)[1] for part in parts)
    assert stories.judge.evidence[0, 2 * NEXT : 2 * NEXT + 2].sum() == pytest.approx(expected, rel=1e-12)


def test_what_is_heard_after_a_proposal_is_weighed_as_if_from_scratch():
    stories = told([*around(2, 10), *around(8, 10)])
    change(stories, 10, 21, HORIZON)
    for arm, rating in around(8, 10):
        hear(stories, arm, rating, HORIZON)
    scores = stories.scores[0, : stories.counts[0, TOLD]].copy()
    for story in range(stories.counts[0, TOLD]):
        judge(stories, story, HORIZON)
    np.testing.assert_allclose(stories.scores[0, : scores.size], scores, rtol=1e-12)
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(stories.weights[0, : scores.size], weights / weights.sum(), rtol=1e-9)


def test_early_in_the_game_the_later_ratings_are_believed():
    stories = told([*around(2, 12), *around(8, 15)])
    change(stories, 12, 25, HORIZON)
    assert believed(stories) == EARLIER
    assert aside(stories) == [[1] * 12 + [0] * 15] * 2
    assert "24 ratings, between numbers 1 and 24 of all, are set aside" in story_in_words(
        stories, most_believed(stories)
    )


def test_late_in_the_game_the_earlier_ratings_are_believed_until_the_burst_has_ended():
    stories = told([*around(8, 150), *around(2, 6)])
    change(stories, 150, 301, 400)
    assert believed(stories) == BURST
    assert aside(stories) == [[0] * 150 + [1] * 6] * 2
    assert story_in_words(stories, most_believed(stories)).endswith("and those to come")
    for arm, rating in around(8, 6):
        hear(stories, arm, rating, 400)
    consider(stories, 0, 313, -1, 0, 400)
    assert aside(stories) == [[0] * 150 + [1] * 6 + [0] * 6] * 2
    assert not stories.open[:, most_believed(stories)].any()


def test_a_second_burst_is_set_aside_beside_the_first():
    stories = told([*around(8, 60), *around(2, 8), *around(8, 20)])
    change(stories, 60, 121, HORIZON)
    change(stories, 68, 137, HORIZON)
    assert aside(stories) == [[0] * 60 + [1] * 8 + [0] * 20] * 2
    for arm, rating in around(2, 8):
        hear(stories, arm, rating, HORIZON)
    change(stories, 88, 177, HORIZON)
    assert aside(stories) == [[0] * 60 + [1] * 8 + [0] * 20 + [1] * 8] * 2


def test_a_brigade_on_one_arm_leaves_the_others_alone():
    loud = [(arm, 10 if arm == 0 else rating) for arm, rating in around(5, 15)]
    stories = told([*around(5, 40), *loud])
    change(stories, 40, 81, 150)
    assert believed(stories) == ONE_ARM
    assert aside(stories) == [[0] * 40 + [1] * 15, [0] * 55]
    assert " of video, " in story_in_words(stories, most_believed(stories), ["video", "text"])


def test_bad_first_ratings_go_by_pulls_when_the_arms_change_at_different_times():
    first = [(0, 10)] * 12 + [(0, 5), (0, 6), (0, 4)] * 3 + [(1, 10)] * 12 + [(1, 5), (1, 6), (1, 4)] * 3
    stories = told(first)
    change(stories, 12, 13, HORIZON)
    assert believed(stories) == FIRST_RATINGS
    assert aside(stories) == [[1] * 12 + [0] * 9] * 2
    assert story_in_words(stories, most_believed(stories)) == "the first 12 ratings of each arm are set aside"


def test_there_are_never_more_stories_than_room_and_the_first_stays():
    rng = np.random.default_rng(0)
    stories = told([])
    for _ in range(15):
        for arm, rating in around(int(rng.integers(1, 10)), 5):
            hear(stories, arm, min(10, max(0, rating)), HORIZON)
        size = int(stories.sizes[0])
        change(stories, size - 5, int(stories.arrivals[0, size - 5]), HORIZON)
    assert stories.counts[0, TOLD] == STORIES
    assert stories.kind[0, 0] == NOTHING
    assert not stories.aside[:, 0].any()
    assert stories.weights[0].sum() == pytest.approx(1)
    start_over(stories)
    assert stories.counts[0, TOLD] == 1
    assert stories.weights[0].tolist() == [1] + [0] * (STORIES - 1)
