"""Stories of what happened when: which of the ratings seen so far are to be believed, if bursts came.

    log P(story | ratings) = sum over arms of  ln P(ratings believed) + ln P(ratings set aside)  +  ln P(story)

A *story* sets some ratings aside. When the ranks of an arm's ratings change in time (`rank_guard`), stories are told
about it, starting from the one believed most: a burst begins here; one ends here; all before was one; what lies between
the last change and this one was; on all arms, or on this one alone; or else each arm's first ratings were bad, as many
as this arm had before the change. And of every burst under way it is told, now and then, that it is over.

What tells stories apart is the likelihood: the ratings believed must follow one law on each arm, and so must those of
a burst. Where that says nothing (which of two halves is the burst?), the prior does. A burst is short:

    - ln P(story) = 20 (share of all T rounds set aside) + ln T for each beginning + ln (0.05 T) for each end

A burst at the very start costs 1.4 instead of ln T, and one under way is taken to last another 0.05 T. So a change
early in the game speaks for its later part, and one late in the game for its earlier part. The numbers are ours.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, outlined
from trueward.engine.rank_guard import MARGIN
from trueward.policies.champion.rating_model import (
    Belief,
    RatingModel,
    expect_anything,
    forget,
    learn,
    learn_afresh,
    no_belief,
)

STORIES = 6  # told at once; the first sets nothing aside
BASE, NEXT = STORIES, STORIES + 1  # room for the story that others start from, and for the one being told
NOTHING, EARLIER, BURST, ONE_ARM, FIRST_RATINGS = range(5)  # the kinds
HERE, BETWEEN, BEFORE, TURNED_ROUND, BY_PULLS, ARM_EARLIER, ARM_LATER = range(7)  # the ways to tell a change
WAYS = 7
KIND_OF_WAY = (BURST, BURST, EARLIER, BURST, FIRST_RATINGS, ONE_ARM, ONE_ARM)
STEEPNESS = 20.0  # of the prior, per share of all rounds set aside
SHORT = 0.05  # of all rounds: what a burst under way is taken to last on, and how exactly an end is foreseen
AT_THE_START = 1.4  # the cost of a burst there: a quarter of all bursts
NEGLIGIBLE = 1e-4  # weight: of such a story no end is told
RARER = 1.0  # the cost of a burst on one arm alone, and of one that goes by pulls


class Stories(NamedTuple):
    """The stories told, each with its label for every rating, and how far they are believed."""

    judge: Belief  # for each story a posterior of the ratings believed, and one of those set aside
    model: RatingModel
    ratings: Ints  # (arms, capacity)
    arrivals: Ints  # (arms, capacity) 1 for the first rating of all
    sizes: Ints  # (arms,) ratings of each arm
    aside: Ints  # (arms, stories, capacity) whether a rating is set aside
    open: Ints  # (arms, stories) whether those to come are
    first: Ints  # (1, stories) how many of each arm's first ratings are
    kind: Ints  # (1, stories)
    cost: Floats  # (1, stories) of its beginnings and ends
    n_aside: Ints  # (1, stories)
    fresh: Ints  # (1, stories) told just now: what it believes is still to be learned
    scores: Floats  # (1, stories) log posterior
    weights: Floats  # (1, stories) posterior
    counts: Ints  # (1, 3) ratings, stories, the last change found
    tally: Ints  # (1, 2, ratings) room to count ratings: zero between two uses


RATINGS, TOLD, CHANGE = range(3)  # the counts


@outlined
def start_over(stories: Stories) -> None:
    """Forget all ratings, and all stories but the one that sets nothing aside."""
    stories.sizes[:] = 0
    stories.counts[:] = 0
    stories.counts[0, TOLD] = 1
    stories.open[:] = 0
    stories.first[:] = 0
    stories.kind[:] = NOTHING
    stories.cost[:] = 0.0
    stories.n_aside[:] = 0
    stories.weights[:] = 0.0
    stories.weights[0, 0] = 1.0
    for arm in range(stories.sizes.size):
        forget(stories.judge, stories.model, arm, 0)


@outlined
def hear(stories: Stories, arm: int, rating: int, horizon: int) -> None:
    """Remember a rating, label it in every story, and weigh the stories by it."""
    n, many = stories.sizes[arm], stories.counts[0, TOLD]
    stories.counts[0, RATINGS] += 1
    stories.ratings[arm, n] = rating
    stories.arrivals[arm, n] = stories.counts[0, RATINGS]
    stories.sizes[arm] += 1
    for story in range(many):
        aside = int(stories.open[arm, story] == 1 or n < stories.first[0, story])
        stories.aside[arm, story, n] = aside
        stories.n_aside[0, story] += aside
        if aside == 1 and n > 0 and stories.aside[arm, story, n - 1] == 0:
            expect_anything(stories.judge, stories.model, arm, 2 * story + 1)
        learn(stories.judge, stories.model, arm, 2 * story + aside, rating)
        score(stories, story, horizon)
    weigh(stories)


@outlined
def score(stories: Stories, story: int, horizon: int) -> None:
    """Add up a story's evidence and its prior."""
    total, under_way = 0.0, 0.0
    for arm in range(stories.sizes.size):
        total += stories.judge.evidence[arm, 2 * story] + stories.judge.evidence[arm, 2 * story + 1]
        if stories.open[arm, story] == 1:
            under_way = SHORT
    aside = max(stories.n_aside[0, story], stories.first[0, story] * stories.sizes.size) / horizon
    stories.scores[0, story] = total - stories.cost[0, story] - STEEPNESS * (aside + under_way)


@outlined
def weigh(stories: Stories) -> None:
    """Turn scores into weights."""
    top = stories.scores[0, 0]
    for story in range(1, stories.counts[0, TOLD]):
        top = max(top, stories.scores[0, story])
    total = 0.0
    for story in range(stories.counts[0, TOLD]):
        stories.weights[0, story] = exp(stories.scores[0, story] - top)
        total += stories.weights[0, story]
    for story in range(stories.counts[0, TOLD]):
        stories.weights[0, story] /= total


@outlined
def judge(stories: Stories, story: int, horizon: int) -> None:
    """Weigh a story from scratch: all that it believes of an arm, and each burst that it sets aside."""
    stories.n_aside[0, story] = 0
    believed, aside = stories.tally[0, 0], stories.tally[0, 1]
    for arm in range(stories.sizes.size):
        forget(stories.judge, stories.model, arm, 2 * story)
        forget(stories.judge, stories.model, arm, 2 * story + 1)
        for i in range(stories.sizes[arm]):
            if stories.aside[arm, story, i] == 0:
                believed[stories.ratings[arm, i]] += 1
            else:
                stories.n_aside[0, story] += 1
                aside[stories.ratings[arm, i]] += 1
                if i + 1 == stories.sizes[arm] or stories.aside[arm, story, i + 1] == 0:
                    learn_afresh(stories.judge, stories.model, arm, 2 * story + 1, aside)
        learn_afresh(stories.judge, stories.model, arm, 2 * story, believed)
    score(stories, story, horizon)


@outlined
def tally_believed(stories: Stories, story: int, arm: int, counts: Ints) -> None:
    """Count how often a story believes each rating of an arm."""
    for i in range(stories.sizes[arm]):
        counts[stories.ratings[arm, i]] += 1 - stories.aside[arm, story, i]


@outlined
def most_believed(stories: Stories) -> int:
    """Return the story with the highest weight."""
    best = 0
    for story in range(1, stories.counts[0, TOLD]):
        if stories.weights[0, story] > stories.weights[0, best]:
            best = story
    return best


@outlined
def copy_story(stories: Stories, one: int, other: int) -> None:
    """Tell a story again, in another place."""
    for arm in range(stories.sizes.size):
        for i in range(stories.sizes[arm]):
            stories.aside[arm, other, i] = stories.aside[arm, one, i]
        stories.open[arm, other] = stories.open[arm, one]
    stories.first[0, other] = stories.first[0, one]
    stories.kind[0, other] = stories.kind[0, one]
    stories.cost[0, other] = stories.cost[0, one]


@outlined
def consider(stories: Stories, arm: int, since: int, place: int, when: int, horizon: int) -> None:
    """Tell that bursts are over since the `since`-th rating; and, unless `place` is negative, stories about a change.

    The change is at the arm's `place`-th rating, counted from 0, which was the `when`-th of all. All in one loop with
    one call of `enter`, since what is called in many places is compiled as many times.
    """
    for which in range(STORIES + WAYS):
        if which < STORIES:
            new = tell_end(stories, which, since, horizon)
        elif place < 0:
            break
        else:
            if which == STORIES:
                weigh(stories)
                copy_story(stories, most_believed(stories), BASE)
            new = tell_change(stories, which - STORIES, arm, place, when, horizon)
        if new:
            enter(stories, horizon)
    if place >= 0:
        stories.counts[0, CHANGE] = when
    weigh(stories)


@outlined
def tell_end(stories: Stories, story: int, since: int, horizon: int) -> bool:
    """Tell that a story's burst under way is over, if it has one."""
    under_way = 0
    if 0 < story < stories.counts[0, TOLD] and since > 0 and stories.weights[0, story] > NEGLIGIBLE:
        for arm in range(stories.sizes.size):
            under_way += stories.open[arm, story]
    if under_way == 0:
        return False
    copy_story(stories, story, NEXT)
    for arm in range(stories.sizes.size):
        for i in range(stories.sizes[arm]):
            if stories.open[arm, story] == 1 and stories.arrivals[arm, i] >= since:
                stories.aside[arm, NEXT, i] = 0
        stories.open[arm, NEXT] = 0
    stories.cost[0, NEXT] += cost_of_an_end(horizon)
    return True


@outlined
def tell_change(stories: Stories, way: int, arm: int, place: int, when: int, horizon: int) -> bool:
    """Tell a change of an arm's ratings in one of several ways, if it can be told that way."""
    last, under_way = stories.counts[0, CHANGE], stories.open[arm, BASE]
    if (way == BETWEEN and last == 0) or (way == TURNED_ROUND and stories.kind[0, BASE] == NOTHING):
        return False
    for a in range(stories.sizes.size):
        for i in range(stories.sizes[a]):
            old, later = stories.aside[a, BASE, i], int(stories.arrivals[a, i] >= when)
            new = old
            if way == HERE:
                new = 1 - under_way if later else old
            elif way == BETWEEN:
                new = 0 if later else max(old, int(stories.arrivals[a, i] >= last))
            elif way == BEFORE:
                new = 1 - later
            elif way == TURNED_ROUND:
                new = 0 if later else 1 - old
            elif way == BY_PULLS:
                new = int(i < place)
            elif a == arm:
                new = max(old, later if way == ARM_LATER else 1 - later)
            stories.aside[a, NEXT, i] = new
        stories.open[a, NEXT] = 0
        if way == HERE:
            stories.open[a, NEXT] = 1 - under_way
        elif way in (ARM_EARLIER, ARM_LATER):
            stories.open[a, NEXT] = max(stories.open[a, BASE], int(way == ARM_LATER and a == arm))
    stories.first[0, NEXT] = (
        place if way == BY_PULLS else 0 if way in (BEFORE, TURNED_ROUND) else stories.first[0, BASE]
    )
    stories.kind[0, NEXT] = KIND_OF_WAY[way]
    stories.cost[0, NEXT] = cost_of(way, stories.cost[0, BASE], under_way, stories.sizes.size, horizon)
    return True


@outlined
def cost_of_an_end(horizon: int) -> float:
    """Return what it costs that a burst ended just when it did; nothing in a game so short that it must end soon."""
    return math.log(max(1.0, SHORT * horizon))


@outlined
def cost_of(way: int, base: float, under_way: int, n_arms: int, horizon: int) -> float:
    """Return what the beginnings and ends of a story cost that is told in some way."""
    beginning, end = math.log(horizon), cost_of_an_end(horizon)
    if way == HERE:
        return base + (end if under_way else beginning)
    if way == BETWEEN:
        return base + beginning + end
    if way == TURNED_ROUND:
        return base + AT_THE_START + end
    if way == BEFORE:
        return AT_THE_START + end
    if way == BY_PULLS:
        return AT_THE_START + end + RARER
    return base + RARER + math.log(n_arms) + (beginning if way == ARM_LATER else AT_THE_START + end)


@outlined
def enter(stories: Stories, horizon: int) -> None:
    """Take the story being told up among the others: instead of one that it resembles, or of the worst."""
    if alike(stories, 0, NEXT):  # it sets next to nothing aside
        return
    place = stories.counts[0, TOLD]
    for story in range(1, stories.counts[0, TOLD]):
        if alike(stories, story, NEXT):
            place = story
    judge(stories, NEXT, horizon)
    if place == STORIES:
        place = 1
        for story in range(2, STORIES):
            if stories.scores[0, story] < stories.scores[0, place]:
                place = story
    if place < stories.counts[0, TOLD] and stories.scores[0, NEXT] <= stories.scores[0, place]:
        return
    stories.counts[0, TOLD] = max(stories.counts[0, TOLD], place + 1)
    copy_story(stories, NEXT, place)
    copy_judgement(stories, NEXT, place)
    stories.fresh[0, place] = 1


@outlined
def copy_judgement(stories: Stories, one: int, other: int) -> None:
    """Judge a story as another was, which is the same."""
    weights, cumulative, evidence = stories.judge
    for arm in range(stories.sizes.size):
        for part in range(2):
            source, target = 2 * one + part, 2 * other + part
            evidence[arm, target] = evidence[arm, source]
            for law in range(cumulative.shape[2]):
                cumulative[arm, target, law] = cumulative[arm, source, law]
                for group in range(weights.shape[2]):
                    weights[arm, target, group, law] = weights[arm, source, group, law]
    stories.n_aside[0, other] = stories.n_aside[0, one]
    stories.scores[0, other] = stories.scores[0, one]


@outlined
def alike(stories: Stories, one: int, other: int) -> bool:
    """Return whether two stories differ in a few ratings at most, and not in those to come."""
    if stories.first[0, one] != stories.first[0, other]:
        return False
    different = 0
    for arm in range(stories.sizes.size):
        if stories.open[arm, one] != stories.open[arm, other]:
            return False
        for i in range(stories.sizes[arm]):
            different += stories.aside[arm, one, i] != stories.aside[arm, other, i]
    return different <= MARGIN


def no_stories(n_arms: int, capacity: int, model: RatingModel) -> Stories:
    """Return room for stories about the ratings of some arms."""
    ratings, arrivals = np.zeros((2, n_arms, capacity), np.int64)
    first, kind, n_aside, fresh = np.zeros((4, 1, STORIES + 2), np.int64)
    cost, scores = np.zeros((2, 1, STORIES + 2))
    stories = Stories(
        judge=no_belief(n_arms, 2 * (STORIES + 2), model),
        model=model,
        ratings=ratings,
        arrivals=arrivals,
        sizes=np.zeros(n_arms, np.int64),
        aside=np.zeros((n_arms, STORIES + 2, capacity), np.int64),
        open=np.zeros((n_arms, STORIES + 2), np.int64),
        first=first,
        kind=kind,
        cost=cost,
        n_aside=n_aside,
        fresh=fresh,
        scores=scores,
        weights=np.zeros((1, STORIES)),
        counts=np.zeros((1, 3), np.int64),
        tally=np.zeros((1, 2, model.laws.shape[1]), np.int64),
    )
    start_over(stories)
    return stories


def story_in_words(stories: Stories, story: int, arms: Sequence[str | int] | None = None) -> str:
    """Return what a story sets aside, in words."""
    if stories.kind[0, story] == NOTHING:
        return "all ratings count"
    if stories.kind[0, story] == FIRST_RATINGS:
        return f"the first {stories.first[0, story]} ratings of each arm are set aside"
    sizes = stories.sizes.tolist()
    times = [stories.arrivals[arm, :n][stories.aside[arm, story, :n] == 1] for arm, n in enumerate(sizes)]
    hit = [arm for arm, at in enumerate(times) if at.size > 0]
    at = np.concatenate(times)
    where = f" of {arms[hit[0]]}" if arms is not None and len(hit) == 1 and len(sizes) > 1 else ""
    end = ", and those to come" if stories.open[:, story].any() else ""
    return f"a burst: {at.size} ratings{where}, between numbers {at.min()} and {at.max()} of all, are set aside{end}"
