"""A user's own policy in the arena: `mine.py:MyPolicy`.

MyPolicy is a class that is built without arguments, an object, or a function of (arms, horizon) that returns one. What
plays is a `trueward.Policy`, or any object with `choose(t)` and `update(arm, reward)`.
"""

import hashlib
import importlib.util
import inspect
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from trueward.errors import TruewardError
from trueward.game.play import Learner, play
from trueward.lab.arena.field import YOURS, Entry, Told
from trueward.lab.arena.suite import Scenario
from trueward.policies import Policy
from trueward.policies.wrappers.plain import PlainPolicy

REHEARSAL = 30  # rounds
LONGEST = 300  # characters of an error that is not ours


def user_entry(given: str) -> tuple[str, Entry]:
    """Return the name and the entry of a policy in a file, from "file.py:Name"."""
    file, separator, name = given.rpartition(":")
    if not separator or not file or not name:
        raise TruewardError(f"--policy {given}: write the file and the name in it, as in mine.py:MyPolicy")
    path = Path(file)
    if not path.is_file():
        raise TruewardError(f"--policy {given}: there is no file {file}")
    source = hashlib.sha256(path.read_bytes()).hexdigest()
    module = _imported(path, source, given)
    if not hasattr(module, name):
        raise TruewardError(f"--policy {given}: {file} has no {name}")
    found = getattr(module, name)
    return name, Entry(YOURS, lambda told: _built(found, told, given), source=source)


def _imported(path: Path, source: str, given: str) -> ModuleType:
    name = f"arena_{path.stem}_{source[:8]}"  # another file of the same name is another module
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TruewardError(f"--policy {given}: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by its name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise TruewardError(f"--policy {given}: importing {path} failed: {_words(error)}") from error
    return module


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
        raise TruewardError(f"--policy {called} failed: {_words(error)}") from error
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
        raise TruewardError(f"{failed}: {_words(error)}") from error
    return learner


def _words(error: Exception) -> str:
    """Return an error of the user's code in one line."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", LONGEST, placeholder=" …")
