"""The probability of each arm that two draws agree on it, over all that may be true of the study.

    P(a)  =  sum over hypotheses and views of  weight  *  [ (1 - never) p_a^2 / s  +  never p_a (1 - p_a) / (1 - s) ]

p_a is the probability that a draw gives arm a, in that hypothesis and view; s = p_1^2 + ... + p_K^2 that a pair agrees,
`never` that no pair of all that are drawn does: then the second arm of the last pair is played. (Where k draws have to
agree, s is the sum of the powers p_a^k, and at last the arm that did not agree is played.) Let O(a) be how likely its
mean is the highest, w how likely the study is attacked, and Q(a) how likely it is then the one that is pushed down, and
the best. If it is not the best, all is drawn again, up to five times:

    p_a  =  (1 + q + ... + q^4) [(1 - w) O(a) + w Q(a)]  +  q^5 O(a),    q  =  w (1 - Q(1) - ... - Q(K))

No random numbers: what `draw_agreed_arm` draws has these probabilities.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.compiling import compiled_if_on_disk
from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.grid import Grid, grid_of
from trueward.policies.wary_thompson.judgement import ATTEMPTS, LEAST_WEIGHT, TRIES, Judgement, pushed_odds, weigh_views
from trueward.policies.wary_thompson.laying import find_wanted, forget_changed, lay_out
from trueward.policies.wary_thompson.rating_model import RatingModel
from trueward.statistics.best_arm_probability import (
    FIRST_VALUE,
    LARGEST_MASS,
    STOP_VALUE,
    best_arm_probabilities_by_rule,
    gauss_legendre_rules,
    win_probabilities,
)

TOLERANCE = 1e-7  # by which one view may be off, times its weight; what LEAST_WEIGHT leaves out is more


class Laid(NamedTuple):
    """What was laid out of each hypothesis: after a reward, only its arm has to be laid out again.

    For each spread there is what arms may draw in each part of the model, (arms, values), one after another.
    """

    atoms: Floats  # (hypotheses, spreads, those of all parts)
    below: Floats  # likewise, how likely a lower mean is drawn
    reach: Floats  # (hypotheses, spreads, parts, arms, 3) how far an arm reaches, see `stack_up`
    known: Bools  # (hypotheses, spreads, parts, arms) whether it is laid out
    sums: Floats32  # (hypotheses, arms, groups, blocks) what it was laid out from
    chances: Floats  # likewise
    grid: Grid
    rules: Floats


def nothing_laid(judgement: Judgement, model: RatingModel) -> Laid:
    """Return room for what will be laid out."""
    n_arms, held, *cells = judgement.chances.shape
    grid, views = grid_of(model), (held, model.near.shape[0], model.groups.shape[0], n_arms)
    atoms, below = np.empty((2, *views[:2], n_arms * int(grid.sizes.sum())))
    believed = np.empty((held, n_arms, *cells), np.float32), np.empty((held, n_arms, *cells))
    rules = gauss_legendre_rules(n_arms, int(grid.sizes.min()))
    return Laid(atoms, below, np.empty((*views, 3)), np.zeros(views, np.bool_), *believed, grid, rules)


def agreed_probabilities(
    judgement: Judgement, belief: Belief, model: RatingModel, agreeing: int, held: Floats, laid: Laid | None = None
) -> Floats:
    """Return the probability of each arm; `held` are the weights of the hypotheses, `laid` what is laid out already."""
    kept = laid or nothing_laid(judgement, model)
    p, grid = np.zeros(kept.sums.shape[1]), kept.grid
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    assumed, values = (model.near, model.ends, grid.share, grid.families), (grid.place_by_part, grid.sizes, grid.alike)
    room = kept.rules, kept.atoms, kept.below, kept.reach
    fill_agreed(
        agreeing, held, *believed, *assumed, grid.family, *values, *room, kept.known, kept.sums, kept.chances, p
    )
    return p


@compiled_if_on_disk
def fill_agreed(
    agreeing: int,
    held: Floats,
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    support: Floats,
    near: Floats,
    ends: Floats,
    share: Floats,
    families: Floats,
    family: Ints,
    place: Ints,
    sizes: Ints,
    alike: Ints,
    rules: Floats,
    atoms: Floats,
    below: Floats,
    reach: Floats,
    known: Bools,
    laid_sums: Floats32,
    laid_chances: Floats,
    p: Floats,
) -> None:
    """Do so, on the arrays."""
    views, one, total = np.empty((ends.size, near.shape[0])), np.empty(p.size), 0.0
    attacks, pushed = sizes.size - ends.size, np.empty(p.size)
    wanted = np.empty((sizes.size, near.shape[0]), np.bool_)
    for hypothesis in range(held.size):
        if held[hypothesis] > LEAST_WEIGHT:
            attacked = weigh_views(support, ends, attacks, hypothesis, views)
            find_wanted(views, attacked, LEAST_WEIGHT / held[hypothesis], attacks, wanted)
            room = atoms[hypothesis], below[hypothesis], reach[hypothesis], known[hypothesis]
            forget_changed(sums, chances, hypothesis, laid_sums[hypothesis], laid_chances[hypothesis], room[3])
            by_family = near, share, families, family, place, sizes, alike
            lay_out(weights, sums, chances, hypothesis, *by_family, wanted, *room)
            under = held[hypothesis] * attacked
            find_pushed(support, hypothesis, under, views, wanted, sizes, attacks, *room[:3], rules, one, pushed)
            for spread in range(near.shape[0]):
                start = 0
                for end in range(ends.size - attacks):
                    stop, weight = start + p.size * sizes[end], held[hypothesis] * views[end, spread]
                    if wanted[end, spread]:
                        drawn = room[0][spread, start:stop].reshape((p.size, sizes[end]))
                        lower = room[1][spread, start:stop].reshape((p.size, sizes[end]))
                        highest_by_rule(drawn, lower, room[2][spread, end], rules, TOLERANCE / weight, one)
                        add_pushed(pushed, attacked, one)
                        add_agreed(one, agreeing, weight, p)
                    start = stop
    for arm in range(p.size):
        total += p[arm]
    for arm in range(p.size):
        p[arm] /= total


@kernel
def find_pushed(
    support: Floats,
    hypothesis: int,
    share: float,
    views: Floats,
    wanted: Bools,
    sizes: Ints,
    attacks: int,
    atoms: Floats,
    below: Floats,
    reach: Floats,
    rules: Floats,
    one: Floats,
    pushed: Floats,
) -> None:
    """Fill in how likely each arm is the one that is pushed down, and the best, in an attacked study.

    The means of a lifted arm and of one that is pushed down stand on the same grid; `share` is how
    likely an attack is, in this hypothesis.
    """
    n_arms, n_ends = pushed.size, views.shape[0]
    starts, odds = np.zeros(sizes.size + 1, np.int64), np.empty(n_arms)
    pushed[:] = 0.0
    for part in range(sizes.size):
        starts[part + 1] = starts[part] + n_arms * sizes[part]
    for end in range(n_ends - attacks, n_ends):
        down, shape = end + attacks, (n_arms, sizes[end])
        for spread in range(views.shape[1]):
            if wanted[end, spread]:
                up = atoms[spread, starts[end] : starts[end + 1]].reshape(shape)
                lower = below[spread, starts[end] : starts[end + 1]].reshape(shape)
                own = atoms[spread, starts[down] : starts[down + 1]].reshape(shape)
                last = 0
                for arm in range(n_arms):
                    last = max(last, int(reach[spread, down, arm, STOP_VALUE]))
                first, reached, rule = pick_rule(reach[spread, end], rules, TOLERANCE / (share * views[end, spread]))
                win_probabilities(own, up, lower, first, max(last, reached), rules[rule], one)
                pushed_odds(support, end, down, spread, hypothesis, odds)
                for arm in range(n_arms):
                    pushed[arm] += views[end, spread] * odds[arm] * one[arm]


@kernel
def highest_by_rule(atoms: Floats, below: Floats, reach: Floats, rules: Floats, tolerance: float, one: Floats) -> None:
    """Fill in the probability that each arm's draw is the highest, by the shortest rule that is good enough."""
    first, last, rule = pick_rule(reach, rules, tolerance)
    best_arm_probabilities_by_rule(atoms, below, first, last, rules[rule], one)


@kernel
def pick_rule(reach: Floats, rules: Floats, tolerance: float) -> tuple[int, int, int]:
    """Return the first value that counts, that from which on none is reached, and the shortest rule good enough."""
    first, last, largest = 0, 0, 0.0
    for arm in range(reach.shape[0]):
        first, last = max(first, int(reach[arm, FIRST_VALUE])), max(last, int(reach[arm, STOP_VALUE]))
        largest = max(largest, reach[arm, LARGEST_MASS])
    rule, power = 0, largest * largest
    while rules[rule, 0, 1] * power > tolerance:
        rule, power = rule + 1, power * largest * largest
    return first, last, rule


@kernel
def add_agreed(one: Floats, agreeing: int, weight: float, p: Floats) -> None:
    """Add the probability that draws agree on each arm, where one draw gives these, or that it is the last one."""
    agree, last = 0.0, 1.0
    for arm in range(one.size):
        agree += power(one[arm], agreeing)
    for _ in range(TRIES - 1):
        last *= 1.0 - agree
    for arm in range(one.size):
        p[arm] += weight * (1.0 - last * (1.0 - agree)) * power(one[arm], agreeing) / agree
    for alike in range(1, agreeing):  # so many others agree, and then comes this one
        together = 0.0
        for arm in range(one.size):
            together += power(one[arm], alike)
        for arm in range(one.size):
            p[arm] += weight * last * one[arm] * (together - power(one[arm], alike))


@kernel
def power(x: float, exponent: int) -> float:
    """Return x to a whole power, multiplied out: `**` differs in the last bit between Python and compiled code."""
    product = x
    for _ in range(exponent - 1):
        product *= x
    return product


@kernel
def add_pushed(pushed: Floats, attacked: float, one: Floats) -> None:
    """Turn the probability that each arm's draw is the highest into that of a draw in a study that may be attacked."""
    again, times, last = 1.0, 0.0, 1.0
    for arm in range(one.size):
        again -= pushed[arm]
    again = attacked * max(0.0, again)
    for _ in range(ATTEMPTS):
        times += last
        last *= again
    for arm in range(one.size):
        one[arm] = times * ((1.0 - attacked) * one[arm] + attacked * pushed[arm]) + last * one[arm]
