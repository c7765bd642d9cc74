"""A match: everything that decides what is played, and the blocks in which it is played.

Trials come in blocks of a fixed size, the unit of work and of randomness. A block has three random streams: rewards,
adversary and policy. Its trials consume them in order, and each policy has its own copies of the last two. So results
depend neither on the number of workers, nor on which other policies are compared, and the first 10 of 1,000 trials are
the 10 of a run of 10.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from trueward.adversaries import Adversary
from trueward.adversaries.base import replay
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import Floats, Function, Ints, State, TwoSpeeds, fingerprint
from trueward.engine.loop import Record, draw_worlds, mark_attacks, play_games, sum_arm
from trueward.engine.trace import Trace
from trueward.errors import ParameterError
from trueward.game.identity import functions_of
from trueward.policies import Policy
from trueward.policies.declared_range import rewards_outside

BLOCK = 64  # trials
REWARDS, ADVERSARY, POLICY = range(3)  # the roles of a block's random streams
SLICE_BYTES = 6_000_000  # tables of rewards in memory at once, per worker
CHECKPOINTS = 200  # curves are kept at this many rounds, unless told otherwise


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

    def room(self, trials: int) -> tuple[Floats, Floats]:
        """Return room for the tables of true rewards and of an oblivious attack, used again for each slice."""
        attacked = 0 if self.adversary.adaptive else 1 if self.adversary.repeats else trials
        shape = self.horizon, self.arms.n_arms
        return np.empty((trials, *shape)), np.empty((attacked, *shape))

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
            missing=np.zeros(trials, np.int64),
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
    law, attack, fast = match.arms.law(), match.adversary.start(match.arms, match.horizon), match.compiled
    draw_rewards, sum_rewards = _at_speed(draw_worlds, fast, law), _at_speed(sum_arm, fast)
    mark_tables = _at_speed(mark_attacks, fast, attack)
    reward_rng, oblivious_rng = match.stream(block, REWARDS), match.stream(block, ADVERSARY)
    oblivious = not match.adversary.adaptive
    players = {
        name: _Player(match, policy, block, None if oblivious else attack) for name, policy in match.policies.items()
    }
    parts = list(match.slices(block))
    room, attack_room = match.room(parts[0].stop)
    best_reward = np.empty((parts[-1].stop, match.rounds.size))
    for part in parts:
        trials = part.stop - part.start
        truths, tables = room[:trials], attack_room[:trials]
        draw_rewards(law, truths, reward_rng)
        sum_rewards(truths, match.arms.best, match.rounds, best_reward[part])
        if oblivious and (part.start == 0 or not match.adversary.repeats):
            mark_tables(attack, truths, tables, oblivious_rng)
        for player in players.values():
            player.play(truths, tables if oblivious else None, part)
    return {name: match.trace(p.record, best_reward, rewards_outside(p.state)) for name, p in players.items()}


def _at_speed(function: TwoSpeeds[Function], fast: bool, *states: State) -> Function:
    return function.compiled(*states) if fast else function.interpreted


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
        games = _at_speed(play_games, self.fast, self.state, adversary)
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
    return "".join([kernels, *map(fingerprint, functions_of(policies, list(players), arms, adversary))])


def checkpoints(horizon: int, rounds: ArrayLike | None = None) -> Ints:
    """Return the rounds at which curves are kept, the last one always among them."""
    if rounds is None:
        return np.unique(np.linspace(0, horizon, min(horizon, CHECKPOINTS) + 1)[1:].round().astype(np.int64))
    asked = checks.array("rounds", rounds, at_least=1, at_most=horizon)
    if (asked != np.round(asked)).any() or (np.diff(asked) <= 0).any():
        raise ParameterError(f"rounds must be increasing whole numbers, got {rounds!r}")
    return np.union1d(asked.astype(np.int64), [horizon])
