"""Stage 1: arms, that is, laws of true rewards. One per file."""

from trueward.arms.base import Arms
from trueward.arms.bernoulli import BernoulliArms
from trueward.arms.binomial import BinomialArms
from trueward.arms.categorical import CategoricalArms
from trueward.arms.gaussian import GaussianArms
from trueward.arms.resampled import ResampledArms

__all__ = [
    "ARMS",
    "Arms",
    "BernoulliArms",
    "BinomialArms",
    "CategoricalArms",
    "GaussianArms",
    "ResampledArms",
]

ARMS: dict[str, type[Arms]] = {
    "binomial": BinomialArms,
    "bernoulli": BernoulliArms,
    "gaussian": GaussianArms,
    "categorical": CategoricalArms,
    "resampled": ResampledArms,
}
