"""Play: policies against an adversary, on the same worlds, with the trials spread over workers."""

import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import overload

from numba.core.errors import NumbaError
from numpy.typing import ArrayLike

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.function import Attack, FunctionAdversary
from trueward.adversaries.none import NoAdversary
from trueward.arms.arms import Arms
from trueward.errors import KernelError, ParameterError, TruewardError
from trueward.game.delays import Delay, as_delay
from trueward.game.match import BLOCK, Match, checkpoints_of, play_block, short
from trueward.game.trace import Trace, join
from trueward.game.warming import cold
from trueward.parameters import check_bool, check_integer
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain import Plain, PlainPolicy

Learner = Policy | PlainPolicy
Progress = Callable[[int, int], None]
Announce = Callable[[str], None]

FEW_ROUNDS = 2000  # of all trials and policies: interpreted they take a second or two, and to compile ten times that


@overload
def play(
    policies: Learner,
    arms: Arms,
    adversary: Adversary | Attack | None = None,
    *,
    horizon: int,
    trials: int = 1,
    seed: int = 0,
    checkpoints: ArrayLike | None = None,
    keep_history: bool = False,
    shuffle_arms: bool = False,
    delay: Delay | int = 0,
    count_pending: bool = True,
    compiled: bool | None = None,
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
    checkpoints: ArrayLike | None = None,
    keep_history: bool = False,
    shuffle_arms: bool = False,
    delay: Delay | int = 0,
    count_pending: bool = True,
    compiled: bool | None = None,
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
    checkpoints: ArrayLike | None = None,
    keep_history: bool = False,
    shuffle_arms: bool = False,
    delay: Delay | int = 0,
    count_pending: bool = True,
    compiled: bool | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Trace | dict[str, Trace]:
    """Play a policy, or a mapping of policies on the same worlds, and return its trace, or theirs.

    `checkpoints` are the rounds at which curves are kept, by default some 200 over the horizon. `keep_history` keeps
    every arm and observation. `shuffle_arms` gives each trial an order of arms of its own, so that no policy gains by
    the place of the best one; what is recorded stays in the order of `arms`. With a `delay`, rewards come some rounds
    later, `FixedDelay(20)` or 20 for the same number always, `GeometricDelay(20)` for as many on average; policies know
    how many asks of each arm are under way, unless `count_pending` is False. `executor` spreads the blocks of trials;
    by default threads. `progress` is called with the number of trials finished, and of all; `announce` with the name of
    each policy, before its compiled code is loaded or made. The same seed gives the same games, whatever the executor,
    interpreted or compiled, and whatever other policies are compared: so a few rounds, for which to compile takes
    longer than to play, are played interpreted unless compiled code is on disk; `compiled` says otherwise.
    """
    learners = policies if isinstance(policies, Mapping) else {"": policies}
    match = match_of(
        learners,
        arms,
        adversary,
        horizon=horizon,
        trials=trials,
        seed=seed,
        checkpoints=checkpoints,
        keep_history=keep_history,
        shuffle_arms=shuffle_arms,
        delay=delay,
        count_pending=count_pending,
        compiled=compiled is not False,
    )
    if compiled is None and trials * horizon * len(match.policies) <= FEW_ROUNDS and cold([match]):
        match = replace(match, compiled=False)
    traces = play_match(match, executor, progress, announce)
    return traces if isinstance(policies, Mapping) else traces[""]


def play_match(
    match: Match,
    executor: Executor | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> dict[str, Trace]:
    """Play all blocks of a match, and return the trace of each policy."""
    _rehearse(match)
    _compile(match, announce)
    blocks = list(_blocks(match, executor, progress))
    return {name: join([block[name] for block in blocks]) for name in match.policies}


def match_of(
    learners: Mapping[str, Learner],
    arms: Arms,
    adversary: Adversary | Attack | None,
    *,
    horizon: int,
    trials: int = 1,
    seed: int = 0,
    checkpoints: ArrayLike | None = None,
    keep_history: bool = False,
    shuffle_arms: bool = False,
    delay: Delay | int = 0,
    count_pending: bool = True,
    compiled: bool = True,
) -> Match:
    """Return the match that `play` would play, or say why it cannot be played."""
    if not learners:
        raise ParameterError("policies must not be empty, got none")
    check_bool("count_pending", count_pending)
    match = Match(
        {name: _as_policy(name, learner) for name, learner in learners.items()},
        _as_arms(arms),
        _as_adversary(adversary),
        check_integer("horizon", horizon, at_least=1),
        check_integer("trials", trials, at_least=1),
        check_integer("seed", seed),
        checkpoints_of(horizon, checkpoints),
        compiled,
        keep_history,
        shuffle_arms,
        as_delay(delay),
        count_pending,
    )
    for policy in match.policies.values():
        match.start(policy, capacity=1)
    match.adversary.start(match.arms, match.horizon)
    return match


def _rehearse(match: Match) -> None:
    """Play a round of what is not ours interpreted: a mistake in a kernel is then an ordinary error, not Numba's."""
    foreign = {n: p for n, p in match.policies.items() if not (_ours(p) and _ours(match.adversary))}
    for name, policy in foreign.items():
        try:
            play_block(replace(short(match, name), compiled=False), 0)
        except TruewardError:
            raise
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.name} ({place.filename}, line {place.lineno})"
            label = name or type(policy).__name__
            raise KernelError(f"{label} failed in {where}: {type(error).__name__}: {error}") from error


def _ours(thing: object) -> bool:
    return type(thing).__module__.partition(".")[0] == "trueward"


def _compile(match: Match, announce: Announce | None) -> None:
    """Load or compile, in this thread, all that the match needs, by games of one round; workers find it ready."""
    if not match.compiled or match.adversary.interpreted_only:
        return
    for name, policy in match.policies.items():
        if not policy.interpreted_only:
            if announce is not None:
                announce(name)
            try:
                play_block(short(match, name), 0)
            except NumbaError as error:
                reason = str(error).strip().partition("\n")[0]
                raise KernelError(
                    f"{name or type(policy).__name__} plays interpreted, but cannot be compiled ({reason}); "
                    "compiled=False plays it as it is"
                ) from error


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
