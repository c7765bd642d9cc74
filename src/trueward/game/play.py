"""Play: policies against an adversary, on the same worlds, with the trials spread over workers."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import overload

from numpy.typing import ArrayLike

from trueward.adversaries import Adversary, FunctionAdversary, NoAdversary
from trueward.adversaries.function import Attack
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.trace import Trace, join
from trueward.errors import ParameterError
from trueward.game.match import BLOCK, Match, checkpoints, fitted, play_block
from trueward.policies import Policy
from trueward.policies.wrappers.plain import Plain, PlainPolicy

Learner = Policy | PlainPolicy
Progress = Callable[[int, int], None]
Announce = Callable[[str], None]


@overload
def play(
    policies: Learner,
    arms: Arms,
    adversary: Adversary | Attack | None = None,
    *,
    horizon: int,
    trials: int = 1,
    seed: int = 0,
    rounds: ArrayLike | None = None,
    keep_history: bool = False,
    compiled: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Trace: ...
@overload
def play(
    policies: Mapping[str, Learner],
    arms: Arms,
    adversary: Adversary | Attack | None = None,
    *,
    horizon: int,
    trials: int = 1,
    seed: int = 0,
    rounds: ArrayLike | None = None,
    keep_history: bool = False,
    compiled: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> dict[str, Trace]: ...
def play(
    policies: Learner | Mapping[str, Learner],
    arms: Arms,
    adversary: Adversary | Attack | None = None,
    *,
    horizon: int,
    trials: int = 1,
    seed: int = 0,
    rounds: ArrayLike | None = None,
    keep_history: bool = False,
    compiled: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Trace | dict[str, Trace]:
    """Play a policy, or a mapping of policies on the same worlds, and return its trace, or theirs.

    `rounds` are the rounds at which curves are kept, by default some 200 spread over the horizon. `keep_history` keeps
    every arm and observation. `executor` spreads the blocks of trials; by default threads. `progress` is called with
    the number of trials finished, and of all; `announce` with the name of each policy, before its compiled code is
    loaded or made. The same seed gives the same games, whatever the executor, interpreted
    or compiled, and whatever other policies are compared.
    """
    several = isinstance(policies, Mapping)
    learners = policies if isinstance(policies, Mapping) else {"": policies}
    if not learners:
        raise ParameterError("policies must not be empty, got none")
    horizon, trials = checks.whole("horizon", horizon, at_least=1), checks.whole("trials", trials, at_least=1)
    adversary = _as_adversary(adversary)
    match = Match(
        fitted({name: _as_policy(name, learner) for name, learner in learners.items()}, _as_arms(arms), adversary),
        arms,
        adversary,
        horizon,
        trials,
        checks.whole("seed", seed),
        checkpoints(horizon, rounds),
        compiled,
        keep_history,
    )
    for policy in match.policies.values():  # what cannot be played says so here, not in a worker
        policy.start(match.arms.n_arms, horizon=horizon, capacity=1)
    match.adversary.start(match.arms, horizon)
    _compile(match, announce)
    blocks = list(_blocks(match, executor, progress))
    traces = {name: join([block[name] for block in blocks]) for name in match.policies}
    return traces if several else traces[""]


def _compile(match: Match, announce: Announce | None) -> None:
    """Load or compile, in this thread, all that the match needs, by games of one round; workers find it ready."""
    if not match.compiled or match.adversary.interpreted_only:
        return
    for name, policy in match.policies.items():
        if not policy.interpreted_only:
            short = replace(
                match, policies={name: policy}, horizon=1, trials=1, rounds=checkpoints(1), keep_history=False
            )
            if announce is not None:
                announce(name)
            play_block(short, 0)


def _blocks(match: Match, executor: Executor | None, progress: Progress | None) -> Iterator[dict[str, Trace]]:
    own = ThreadPoolExecutor(min(match.n_blocks, os.cpu_count() or 1)) if executor is None else None
    try:
        pool = executor or own
        assert pool is not None
        for i, block in enumerate(pool.map(play_block, [match] * match.n_blocks, range(match.n_blocks))):
            if progress is not None:
                progress(min((i + 1) * BLOCK, match.trials), match.trials)
            yield block
    finally:
        if own is not None:
            own.shutdown(cancel_futures=True)


def _as_policy(name: str, learner: Learner) -> Policy:
    if isinstance(learner, Policy):
        return learner
    if isinstance(learner, PlainPolicy):
        return Plain(learner)
    label = f"policies[{name!r}]" if name else "the policy"
    raise ParameterError(f"{label} must be a Policy, or have choose(t) and update(arm, reward); got {learner!r}")


def _as_arms(arms: Arms) -> Arms:
    if not isinstance(arms, Arms):
        raise ParameterError(f"arms must be Arms such as BernoulliArms([0.5, 0.6]), got {arms!r}")
    return arms


def _as_adversary(adversary: Adversary | Attack | None) -> Adversary:
    if adversary is None:
        return NoAdversary()
    if isinstance(adversary, Adversary):
        return adversary
    if callable(adversary):
        return FunctionAdversary(adversary)
    raise ParameterError(f"adversary must be an Adversary, a function or None, got {adversary!r}")
