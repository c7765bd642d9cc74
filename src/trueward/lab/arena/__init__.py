"""The arena: the whole field of policies against a whole suite of attacks, and the table that settles it."""

from trueward.lab.arena.field import FIELD, Entry
from trueward.lab.arena.run import Outcome, play_tournament, run_arena
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings
from trueward.lab.arena.suite import GROUPS, SUITE
from trueward.lab.arena.suited import Told

__all__ = [
    "FIELD",
    "GROUPS",
    "SUITE",
    "Entry",
    "Outcome",
    "Scenario",
    "Standings",
    "Told",
    "play_tournament",
    "run_arena",
]
