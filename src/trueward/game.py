"""Algorithm 1, the contaminated stochastic bandit: the one loop in which the stages meet.

    fix all true rewards;  in each round: the learner picks an arm, the adversary sees it and chooses what is shown,
    the learner sees only that

Trials come in blocks of a fixed size, the unit of work and of randomness. A block has three random streams: rewards,
adversary and policy. Its trials consume them in order, and each policy has its own copies of the last two. So results
depend neither on the number of workers, nor on which other policies are compared, and the first 10 of 1,000 trials are
the 10 of a run of 10.

Reference: Niss & Tewari (2020), Algorithm 1.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import FunctionType
from typing import NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward import checks
from trueward.adversaries import Adversary, FunctionAdversary, NoAdversary
from trueward.adversaries.base import replay
from trueward.adversaries.function import Attack
from trueward.arms import Arms
from trueward.borrowing import borrow
from trueward.errors import ParameterError
from trueward.kernel import (
    EDGE,
    Floats,
    Ints,
    State,
    TwoSpeeds,
    View,
    choose,
    contaminate,
    draw,
    fingerprint,
    mark,
    reset,
    update,
)
from trueward.policies import Policy
from trueward.policies.declared_range import rewards_outside
from trueward.policies.plain import Plain, PlainPolicy
from trueward.trace import Trace, join

BLOCK = 64  # trials
REWARDS, ADVERSARY, POLICY = range(3)  # the roles of a block's random streams
SLICE_BYTES = 4_000_000  # tables of rewards in memory at once, per worker
CHECKPOINTS = 200  # curves are kept at this many rounds, unless told otherwise

Learner = Policy | PlainPolicy
Progress = Callable[[int, int], None]
Announce = Callable[[str], None]


class Record(NamedTuple):
    """What the loop writes down, one row per trial."""

    pulls: NDArray[np.int32]  # (trials, checkpoints, arms)
    true_reward: Floats  # (trials, checkpoints)
    observed_reward: Floats  # (trials, checkpoints)
    touched: Ints  # (trials, arms)
    changed: Ints  # (trials, arms)
    refused: Ints  # (trials,)
    first_violation: Ints  # (trials,)
    so_far: Ints  # (arms,) pulls in the trial under way
    arms: Ints  # (trials or 1, rounds) a single row is used again and again
    observed: Floats  # (trials or 1, rounds)


@TwoSpeeds
def play_games(
    policy: State,
    adversary: State,
    truths: Floats,  # (trials, rounds, arms)
    rounds: Ints,
    budget: float,
    epsilon: float,
    policy_rng: np.random.Generator,
    adversary_rng: np.random.Generator,
    record: Record,
) -> None:
    """Play one policy against one adversary, a game for each table of true rewards."""
    policy, adversary, truths, record = borrow(policy), borrow(adversary), borrow(truths), borrow(record)
    policy_rng, adversary_rng = borrow(policy_rng), borrow(adversary_rng)
    pulls = record.so_far
    for trial in range(truths.shape[0]):
        reset(policy)
        reset(adversary)
        pulls[:] = 0
        row = trial if record.arms.shape[0] > 1 else 0
        truth, arms, observed = truths[trial], record.arms[row], record.observed[row]
        touched, changed = record.touched[trial], record.changed[trial]
        view = View(truth, pulls, touched, arms, observed, policy)
        true_reward, observed_reward = 0.0, 0.0
        t = 0
        for checkpoint in range(rounds.size):
            while t < rounds[checkpoint]:
                t += 1
                arm = choose(policy, t, policy_rng)
                reward = truth[t - 1, arm]
                shown = reward
                value = contaminate(adversary, view, t, arm, reward, adversary_rng)
                pulls[arm] += 1
                if value == value:  # not UNTOUCHED
                    if touched[arm] + 1 <= budget * pulls[arm] + EDGE:
                        touched[arm] += 1
                        shown = value
                    else:
                        record.refused[trial] += 1
                    if shown != reward:
                        changed[arm] += 1
                        if record.first_violation[trial] == 0 and changed[arm] > epsilon * pulls[arm] + EDGE:
                            record.first_violation[trial] = t
                update(policy, t, arm, shown, policy_rng)
                arms[t - 1] = arm
                observed[t - 1] = shown
                true_reward += reward
                observed_reward += shown
            record.true_reward[trial, checkpoint] = true_reward
            record.observed_reward[trial, checkpoint] = observed_reward
            for a in range(pulls.size):
                record.pulls[trial, checkpoint, a] = pulls[a]


@TwoSpeeds
def draw_worlds(law: State, truths: Floats, rng: np.random.Generator) -> None:
    """Fill the tables of true rewards."""
    law, truths, rng = borrow(law), borrow(truths), borrow(rng)
    for trial in range(truths.shape[0]):
        draw(law, truths[trial], rng)


@TwoSpeeds
def mark_attacks(adversary: State, truths: Floats, tables: Floats, rng: np.random.Generator) -> None:
    """Fill the tables of an oblivious attack."""
    adversary, truths, tables, rng = borrow(adversary), borrow(truths), borrow(tables), borrow(rng)
    for trial in range(truths.shape[0]):
        mark(adversary, truths[trial], tables[trial], rng)


@dataclass(frozen=True)
class Match:
    """Everything that decides what is played; a block of it is a function of the match and the block's number."""

    policies: dict[str, Policy]
    arms: Arms
    adversary: Adversary
    horizon: int
    trials: int
    seed: int
    rounds: Ints
    compiled: bool
    keep_history: bool

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return -(-self.trials // BLOCK)

    def stream(self, block: int, role: int) -> np.random.Generator:
        """Return a fresh random stream of a block."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block, role)))

    def slices(self, block: int) -> Iterator[slice]:
        """Give the trials of a block in portions small enough for memory."""
        in_block = min(BLOCK, self.trials - BLOCK * block)
        step = max(1, SLICE_BYTES // (16 * self.horizon * self.arms.n_arms))
        yield from (slice(start, min(start + step, in_block)) for start in range(0, in_block, step))

    def empty_record(self, block: int) -> Record:
        """Return room for the trials of a block."""
        trials, points, n_arms = min(BLOCK, self.trials - BLOCK * block), self.rounds.size, self.arms.n_arms
        kept = trials if self.keep_history else 1
        return Record(
            pulls=np.zeros((trials, points, n_arms), np.int32),
            true_reward=np.zeros((trials, points)),
            observed_reward=np.zeros((trials, points)),
            touched=np.zeros((trials, n_arms), np.int64),
            changed=np.zeros((trials, n_arms), np.int64),
            refused=np.zeros(trials, np.int64),
            first_violation=np.zeros(trials, np.int64),
            so_far=np.zeros(n_arms, np.int64),
            arms=np.zeros((kept, self.horizon), np.int64),
            observed=np.zeros((kept, self.horizon)),
        )

    def trace(self, record: Record, best_reward: Floats, outside: int) -> Trace:
        """Return the trace of a block from what was written down."""
        written = record._asdict()
        del written["so_far"]
        if not self.keep_history:
            written |= {"arms": None, "observed": None}
        return Trace(rounds=self.rounds, gaps=self.arms.gaps, best_reward=best_reward, outside=outside, **written)


def play_block(match: Match, block: int) -> dict[str, Trace]:
    """Play one block with every policy, on the same worlds."""
    fast = match.compiled
    reward_rng = match.stream(block, REWARDS)
    law, attack = match.arms.law(), match.adversary.start(match.arms, match.horizon)
    draw_rewards = draw_worlds.compiled(law) if fast else draw_worlds.interpreted
    mark_tables = mark_attacks.compiled(attack) if fast else mark_attacks.interpreted
    oblivious_rng = match.stream(block, ADVERSARY)
    players = {
        name: _Player(match, policy, block, attack if match.adversary.adaptive else None)
        for name, policy in match.policies.items()
    }
    best_reward = []
    for part in match.slices(block):
        truths = np.empty((part.stop - part.start, match.horizon, match.arms.n_arms))
        draw_rewards(law, truths, reward_rng)
        best_reward.append(truths[:, :, match.arms.best].cumsum(axis=1)[:, match.rounds - 1])
        tables = None
        if not match.adversary.adaptive:
            tables = np.empty_like(truths)
            mark_tables(attack, truths, tables, oblivious_rng)
        for player in players.values():
            player.play(truths, tables, part)
    best = np.concatenate(best_reward)
    return {name: match.trace(p.record, best, rewards_outside(p.state)) for name, p in players.items()}


class _Player:
    """One policy in one block: its state, its streams, its record."""

    def __init__(self, match: Match, policy: Policy, block: int, attack: State | None) -> None:
        self.match, self.attack = match, attack
        self.state = policy.start(match.arms.n_arms, horizon=match.horizon, capacity=match.horizon)
        self.streams = match.stream(block, POLICY), match.stream(block, ADVERSARY)
        self.record = match.empty_record(block)
        self.fast = match.compiled and not policy.interpreted_only and not match.adversary.interpreted_only

    def play(self, truths: Floats, tables: Floats | None, part: slice) -> None:
        """Play the trials of a slice; an oblivious attack comes as tables."""
        adversary = self.attack if tables is None else replay(tables)
        games = play_games.compiled(self.state, adversary) if self.fast else play_games.interpreted
        budget, epsilon = self.match.adversary.budget, self.match.adversary.constraint
        whole = self.record
        rows = Record._make(field[part] if field.shape[0] > 1 else field for field in whole)._replace(
            so_far=whole.so_far
        )
        games(
            self.state,
            adversary,
            truths,
            self.match.rounds,
            np.inf if budget is None else float(budget),
            np.inf if epsilon is None else float(epsilon),
            *self.streams,
            rows,
        )


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


def fitted(policies: Mapping[str, Policy], arms: Arms, adversary: Adversary) -> dict[str, Policy]:
    """Return the policies, told of the scale that all rewards will lie on, if there is one."""
    if arms.scale is None or not adversary.keeps_scale(arms):
        return dict(policies)
    return {name: policy.on_scale(arms.scale) for name, policy in policies.items()}


def code_of(policies: Mapping[str, Policy], arms: Arms, adversary: Adversary, horizon: int) -> str:
    """Return a digest of all the code that plays these together; it changes when any of it is edited."""
    players = fitted(policies, arms, adversary).values()
    states = [policy.start(arms.n_arms, horizon=horizon, capacity=1) for policy in players]
    attack = adversary.start(arms, horizon)
    kernels = fingerprint(cast(FunctionType, play_games.interpreted), *states, attack, arms.law())
    makers = [getattr(type(thing), "start") for thing in (*policies.values(), adversary)]  # noqa: B009 - two bases
    return "".join([kernels, *map(fingerprint, makers)])


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


def checkpoints(horizon: int, rounds: ArrayLike | None = None) -> Ints:
    """Return the rounds at which curves are kept, the last one always among them."""
    if rounds is None:
        return np.unique(np.linspace(0, horizon, min(horizon, CHECKPOINTS) + 1)[1:].round().astype(np.int64))
    asked = checks.array("rounds", rounds, at_least=1, at_most=horizon)
    if (asked != np.round(asked)).any() or (np.diff(asked) <= 0).any():
        raise ParameterError(f"rounds must be increasing whole numbers, got {rounds!r}")
    return np.union1d(asked.astype(np.int64), [horizon])


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
