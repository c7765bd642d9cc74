"""What is believed of each arm: the likelihoods of all laws and groups of a `RatingModel`, given its ratings.

They stand in tables, groups by means by blocks. A rating multiplies each entry by its likelihood. Each row, the means
of a group and a block, has a sum of its own and the logarithm of what it was divided by: so rows can do with 32 bits.
Rows are added up half by half, in an order that is the same on every machine, all those of a group side by side.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine.compiling import compiled_if_on_disk
from trueward.engine.kernel import Floats, Ints, exp, interpreted_as, kernel, log
from trueward.engine.rows import add, add_times, add_up, fill
from trueward.engine.states import Setting, kept, new, per_arm, single
from trueward.policies.wary_thompson.rating_model import Likelihoods, RatingModel

FLOOR = np.float32(1e-30)  # of a weight; no mean is ever given up for good, and none is a slow subnormal number
SMALL = 1e-5  # a sum that is brought back to 1

Floats32 = NDArray[np.float32]


class Belief(NamedTuple):
    """Likelihoods, one table for each arm under each hypothesis."""

    weights: Annotated[Floats32, per_arm(kept, "hypotheses", "groups", "means", "blocks")]  # to a factor for each row
    sums: Annotated[Floats32, per_arm(kept, "hypotheses", "groups", "blocks")]  # of the weights in a row
    logs: Annotated[Floats, per_arm(kept, "hypotheses", "groups", "blocks")]  # of what a row was divided by
    room: Annotated[Floats32, single(kept, "means", "blocks")]  # to add up in


def belief_in(model: RatingModel, setting: Setting, hypotheses: int) -> Belief:
    """Return room for likelihoods, to be returned to the beginning before they are used."""
    _, groups, means, blocks = model.logs.shape
    axes = {"hypotheses": hypotheses, "groups": groups, "means": means, "blocks": blocks}
    return new(Belief, setting, axes=axes)


@kernel
def expect_anything(belief: Belief, arm: int, hypothesis: int) -> None:
    """Begin anew, without ratings."""
    level_weights(belief.weights[arm, hypothesis], belief.sums[arm, hypothesis], belief.logs[arm, hypothesis])


@kernel
def learn(
    belief: Belief, model: RatingModel | Likelihoods, arm: int, hypothesis: int, rating: int, doubt: float
) -> None:
    """Learn a rating that a bad rater is so much likelier to give in this way."""
    weights, sums, logs = belief.weights[arm, hypothesis], belief.sums[arm, hypothesis], belief.logs[arm, hypothesis]
    heap, bad = model.heap[rating], model.bad[rating]
    multiply_weights(weights, sums, logs, belief.room, model.laws[rating], model.clean, heap, bad, doubt)


@kernel
def learn_counts(belief: Belief, model: RatingModel | Likelihoods, arm: int, hypothesis: int, counts: Ints) -> None:
    """Learn how often each rating was given, from the beginning; the counts are then 0."""
    weights, sums, logs = belief.weights[arm, hypothesis], belief.sums[arm, hypothesis], belief.logs[arm, hypothesis]
    weigh_counts(weights, sums, logs, model.logs, counts)


@compiled_if_on_disk
def level_weights(weights: Floats32, sums: Floats32, logs: Floats) -> None:
    """Make all laws equally likely."""
    groups, means, blocks = weights.shape
    for group in range(groups):
        fill(weights[group].reshape(means * blocks), 1.0 / means)
        fill(sums[group], 1.0)
        fill(logs[group], 0.0)


@compiled_if_on_disk
def multiply_weights(
    weights: Floats32,
    sums: Floats32,
    logs: Floats,
    room: Floats32,
    laws: Floats32,
    clean: Floats,
    heap: Floats,
    bad: Floats,
    doubt: float,
) -> None:
    """Multiply every weight by the likelihood of a rating, and sum up again."""
    groups, means, blocks = weights.shape
    distribution, half_room = laws.reshape(means * blocks), room.reshape(means * blocks)
    for group in range(groups):
        rows = weights[group].reshape(means * blocks)
        good, rest = np.float32(clean[group]), np.float32(heap[group] + doubt * bad[group])
        multiply_rows(rows, good, distribution, rest)
        half = means * blocks // 2
        add_up(half_room[:half], rows[:half], rows[half:])
        while half > blocks:
            half //= 2
            add(half_room[:half], half_room[half : 2 * half])
        for block in range(blocks):
            total = half_room[block]
            sums[group, block] = total
            if total < SMALL:
                logs[group, block] += log(total)
                sums[group, block] = 1.0
                inverse = 1.0 / float(total)
                for i in range(means):  # the same as to divide, in every bit: 64 bits are more than twice 24
                    weights[group, i, block] = float(weights[group, i, block]) * inverse


@interpreted_as(lambda rows, good, distribution, rest: np.maximum(rows * (good * distribution + rest), FLOOR, out=rows))
def multiply_rows(rows: Floats32, good: np.float32, distribution: Floats32, rest: np.float32) -> None:
    """Multiply all weights of a group by the likelihood of a rating."""
    for i in range(rows.size):
        rows[i] = max(rows[i] * (good * distribution[i] + rest), FLOOR)


@compiled_if_on_disk
def weigh_counts(weights: Floats32, sums: Floats32, logs: Floats, table: Floats, counts: Ints) -> None:
    """Weigh all laws by how often each rating was given; `table` has log-likelihoods.

    All at once, since the order of ratings matters to weights that have a floor: a thousand equal ones would bury every
    law but theirs.
    """
    groups, means, blocks = weights.shape
    row = np.empty(means)
    for group in range(groups):
        for block in range(blocks):
            for i in range(means):
                row[i] = 0.0
            for rating in range(counts.size):
                if counts[rating] > 0:
                    add_times(row, counts[rating], table[rating, group, :, block])
            largest, total = -math.inf, 0.0
            for i in range(means):
                largest = max(largest, row[i])
            for i in range(means):
                weights[group, i, block] = max(np.float32(exp(row[i] - largest)), FLOOR)
                total += float(weights[group, i, block])
            sums[group, block] = total
            logs[group, block] = largest - math.log(means)
    for rating in range(counts.size):
        counts[rating] = 0
