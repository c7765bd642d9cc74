"""How far from the true median the sample median can be: what contamination does, and what chance adds.

A pull is contaminated with probability epsilon. What an adversary may know separates three models:

    oblivious    nothing: neither rewards nor which pulls are contaminated
    prescient    all rewards and contaminated pulls, past and future; which ones are contaminated is pure chance
    malicious    as prescient, and it may choose *which* pulls, by their rewards; each with probability epsilon

Let the fraction of true rewards on one side of a value be off by at most `noise`. Then the sample median lies between
the true quantiles at 1/2 ± u with

    oblivious, prescient    (1 - epsilon) (1/2 + u) = 1/2 + noise
    malicious               1/2 + u - epsilon = 1/2 + noise

With noise = 0, the *unavoidable uncertainty* U = R(u) is what no number of pulls removes. By Hoeffding's inequality on
each side, the noise is at most

    sqrt(ln(2 K / delta) / (2 n))    in one look at n rewards of each of K arms

with probability 1 - delta; several looks divide delta among them. The constants are ours.

>>> from trueward.identification.spread import GaussianSpread
>>> [round(unavoidable_uncertainty(GaussianSpread(sigma=1), epsilon=0.1, model=model), 4) for model in MODELS]
[0.1397, 0.1397, 0.2533]

Reference: Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20.
"""

import math
from typing import Literal, get_args

from trueward.errors import ParameterError
from trueward.identification.spread import Spread
from trueward.parameters import BelowHalf, checked

Model = Literal["oblivious", "prescient", "malicious"]
MODELS: tuple[Model, ...] = get_args(Model)


def level_shift(epsilon: float, noise: float, model: Model) -> float:
    """Return u: contamination and noise leave the sample median between the quantiles at 1/2 ± u."""
    return epsilon + noise if model == "malicious" else (epsilon / 2 + noise) / (1 - epsilon)


def noise_of_a_look(n: int, n_arms: int, delta: float) -> float:
    """Return the noise in n rewards of each arm, which is exceeded with probability delta at most."""
    return math.sqrt(math.log(2 * n_arms / delta) / (2 * n))


@checked
def unavoidable_uncertainty(spread: Spread, *, epsilon: BelowHalf, model: Model = "prescient") -> float:
    """Return U: how far contamination can move the median of a law, however many rewards are seen."""
    shift = level_shift(epsilon, 0.0, model)
    uncertainty = spread(shift)
    if not math.isfinite(uncertainty):
        raise ParameterError(
            f"epsilon must be smaller: the {model} model shifts levels by {shift:g}, past the spread's limit"
        )
    return uncertainty
