"""Arms: distributions of the true rewards, one per file."""

from typing import TYPE_CHECKING

from trueward.registry import Registry, lazy_names

if TYPE_CHECKING:
    from trueward.arms.arms import Arms

ARMS: "Registry[Arms]" = Registry(
    __name__,
    {
        "binomial": "binomial:BinomialArms",
        "bernoulli": "bernoulli:BernoulliArms",
        "gaussian": "gaussian:GaussianArms",
        "categorical": "categorical:CategoricalArms",
        "resampled": "resampled:ResampledArms",
    },
)

__getattr__ = lazy_names(__name__, {**ARMS.modules, "Arms": "trueward.arms.arms"})
