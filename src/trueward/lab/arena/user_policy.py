"""A user's own policy in the arena: `mine.py:MyPolicy`.

MyPolicy is a class that is built without arguments, an object, or a function of (arms, horizon) that returns one. What
plays is a `trueward.Policy`, or any object with `choose(t)` and `update(arm, reward)`.
"""

import inspect
import time
from collections.abc import Sequence
from typing import Any

from trueward.errors import TruewardError
from trueward.game.play import Learner, play
from trueward.lab.arena.field import YOURS, Entry
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.suited import Told
from trueward.lab.experiment.user_file import found_in_file, in_a_line
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain import PlainPolicy

REHEARSAL = 30  # rounds


def user_entry(given: str) -> tuple[str, Entry]:
    """Return the name and the entry of a policy in a file, from "file.py:Name"."""
    try:
        found = found_in_file(given)
    except TruewardError as error:
        raise TruewardError(f"--policy {error}") from error
    return given.rpartition(":")[2], Entry(YOURS, lambda told: _built(found, told, given))


def _built(found: Any, told: Told, given: str) -> Learner:
    """Return what plays: an object as it is, a class built without arguments, a function called for the scenario."""
    try:
        made = found
        if inspect.isclass(found):
            made = found()
        elif callable(found) and not isinstance(found, Policy | PlainPolicy):
            made = found(told.arms, told.horizon)
    except Exception as error:
        called = f"{given}()" if inspect.isclass(found) else f"{given}(arms, horizon)"
        raise TruewardError(f"--policy {called} failed: {in_a_line(error)}") from error
    if not isinstance(made, Policy | PlainPolicy):
        raise TruewardError(f"--policy {given}: needs choose(t) and update(arm, reward), or a trueward.Policy")
    return made


def rehearse(name: str, entry: Entry, scenarios: Sequence[Scenario]) -> float:
    """Let a policy play a few rounds of every scenario, so that it fails now and not after hours.

    Returns the seconds that a round takes if it is plain Python, 0 if it was compiled.
    """
    rounds = [min(REHEARSAL, scenario.horizon) for scenario in scenarios]
    start = time.perf_counter()
    for scenario, horizon in zip(scenarios, rounds, strict=True):
        learner = _try(f"{name} failed in {scenario.name}", entry, scenario, horizon=horizon, compiled=False)
    if not isinstance(learner, Policy) or learner.interpreted_only:
        return (time.perf_counter() - start) / sum(rounds)
    _try(f"{name} plays, but cannot be compiled", entry, scenarios[0], horizon=1, compiled=True)
    return 0.0


def _try(failed: str, entry: Entry, scenario: Scenario, *, horizon: int, compiled: bool) -> Learner:
    learner = entry.build(scenario.told)
    try:
        play(learner, scenario.arms, scenario.adversary, horizon=horizon, compiled=compiled)
    except Exception as error:
        raise TruewardError(f"{failed}: {in_a_line(error)}") from error
    return learner
