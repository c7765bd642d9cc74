"""Best-arm identification: which arm has the highest median, with confidence, under contaminated rewards."""

from trueward.identification.best_arm_result import BestArmResult
from trueward.identification.best_arm_search import METHODS, identify_best_arm
from trueward.identification.contaminated_arms import ContaminatedArms
from trueward.identification.median_uncertainty import MODELS, unavoidable_uncertainty
from trueward.identification.quantile_bounds import (
    ArmsQuantileBound,
    CustomQuantileBound,
    GaussianQuantileBound,
    QuantileBound,
)

__all__ = [
    "METHODS",
    "MODELS",
    "ArmsQuantileBound",
    "BestArmResult",
    "ContaminatedArms",
    "CustomQuantileBound",
    "GaussianQuantileBound",
    "QuantileBound",
    "identify_best_arm",
    "unavoidable_uncertainty",
]
