"""Stage 1: true rewards. One law per file."""

from typing import TYPE_CHECKING

from trueward.engine.tables import Table, lazy

if TYPE_CHECKING:
    from trueward.arms.base import Arms

ARMS: "Table[Arms]" = Table(
    __name__,
    {
        "binomial": "binomial:BinomialArms",
        "bernoulli": "bernoulli:BernoulliArms",
        "gaussian": "gaussian:GaussianArms",
        "categorical": "categorical:CategoricalArms",
        "resampled": "resampled:ResampledArms",
    },
)

__getattr__ = lazy(__name__, {**ARMS.homes, "Arms": "trueward.arms.base"})
