"""Compile beforehand what a plan plays: several kinds of games at once, in several processes."""

from collections.abc import Iterable, Mapping

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.game.play import match_of
from trueward.game.precompile import warm_up
from trueward.lab.experiment.progress import COMPILING
from trueward.planning.games import Report, learning, lessons
from trueward.planning.outline import Outline
from trueward.policies.policy import Policy


def make_ready(
    outline: Outline, policies: Mapping[str, Policy], adversaries: Iterable[Adversary], report: Report
) -> int:
    """Compile what is not on disk yet, and return how many kinds of games that were."""
    matches = [
        match_of({name: outline.playing(policy)}, outline.arms, adversary, horizon=1, delay=outline.delay)
        for adversary in adversaries
        for name, policy in policies.items()
    ]
    compiled = warm_up(matches, progress=lambda n, of, name: report(f"{n} of {of}{COMPILING}{name}", 0))
    for policy in policies.values():
        _ready_to_learn(policy, outline.arms.n_arms)
    return compiled


def _ready_to_learn(policy: Policy, n_arms: int) -> None:
    state, none = policy.start(n_arms, horizon=1, capacity=1), np.empty(0, np.int64)
    learning(policy, n_arms, compiled=True)(state, *lessons(none, none, np.empty(0), n_arms), np.random.default_rng(0))
