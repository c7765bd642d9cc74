"""Compile ahead of time the games of the reproduction and of the arena."""

from typing import Literal

from rich.console import Console

from trueward.game.match import Match
from trueward.game.play import match_of
from trueward.game.precompile import warm_up as compile_games
from trueward.lab.arena.field import field_of
from trueward.lab.arena.suite import suite_of
from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.experiment.progress import COMPILING, progress_bar
from trueward.lab.experiment.specification import load
from trueward.reporting.labels import count


def warm_up(target: Literal["reproduce", "arena", "all"], console: Console) -> None:
    """Compile what is not on disk yet, and print how much that was."""
    matches: list[Match] = []
    if target in ("reproduce", "all"):
        matches += [cell.match for name in example_names() for cell in load(example_file(name)).cells]
    if target in ("arena", "all"):
        for scenario in suite_of("quick"):
            field = {name: competitor.build(scenario.problem) for name, competitor in field_of("quick").items()}
            matches.append(match_of(field, scenario.arms, scenario.adversary, horizon=scenario.horizon))
    with progress_bar(console, len(matches)) as report:
        compiled = compile_games(
            matches, progress=lambda done, total, name: report(f"{done} of {total}{COMPILING}{name}", 0)
        )
    console.print(f"ready; {count(compiled, 'kind')} of games had to be compiled", highlight=False)
