"""The distance of a sample median from the true median, by contamination and by sampling."""

import math
from typing import Literal, get_args

from trueward.errors import ParameterError
from trueward.identification.quantile_bounds import QuantileBound
from trueward.parameters import BelowHalf, checked

AdversaryModel = Literal["oblivious", "prescient", "malicious"]
MODELS: tuple[AdversaryModel, ...] = get_args(AdversaryModel)


def level_shift(epsilon: float, sampling_error: float, model: AdversaryModel) -> float:
    """Return u: the sample median lies between the true quantiles at 1/2 ± u.

    `sampling_error` bounds the error of the fraction of true rewards on one side of a value:

        oblivious, prescient    (1 - epsilon) (1/2 + u) = 1/2 + sampling_error
        malicious               1/2 + u - epsilon = 1/2 + sampling_error
    """
    return epsilon + sampling_error if model == "malicious" else (epsilon / 2 + sampling_error) / (1 - epsilon)


def hoeffding_error(n: int, n_arms: int, delta: float) -> float:
    """Return the error that n rewards of each of K arms exceed, on either side, with probability at most delta."""
    return math.sqrt(math.log(2 * n_arms / delta) / (2 * n))


@checked
def unavoidable_uncertainty(
    quantile_bound: QuantileBound, *, epsilon: BelowHalf, model: AdversaryModel = "prescient"
) -> float:
    """Return U: how far contamination can move the median of an arm, however many rewards are observed.

        U = R(u),    u = epsilon / (2 (1 - epsilon)) for oblivious and prescient adversaries, epsilon for malicious ones

    Each pull is contaminated with probability epsilon. The models differ in what the adversary knows:

        oblivious    neither the rewards nor which pulls are contaminated
        prescient    all rewards and contaminated pulls, past and future; which pulls are contaminated is random
        malicious    as prescient, and it chooses *which* pulls by their rewards; each with probability epsilon

    Parameters
    ----------
    quantile_bound : QuantileBound
        Bound R on the distance of the true quantiles from the median.
    epsilon : float
        Probability that a pull is contaminated, at least 0 and below 1/2.
    model : {"oblivious", "prescient", "malicious"}
        What the adversary knows.

    Returns
    -------
    float
        The unavoidable uncertainty U.

    Examples
    --------
    >>> from trueward.identification.quantile_bounds import GaussianQuantileBound
    >>> unit = GaussianQuantileBound(sigma=1)
    >>> [round(unavoidable_uncertainty(unit, epsilon=0.1, model=model), 4) for model in MODELS]
    [0.1397, 0.1397, 0.2533]

    References
    ----------
    Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20. The constants are
    new in trueward.
    """
    shift = level_shift(epsilon, 0.0, model)
    uncertainty = quantile_bound(shift)
    if not math.isfinite(uncertainty):
        raise ParameterError(
            f"epsilon must be smaller, got {epsilon:g}: the {model} model shifts the median's level by {shift:g}, "
            "beyond the limit of the quantile bound"
        )
    return uncertainty
