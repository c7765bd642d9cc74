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
from trueward.adversaries.function import AttackFunction, FunctionAdversary
from trueward.adversaries.none import NoAdversary
from trueward.arms.arms import Arms
from trueward.errors import KernelError, ParameterError, TruewardError
from trueward.game.delays import Delay, as_delay
from trueward.game.match import BLOCK, Match, checkpoints_of, play_block, short_match
from trueward.game.precompile import uncompiled_matches
from trueward.game.trace import Trace, join
from trueward.parameters import check_bool, check_integer
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain_policy import PlainPolicy, PlainPolicyAdapter

Learner = Policy | PlainPolicy
Progress = Callable[[int, int], None]
Announce = Callable[[str], None]

FEW_ROUNDS = 2000  # over all trials and policies: a second or two interpreted; compiling takes ten times as long


@overload
def play(
    policies: Learner,
    arms: Arms,
    adversary: Adversary | AttackFunction | None = None,
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
    adversary: Adversary | AttackFunction | None = None,
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
    adversary: Adversary | AttackFunction | None = None,
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
    """Play one policy, or several on the same true rewards, and return a trace, or a dictionary of traces.

    The same seed gives the same games with any executor, compiled or interpreted, and whichever other policies are
    compared.

    Parameters
    ----------
    policies : Policy, plain Python policy, or mapping of names to policies
        A plain Python policy is any object with `choose(t)` and `update(arm, reward)`.
    arms : Arms
        The true rewards.
    adversary : Adversary, function or None
        What contaminates them. A function is called as `function(view, t, arm, reward, rng)`; see `FunctionAdversary`.
    horizon : int
        Number of rounds.
    trials : int
        Number of games per policy.
    seed : int
        Seed of all random numbers.
    checkpoints : array_like, optional
        Rounds at which curves are kept. Default: about 200, evenly spaced.
    keep_history : bool
        Keep every arm and every observed reward.
    shuffle_arms : bool
        Give each trial its own order of arms, so that no policy gains from the position of the best one. Traces stay
        in the order of `arms`.
    delay : Delay or int
        When rewards arrive: `FixedDelay(20)` or 20 for a fixed number of rounds, `GeometricDelay(20)` for
        random delays with mean 20.
    count_pending : bool
        Whether policies are told how many rewards of each arm have not arrived.
    compiled : bool, optional
        True compiles the game, False interprets it. Default: compiled, except for short games that are not compiled
        yet, for which compiling would take longer than playing.
    executor : concurrent.futures.Executor, optional
        Where blocks of trials are played. Default: threads.
    progress : callable, optional
        Called with the number of finished trials and the total number.
    announce : callable, optional
        Called with the name of each policy before its code is loaded or compiled.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BernoulliArms([0.9, 0.1])
    >>> trace = tw.play(tw.UCB(sigma=0.5), arms, tw.BernoulliAdversary(0.1), horizon=100, trials=2, compiled=False)
    >>> trace.contaminated_fraction.shape  # (trials, arms)
    (2, 2)

    References
    ----------
    Niss & Tewari (2020), Algorithm 1.
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
    if compiled is None and trials * horizon * len(match.policies) <= FEW_ROUNDS and uncompiled_matches([match]):
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
    _try_custom_code(match)
    _compile(match, announce)
    blocks = list(_blocks(match, executor, progress))
    return {name: join([block[name] for block in blocks]) for name in match.policies}


def match_of(
    learners: Mapping[str, Learner],
    arms: Arms,
    adversary: Adversary | AttackFunction | None,
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
    """Return the match that `play` would play; an error says why it cannot be played."""
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


def _try_custom_code(match: Match) -> None:
    """Play one interpreted round with custom code, so that a mistake in it gives a Python error, not Numba's."""
    custom = {n: p for n, p in match.policies.items() if _is_custom(p) or _is_custom(match.adversary)}
    for name, policy in custom.items():
        try:
            play_block(replace(short_match(match, name), compiled=False), 0)
        except TruewardError:
            raise
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.name} ({place.filename}, line {place.lineno})"
            label = name or type(policy).__name__
            raise KernelError(f"{label} failed in {where}: {type(error).__name__}: {error}") from error


def _is_custom(thing: object) -> bool:
    return type(thing).__module__.partition(".")[0] != "trueward"


def _compile(match: Match, announce: Announce | None) -> None:
    """Load or compile the match's code in this thread, by games of one round, so that the workers find it ready."""
    if not match.compiled or match.adversary.interpreted_only:
        return
    for name, policy in match.policies.items():
        if not policy.interpreted_only:
            if announce is not None:
                announce(name)
            try:
                play_block(short_match(match, name), 0)
            except NumbaError as error:
                reason = str(error).strip().partition("\n")[0]
                raise KernelError(
                    f"{name or type(policy).__name__} plays interpreted, but cannot be compiled ({reason}); "
                    "compiled=False plays it interpreted"
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
        return PlainPolicyAdapter(learner)
    label = f"policies[{name!r}]" if name else "the policy"
    raise ParameterError(f"{label} must be a Policy, or have choose(t) and update(arm, reward); got {learner!r}")


def _as_arms(arms: Arms) -> Arms:
    if not isinstance(arms, Arms):
        raise ParameterError(f"arms must be Arms such as BernoulliArms([0.5, 0.6]), got {arms!r}")
    return arms


def _as_adversary(adversary: Adversary | AttackFunction | None) -> Adversary:
    if adversary is None:
        return NoAdversary()
    if isinstance(adversary, Adversary):
        return adversary
    if callable(adversary):
        return FunctionAdversary(adversary)
    raise ParameterError(f"adversary must be an Adversary, a function or None, got {adversary!r}")
