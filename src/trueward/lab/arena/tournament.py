"""The tournament: every policy of the field in every scenario of the suite."""

import os
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from trueward import __version__
from trueward.errors import ParameterError, TruewardError, did_you_mean
from trueward.lab.arena.arena_page import write_page
from trueward.lab.arena.field import SIZES, YOURS, Competitor, Size, field_of
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings, standings_of
from trueward.lab.arena.suite import suite_of
from trueward.lab.arena.user_policy import check_user_policy, user_competitor
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.runner import open_executor, run_experiments, unplayed_cells
from trueward.lab.experiment.specification import Cell, Experiment
from trueward.lab.experiment.store import CellStore
from trueward.parameters import check_one_of
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain_policy import PlainPolicyAdapter
from trueward.reporting.labels import count

TRIALS = {"quick": 128, "full": 500}  # 128 trials are two blocks of 64, enough for two cores
LONG_SECONDS = 10.0  # longer runs are announced


@dataclass(frozen=True)
class ArenaResult:
    """The standings of a tournament, and the page that shows them.

    Parameters
    ----------
    standings : Standings
        Regret shares, ranks and worst cases of all policies.
    page : Path
        The file `arena.html`.
    """

    standings: Standings
    page: Path


def run_arena(
    out: Path,
    *,
    size: Size = "quick",
    trials: int | None = None,
    seed: int = 0,
    policies: Sequence[str] = (),
    only: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> ArenaResult:
    """Play a tournament, and write its tables, images and page into a folder.

    Parameters
    ----------
    out : Path
        The folder. Finished games are stored in it, and loaded when the tournament is run again.
    size : {"quick", "full"}
        The full arena has more policies, scenarios and trials.
    trials : int, optional
        Games per policy and scenario. Default: 128 for the quick arena, 500 for the full one.
    seed : int
        The same seed gives the same games.
    policies : sequence of str
        Your own policies, in the form "file.py:Name".
    only : sequence of str
        Names of the built-in policies to play. Default: all.
    scenarios : sequence of str
        Names of scenarios or scenario groups to play. Default: all.
    n_workers : int, optional
        Number of threads. Default: one per core.
    cluster : str, optional
        Address of a Dask scheduler.
    console : rich.console.Console
        Where progress is shown.

    Returns
    -------
    ArenaResult
    """
    check_one_of("size", size, SIZES)
    if policies and cluster is not None:
        raise TruewardError("policies cannot be used together with cluster: the cluster does not have your file")
    start = time.perf_counter()
    games = TRIALS[size] if trials is None else trials
    suite = select_scenarios(suite_of(size), scenarios)
    field = _add_user_policies(select_policies(field_of(size), only), policies, suite)
    standings = play_tournament(
        field, suite, trials=games, seed=seed, cache_folder=out, n_workers=n_workers, cluster=cluster, console=console
    )
    settings, command = _settings_and_command(
        standings,
        {"size": size, "trials": games, "seed": seed},
        {"policy": policies, "only": only, "scenario": scenarios},
        seconds=time.perf_counter() - start,
    )
    return ArenaResult(standings, write_page(out, standings, settings, command))


def _settings_and_command(
    standings: Standings, options: Mapping[str, object], selection: Mapping[str, Sequence[str]], *, seconds: float
) -> tuple[dict[str, object], str]:
    """Return the settings that the page shows, and the command that writes the same page again."""
    policies, scenarios = len(standings.policies), len(standings.scenarios)
    settings = {
        **options,
        "size": f"{options['size']}: {count(policies, 'policy', 'policies')}, {count(scenarios, 'scenario')}",
        "version": __version__,
        "run time": f"{seconds:.0f} s",
    }
    repeated = [(option, value) for option, values in selection.items() for value in values]
    arguments = (f"--{option} {shlex.quote(str(value))}" for option, value in (*options.items(), *repeated))
    return settings, " ".join(("trueward arena", *arguments))


def play_tournament(
    field: Mapping[str, Competitor],
    scenarios: Sequence[Scenario],
    *,
    trials: int,
    seed: int = 0,
    cache_folder: Path | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Standings:
    """Play every policy in every scenario, and return the standings.

    All policies play the same trials of a scenario, regardless of the other policies, so adding a policy costs only its
    own games.

    Parameters
    ----------
    field : mapping of str to Competitor
        The policies by name, such as `FIELD`.
    scenarios : sequence of Scenario
        The scenarios, such as `SUITE`.
    trials : int
        Games per policy and scenario.
    seed : int
        The same seed gives the same games.
    cache_folder : Path, optional
        Folder for finished games; games already in it are loaded instead of played.
    n_workers : int, optional
        Number of threads. Default: one per core.
    cluster : str, optional
        Address of a Dask scheduler.
    console : rich.console.Console
        Where progress is shown.

    Returns
    -------
    Standings

    Examples
    --------
    >>> from rich.console import Console
    >>> from trueward.lab.arena import FIELD, SUITE, play_tournament
    >>> field = {"uniform": FIELD["uniform"]}
    >>> standings = play_tournament(field, SUITE[:1], trials=2, console=Console(quiet=True))
    >>> standings.shares.shape  # (scenarios, policies, trials)
    (1, 1, 2)
    """
    cells = tuple(
        _cell(name, competitor, scenario, trials, seed) for scenario in scenarios for name, competitor in field.items()
    )
    experiments = [Experiment("arena", "", {"scenario": [scenario.name for scenario in scenarios]}, cells)]
    store = None if cache_folder is None else CellStore(cache_folder / "cells")
    to_play = unplayed_cells(experiments, store)
    _announce(to_play, field, n_workers or os.cpu_count() or 1, console)
    games = sum(cell.games for cell in to_play)
    with progress_bar(console, games) as report, open_executor(n_workers, cluster) as executor:
        (result,) = run_experiments(experiments, store, executor, report)
    return standings_of(result.trials, scenarios, {name: competitor.family for name, competitor in field.items()})


def _cell(name: str, competitor: Competitor, scenario: Scenario, trials: int, seed: int) -> Cell:
    learner = competitor.build(scenario.problem)
    policy = learner if isinstance(learner, Policy) else PlainPolicyAdapter(learner)
    return Cell(
        point={"scenario": scenario.name},
        arms=scenario.arms,
        adversary=scenario.adversary,
        policies={name: policy},
        reference=name,
        horizon=scenario.horizon,
        trials=trials,
        seed=seed,
        shuffle_arms=True,
    )


def _announce(cells: Sequence[Cell], field: Mapping[str, Competitor], cores: int, console: Console) -> None:
    """Print the estimated time if it is long."""
    seconds_left = dict.fromkeys(field, 0.0)  # by policy
    for cell in cells:
        for name in cell.policies:
            seconds_left[name] += cell.trials * cell.horizon * field[name].round_cost
    for name, seconds in seconds_left.items():
        if field[name].interpreted and seconds > LONG_SECONDS:
            console.print(f"{name} is not compiled; its games will take about {_duration(seconds)}.", markup=False)
    seconds = sum(seconds_left[name] / (1 if field[name].interpreted else cores) for name in field)
    if seconds > LONG_SECONDS:
        games = count(sum(cell.games for cell in cells), "game")
        console.print(
            f"{games}: about {_duration(seconds)} on {count(cores, 'core')}, plus a few seconds to compile each "
            "combination of policy and attack. You can stop at any time: finished games are stored."
        )


def _duration(seconds: float) -> str:
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _add_user_policies(
    field: dict[str, Competitor], references: Sequence[str], scenarios: Sequence[Scenario]
) -> dict[str, Competitor]:
    for reference in references:
        name, competitor = user_competitor(reference)
        field[reference if name in field else name] = competitor
    return {name: _with_measured_cost(name, competitor, scenarios) for name, competitor in field.items()}


def _with_measured_cost(name: str, competitor: Competitor, scenarios: Sequence[Scenario]) -> Competitor:
    seconds = check_user_policy(name, competitor, scenarios) if competitor.family == YOURS else 0.0
    return replace(competitor, round_cost=seconds, interpreted=True) if seconds else competitor


def select_policies(field: Mapping[str, Competitor], names: Sequence[str]) -> dict[str, Competitor]:
    """Return the named policies in the order of the field; all if `names` is empty."""
    _check_names("only", "policy", names, field)
    return {name: competitor for name, competitor in field.items() if not names or name in names}


def select_scenarios(suite: Sequence[Scenario], names: Sequence[str]) -> tuple[Scenario, ...]:
    """Return the scenarios with these names or in groups with these names; all if `names` is empty."""
    known = {name: None for scenario in suite for name in (scenario.group, scenario.name)}
    _check_names("scenarios", "scenario", names, known)
    return tuple(scenario for scenario in suite if not names or {scenario.group, scenario.name} & set(names))


def _check_names(parameter: str, kind: str, names: Sequence[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; available: {', '.join(known)}"
            raise ParameterError(f"{parameter}: no such {kind} in an arena of this size: {name!r}{hint}")
