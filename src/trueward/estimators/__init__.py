"""Stage 3: estimators of an arm's mean, plain and robust. One per file, or per folder."""

from typing import TYPE_CHECKING

from trueward.registry import Registry, lazy_names

if TYPE_CHECKING:
    from trueward.estimators.estimator import Estimator

ESTIMATORS: "Registry[Estimator]" = Registry(
    __name__,
    {
        "mean": "mean:Mean",
        "median": "median:Median",
        "grouped-median": "grouped_median:GroupedMedian",
        "trimmed-mean": "trimmed_mean:TrimmedMean",
        "shorth-mean": "shorth_mean.shorth_mean:ShorthMean",
        "huber-mean": "huber_mean.definition:HuberMean",
    },
)

FUNCTIONS = {
    "grouped_median": "trueward.estimators.grouped_median",
    "huber_mean": "trueward.estimators.huber_mean.definition",
    "shorth_mean": "trueward.estimators.shorth_mean.shorth_mean",
    "trimmed_mean": "trueward.estimators.trimmed_mean",
}
"""The estimators that are functions of an array as well, for `trueward` itself."""

__getattr__ = lazy_names(__name__, {**ESTIMATORS.modules, "Estimator": "trueward.estimators.estimator"})
