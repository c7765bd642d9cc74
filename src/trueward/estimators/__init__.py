"""Stage 3: estimators of an arm's mean, plain and robust. One per file."""

from trueward.estimators.base import Estimator
from trueward.estimators.grouped_median.definition import GroupedMedian, grouped_median
from trueward.estimators.huber_mean.definition import HuberMean, huber_mean
from trueward.estimators.mean import Mean
from trueward.estimators.median.definition import Median
from trueward.estimators.shorth_mean.definition import ShorthMean, shorth_mean
from trueward.estimators.trimmed_mean.definition import TrimmedMean, trimmed_mean

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "GroupedMedian",
    "HuberMean",
    "Mean",
    "Median",
    "ShorthMean",
    "TrimmedMean",
    "grouped_median",
    "huber_mean",
    "shorth_mean",
    "trimmed_mean",
]

ESTIMATORS: dict[str, type[Estimator]] = {
    "mean": Mean,
    "median": Median,
    "grouped-median": GroupedMedian,
    "trimmed-mean": TrimmedMean,
    "shorth-mean": ShorthMean,
    "huber-mean": HuberMean,
}
