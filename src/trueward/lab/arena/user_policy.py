"""A user's own policy in the arena, named as "mine.py:MyPolicy"."""

import inspect
import time
from collections.abc import Sequence
from typing import Any

from trueward.errors import TruewardError
from trueward.game.play import Learner, play
from trueward.lab.arena.field import YOURS, Competitor
from trueward.lab.arena.problem import Problem
from trueward.lab.arena.scenario import Scenario
from trueward.lab.experiment.user_file import in_one_line, load_from_file
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain_policy import PlainPolicy

TRIAL_ROUNDS = 30  # of every scenario, to find mistakes before a long tournament


def user_competitor(reference: str) -> tuple[str, Competitor]:
    """Return the name and the competitor for "file.py:Name".

    Name is an object, a class that is built without arguments, or a function of (arms, horizon) that returns a policy.
    """
    try:
        loaded = load_from_file(reference)
    except TruewardError as error:
        raise TruewardError(f"policies: {error}") from error
    return reference.rpartition(":")[2], Competitor(YOURS, lambda problem: _build(loaded, problem, reference))


def _build(loaded: Any, problem: Problem, reference: str) -> Learner:
    try:
        policy = loaded
        if inspect.isclass(loaded):
            policy = loaded()
        elif callable(loaded) and not isinstance(loaded, Policy | PlainPolicy):
            policy = loaded(problem.arms, problem.horizon)
    except Exception as error:
        call = f"{reference}()" if inspect.isclass(loaded) else f"{reference}(arms, horizon)"
        raise TruewardError(f"policies: {call} failed: {in_one_line(error)}") from error
    if not isinstance(policy, Policy | PlainPolicy):
        raise TruewardError(f"policies: {reference} needs choose(t) and update(arm, reward), or a trueward.Policy")
    return policy


def check_user_policy(name: str, competitor: Competitor, scenarios: Sequence[Scenario]) -> float:
    """Play a few rounds of every scenario, so that a mistake shows now and not after hours.

    Returns the seconds per round of a policy in plain Python, and 0 for one that is compiled.
    """
    rounds = [min(TRIAL_ROUNDS, scenario.horizon) for scenario in scenarios]
    start = time.perf_counter()
    for scenario, horizon in zip(scenarios, rounds, strict=True):
        policy = _play(f"{name} failed in {scenario.name}", competitor, scenario, horizon=horizon, compiled=False)
    if not isinstance(policy, Policy) or policy.interpreted_only:
        return (time.perf_counter() - start) / sum(rounds)
    _play(f"{name} plays, but cannot be compiled", competitor, scenarios[0], horizon=1, compiled=True)
    return 0.0


def _play(failure: str, competitor: Competitor, scenario: Scenario, *, horizon: int, compiled: bool) -> Learner:
    policy = competitor.build(scenario.problem)
    try:
        play(policy, scenario.arms, scenario.adversary, horizon=horizon, compiled=compiled)
    except Exception as error:
        raise TruewardError(f"{failure}: {in_one_line(error)}") from error
    return policy
