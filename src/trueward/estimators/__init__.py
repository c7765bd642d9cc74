"""Estimators of an arm's mean reward, plain and robust: one per file."""

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
        "huber-mean": "huber_mean:HuberMean",
    },
)

FUNCTIONS = {
    "grouped_median": "trueward.estimators.grouped_median",
    "huber_mean": "trueward.estimators.huber_mean",
    "shorth_mean": "trueward.estimators.shorth_mean.shorth_mean",
    "trimmed_mean": "trueward.estimators.trimmed_mean",
}
"""Estimators that `trueward` also offers as functions of an array."""

__getattr__ = lazy_names(__name__, {**ESTIMATORS.modules, "Estimator": "trueward.estimators.estimator"})
