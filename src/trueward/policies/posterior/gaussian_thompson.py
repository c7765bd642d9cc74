"""Gaussian Thompson sampling with a flat prior: play the arm whose posterior draw is highest.

    theta_a ~ Normal(mean(x_a), sigma^2 / N_a),    each arm once first

Withstands no contamination; without it, it usually beats UCB. (The published form has prior mean 0 and is meant for
rewards in [0, 1]: on ratings from 0 to 10 it would never leave the first arm it tries.)

Guarantee: none that we know of for this prior; the published form has a regret of order sqrt(K T ln K).

Reference: Agrawal & Goyal (2017), Near-optimal regret bounds for Thompson sampling, with a flat prior.
"""

from dataclasses import dataclass

from trueward.engine.states import Setting
from trueward.estimators.mean import Mean
from trueward.parameters import Positive
from trueward.policies.posterior.normal import NormalPosterior, NormalState, normal_state


@dataclass(frozen=True, kw_only=True)
class GaussianThompson(NormalPosterior):
    """Plays the highest draw from Normal(mean, sigma^2 / N_a)."""

    sigma: Positive

    def state(self, setting: Setting) -> NormalState:
        return normal_state(setting, Mean().memory(setting), self.sigma)
