"""The laboratory: experiments as data, the reproduction of the paper, and the arena."""

from trueward.lab.experiment.result import Result
from trueward.lab.experiment.runner import run
from trueward.lab.experiment.specification import Experiment, load

__all__ = ["Experiment", "Result", "load", "run"]
