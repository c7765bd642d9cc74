"""The games that a claim is about, under one reading of the paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from trueward.engine.kernel import Floats, Ints
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import Cell
from trueward.lab.paper.claims.choices import DEFAULT_EPSILON, DEFAULT_SCHEME, Choice


class NotPlayedError(LookupError):
    """The results do not hold the games that were asked for."""


@dataclass(frozen=True)
class Situation:
    """A setting of the paper's simulations, and where it is played: experiments, each with a point of its sweep."""

    played_in: tuple[tuple[str, dict[str, Any]], ...]
    clean: bool = False


CLEAN = Situation((("figure1", {"epsilon": 0.0}), ("choices-clean", {})), clean=True)
CLUSTER = Situation((("figure5", {}), ("choices-cluster", {})))


def bernoulli(epsilon: float) -> Situation:
    """Figure 1: the Bernoulli adversary, alpha = epsilon."""
    return Situation((("figure1", {"epsilon": epsilon}), ("choices-bernoulli", {"epsilon": epsilon})))


def clean_with(alpha: float) -> Situation:
    """Figure 2: no contamination, but alpha says there is."""
    point = {"alpha": alpha}
    return Situation((("figure2", point), ("choices-misspecified", {"epsilon": 0.0, **point})), clean=True)


def with_alpha(alpha: float, epsilon: float = DEFAULT_EPSILON) -> Situation:
    """Figure 3: the Bernoulli adversary with our epsilon or another, any alpha."""
    point = {"alpha": alpha}
    if epsilon != DEFAULT_EPSILON:
        return Situation((("choices-epsilon-alpha", {"epsilon": epsilon, **point}),))
    return Situation(
        (("figure3", point), ("choices-alpha", point), ("choices-misspecified", {"epsilon": 0.1, **point}))
    )


def with_sigma(sigma: float, epsilon: float = DEFAULT_EPSILON) -> Situation:
    """Figure 4: the Bernoulli adversary with our epsilon or another, alpha = epsilon, any sigma."""
    point = {"sigma": sigma}
    if epsilon != DEFAULT_EPSILON:
        return Situation((("choices-epsilon-sigma", {"epsilon": epsilon, **point}),))
    return Situation((("figure4", point), ("choices-sigma", point), ("choices-sigma-ranks", point)))


def easy(arms: str, epsilon: float) -> Situation:
    """Few arms, or large gaps."""
    return Situation((("choices-easy", {"arms": arms, "epsilon": epsilon}),), clean=epsilon == 0)


class Games:
    """The results, cut into one table per experiment, cell and policy; each experiment when first asked for."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self.results = results
        self._cut: dict[tuple[str, str], dict[tuple[Any, ...], pl.DataFrame]] = {}

    def table(self, kind: str, experiment: str, policy: str, point: Mapping[str, Any]) -> pl.DataFrame:
        """Return the rows of one cell and policy; `kind` is "trials" or "curves"."""
        result = self.results[experiment]
        keys = [*result.experiment.sweep, "policy"]
        if (kind, experiment) not in self._cut:
            self._cut[kind, experiment] = getattr(result, kind).partition_by(keys, as_dict=True)
        try:
            return self._cut[kind, experiment][tuple({**point, "policy": policy}[key] for key in keys)]
        except KeyError:
            raise NotPlayedError(f"{experiment}: {policy}, {point}") from None


class Reading:
    """Gives games by policy and situation, as one choice reads them, and notes whether the choice made a difference."""

    def __init__(self, games: Games, choice: Choice) -> None:
        self._games = games
        self.choice = choice
        self.differs = False

    def regret(self, policy: str, situation: Situation) -> Floats:
        """Return the regret after the last round, trial by trial."""
        return self._table("trials", policy, situation)["regret"].to_numpy()

    def violations(self, policy: str, situation: Situation) -> Ints:
        """Return the round at which the paper's constraint broke, trial by trial; 0 for never."""
        return self._table("trials", policy, situation)["first_violation"].to_numpy()

    def curve(self, policy: str, situation: Situation) -> dict[int, float]:
        """Return the mean regret by round."""
        table = self._table("curves", policy, situation)
        return dict(zip(table["round"].to_list(), table["mean"].to_list(), strict=True))

    def trials(self, policy: str, situation: Situation) -> int:
        """Return the number of games."""
        return self._table("trials", policy, situation).height

    def cell(self, situation: Situation) -> Cell:
        """Return the settings of the situation that no choice changes: arms and horizon."""
        for experiment, point in situation.played_in:
            if experiment in self._games.results:
                cells = self._games.results[experiment].experiment.cells
                return next(c for c in cells if all(c.point[key] == value for key, value in point.items()))
        raise NotPlayedError(f"{situation.played_in}")

    def uniform(self, situation: Situation) -> float:
        """Return the regret of uniform play: 800 in the paper's setting."""
        cell = self.cell(situation)
        return float(np.mean(cell.arms.gaps)) * cell.horizon

    @cached_property
    def narrow(self) -> bool:
        """Whether the grids of alpha and sigma go from half to double only."""
        self.differs |= self.choice.narrow
        return self.choice.narrow

    @cached_property
    def epsilon(self) -> float:
        """The contaminated share in figures 3 and 4, and so the right alpha."""
        self.differs |= self.choice.epsilon != DEFAULT_EPSILON
        return self.choice.epsilon

    def _table(self, kind: str, policy: str, situation: Situation) -> pl.DataFrame:
        name = self.choice.instead.get(policy, policy)
        other_values = self.choice.scheme != DEFAULT_SCHEME and not situation.clean
        self.differs |= name != policy or other_values
        for experiment, point in situation.played_in:
            if experiment not in self._games.results:
                continue
            sweep = self._games.results[experiment].experiment.sweep
            if other_values and "scheme" not in sweep:
                continue
            scheme = {"scheme": self.choice.scheme} if "scheme" in sweep else {}
            try:
                return self._games.table(kind, experiment, name, {**point, **scheme})
            except NotPlayedError:
                continue
        raise NotPlayedError(f"{name} in {situation.played_in}, {self.choice.name}")
