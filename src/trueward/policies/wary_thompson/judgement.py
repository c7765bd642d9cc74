"""What is believed of the study, and of each arm in its light: which laws and groups are how likely.

    P(ends, spread | ratings)  ~  P(ends)  *  product over arms of  S_a(ends, spread)
    S_a(ends, spread)  =  sum over groups g and blocks b of  P(g | ends) P(b | spread) E_a(g, b)^zeta

A spread that the arms share and ends at which heaps are honest are drawn once in a round, then for each arm a group and
a block, and a mean of that block. E_a(g, b) is the likelihood of the arm's ratings, averaged over the means of a block.
No model of people is exactly right, and with enough ratings it would explain by contamination whatever it cannot reach.
So in this choice n ratings weigh, from some 100 on, as their logarithm does (a coarsened posterior):

    zeta  =  ln(1 + n / 100) / (n / 100)

Reference: Miller & Dunson (2019), Robust Bayesian inference via coarsening, for likelihoods raised to a power.
"""

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.compiling import always_compiled
from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.states import Setting, kept, new, per_arm
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.grid import grid_of
from trueward.policies.wary_thompson.rating_model import RatingModel

EVERY = 32  # ratings of an arm, up to which each is judged
NEGLIGIBLE = 30.0  # in logarithms: what is never drawn
LEAST_WEIGHT = 1e-6  # of a hypothesis, or of a view among all, that is looked at
TRIES = 20  # pairs of draws at most


class Judgement(NamedTuple):
    """How likely groups and blocks are for each arm under each hypothesis."""

    chances: Annotated[Floats, per_arm(kept, "hypotheses", "groups", "blocks")]  # E^zeta, to one factor
    support: Annotated[Floats, per_arm(kept, "hypotheses", "ends", "spreads")]  # ln S
    counted: Annotated[Ints, per_arm(kept, "hypotheses")]  # ratings that count


def judgement_by(model: RatingModel, setting: Setting, hypotheses: int) -> Judgement:
    """Return room for what is likely."""
    groups, blocks = model.logs.shape[1], model.logs.shape[3]
    axes = {"hypotheses": hypotheses, "groups": groups, "blocks": blocks}
    return new(Judgement, setting, axes={**axes, "ends": model.ends.size, "spreads": model.near.shape[0]})


@kernel
def time_to_judge(ratings: int) -> bool:
    """Return whether to weigh groups and blocks anew: after every rating, later after 3 % more of them."""
    return ratings < EVERY or ratings % (ratings // EVERY) == 0


@kernel
def judge(judgement: Judgement, belief: Belief, model: RatingModel, arm: int, hypothesis: int) -> None:
    """Weigh groups and blocks anew, after a rating."""
    weigh_blocks(
        belief.sums[arm, hypothesis],
        belief.logs[arm, hypothesis],
        model.near,
        model.groups,
        judgement.counted[arm, hypothesis] / model.trusted,
        judgement.chances[arm, hypothesis],
        judgement.support[arm, hypothesis],
    )


@always_compiled
def weigh_blocks(
    sums: Floats32, logs: Floats, near: Floats, groups: Floats, ratings: float, chances: Floats, support: Floats
) -> None:
    """Raise the likelihoods to their power, and add up what each view of the study makes of them."""
    zeta = math.log(1.0 + ratings) / ratings if ratings > 0.0 else 1.0
    largest = -math.inf
    for group in range(logs.shape[0]):
        for block in range(logs.shape[1]):
            chances[group, block] = logs[group, block] + math.log(sums[group, block])
            largest = max(largest, chances[group, block])
    for group in range(logs.shape[0]):
        for block in range(logs.shape[1]):
            chances[group, block] = exp(zeta * (chances[group, block] - largest))
    for end in range(groups.shape[0]):
        for spread in range(near.shape[0]):
            support[end, spread] = 0.0
        for block in range(logs.shape[1]):
            total = 0.0
            for group in range(logs.shape[0]):
                total += groups[end, group] * chances[group, block]
            for spread in range(near.shape[0]):
                support[end, spread] += near[spread, block] * total
        for spread in range(near.shape[0]):
            support[end, spread] = math.log(support[end, spread])


@kernel
def agreed_arm(
    judgement: Judgement, belief: Belief, model: RatingModel, hypothesis: int, rng: np.random.Generator
) -> int:
    """Draw what is true of the study, and pairs of arms until a pair agrees; return that arm, or the last one drawn."""
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    assumed = model.near, model.groups, model.ends, model.means, model.stretch, model.shift
    arm: int = draw_agreed_arm(*believed, *assumed, hypothesis, rng)
    return arm


@always_compiled
def draw_agreed_arm(
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    support: Floats,
    near: Floats,
    groups: Floats,
    ends: Floats,
    means: Floats,
    stretch: Floats,
    shift: Floats,
    hypothesis: int,
    rng: np.random.Generator,
) -> int:
    """Do so, on the arrays: a compiled function costs its caller by the number of its arguments."""
    one, other, tries = 0, 1, 0
    view = draw_view(support, ends, hypothesis, rng)
    end, spread = view // near.shape[0], view % near.shape[0]
    while one != other and tries < TRIES:
        tries += 1
        for _ in range(2):
            one, top, ties = other, -math.inf, 1
            for arm in range(sums.shape[0]):
                total = exp(support[arm, hypothesis, end, spread])
                group, block = draw_block(chances[arm, hypothesis], groups[end], near[spread], total * rng.random())
                level = sums[arm, hypothesis, group, block] * rng.random()
                mean = stretch[group] * means[draw_mean(weights[arm, hypothesis, group], block, level)] + shift[group]
                ties = 1 if mean > top else ties + (mean == top)
                if mean > top or (mean == top and rng.random() * ties < 1.0):
                    other, top = arm, mean
    return other


@kernel
def draw_view(support: Floats, ends: Floats, hypothesis: int, rng: np.random.Generator) -> int:
    """Return the ends and the spread of the study, drawn, as one number: end * spreads + spread."""
    n_spreads, views = support.shape[3], support.shape[2] * support.shape[3]
    top, total, u = -math.inf, 0.0, rng.random()
    for again in range(3):  # the highest, the sum, the draw
        level = 0.0
        for view in range(views):
            end = view // n_spreads
            log = ends[end]
            if log > -math.inf:
                for arm in range(support.shape[0]):
                    log += support[arm, hypothesis, end, view - end * n_spreads]
                top = max(top, log)
                level += exp(log - top) if again > 0 and log > top - NEGLIGIBLE else 0.0
                if again == 2 and level > u * total:
                    return view
        total = level
    return int(views - 1)


@kernel
def draw_block(chances: Floats, groups: Floats, near: Floats, level: float) -> tuple[int, int]:
    """Return the group and the block at which the sum of what is likely passes a level."""
    group, block = 0, 0
    level -= groups[0] * near[0] * chances[0, 0]
    while level >= 0.0 and (group < groups.size - 1 or block < near.size - 1):
        block += 1
        if block == near.size:
            group, block = group + 1, 0
        level -= groups[group] * near[block] * chances[group, block]
    return group, block


@kernel
def draw_mean(weights: Floats32, block: int, level: float) -> int:
    """Return where the sum of a block's weights passes a level."""
    i = 0
    level -= weights[0, block]
    while level >= 0.0 and i < weights.shape[0] - 1:
        i += 1
        level -= weights[i, block]
    return i


class Drawn(NamedTuple):
    """From what the mean of each arm is drawn, in one view of the study."""

    weight: float  # of the view
    cells: Floats  # (arms, groups, blocks) sums to 1 for each arm
    atoms: Floats  # (arms, values) likewise, over the different means


@always_compiled
def weigh_views(support: Floats, ends: Floats, hypothesis: int, views: Floats) -> None:
    """Fill in how likely each view of the study is, and 0 where that is next to nothing."""
    top, total = -math.inf, 0.0
    for end in range(views.shape[0]):
        for spread in range(views.shape[1]):
            log = ends[end]
            for arm in range(support.shape[0]):
                log += support[arm, hypothesis, end, spread]
            views[end, spread] = log
            top = max(top, log)
    for end in range(views.shape[0]):
        for spread in range(views.shape[1]):
            views[end, spread] = exp(views[end, spread] - top)
            total += views[end, spread]
    kept = 0.0
    for end in range(views.shape[0]):
        for spread in range(views.shape[1]):
            views[end, spread] = views[end, spread] if views[end, spread] > LEAST_WEIGHT * total else 0.0
            kept += views[end, spread]
    for end in range(views.shape[0]):
        for spread in range(views.shape[1]):
            views[end, spread] /= kept


def views_of(judgement: Judgement, belief: Belief, model: RatingModel, hypothesis: int) -> Iterator[Drawn]:
    """Give every view of the study that has some weight."""
    weights = np.empty((model.ends.size, model.near.shape[0]))
    weigh_views(judgement.support, model.ends, hypothesis, weights)
    laws = belief.weights[:, hypothesis] / belief.weights[:, hypothesis].sum(axis=2, dtype=np.float64, keepdims=True)
    grid = grid_of(model)
    for end, spread in np.argwhere(weights > 0.0).tolist():
        cells = judgement.chances[:, hypothesis] * model.groups[end][:, None] * model.near[spread]
        cells /= cells.sum(axis=(1, 2), keepdims=True)
        means = np.einsum("agb,agmb->agm", cells, laws)
        atoms = np.array([np.bincount(grid.place.ravel(), arm.ravel(), grid.values.size) for arm in means])
        yield Drawn(float(weights[end, spread]), cells, atoms)
