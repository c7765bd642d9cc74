"""The tournament: every policy of the field in every scenario of the suite, kept cell by cell, judged and written down.

A cell is one policy in one scenario. All policies play a scenario with the same seed, so in the same worlds, whoever
else plays; so a policy that joins later costs only its own games.
"""

import os
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from trueward import __version__
from trueward.errors import TruewardError
from trueward.lab.arena.choice import chosen_policies, chosen_scenarios
from trueward.lab.arena.field import SCALES, YOURS, Entry, Scale, field_of
from trueward.lab.arena.page import write_page
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings, standings_of
from trueward.lab.arena.suite import suite_of
from trueward.lab.arena.user_policy import rehearse, user_entry
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.runner import Plan, run_plan, workers
from trueward.lab.experiment.specification import Cell, Experiment
from trueward.lab.experiment.store import Store
from trueward.parameters import check_one_of
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain import Plain
from trueward.reporting.labels import count

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
    only: Sequence[str] = (),
    among: Sequence[str] = (),
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Outcome:
    """Play the field, and the user's `policies` ("file.py:Name"), and write data, images and page into `out`.

    `only` names the policies of the field to play, `among` the scenarios or groups of them; all if left out.
    """
    check_one_of("scale", scale, SCALES)
    if policies and cluster is not None:
        raise TruewardError("--policy and --cluster do not go together: a cluster does not have your file")
    start = time.perf_counter()
    games = TRIALS[scale] if trials is None else trials
    scenarios = chosen_scenarios(suite_of(scale), among)
    field = _joined(chosen_policies(field_of(scale), only), policies)
    field = {name: _rehearsed(name, entry, scenarios) for name, entry in field.items()}
    standings = play_tournament(
        field, scenarios, trials=games, seed=seed, keep_in=out, n_workers=n_workers, cluster=cluster, console=console
    )
    settings = {
        "scale": f"{scale}: {count(len(field), 'policy', 'policies')}, {count(len(scenarios), 'scenario')}",
        "trials": games,
        "seed": seed,
        "version": __version__,
        "run time": f"{time.perf_counter() - start:.0f} s",
    }
    options = {"policy": policies, "only": only, "scenarios": among}
    given = (f"--{option} {shlex.quote(value)}" for option, values in options.items() for value in values)
    command = " ".join((f"trueward arena --scale {scale} --trials {games} --seed {seed}", *given))
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
    """Say how long what is left to play will take, if it takes long."""
    left = dict.fromkeys(field, 0.0)  # seconds, by policy
    for cell in plan.open_cells:
        for name in cell.policies:
            left[name] += cell.trials * cell.horizon * field[name].round_cost
    for name, seconds in left.items():
        if field[name].interpreted and seconds > LONG:
            console.print(f"{name} runs interpreted: its games take about {_duration(seconds)}.", markup=False)
    seconds = sum(left[name] / (1 if field[name].interpreted else cores) for name in field)
    if seconds > LONG:
        console.print(
            f"{count(plan.open_games, 'game')}: about {_duration(seconds)} on {count(cores, 'core')}, and some seconds "
            "more for each policy and kind of attack never compiled. Stop it at will: what is finished is kept."
        )


def _joined(field: dict[str, Entry], given: Sequence[str]) -> dict[str, Entry]:
    for each in given:
        name, entry = user_entry(each)
        field[each if name in field else name] = entry
    return field


def _rehearsed(name: str, entry: Entry, scenarios: Sequence[Scenario]) -> Entry:
    """Let a user's policy fail now, and not after hours; note what a round costs if it is plain Python."""
    seconds = rehearse(name, entry, scenarios) if entry.family == YOURS else 0.0
    return replace(entry, round_cost=seconds, interpreted=True) if seconds else entry


def _duration(seconds: float) -> str:
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _cell(name: str, entry: Entry, scenario: Scenario, trials: int, seed: int) -> Cell:
    learner = entry.build(scenario.told)
    policy = learner if isinstance(learner, Policy) else Plain(learner)
    played = scenario.arms, scenario.adversary, {name: policy}
    return Cell({"scenario": scenario.name}, *played, name, scenario.horizon, trials, seed, shuffle_arms=True)
