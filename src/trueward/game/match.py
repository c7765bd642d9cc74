"""A match: everything that decides what is played, and the blocks in which it is played.

Trials come in blocks of a fixed size, the unit of work and of randomness. A block has a random stream for each role:
rewards, adversary, policy, the order of the arms, evidence, and delays. Its trials consume them in order, and each
policy has its own copies of the second and the third. So results depend neither on the number of workers, nor on which
other policies are compared, and the first 10 of 1,000 trials are the 10 of a run of 10.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trueward.adversaries.adaptive import as_adaptive
from trueward.adversaries.adversary import Adversary, replay
from trueward.arms.arms import Arms
from trueward.engine.compiling import fingerprint
from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import NOT_GIVEN, HiddenLearner
from trueward.errors import ParameterError, UnknownArmError
from trueward.game.delays import AT_ONCE, Delay
from trueward.game.identity import functions_of
from trueward.game.loop import Buffers, DelaySchedule, Record, draw_worlds, plan_attacks, play_games, sum_arm
from trueward.game.trace import Trace
from trueward.parameters import check_array
from trueward.policies.declared_range import rewards_outside
from trueward.policies.policy import Policy

BLOCK = 64  # trials
REWARDS, ADVERSARY, POLICY, ORDER, EVIDENCE, DELAY = range(6)  # the roles of a block's random streams
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
    checkpoints: Ints
    compiled: bool
    keep_history: bool
    shuffle_arms: bool = False
    delay: Delay = AT_ONCE
    count_pending: bool = True

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
        columns = 2 * self.arms.n_arms + len(self.adversary.signals) + (0 if self.delay.at_once else 4)
        step = max(1, SLICE_BYTES // (8 * self.horizon * columns))
        yield from (slice(start, min(start + step, in_block)) for start in range(0, in_block, step))

    def empty_tables(self, trials: int) -> tuple[Floats, Floats, Floats]:
        """Return room for true rewards, for an oblivious attack and for evidence, used again for each slice."""
        attacked = 0 if self.adversary.adaptive else 1 if self.adversary.same_every_trial else trials
        shape, signals = (self.horizon, self.arms.n_arms), len(self.adversary.signals)
        evidence = np.full((trials, self.horizon, signals), NOT_GIVEN)
        return np.empty((trials, *shape)), np.empty((attacked, *shape)), evidence

    def empty_record(self, block: int) -> Record:
        """Return room for the trials of a block."""
        trials, points, n_arms = min(BLOCK, self.trials - BLOCK * block), self.checkpoints.size, self.arms.n_arms
        kept = trials if self.keep_history else 1
        return Record(
            pulls=np.zeros((trials, points, n_arms), np.int32),
            true_reward=np.zeros((trials, points)),
            observed_reward=np.zeros((trials, points)),
            touched=np.zeros((trials, n_arms), np.int64),
            changed=np.zeros((trials, n_arms), np.int64),
            refused=np.zeros(trials, np.int64),
            first_violation=np.zeros(trials, np.int64),
            missing=np.zeros((trials, n_arms), np.int64),
            arms=np.zeros((kept, self.horizon), np.int64),
            observed=np.zeros((kept, self.horizon)),
        )

    def orders(self, block: int) -> Ints:
        """Return, for each trial of a block, which arm stands in each place: as they are, or shuffled."""
        trials = min(BLOCK, self.trials - BLOCK * block)
        as_they_are = np.tile(np.arange(self.arms.n_arms), (trials, 1))
        return self.stream(block, ORDER).permuted(as_they_are, axis=1) if self.shuffle_arms else as_they_are

    def empty_room(self) -> Buffers:
        """Return what the loop needs for the round under way."""
        n_arms = self.arms.n_arms
        return Buffers(
            pulls=np.zeros(n_arms, np.int64),
            available=np.ones(n_arms, np.bool_),
            pending=np.zeros(n_arms, np.int64),
            p=np.full(n_arms, 1.0 / n_arms),
            wrong=np.zeros(2, np.int64),
        )

    @property
    def scale(self) -> Floats | None:
        """The scale that all rewards will lie on, contaminated ones too, if there is one."""
        return known_scale(self.arms, self.adversary)

    def start(self, policy: Policy, *, capacity: int) -> State:
        """Return a fresh state of a policy, with room for so many rewards of each arm."""
        scale, signals = self.scale, self.adversary.signals
        return policy.start(self.arms.n_arms, horizon=self.horizon, capacity=capacity, scale=scale, signals=signals)

    def trace(self, record: Record, best_reward: Floats, outside: int) -> Trace:
        """Return the trace of a block from what was written down."""
        written = record._asdict()
        if not self.keep_history:
            written |= {"arms": None, "observed": None}
        return Trace(
            checkpoints=self.checkpoints, gaps=self.arms.gaps, best_reward=best_reward, outside=outside, **written
        )


def play_block(match: Match, block: int) -> dict[str, Trace]:
    """Play one block with every policy, on the same worlds."""
    distribution, attack, fast = (
        match.arms.distribution(),
        match.adversary.start(match.arms, match.horizon),
        match.compiled,
    )
    draw_rewards, sum_rewards = draw_worlds.at_speed(fast, distribution), sum_arm.at_speed(fast)
    mark_tables = plan_attacks.at_speed(fast, attack)
    reward_rng, oblivious_rng, evidence_rng, delay_rng = (
        match.stream(block, role) for role in (REWARDS, ADVERSARY, EVIDENCE, DELAY)
    )
    oblivious = not match.adversary.adaptive
    acting = None if oblivious else as_adaptive(attack, match.arms)
    players = {name: _Player(match, name, block, acting) for name in match.policies}
    parts = list(match.slices(block))
    room, attack_room, evidence_room = match.empty_tables(parts[0].stop)
    best_reward = np.empty((parts[-1].stop, match.checkpoints.size))
    for part in parts:
        trials = part.stop - part.start
        truths, tables, evidence = room[:trials], attack_room[:trials], evidence_room[:trials]
        draw_rewards(distribution, truths, reward_rng)
        sum_rewards(truths, match.arms.best, match.checkpoints, best_reward[part])
        if oblivious and (part.start == 0 or not match.adversary.same_every_trial):
            mark_tables(attack, truths, tables, evidence, oblivious_rng, evidence_rng)
        post = match.delay.post(truths.shape, delay_rng, counted=match.count_pending)
        for player in players.values():
            player.play(truths, tables if oblivious else None, evidence, post, part)
    return {name: match.trace(p.record, best_reward, rewards_outside(p.state)) for name, p in players.items()}


class _Player:
    """One policy in one block: its state, its streams, its record."""

    def __init__(self, match: Match, name: str, block: int, attack: State | None) -> None:
        self.match, self.name, self.attack, self.policy = match, name, attack, match.policies[name]
        self.state = match.start(self.policy, capacity=match.horizon)
        self.streams = match.stream(block, POLICY), match.stream(block, ADVERSARY)
        self.orders, self.record, self.room = match.orders(block), match.empty_record(block), match.empty_room()
        self.fast = match.compiled and not self.policy.interpreted_only and not match.adversary.interpreted_only

    def play(
        self, truths: Floats, tables: Floats | None, evidence: Floats, post: DelaySchedule | None, part: slice
    ) -> None:
        """Play the trials of a slice; an oblivious attack comes as tables."""
        adversary = self.attack if tables is None else replay(tables)
        learner = self.state if self.match.adversary.observes_learner else HiddenLearner()
        budget, epsilon = self.match.adversary.budget, self.match.adversary.constraint
        play_games.at_speed(self.fast, self.state, adversary, learner, post)(
            self.state,
            adversary,
            learner,
            truths,
            evidence,
            self.orders[part],
            self.match.checkpoints,
            np.inf if budget is None else float(budget),
            np.inf if epsilon is None else float(epsilon),
            *self.streams,
            post,
            self.policy.learns_from_missing or None,
            Record._make(field[part] if field.shape[0] > 1 else field for field in self.record),
            self.room,
        )
        t, arm = self.room.wrong.tolist()
        if t > 0:
            label = f"policies[{self.name!r}]" if self.name else type(self.policy).__name__
            raise UnknownArmError(
                f"the arm that {label} chose in round {t} must be from 0 to {self.match.arms.n_arms - 1}, got {arm}"
            )


def short(match: Match, name: str) -> Match:
    """Return the match of one policy over one round and one trial: all that it takes to compile it."""
    alone = {name: match.policies[name]}
    return replace(match, policies=alone, horizon=1, trials=1, checkpoints=checkpoints_of(1), keep_history=False)


def replay_of_nothing() -> State:
    """Return what an oblivious attack looks like to the loop."""
    return replay(np.zeros((1, 1, 1)))


def known_scale(arms: Arms, adversary: Adversary) -> Floats | None:
    """Return the scale that all rewards will lie on, contaminated ones too, if there is one."""
    return arms.scale if adversary.keeps_scale(arms) else None


def code_of(policies: Mapping[str, Policy], arms: Arms, adversary: Adversary, horizon: int, *others: Any) -> str:
    """Return a digest of all the code that plays these together; it changes when any of it is edited."""
    known: dict[str, Any] = {"scale": known_scale(arms, adversary), "signals": adversary.signals}
    states = [policy.start(arms.n_arms, horizon=horizon, capacity=1, **known) for policy in policies.values()]
    attack = adversary.start(arms, horizon)
    kernels = [loop.digest(*states, attack, arms.distribution()) for loop in (draw_worlds, plan_attacks, play_games)]
    return "".join([*kernels, *map(fingerprint, functions_of(policies, arms, adversary, *others))])


def checkpoints_of(horizon: int, asked: ArrayLike | None = None) -> Ints:
    """Return the rounds at which curves are kept, the last one always among them."""
    if asked is None:
        return np.unique(np.linspace(0, horizon, min(horizon, CHECKPOINTS) + 1)[1:].round().astype(np.int64))
    rounds = check_array("checkpoints", asked, at_least=1, at_most=horizon)
    if (rounds != np.round(rounds)).any() or (np.diff(rounds) <= 0).any():
        raise ParameterError(f"checkpoints must be increasing whole numbers, got {asked!r}")
    return np.union1d(rounds.astype(np.int64), [horizon])
