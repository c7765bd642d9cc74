"""Alternative readings of details that the paper leaves open, and a table of all games by reading."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import Cell

DEFAULT_READING = "default reading"
EPSILON = 0.1  # contaminated share in figures 3 and 4, for which the paper states none
SIGMA = 1.265  # largest standard deviation of the arms, rounded: the correct sigma
ALPHAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)  # the paper gives no grid; this grid and the next are our choice
SIGMAS = (0.3, 0.5, 0.949, 1.265, 1.581, 2.5, 5.0)
POLICIES = ("tUCB", "sUCB", "RUCB-MAB", "UCB", "EXP3", "EXP3++", "Tsallis-INF", "Thompson")

CLEAN, CLUSTER = "epsilon 0", "front cluster"
BERNOULLI_SETTINGS = ("epsilon 0.05", "epsilon 0.1")
ALPHA_CORRECT, ALPHA_HALF, ALPHA_LARGER = "alpha = epsilon", "alpha = epsilon / 2", "alpha > epsilon"
ANY_ALPHA, ANY_SIGMA = "any alpha", "any sigma"

COLUMNS = {"trials": ("trial", "regret", "first_violation"), "curves": ("round", "mean")}
INDEX_SCHEMA = {
    "reading": pl.Categorical,
    "setting": pl.Categorical,
    "value": pl.Float64,  # the epsilon, alpha or sigma of the setting
    "policy": pl.Categorical,  # as the paper calls it
    "game": pl.String,  # experiment, cell and policy
    "uniform_regret": pl.Float64,  # regret of uniform play
    "trials": pl.Int64,
}


@dataclass(frozen=True)
class ReadingChanges:
    """What a reading changes; the defaults are our default reading."""

    values: str = "random-malicious"  # of contaminated rewards
    policies: Mapping[str, str] = field(default_factory=dict)  # policy: variant that replaces it
    epsilon: float = EPSILON  # in figures 3 and 4
    narrow_grids: bool = False  # restrict alpha and sigma to half to twice the correct value


READINGS = {
    DEFAULT_READING: ReadingChanges(),
    "contamination values: continuous-malicious": ReadingChanges(values="continuous-malicious"),
    "contamination values: worst-bounded": ReadingChanges(values="worst-bounded"),
    "contamination values: unbounded": ReadingChanges(values="unbounded"),
    "contamination values: inlier": ReadingChanges(values="inlier"),
    "sigma: sub-Gaussian proxy": ReadingChanges(
        policies={name: f"{name} (proxy)" for name in ("tUCB", "sUCB", "RUCB-MAB", "UCB", "Thompson")}
    ),
    "UCB1 scaled to [0, 1]": ReadingChanges(policies={"UCB": "UCB1 (scaled)"}),
    "UCB1 on raw ratings": ReadingChanges(policies={"UCB": "UCB1 (raw)"}),
    "Tsallis-INF with importance weighting": ReadingChanges(policies={"Tsallis-INF": "Tsallis-INF (IW)"}),
    "ranks as printed": ReadingChanges(policies={"tUCB": "tUCB (literal)", "sUCB": "sUCB (literal)"}),
    "epsilon 0.05 in figures 3 and 4": ReadingChanges(epsilon=0.05),
    "grids from half to double": ReadingChanges(narrow_grids=True),
}


class PaperSetting(NamedTuple):
    """A setting: the first cell of `experiments` with these `properties` provides its games."""

    name: str
    value: float
    experiments: tuple[str, ...]
    properties: dict[str, Any]


def settings(changes: ReadingChanges) -> Iterator[PaperSetting]:
    """Yield the settings of the paper's simulations under one reading, one per grid value."""
    values, correct = {"values": changes.values}, changes.epsilon
    yield PaperSetting(CLEAN, 0.0, ("figure1", "readings-clean"), {"epsilon": 0.0})
    for epsilon in (0.05, 0.1):
        bernoulli = {"epsilon": epsilon, **values}
        yield PaperSetting(f"epsilon {epsilon}", epsilon, ("figure1", "readings-bernoulli"), bernoulli)
    yield PaperSetting(CLUSTER, EPSILON, ("figure5", "readings-cluster"), values)
    for alpha in (0.0, 0.05, 0.1):
        clean = {"epsilon": 0.0, "alpha": alpha}
        yield PaperSetting(clean_setting_name(alpha), alpha, ("figure2", "readings-misspecified"), clean)

    alphas, sigmas = _grid(ALPHAS, correct, changes), _grid(SIGMAS, SIGMA, changes)
    by_alpha = [
        (ALPHA_CORRECT, correct),
        (ALPHA_HALF, correct / 2),
        *((ALPHA_LARGER, a) for a in alphas if a > correct),
    ]
    for name, alpha in (*by_alpha, *((ANY_ALPHA, a) for a in alphas)):
        played_in = ("figure3", "readings-alpha", "readings-misspecified", "readings-epsilon-alpha")
        yield PaperSetting(name, alpha, played_in, {"epsilon": correct, "alpha": alpha, **values})
    for name, sigma in (*((sigma_setting_name(s), s) for s in SIGMAS), *((ANY_SIGMA, s) for s in sigmas)):
        played_in = ("figure4", "readings-sigma", "readings-sigma-ranks", "readings-epsilon-sigma")
        yield PaperSetting(name, sigma, played_in, {"epsilon": correct, "sigma": sigma, **values})

    for arms, epsilon in product(("K = 2, gap 3", "K = 2, gap 1", "K = 5, gap 3"), (0.0, EPSILON)):
        properties = {"arms": arms, "epsilon": epsilon, **(values if epsilon else {})}
        yield PaperSetting(few_arms_setting_name(arms, epsilon), epsilon, ("readings-easy",), properties)


def _grid(grid: tuple[float, ...], correct: float, changes: ReadingChanges) -> list[float]:
    return [value for value in grid if not changes.narrow_grids or correct / 2 <= value <= 2 * correct]


def clean_setting_name(alpha: float) -> str:
    """Return the name of the setting of figure 2 with this alpha and no contamination."""
    return f"epsilon 0, alpha {alpha}"


def sigma_setting_name(sigma: float) -> str:
    """Return the name of the setting of figure 4 with this sigma."""
    return f"sigma {sigma}"


def few_arms_setting_name(arms: str, epsilon: float) -> str:
    """Return the name of the setting with fewer arms or larger gaps."""
    return f"{arms}, epsilon {epsilon:g}"


def games_by_reading(results: Mapping[str, Result], kind: Literal["trials", "curves"] = "trials") -> pl.DataFrame:
    """Return all games under all readings: one row per reading, setting, policy and trial.

    A reading has rows for a setting and a policy only if all their games were played. Where it changes nothing, these
    are the games of the default reading: see the column `game`. With kind="curves", there is one row per round instead
    of per trial.

    Parameters
    ----------
    results : mapping of str to Result
        Results of the paper's experiments, by name.
    kind : {"trials", "curves"}
        Regret after the last round by trial, or its mean over trials by round.
    """
    cells = _cells(results)
    rows = [row for reading, changes in READINGS.items() for row in _index(reading, changes, cells)]
    index = pl.DataFrame(rows, schema=INDEX_SCHEMA, orient="row")
    empty = pl.DataFrame(schema={"game": pl.String})
    games = pl.concat([empty, *(_game_table(result, kind) for result in results.values())], how="diagonal")
    return index.join(games, on="game", maintain_order="left_right")


def _game_table(result: Result, kind: str) -> pl.DataFrame:
    """Return the trials or the curves of a result, with the name of each game."""
    table: pl.DataFrame = getattr(result, kind)
    by_cell = table.partition_by(result.sweep, maintain_order=True) if result.sweep else [table]
    return pl.concat(
        rows.select(pl.format("{}, {}", pl.lit(_cell_name(result, cell)), "policy").alias("game"), *COLUMNS[kind])
        for cell, rows in zip(result.experiment.cells, by_cell, strict=True)
    )


def _cell_name(result: Result, cell: Cell) -> str:
    return f"{result.experiment.name}: {cell.label}"


class _PlayedCell(NamedTuple):
    name: str
    cell: Cell
    properties: dict[str, Any]
    uniform_regret: float


def _cells(results: Mapping[str, Result]) -> dict[str, list[_PlayedCell]]:
    """Return the cells of each experiment, with the properties that settings select by."""
    cells: dict[str, list[_PlayedCell]] = {}
    for name, result in results.items():
        for cell in result.experiment.cells:
            adversary = cell.settings["adversary"]
            contamination = {} if isinstance(adversary, str) else adversary
            properties = {"epsilon": 0.0, **contamination, **cell.point}
            uniform_regret = float(np.mean(cell.arms.gaps)) * cell.horizon
            cells.setdefault(name, []).append(_PlayedCell(_cell_name(result, cell), cell, properties, uniform_regret))
    return cells


def _index(reading: str, changes: ReadingChanges, cells: Mapping[str, list[_PlayedCell]]) -> Iterator[tuple[Any, ...]]:
    """Yield a row per game; skip a policy in a setting if any of its games is missing."""
    for setting, group in groupby(settings(changes), key=lambda each: each.name):
        points = list(group)
        for policy in POLICIES:
            variant = changes.policies.get(policy, policy)
            matching_cells = [_find(point, variant, cells) for point in points]
            for point, played_cell in zip(points, matching_cells, strict=True):
                if played_cell is not None and None not in matching_cells:
                    game, trials = f"{played_cell.name}, {variant}", played_cell.cell.trials
                    yield reading, setting, point.value, policy, game, played_cell.uniform_regret, trials


def _find(setting: PaperSetting, policy: str, cells: Mapping[str, list[_PlayedCell]]) -> _PlayedCell | None:
    required = setting.properties.items()
    candidates = (played_cell for name in setting.experiments for played_cell in cells.get(name, ()))
    return next(
        (p for p in candidates if policy in p.cell.policies and all(p.properties.get(k) == v for k, v in required)),
        None,
    )
