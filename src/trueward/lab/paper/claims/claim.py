"""A claim of the paper: its sentence, the games it is about, and what they must show."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import polars as pl

from trueward.arms.binomial import BinomialArms
from trueward.engine.kernel import Floats
from trueward.lab.paper.estimates import Estimate

# the paper's simulations; uniform play has a regret of 800
ARMS = BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
HORIZON = 1000
CRUCB = ("tUCB", "sUCB")
ROBUST = (*CRUCB, "RUCB-MAB")
UCB_TYPES = (*ROBUST, "UCB")
ADVERSARIAL = ("EXP3", "EXP3++", "Tsallis-INF")

SMALL = 0.1  # of the regret of uniform play; the paper names no threshold, this one is ours
OWN_THRESHOLD = "We chose the threshold."
ADDED = "increase in regret as a share of the regret of uniform play; maximum over {}"
OF_UNIFORM = "of uniform play"


class Comparison(NamedTuple):
    """A number that a claim is about, with its interval."""

    label: str  # such as "tUCB against UCB at epsilon 0.05"
    estimate: Estimate


@dataclass(frozen=True)
class Limit:
    """The side of a number on which the interval of every comparison must lie."""

    side: Literal["below", "above"]
    value: float
    criterion: str


Measure = Callable[[pl.DataFrame], Iterable[Comparison]]
"""Computes, from the games of one reading, the comparisons that decide a claim."""


@dataclass(frozen=True)
class Claim:
    """One empirical sentence of the paper, or a part of one."""

    name: str
    section: str  # or figure
    sentence: str  # paraphrased
    statistic: str  # what is measured
    limit: Limit
    measure: Measure
    settings: tuple[str, ...]  # settings that must have been played
    policies: tuple[str, ...] = ()  # that play in every setting; empty if no games are needed
    table: Literal["trials", "curves"] = "trials"
    unit: str = "rating points"  # of the statistic
    note: str = ""  # extra information for the reader
    remark: Callable[[pl.DataFrame], str] | None = None  # computes such information from the default reading


def claim(
    name: str, section: str, sentence: str, statistic: str, limit: Limit, **more: Any
) -> Callable[[Measure], Claim]:
    """Decorate a measure to make it a claim."""
    return lambda measure: Claim(name, section, sentence, statistic, limit, measure, **more)


def below(value: float, criterion: str = "") -> Limit:
    """Require that intervals lie below a number."""
    return Limit("below", value, criterion or f"interval below {value:g}")


def above(value: float, criterion: str = "") -> Limit:
    """Require that intervals lie above a number."""
    return Limit("above", value, criterion or f"interval above {value:g}")


def regret(games: pl.DataFrame, policy: str, setting: str, **filters: float) -> Floats:
    """Return the regret after the last round, trial by trial."""
    return games.filter(policy=policy, setting=setting, **filters)["regret"].to_numpy()


def uniform_regret(games: pl.DataFrame, setting: str) -> float:
    """Return the regret of uniform play in a setting."""
    return float(games.filter(setting=setting)["uniform_regret"][0])
