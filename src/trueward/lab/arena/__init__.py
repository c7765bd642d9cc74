"""The arena: the whole field of policies against a suite of attacks."""

from trueward.lab.arena.field import FIELD, Competitor
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings
from trueward.lab.arena.suite import GROUPS, SUITE
from trueward.lab.arena.tournament import ArenaResult, play_tournament, run_arena

__all__ = [
    "FIELD",
    "GROUPS",
    "SUITE",
    "ArenaResult",
    "Competitor",
    "Problem",
    "Scenario",
    "Standings",
    "configure_policy",
    "play_tournament",
    "run_arena",
]
