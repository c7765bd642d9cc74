"""All views of a study that may be drawn in a round, laid out: for explanations, which no game needs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.policies.wary_thompson.belief import Belief
from trueward.policies.wary_thompson.grid import grid_of
from trueward.policies.wary_thompson.judgement import Judgement, pushed_odds, weigh_views
from trueward.policies.wary_thompson.rating_model import RatingModel
from trueward.statistics.best_arm_probability import products_of_other_rows


class Drawn(NamedTuple):
    """From what the mean of each arm is drawn, in one view of the study."""

    weight: float  # of the view
    cells: Floats  # (arms, groups, blocks) sums to 1 for each arm
    atoms: Floats  # (arms, values) likewise, over the different means


def views_of(judgement: Judgement, belief: Belief, model: RatingModel, hypothesis: int) -> Iterator[Drawn]:
    """Give every view of the study that has some weight; of an attack, all that may be pushed down together."""
    weights = np.empty((model.ends.size, model.near.shape[0]))
    attacks = model.groups.shape[0] - model.ends.size
    honest = model.ends.size - attacks
    attacked = weigh_views(judgement.support, model.ends, attacks, hypothesis, weights)
    weights *= np.where(np.arange(model.ends.size) < honest, 1.0 - attacked, attacked)[:, None]
    laws = belief.weights[:, hypothesis] / belief.weights[:, hypothesis].sum(axis=2, dtype=np.float64, keepdims=True)
    views = []
    for end, spread in np.argwhere(weights > 0.0).tolist():
        weight, (cells, atoms) = float(weights[end, spread]), _laid(judgement, model, laws, hypothesis, end, spread)
        if end < honest:
            views.append(Drawn(weight, cells, atoms))
        else:
            down = _laid(judgement, model, laws, hypothesis, end + attacks, spread)
            odds = np.empty(len(cells))
            pushed_odds(judgement.support, end, end + attacks, spread, hypothesis, odds)
            views.append(_attacked(weight, odds, (cells, atoms), down))
    total = sum(view.weight for view in views)
    yield from (view._replace(weight=view.weight / total) for view in views)


def _laid(
    judgement: Judgement, model: RatingModel, laws: Floats, hypothesis: int, part: int, spread: int
) -> tuple[Floats, Floats]:
    """Return how likely groups and blocks are for each arm, and the different means."""
    grid = grid_of(model)
    cells = judgement.chances[:, hypothesis] * model.groups[part][:, None] * model.near[spread]
    cells /= cells.sum(axis=(1, 2), keepdims=True)
    means = np.einsum("agb,agmb->agm", cells, laws)
    return cells, np.array([np.bincount(grid.place.ravel(), arm.ravel(), grid.values.size) for arm in means])


def _attacked(weight: float, odds: Floats, lifted: tuple[Floats, Floats], pushed: tuple[Floats, Floats]) -> Drawn:
    """Return what is likely if the best arm is pushed down and all others are lifted; `odds` say which it may be."""
    up, down = lifted[1], pushed[1]
    below = np.cumsum(up, axis=1) - 0.5 * up  # of equal means, one is as likely the higher as the other
    wins = down * products_of_other_rows(below)  # (arms, values): it is pushed, has this mean, and is the best
    best = odds * wins.sum(axis=1)
    share = best / max(best.sum(), np.finfo(float).tiny)
    atoms = odds[:, None] * wins
    for arm in range(odds.size):
        others = np.delete(odds[:, None] * wins, arm, axis=0).sum(axis=0)  # another one is the best, and has this mean
        over = np.cumsum((others / np.maximum(below[arm], np.finfo(float).tiny))[::-1])[::-1]
        atoms[arm] += up[arm] * (over - 0.5 * others / np.maximum(below[arm], np.finfo(float).tiny))
    atoms /= atoms.sum(axis=1, keepdims=True)
    cells = share[:, None, None] * pushed[0] + (1.0 - share)[:, None, None] * lifted[0]
    return Drawn(weight * float(best.sum()), cells, atoms)
