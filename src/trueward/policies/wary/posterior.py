"""What the counts of ratings say about the honest means: equations (6) to (9) of docs/wary.md."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, not_inlined
from trueward.engine.protocol import reset
from trueward.engine.states import per_arm, scratch
from trueward.policies.wary.arrays import condition
from trueward.policies.wary.constants import SMALLEST
from trueward.policies.wary.model import RatingModel


class ArmPosteriors(NamedTuple):
    """What the ratings of each arm say by themselves. A function of the counts, kept until they change."""

    learned_from: Annotated[Ints, per_arm(scratch, 4)]  # number of ratings plus one, pieces left out, length of a piece
    mean: Annotated[Floats, per_arm(scratch, "cells", "means")]  # P(mean | cell, ratings)
    evidence: Annotated[Floats, per_arm(scratch, "components", "levels")]  # tempered, equation (6)
    log_support: Annotated[Floats, per_arm(scratch, "roles", "levels")]  # ln S, equation (7)


@reset.register(ArmPosteriors)
def forget_counts(posteriors: ArmPosteriors) -> None:
    """Let the next game learn its own counts, even if they have the same sum."""
    posteriors.learned_from[:] = 0


@not_inlined
def learn_counts(arm: int, posteriors: ArmPosteriors, model: RatingModel, counts: Ints) -> None:
    """Fill in what the counts of an arm's ratings say: equations (6) and (7)."""
    log_evidence = condition(model.log_prior, model.log_likelihood, counts, posteriors.mean[arm])
    q = counts.sum() / model.trusted
    temper = math.log1p(q) / q if q > 0.0 else 1.0
    evidence = np.exp(temper * (log_evidence - log_evidence.max())).reshape(posteriors.evidence[arm].shape)
    posteriors.evidence[arm] = evidence
    support = model.component_prior @ evidence @ model.sd_prior.T
    posteriors.log_support[arm] = np.log(np.maximum(support, SMALLEST))


class StudyPosterior(NamedTuple):
    """What all ratings together say: the regimes, and the densities of each arm's honest mean in them."""

    people: float  # posterior probability that there is no attack
    attack_on: Floats  # (arms,) posterior probability of an attack on each arm
    cells: Floats  # (arms, cells) weights of the cells, given people, lifted or pushed
    density: Floats  # (arms, 3, means) posterior of the honest mean: people, lifted, pushed


@not_inlined
def combine_arms(posteriors: ArmPosteriors, model: RatingModel) -> StudyPosterior:
    """Return the posterior of the regimes and of the honest means: equations (8) and (9)."""
    n_arms, n_components, n_levels = posteriors.evidence.shape
    n_rates = model.log_attack_prior.shape[0]
    support = posteriors.log_support  # (arms, roles, shared levels)
    log_people = np.full(n_levels, model.log_people_prior)
    log_lifted = model.log_attack_prior - math.log(n_arms) + np.zeros((n_rates, n_levels))  # all arms lifted
    for arm in range(n_arms):
        log_people += support[arm, 0]
        log_lifted += support[arm, 1 : 1 + n_rates]
    log_attack = np.empty((n_arms, n_rates, n_levels))
    for arm in range(n_arms):
        log_attack[arm] = log_lifted + support[arm, 1 + n_rates :] - support[arm, 1 : 1 + n_rates]
    top = max(log_people.max(), log_attack.max())
    role_weights, attack_on = np.zeros(support[0].shape), np.empty(n_arms)  # role_weights (roles, shared levels)
    role_weights[0] = np.exp(log_people - top)
    for arm in range(n_arms):
        attack = np.exp(log_attack[arm] - top)
        attack_on[arm] = attack.sum()
        role_weights[1 : 1 + n_rates] += attack
    role_weights[1 + n_rates :] = role_weights[1 : 1 + n_rates]
    people = role_weights[0].sum()
    people_cells = (n_components - 2 * n_rates) * n_levels
    bounds = (0, people_cells, people_cells + n_rates * n_levels, n_components * n_levels)
    cells = np.empty((n_arms, n_components * n_levels))
    density = np.empty((n_arms, 3, model.means.size))
    for arm in range(n_arms):
        by_level = model.component_prior.T @ (role_weights * np.exp(-support[arm])) @ model.sd_prior
        cells[arm] = (by_level * posteriors.evidence[arm]).ravel()
        for kind in range(3):
            block = slice(bounds[kind], bounds[kind + 1])
            cells[arm, block] /= max(cells[arm, block].sum(), SMALLEST)
            density[arm, kind] = cells[arm, block] @ posteriors.mean[arm, block]
    total = people + attack_on.sum()
    return StudyPosterior(people / total, attack_on / total, cells, density)
