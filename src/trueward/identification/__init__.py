"""Which arm is the best, with confidence: a question of identification, not of regret."""

from trueward.identification.answer import BestArm
from trueward.identification.best_arm import METHODS, identify_best_arm
from trueward.identification.contaminated_arms import ContaminatedArms
from trueward.identification.spread import ArmsSpread, FunctionSpread, GaussianSpread, Spread
from trueward.identification.uncertainty import MODELS, unavoidable_uncertainty

__all__ = [
    "METHODS",
    "MODELS",
    "ArmsSpread",
    "BestArm",
    "ContaminatedArms",
    "FunctionSpread",
    "GaussianSpread",
    "Spread",
    "identify_best_arm",
    "unavoidable_uncertainty",
]
