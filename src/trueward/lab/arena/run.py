"""The tournament: every policy of the field in every scenario of the suite, kept cell by cell, judged and written down.

A cell is one policy in one scenario. All policies play a scenario with the same seed, so in the same worlds, whoever
else plays; so a policy that joins later costs only its own games.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from trueward import __version__
from trueward.engine import checks
from trueward.errors import TruewardError
from trueward.game.descriptions import describe
from trueward.game.match import checkpoints
from trueward.lab.arena.field import SCALES, Entry, Scale, field_of
from trueward.lab.arena.page import write_page
from trueward.lab.arena.standings import Standings, standings_of
from trueward.lab.arena.suite import Scenario, suite_of
from trueward.lab.arena.user_policy import rehearse, user_entry
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.runner import Plan, run_plan, workers
from trueward.lab.experiment.specification import Cell, Experiment
from trueward.lab.experiment.store import Store
from trueward.policies import Policy
from trueward.policies.wrappers.plain import Plain

TRIALS = {"quick": 128, "full": 500}  # in blocks of 64: two cores are busy
LONG = 10.0  # seconds that are worth a word


@dataclass(frozen=True)
class Outcome:
    """What a tournament leaves behind."""

    standings: Standings
    page: Path


def run_arena(
    out: Path,
    *,
    scale: Scale = "quick",
    trials: int | None = None,
    seed: int = 0,
    policies: Sequence[str] = (),
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Outcome:
    """Play the field, and the user's `policies` ("file.py:Name"), and write data, images and page into `out`."""
    checks.one_of("scale", scale, SCALES)
    if policies and cluster is not None:
        raise TruewardError("--policy and --cluster do not go together: a cluster does not have your file")
    start = time.perf_counter()
    games = TRIALS[scale] if trials is None else trials
    scenarios, field = suite_of(scale), _joined(field_of(scale), policies)
    for name, entry in field.items():
        if entry.source is not None:
            _rehearse(name, entry, scenarios, games, console)
    standings = play_tournament(
        field, scenarios, trials=games, seed=seed, keep_in=out, n_workers=n_workers, cluster=cluster, console=console
    )
    settings = {
        "scale": f"{scale}: {len(field)} policies, {len(scenarios)} scenarios",
        "trials": games,
        "seed": seed,
        "version": __version__,
        "run time": f"{time.perf_counter() - start:.0f} s",
    }
    command = f"trueward arena --scale {scale} --trials {games} --seed {seed}"
    command += "".join(f" --policy {given}" for given in policies)
    return Outcome(standings, write_page(out, standings, settings, command))


def play_tournament(
    field: Mapping[str, Entry],
    scenarios: Sequence[Scenario],
    *,
    trials: int,
    seed: int = 0,
    keep_in: Path | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Standings:
    """Play every policy in every scenario, but for finished cells in `keep_in`, and return the standings."""
    cells = tuple(_cell(name, entry, scenario, trials, seed) for scenario in scenarios for name, entry in field.items())
    experiment = Experiment("arena", "", {"scenario": [scenario.name for scenario in scenarios]}, cells)
    plan = Plan((experiment,), None if keep_in is None else Store(keep_in / "cells"))
    _announce(plan, field, n_workers or os.cpu_count() or 1, console)
    with progress_bar(console, plan.open_games) as report, workers(n_workers, cluster) as executor:
        (result,) = run_plan(plan, executor, report)
    return standings_of(result.trials, scenarios, {name: entry.family for name, entry in field.items()})


def _announce(plan: Plan, field: Mapping[str, Entry], cores: int, console: Console) -> None:
    """Say how long it will take, if it takes long."""
    seconds = 0.0
    for cell in plan.open_cells:
        seconds += cell.trials * cell.horizon * sum(field[name].round_cost for name in cell.policies) / cores
    if seconds > LONG:
        console.print(
            f"{plan.open_games:,} games: about {_duration(seconds)} on {cores} cores, and some seconds more for each "
            "policy and kind of attack that was never compiled. Stop it at will: what is finished is kept."
        )


def _joined(field: dict[str, Entry], given: Sequence[str]) -> dict[str, Entry]:
    for each in given:
        name, entry = user_entry(each)
        field[each if name in field else name] = entry
    return field


def _rehearse(name: str, entry: Entry, scenarios: Sequence[Scenario], trials: int, console: Console) -> None:
    """Let a user's policy fail now, and not after hours; say how long it will take if it is plain Python."""
    seconds = rehearse(name, entry, scenarios) * trials * sum(scenario.horizon for scenario in scenarios)
    if seconds > LONG:
        console.print(f"{name} runs interpreted: its games take about {_duration(seconds)}.", markup=False)


def _duration(seconds: float) -> str:
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _cell(name: str, entry: Entry, scenario: Scenario, trials: int, seed: int) -> Cell:
    learner = entry.build(scenario.told)
    described = {
        "arms": describe(scenario.arms),
        "adversary": describe(scenario.adversary),
        "policies": {name: describe(learner) if entry.source is None else entry.source},
        "horizon": scenario.horizon,
        "trials": trials,
        "seed": seed,
        "rounds": checkpoints(scenario.horizon).tolist(),
    }
    policy = learner if isinstance(learner, Policy) else Plain(learner)
    point: dict[str, Any] = {"scenario": scenario.name}
    return Cell(
        point, scenario.arms, scenario.adversary, {name: policy}, name, scenario.horizon, trials, seed, described
    )
