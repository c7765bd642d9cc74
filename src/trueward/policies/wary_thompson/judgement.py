"""What is believed of the study, and of each arm in its light: which laws and groups are how likely.

    P(ends, spread | ratings)  ~  P(ends)  *  product over arms of  S_a(ends, spread)
    S_a(ends, spread)  =  sum over groups g and blocks b of  P(g | ends) P(b | spread) E_a(g, b)^zeta

A spread that the arms share and ends at which heaps are honest are a *view* of the study. One is drawn in a round, then
for each arm a group and a block, and a mean of that block. E_a(g, b) is the likelihood of the arm's ratings, averaged
over the means of a block. No model of people is exactly right, and with enough ratings it would explain by
contamination whatever it cannot reach. So in this choice n ratings weigh, from some 100 on, as their logarithm does (a
coarsened posterior):

    zeta  =  ln(1 + n / 100) / (n / 100)

Or the study is attacked, which is one more view for each rate: the best arm is pushed down, all others are lifted. So
in each draw of an arm it is drawn first whether the study is attacked, then whom it pushes down, and all means: where
another arm is the best, that is no such attack, and all is drawn again; after five times, it is not attacked.

Reference: Miller & Dunson (2019), Robust Bayesian inference via coarsening, for likelihoods raised to a power.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.compiling import compiled_if_on_disk
from trueward.engine.kernel import Floats, Ints, exp, kernel, log
from trueward.engine.states import Setting, kept, new, per_arm
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.rating_model import RatingModel

EVERY = 32  # ratings of an arm, up to which each is judged
LEAST_WEIGHT = 1e-6  # of a hypothesis, or of a view among all, that is looked at
TRIES = 20  # times at most to draw arms that agree
ATTEMPTS = 5  # draws of an attacked study at most, in which the arm that is pushed down is not the best


class Judgement(NamedTuple):
    """How likely groups and blocks are for each arm under each hypothesis."""

    chances: Annotated[Floats, per_arm(kept, "hypotheses", "groups", "blocks")]  # E^zeta, to one factor
    support: Annotated[Floats, per_arm(kept, "hypotheses", "parts", "spreads")]  # ln S
    counted: Annotated[Ints, per_arm(kept, "hypotheses")]  # ratings that count


def judgement_by(model: RatingModel, setting: Setting, hypotheses: int) -> Judgement:
    """Return room for what is likely."""
    groups, blocks = model.logs.shape[1], model.logs.shape[3]
    axes = {"hypotheses": hypotheses, "groups": groups, "blocks": blocks}
    parts, spreads = model.groups.shape[0], model.near.shape[0]
    return new(Judgement, setting, axes={**axes, "parts": parts, "spreads": spreads})


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


@compiled_if_on_disk
def weigh_blocks(
    sums: Floats32, logs: Floats, near: Floats, groups: Floats, ratings: float, chances: Floats, support: Floats
) -> None:
    """Raise the likelihoods to their power, and add up what each view of the study makes of them."""
    zeta = math.log(1.0 + ratings) / ratings if ratings > 0.0 else 1.0
    largest = -math.inf
    for group in range(logs.shape[0]):
        for block in range(logs.shape[1]):
            chances[group, block] = logs[group, block] + log(sums[group, block])
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
            support[end, spread] = log(support[end, spread])


DrawnFrom = tuple[
    Floats32, Floats32, Floats, Floats, Floats, Floats, Floats, Floats, Floats
]  # what means are drawn from


@kernel
def agreed_arm(
    judgement: Judgement, belief: Belief, model: RatingModel, agreeing: int, hypothesis: int, rng: np.random.Generator
) -> int:
    """Draw what is true of the study, and so many arms until they agree; return that arm, or the last one drawn."""
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    assumed = model.near, model.groups, model.ends, model.means, model.stretch, model.shift
    arm: int = draw_agreed_arm(*believed, *assumed, agreeing, hypothesis, rng)
    return arm


@compiled_if_on_disk
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
    agreeing: int,
    hypothesis: int,
    rng: np.random.Generator,
) -> int:
    """Do so, on the arrays: a compiled function costs its caller by the number of its arguments."""
    views, attacks = np.empty((ends.size, near.shape[0])), groups.shape[0] - ends.size
    attacked = weigh_views(support, ends, attacks, hypothesis, views)
    drawn_from = weights, sums, chances, support, near, groups, means, stretch, shift
    end, spread = draw_view(views, 0, ends.size - attacks, rng)
    first, arm, alike, tries = 0, 0, 0, 0
    while alike < agreeing and tries < TRIES:
        tries, alike = tries + 1, 0
        while alike < agreeing and (alike == 0 or arm == first):
            arm = draw_pushed(drawn_from, views, attacked, attacks, hypothesis, rng)
            if arm < 0:
                arm = draw_arm(drawn_from, end, spread, -1, end, hypothesis, rng)
            first = arm if alike == 0 else first
            alike += arm == first
    return arm


@kernel
def draw_pushed(
    drawn_from: DrawnFrom, views: Floats, attacked: float, attacks: int, hypothesis: int, rng: np.random.Generator
) -> int:
    """Return the arm that is pushed down, drawn: the best of an attacked study; or -1, if it is not attacked."""
    tries, n_ends, odds = 0, views.shape[0], np.empty(drawn_from[3].shape[0])
    while attacked > 0.0 and tries < ATTEMPTS and rng.random() < attacked:
        tries += 1
        end, spread = draw_view(views, n_ends - attacks, n_ends, rng)
        pushed_odds(drawn_from[3], end, end + attacks, spread, hypothesis, odds)
        pushed = draw_whom(odds, rng)
        if draw_arm(drawn_from, end, spread, pushed, end + attacks, hypothesis, rng) == pushed:
            return pushed
    return -1


@kernel
def draw_arm(
    drawn_from: DrawnFrom, end: int, spread: int, pushed: int, down: int, hypothesis: int, rng: np.random.Generator
) -> int:
    """Draw a mean of each arm, and return the arm with the highest; `down` is the part of the arm that is pushed."""
    weights, sums, chances, support, near, groups, means, stretch, shift = drawn_from
    best, top, ties = 0, -math.inf, 1
    for arm in range(sums.shape[0]):
        part = down if arm == pushed else end
        total = exp(support[arm, hypothesis, part, spread])
        group, block = draw_block(chances[arm, hypothesis], groups[part], near[spread], total * rng.random())
        level = sums[arm, hypothesis, group, block] * rng.random()
        mean = stretch[group] * means[draw_mean(weights[arm, hypothesis, group], block, level)] + shift[group]
        ties = 1 if mean > top else ties + (mean == top)
        if mean > top or (mean == top and rng.random() * ties < 1.0):
            best, top = arm, mean
    return best


@kernel
def draw_view(views: Floats, first: int, last: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return ends and a spread of the study, drawn, of some of the ends."""
    end, spread, u = first, 0, rng.random()
    u -= views[end, spread]
    while u >= 0.0 and (end < last - 1 or spread < views.shape[1] - 1):
        spread += 1
        if spread == views.shape[1]:
            end, spread = end + 1, 0
        u -= views[end, spread]
    return end, spread


@kernel
def draw_whom(odds: Floats, rng: np.random.Generator) -> int:
    """Return an arm, drawn by these odds."""
    arm, level = 0, rng.random() - odds[0]
    while level >= 0.0 and arm < odds.size - 1:
        arm += 1
        level -= odds[arm]
    return arm


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


@compiled_if_on_disk
def weigh_views(support: Floats, ends: Floats, attacks: int, hypothesis: int, views: Floats) -> float:
    """Fill in how likely each view is of a study that is not attacked, then of one that is; return how likely it is.

    What is next to nothing is 0.
    """
    honest, n_spreads = ends.size - attacks, views.shape[1]
    for end in range(ends.size):
        for spread in range(n_spreads):
            views[end, spread] = ends[end]
            for arm in range(support.shape[0]):
                views[end, spread] += support[arm, hypothesis, end, spread]
    log = into_shares(views[:honest])
    if attacks == 0:
        return 0.0
    odds = np.empty(support.shape[0])
    for end in range(honest, ends.size):
        for spread in range(n_spreads):
            views[end, spread] += pushed_odds(support, end, end + attacks, spread, hypothesis, odds)
    attacked = 1.0 / (1.0 + exp(log - into_shares(views[honest:])))
    return attacked if attacked > LEAST_WEIGHT else 0.0


@compiled_if_on_disk
def pushed_odds(support: Floats, end: int, down: int, spread: int, hypothesis: int, odds: Floats) -> float:
    """Fill in how likely each arm is the one that is pushed down, and return the log of what they were divided by."""
    top, total = -math.inf, 0.0
    for arm in range(odds.size):
        odds[arm] = support[arm, hypothesis, down, spread] - support[arm, hypothesis, end, spread]
        top = max(top, odds[arm])
    for arm in range(odds.size):
        odds[arm] = exp(odds[arm] - top)
        total += odds[arm]
    for arm in range(odds.size):
        odds[arm] /= total
    return float(top + math.log(total))


@kernel
def into_shares(logs: Floats) -> float:
    """Turn logarithms into shares of their sum, 0 where that is next to nothing, and return that of the sum."""
    top, total, kept = -math.inf, 0.0, 0.0
    for end in range(logs.shape[0]):
        for spread in range(logs.shape[1]):
            top = max(top, logs[end, spread])
    for end in range(logs.shape[0]):
        for spread in range(logs.shape[1]):
            logs[end, spread] = exp(logs[end, spread] - top)
            total += logs[end, spread]
    for end in range(logs.shape[0]):
        for spread in range(logs.shape[1]):
            logs[end, spread] = logs[end, spread] if logs[end, spread] > LEAST_WEIGHT * total else 0.0
            kept += logs[end, spread]
    for end in range(logs.shape[0]):
        for spread in range(logs.shape[1]):
            logs[end, spread] /= kept
    return float(top + math.log(total))
