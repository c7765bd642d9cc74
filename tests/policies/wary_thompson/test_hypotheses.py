"""Hypotheses about bursts: which are proposed, how they are weighed, and which is most likely in the end."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import logsumexp

from trueward.engine.states import Setting, new
from trueward.policies.wary_thompson.account import what_happened
from trueward.policies.wary_thompson.evidence import (
    SHORT,
    STEEPNESS,
    Evidence,
    add_rating,
    evidence_by,
    gather_evidence,
    hold_nothing_excluded,
    score,
)
from trueward.policies.wary_thompson.hypotheses import (
    BURST,
    CANDIDATE,
    EARLIER,
    FIRST_RATINGS,
    HELD,
    HYPOTHESES,
    NOTHING,
    ONE_ARM,
    Labels,
    Log,
    Standing,
    most_likely,
)
from trueward.policies.wary_thompson.proposals import AT_THE_START, revise
from trueward.policies.wary_thompson.rating_model import Assumptions, rating_model

from .test_belief import brute_force

pytestmark = pytest.mark.usefixtures("parts_compiled")

HORIZON = 1000
MODEL = rating_model(11, Assumptions().in_short)


def evidence_of(ratings):
    """Return the log of the average likelihood over what is likely beforehand."""
    logs = brute_force(MODEL, ratings)
    prior = np.outer(np.exp(MODEL.ends) @ MODEL.groups, MODEL.near.mean(axis=0))
    return logsumexp(logs, b=prior[:, None, :] / MODEL.means.size)


class Case(NamedTuple):
    """All that hypotheses are about, and what is held of them."""

    log: Log
    labels: Labels
    standing: Standing
    evidence: Evidence

    @property
    def held(self):
        return int(self.standing.counts[HYPOTHESES])

    @property
    def best(self):
        return most_likely(self.standing)

    @property
    def kind(self):
        return self.labels.kind[self.best]

    @property
    def excluded(self):
        return [self.labels.excluded[arm, self.best, :n].tolist() for arm, n in enumerate(self.log.sizes)]

    def words(self, arms=None):
        return what_happened(self.log, self.labels, self.best, arms)


def rated(sequence, n_arms=2, capacity=400, horizon=HORIZON):
    """Return a case with (arm, rating) pairs."""
    setting = Setting(n_arms, capacity=capacity)
    case = Case(
        new(Log, setting, axes={"ratings": 11}),
        new(Labels, setting),
        new(Standing, setting),
        evidence_by(MODEL, setting),
    )
    hold_nothing_excluded(case.standing, case.evidence)
    return add(case, sequence, horizon)


def add(case, sequence, horizon=HORIZON):
    for arm, rating in sequence:
        add_rating(*case, arm, rating, horizon)
    return case


def change(case, place, horizon=HORIZON):
    """Propose what a change of arm 0 at a place means."""
    revise(*case, 0, place, 0, horizon)


def around(centre, n, arms=(0, 1)):
    """Return ratings of each arm in turn, around a centre for arm 0 and one below it for arm 1."""
    return [(arm, centre - arm + (i % 3) - 1) for i in range(n) for arm in arms]


def test_before_any_change_one_hypothesis_is_held_and_costs_nothing():
    case = rated(around(8, 20))
    assert case.held == 1
    assert case.kind == NOTHING
    assert case.standing.weights[0] == 1
    assert case.standing.scores[0] == case.evidence.logs[:, 0, 0].sum()


def test_a_hypothesis_is_scored_by_the_evidence_of_both_parts_and_its_prior():
    case = rated([*around(2, 10), *around(8, 10)])
    change(case, 10)
    hypothesis = int(np.flatnonzero(case.labels.kind[: case.held] == EARLIER)[0])
    evidence = 0.0
    for arm in range(2):
        ratings = case.log.ratings[arm, :20]
        evidence += evidence_of(ratings[:10]) + evidence_of(ratings[10:])
    prior = AT_THE_START + math.log(SHORT * HORIZON) + STEEPNESS * 20 / HORIZON
    assert case.standing.scores[hypothesis] == pytest.approx(evidence - prior, rel=1e-6)


def test_every_burst_has_a_law_of_its_own():
    """Two bursts, of 0 and of 10, with good ratings between them."""
    case = rated([*around(5, 10, (0,)), *[(0, 0)] * 6, *around(5, 6, (0,)), *[(0, 10)] * 6], n_arms=1)
    case.labels.excluded[0, CANDIDATE, :28] = [0] * 10 + [1] * 6 + [0] * 6 + [1] * 6
    assert gather_evidence(case.log, case.labels, case.evidence, CANDIDATE) == 12
    ratings = case.log.ratings[0, :28]
    parts = [ratings[10:16], ratings[22:28], np.concatenate([ratings[:10], ratings[16:22]])]
    expected = sum(evidence_of(part) for part in parts)
    logs = case.evidence.logs[0, case.evidence.places[CANDIDATE]]
    assert logs.sum() == pytest.approx(expected, rel=1e-6)


def test_what_comes_after_a_proposal_is_weighed_as_if_from_scratch():
    case = rated([*around(2, 10), *around(8, 10)])
    change(case, 10)
    add(case, around(8, 10))
    scores = case.standing.scores[: case.held].copy()
    for hypothesis in range(case.held):
        n = gather_evidence(case.log, case.labels, case.evidence, hypothesis)
        place = case.evidence.places[hypothesis]
        assert n == case.standing.n_excluded[hypothesis]
        again = score(case.labels, case.evidence.logs, place, hypothesis, n, HORIZON)
        assert again == pytest.approx(scores[hypothesis], rel=1e-6)
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(case.standing.weights[: scores.size], weights / weights.sum(), rtol=1e-3)


def test_early_in_the_game_the_later_ratings_count():
    case = rated([*around(2, 12), *around(8, 15)])
    change(case, 12)
    assert case.kind == EARLIER
    assert case.excluded == [[1] * 12 + [0] * 15] * 2
    assert case.words() == "ratings 1 to 24 were a burst"


def test_late_in_the_game_the_earlier_ratings_count_until_the_burst_has_ended():
    case = rated([*around(8, 150), *around(2, 6)], horizon=400)
    change(case, 150, horizon=400)
    assert case.kind == BURST
    assert case.excluded == [[0] * 150 + [1] * 6] * 2
    assert case.labels.open[:, case.best].all()
    add(case, around(8, 6), horizon=400)
    revise(*case, 0, -1, 313, 400)
    assert case.excluded == [[0] * 150 + [1] * 6 + [0] * 6] * 2
    assert not case.labels.open[:, case.best].any()


def test_a_second_burst_is_excluded_beside_the_first():
    case = rated([*around(8, 60), *around(2, 8), *around(8, 20)], horizon=500)
    change(case, 60, horizon=500)
    change(case, 68, horizon=500)
    assert case.excluded == [[0] * 60 + [1] * 8 + [0] * 20] * 2
    add(case, around(2, 5), horizon=500)
    change(case, 88, horizon=500)
    assert case.excluded == [[0] * 60 + [1] * 8 + [0] * 20 + [1] * 5] * 2
    assert case.words() == "ratings 121 to 136 and 177 to 186 were bursts"


def test_a_brigade_on_one_arm_leaves_the_others_alone():
    loud = [(arm, 10 if arm == 0 else rating) for arm, rating in around(5, 15)]
    case = rated([*around(5, 40), *loud], horizon=150)
    change(case, 40, horizon=150)
    assert case.kind == ONE_ARM
    assert case.excluded == [[0] * 40 + [1] * 15, [0] * 55]
    assert " of video " in case.words(["video", "text"])


def test_bad_first_ratings_go_by_pulls_when_the_arms_change_at_different_times():
    first = [(0, 10)] * 12 + [(0, 5), (0, 6), (0, 4)] * 3 + [(1, 10)] * 12 + [(1, 5), (1, 6), (1, 4)] * 3
    case = rated(first)
    change(case, 12)
    assert case.kind == FIRST_RATINGS
    assert case.excluded == [[1] * 12 + [0] * 9] * 2
    assert case.words() == "the first 12 ratings of each arm were bad"


def test_there_are_never_more_hypotheses_than_room_and_the_first_stays():
    rng = np.random.default_rng(0)
    case = rated([])
    for _ in range(15):
        add(case, [(arm, min(10, max(0, rating))) for arm, rating in around(int(rng.integers(1, 10)), 5)])
        change(case, int(case.log.sizes[0]) - 5)
    assert case.held == HELD
    assert case.labels.kind[0] == NOTHING
    assert not case.labels.excluded[:, 0].any()
    assert case.standing.weights.sum() == pytest.approx(1)
