"""The readings of the paper, which leaves details open, and one table of all games under all readings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import Cell

AS_STATED = "as stated"  # our default reading of the paper
EPSILON = 0.1  # contaminated share in figures 3 and 4, for which the paper states none
SIGMA = 1.265  # largest standard deviation of the arms, rounded: the right sigma
ALPHAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)  # the paper gives no grid; these two are ours
SIGMAS = (0.3, 0.5, 0.949, 1.265, 1.581, 2.5, 5.0)
POLICIES = ("tUCB", "sUCB", "RUCB-MAB", "UCB", "EXP3", "EXP3++", "Tsallis-INF", "Thompson")

CLEAN, BERNOULLI, CLUSTER = "epsilon 0", ("epsilon 0.05", "epsilon 0.1"), "front cluster"
ALPHA_RIGHT, ALPHA_HALF, ALPHA_LARGER = "alpha = epsilon", "alpha = epsilon / 2", "alpha > epsilon"
ANY_ALPHA, ANY_SIGMA = "any alpha", "any sigma"

COLUMNS = {"trials": ("trial", "regret", "first_violation"), "curves": ("round", "mean")}
INDEX = {
    "reading": pl.Categorical,
    "setting": pl.Categorical,
    "value": pl.Float64,  # of epsilon, alpha or sigma: what the setting is about
    "policy": pl.Categorical,  # as the paper calls it
    "game": pl.String,  # what was played for it: experiment, cell and policy
    "uniform": pl.Float64,  # regret of uniform play
    "trials": pl.Int64,
}


@dataclass(frozen=True)
class Changes:
    """The games that a reading changes; the defaults are those of our default reading."""

    values: str = "random-malicious"  # of contaminated rewards
    policies: Mapping[str, str] = field(default_factory=dict)  # the variant that is played in place of a policy
    epsilon: float = EPSILON  # in figures 3 and 4
    narrow: bool = False  # alpha and sigma only from half to double of the right value


READINGS = {
    AS_STATED: Changes(),
    "contamination values: continuous-malicious": Changes(values="continuous-malicious"),
    "contamination values: worst-bounded": Changes(values="worst-bounded"),
    "contamination values: unbounded": Changes(values="unbounded"),
    "contamination values: inlier": Changes(values="inlier"),
    "sigma: sub-Gaussian proxy": Changes(
        policies={name: f"{name} (proxy)" for name in ("tUCB", "sUCB", "RUCB-MAB", "UCB", "Thompson")}
    ),
    "UCB1 scaled to [0, 1]": Changes(policies={"UCB": "UCB1 (scaled)"}),
    "UCB1 on raw ratings": Changes(policies={"UCB": "UCB1 (raw)"}),
    "Tsallis-INF with importance weighting": Changes(policies={"Tsallis-INF": "Tsallis-INF (IW)"}),
    "ranks as printed": Changes(policies={"tUCB": "tUCB (literal)", "sUCB": "sUCB (literal)"}),
    "epsilon 0.05 in figures 3 and 4": Changes(epsilon=0.05),
    "grids from half to double": Changes(narrow=True),
}


class PaperSetting(NamedTuple):
    """Where the games of a setting are found: the first cell of these experiments that has these properties."""

    name: str
    value: float
    experiments: tuple[str, ...]
    properties: dict[str, Any]


def settings(changes: Changes) -> Iterator[PaperSetting]:
    """Give the settings of the paper's simulations under one reading; one with a grid comes once for each value."""
    values, right = {"values": changes.values}, changes.epsilon
    yield PaperSetting(CLEAN, 0.0, ("figure1", "readings-clean"), {"epsilon": 0.0})
    for epsilon in (0.05, 0.1):
        bernoulli = {"epsilon": epsilon, **values}
        yield PaperSetting(f"epsilon {epsilon}", epsilon, ("figure1", "readings-bernoulli"), bernoulli)
    yield PaperSetting(CLUSTER, EPSILON, ("figure5", "readings-cluster"), values)
    for alpha in (0.0, 0.05, 0.1):
        clean = {"epsilon": 0.0, "alpha": alpha}
        yield PaperSetting(clean_with(alpha), alpha, ("figure2", "readings-misspecified"), clean)

    alphas, sigmas = (_grid(grid, about, changes) for grid, about in ((ALPHAS, right), (SIGMAS, SIGMA)))
    by_alpha = [(ALPHA_RIGHT, right), (ALPHA_HALF, right / 2), *((ALPHA_LARGER, a) for a in alphas if a > right)]
    for name, alpha in (*by_alpha, *((ANY_ALPHA, a) for a in alphas)):
        played_in = ("figure3", "readings-alpha", "readings-misspecified", "readings-epsilon-alpha")
        yield PaperSetting(name, alpha, played_in, {"epsilon": right, "alpha": alpha, **values})
    for name, sigma in (*((with_sigma(s), s) for s in SIGMAS), *((ANY_SIGMA, s) for s in sigmas)):
        played_in = ("figure4", "readings-sigma", "readings-sigma-ranks", "readings-epsilon-sigma")
        yield PaperSetting(name, sigma, played_in, {"epsilon": right, "sigma": sigma, **values})

    for arms, epsilon in product(("K = 2, gap 3", "K = 2, gap 1", "K = 5, gap 3"), (0.0, EPSILON)):
        easy = {"arms": arms, "epsilon": epsilon, **(values if epsilon else {})}
        yield PaperSetting(few_arms(arms, epsilon), epsilon, ("readings-easy",), easy)


def _grid(grid: tuple[float, ...], right: float, changes: Changes) -> list[float]:
    return [value for value in grid if not changes.narrow or right / 2 <= value <= 2 * right]


def clean_with(alpha: float) -> str:
    """Return the setting of figure 2 in which policies are given an alpha, and nothing is contaminated."""
    return f"epsilon 0, alpha {alpha}"


def with_sigma(sigma: float) -> str:
    """Return the setting of figure 4 with one sigma."""
    return f"sigma {sigma}"


def few_arms(arms: str, epsilon: float) -> str:
    """Return the setting with fewer arms or larger gaps."""
    return f"{arms}, epsilon {epsilon:g}"


def games_by_reading(results: Mapping[str, Result], kind: Literal["trials", "curves"] = "trials") -> pl.DataFrame:
    """Return all games under all readings: one row per reading, setting, policy and trial.

    A reading has rows for a setting and a policy only if all their games were played. Where it changes nothing, these
    are the games of the default reading; the column `game` tells. Of "curves" there is one row per round instead.

    Parameters
    ----------
    results : mapping of str to Result
        What was played of the paper's experiments, by name.
    kind : {"trials", "curves"}
        Regret after the last round by trial, or its mean over trials by round.
    """
    cells = _cells(results)
    rows = [row for reading, changes in READINGS.items() for row in _index(reading, changes, cells)]
    index = pl.DataFrame(rows, schema=INDEX, orient="row")
    empty = pl.DataFrame(schema={"game": pl.String})
    played = pl.concat([empty, *(_played(result, kind) for result in results.values())], how="diagonal")
    return index.join(played, on="game", maintain_order="left_right")


def _played(result: Result, kind: str) -> pl.DataFrame:
    """Return the trials or the curves of a result, with the name of each game."""
    table: pl.DataFrame = getattr(result, kind)
    by_cell = table.partition_by(result.sweep, maintain_order=True) if result.sweep else [table]
    return pl.concat(
        rows.select(pl.format("{}, {}", pl.lit(_name(result, cell)), "policy").alias("game"), *COLUMNS[kind])
        for cell, rows in zip(result.experiment.cells, by_cell, strict=True)
    )


def _name(result: Result, cell: Cell) -> str:
    return f"{result.experiment.name}: {cell.label}"


class _Played(NamedTuple):
    name: str
    cell: Cell
    properties: dict[str, Any]
    uniform: float


def _cells(results: Mapping[str, Result]) -> dict[str, list[_Played]]:
    """Return the cells of each experiment, with what a setting may ask of them."""
    cells: dict[str, list[_Played]] = {}
    for name, result in results.items():
        for cell in result.experiment.cells:
            adversary = cell.settings["adversary"]
            contamination = {} if isinstance(adversary, str) else adversary
            properties = {"epsilon": 0.0, **contamination, **cell.point}
            uniform = float(np.mean(cell.arms.gaps)) * cell.horizon
            cells.setdefault(name, []).append(_Played(_name(result, cell), cell, properties, uniform))
    return cells


def _index(reading: str, changes: Changes, cells: Mapping[str, list[_Played]]) -> Iterator[tuple[Any, ...]]:
    """Give a row for every game of a reading; a setting of which some game is missing has none."""
    for setting, group in groupby(settings(changes), key=lambda each: each.name):
        points = list(group)
        for policy in POLICIES:
            variant = changes.policies.get(policy, policy)
            found = [_find(point, variant, cells) for point in points]
            for point, played in zip(points, found, strict=True):
                if played is not None and None not in found:
                    game = f"{played.name}, {variant}"
                    yield reading, setting, point.value, policy, game, played.uniform, played.cell.trials


def _find(setting: PaperSetting, policy: str, cells: Mapping[str, list[_Played]]) -> _Played | None:
    required = setting.properties.items()
    candidates = (played for name in setting.experiments for played in cells.get(name, ()))
    return next(
        (p for p in candidates if policy in p.cell.policies and all(p.properties.get(k) == v for k, v in required)),
        None,
    )
