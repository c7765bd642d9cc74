"""Hypotheses about which of the ratings seen so far count, and which came in bursts and are excluded.

A few are held at once, the first of which excludes nothing. Where they come from: `proposals`; how they are weighed:
`evidence`. What follows is in small tuples, since a tuple costs its compiled caller by the number of its arrays.
"""

from typing import Annotated, NamedTuple

from trueward.engine.kernel import Floats, Ints, exp, not_inlined
from trueward.engine.states import REWARDS, kept, per_arm, single
from trueward.statistics.rank_change import MIN_SEGMENT

HELD = 6  # hypotheses at once
BASE, CANDIDATE = HELD, HELD + 1  # room for the hypothesis that others start from, and for the one proposed
SLOTS = HELD + 2
NOTHING, EARLIER, BURST, ONE_ARM, FIRST_RATINGS = range(5)  # the kinds


class Log(NamedTuple):
    """Every rating, by arm."""

    ratings: Annotated[Ints, per_arm(kept, REWARDS)]
    arrivals: Annotated[Ints, per_arm(kept, REWARDS)]  # 1 for the first rating of all
    doubts: Annotated[Floats, per_arm(kept, REWARDS)]  # how much likelier a bad rater shows what came with it
    given: Annotated[Ints, per_arm(0, "ratings")]  # how often each rating was given
    sizes: Annotated[Ints, per_arm(0)]


class Labels(NamedTuple):
    """What each hypothesis says; the first is never written to, so that it excludes nothing."""

    excluded: Annotated[Ints, per_arm(kept, SLOTS, REWARDS)]  # whether a rating is
    open: Annotated[Ints, per_arm(kept, SLOTS)]  # whether those to come are
    first: Annotated[Ints, single(kept, SLOTS)]  # how many of each arm's first ratings are
    kind: Annotated[Ints, single(kept, SLOTS)]
    cost: Annotated[Floats, single(kept, SLOTS)]  # of its beginnings and ends


class Standing(NamedTuple):
    """How likely each hypothesis is."""

    scores: Annotated[Floats, single(kept, SLOTS)]  # log posterior
    weights: Annotated[Floats, single(kept, HELD)]  # posterior
    n_excluded: Annotated[Ints, single(kept, SLOTS)]
    dormant: Annotated[Ints, single(kept, SLOTS)]  # so unlikely that it is not learned what it makes of each arm
    counts: Annotated[Ints, single(0, 4)]


RATINGS, HYPOTHESES, LAST_CHANGE, CHANGES = range(4)  # the counts


@not_inlined
def weigh(standing: Standing) -> None:
    """Turn the scores of the hypotheses held into weights."""
    scores, weights, held = standing.scores, standing.weights, standing.counts[HYPOTHESES]
    top = scores[0]
    for hypothesis in range(1, held):
        top = max(top, scores[hypothesis])
    total = 0.0
    for hypothesis in range(held):
        weights[hypothesis] = exp(scores[hypothesis] - top)
        total += weights[hypothesis]
    for hypothesis in range(held):
        weights[hypothesis] /= total


@not_inlined
def most_likely(standing: Standing) -> int:
    """Return the hypothesis with the highest weight."""
    best = 0
    for hypothesis in range(1, standing.counts[HYPOTHESES]):
        if standing.weights[hypothesis] > standing.weights[best]:
            best = hypothesis
    return best


@not_inlined
def near_duplicate(labels: Labels, sizes: Ints, one: int, other: int) -> bool:
    """Return whether two hypotheses differ in a few ratings at most, and not in those to come."""
    different, to_come = 0, abs(labels.first[one] - labels.first[other])
    for arm in range(sizes.size):
        to_come += abs(labels.open[arm, one] - labels.open[arm, other])
        for i in range(sizes[arm]):
            different += abs(labels.excluded[arm, one, i] - labels.excluded[arm, other, i])
    return to_come == 0 and different <= MIN_SEGMENT


@not_inlined
def copy_labels(labels: Labels, sizes: Ints, one: int, other: int) -> None:
    """Say in one place what is said in another."""
    for arm in range(sizes.size):
        for i in range(sizes[arm]):
            labels.excluded[arm, other, i] = labels.excluded[arm, one, i]
        labels.open[arm, other] = labels.open[arm, one]
    labels.first[other] = labels.first[one]
    labels.kind[other] = labels.kind[one]
    labels.cost[other] = labels.cost[one]


@not_inlined
def admit(labels: Labels, standing: Standing, sizes: Ints, places: Ints) -> None:
    """Hold the candidate, if it is better than its near duplicate, or than the worst, or if there is room."""
    scores, held = standing.scores, standing.counts[HYPOTHESES]
    place = held
    for hypothesis in range(1, held):
        if near_duplicate(labels, sizes, hypothesis, CANDIDATE):
            place = hypothesis
    if place == HELD:
        place = 1
        for hypothesis in range(2, HELD):
            if scores[hypothesis] < scores[place]:
                place = hypothesis
    if place == held or scores[CANDIDATE] > scores[place]:
        copy_labels(labels, sizes, CANDIDATE, place)
        scores[place] = scores[CANDIDATE]
        standing.n_excluded[place] = standing.n_excluded[CANDIDATE]
        standing.dormant[place] = 1
        standing.counts[HYPOTHESES] = max(held, place + 1)
        places[CANDIDATE], places[place] = places[place], places[CANDIDATE]
