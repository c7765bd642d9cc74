"""Stage 3: estimators of an arm's mean, plain and robust. One per file, or per folder."""

from typing import TYPE_CHECKING

from trueward.engine.tables import Table, lazy

if TYPE_CHECKING:
    from trueward.estimators.base import Estimator

ESTIMATORS: "Table[Estimator]" = Table(
    __name__,
    {
        "mean": "mean:Mean",
        "median": "median.definition:Median",
        "grouped-median": "grouped_median.definition:GroupedMedian",
        "trimmed-mean": "trimmed_mean.definition:TrimmedMean",
        "shorth-mean": "shorth_mean.definition:ShorthMean",
        "huber-mean": "huber_mean.definition:HuberMean",
    },
)

FUNCTIONS = {
    "grouped_median": "trueward.estimators.grouped_median.definition",
    "huber_mean": "trueward.estimators.huber_mean.definition",
    "shorth_mean": "trueward.estimators.shorth_mean.definition",
    "trimmed_mean": "trueward.estimators.trimmed_mean.definition",
}
"""The estimators that are functions of an array as well, for `trueward` itself."""

__getattr__ = lazy(__name__, {**ESTIMATORS.homes, "Estimator": "trueward.estimators.base"})
