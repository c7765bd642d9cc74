"""A match: everything that decides what is played, and the blocks in which it is played.

Trials come in blocks of a fixed size, the unit of work and of randomness. A block has one random stream each for
rewards, adversary, policy, order of the arms, evidence and delays. Its trials use these streams one after the other,
and each policy gets fresh copies of the adversary's and the policy's. So results depend neither on the number of
workers nor on the other policies compared, and the first 10 of 1,000 trials equal a run of 10 trials.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from trueward.adversaries.adversary import Adversary, planned_attack
from trueward.adversaries.combined_attack import as_combined_attack
from trueward.arms.arms import Arms
from trueward.engine.compiling import compiled
from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import NOT_GIVEN, HiddenLearner
from trueward.errors import ParameterError, UnknownArmError
from trueward.game.delays import NO_DELAY, Delay
from trueward.game.loop import (
    Buffers,
    DelaySchedule,
    Limits,
    Record,
    Worlds,
    draw_worlds,
    plan_attacks,
    play_games,
    sum_arm,
)
from trueward.game.trace import Trace
from trueward.parameters import check_array
from trueward.policies.declared_range import count_outside
from trueward.policies.policy import Policy

BLOCK = 64  # trials
REWARDS, ADVERSARY, POLICY, ORDER, EVIDENCE, DELAY = range(6)  # the random streams of a block
SLICE_BYTES = 6_000_000  # of reward tables in memory at once, per worker
CHECKPOINTS = 200  # rounds at which curves are kept by default


@dataclass(frozen=True)
class Match:
    """Everything that decides what is played. What happens in a block follows from the match and the block's number."""

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
    delay: Delay = NO_DELAY
    count_pending: bool = True

    @property
    def n_blocks(self) -> int:
        return -(-self.trials // BLOCK)

    def stream(self, block: int, kind: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block, kind)))

    def slices(self, block: int) -> Iterator[slice]:
        """Yield the trials of a block in slices whose tables fit into memory."""
        in_block = min(BLOCK, self.trials - BLOCK * block)
        columns = 2 * self.arms.n_arms + len(self.adversary.signals) + (0 if self.delay.is_zero else 4)
        step = max(1, SLICE_BYTES // (8 * self.horizon * columns))
        yield from (slice(start, min(start + step, in_block)) for start in range(0, in_block, step))

    def empty_tables(self, trials: int) -> tuple[Floats, Floats, Floats]:
        """Return tables for true rewards, for an oblivious attack and for evidence; all slices reuse them."""
        n_attacks = trials
        if self.adversary.adaptive:
            n_attacks = 0
        elif self.adversary.same_every_trial:
            n_attacks = 1
        shape, signals = (self.horizon, self.arms.n_arms), len(self.adversary.signals)
        evidence = np.full((trials, self.horizon, signals), NOT_GIVEN)
        return np.empty((trials, *shape)), np.empty((n_attacks, *shape)), evidence

    def empty_record(self, block: int) -> Record:
        trials, points, n_arms = min(BLOCK, self.trials - BLOCK * block), self.checkpoints.size, self.arms.n_arms
        history_rows = trials if self.keep_history else 1
        return Record(
            pulls=np.zeros((trials, points, n_arms), np.int32),
            true_reward=np.zeros((trials, points)),
            observed_reward=np.zeros((trials, points)),
            touched=np.zeros((trials, n_arms), np.int64),
            changed=np.zeros((trials, n_arms), np.int64),
            refused=np.zeros(trials, np.int64),
            first_violation=np.zeros(trials, np.int64),
            missing=np.zeros((trials, n_arms), np.int64),
            arms=np.zeros((history_rows, self.horizon), np.int64),
            observed=np.zeros((history_rows, self.horizon)),
        )

    def orders(self, block: int) -> Ints:
        """Return the order in which the policy sees the arms in each trial of a block; shuffled if `shuffle_arms`."""
        trials = min(BLOCK, self.trials - BLOCK * block)
        unshuffled = np.tile(np.arange(self.arms.n_arms), (trials, 1))
        return self.stream(block, ORDER).permuted(unshuffled, axis=1) if self.shuffle_arms else unshuffled

    def empty_buffers(self) -> Buffers:
        n_arms = self.arms.n_arms
        return Buffers(
            pulls=np.zeros(n_arms, np.int64),
            available=np.ones(n_arms, np.bool_),
            pending=np.zeros(n_arms, np.int64),
            p=np.full(n_arms, 1.0 / n_arms),
            invalid=np.zeros(2, np.int64),
        )

    @property
    def scale(self) -> Floats | None:
        """The rating scale that all rewards lie on, contaminated ones included; None if there is none."""
        return known_scale(self.arms, self.adversary)

    def start(self, policy: Policy, *, capacity: int) -> State:
        """Return a fresh state of a policy with memory for `capacity` rewards per arm."""
        scale, signals = self.scale, self.adversary.signals
        return policy.start(self.arms.n_arms, horizon=self.horizon, capacity=capacity, scale=scale, signals=signals)

    def trace(self, record: Record, best_reward: Floats, outside: int) -> Trace:
        """Return the trace of a block from its record."""
        written = record._asdict()
        if not self.keep_history:
            written |= {"arms": None, "observed": None}
        return Trace(
            checkpoints=self.checkpoints, gaps=self.arms.gaps, best_reward=best_reward, outside=outside, **written
        )


def play_block(match: Match, block: int) -> dict[str, Trace]:
    """Play one block with every policy, on the same worlds."""
    distribution, attack = match.arms.distribution(), match.adversary.start(match.arms, match.horizon)
    draw_truths, sum_rewards, plan_tables = draw_worlds, sum_arm, plan_attacks
    if match.compiled:
        draw_truths, sum_rewards = compiled(draw_worlds, distribution), compiled(sum_arm)
        plan_tables = compiled(plan_attacks, attack)
    reward_rng, attack_rng, evidence_rng, delay_rng = (
        match.stream(block, kind) for kind in (REWARDS, ADVERSARY, EVIDENCE, DELAY)
    )
    oblivious = not match.adversary.adaptive
    players = {name: _Player(match, name, block, None if oblivious else attack) for name in match.policies}
    orders, slices = match.orders(block), list(match.slices(block))
    truth_tables, attack_tables, evidence_tables = match.empty_tables(slices[0].stop)
    best_reward = np.empty((slices[-1].stop, match.checkpoints.size))
    for part in slices:
        trials = part.stop - part.start
        truths, attacks, evidence = truth_tables[:trials], attack_tables[:trials], evidence_tables[:trials]
        draw_truths(distribution, truths, reward_rng)
        sum_rewards(truths, match.arms.best, match.checkpoints, best_reward[part])
        if oblivious and (part.start == 0 or not match.adversary.same_every_trial):
            plan_tables(attack, truths, attacks, evidence, attack_rng, evidence_rng)
        delays = match.delay.schedule(truths.shape, delay_rng, counts_pending=match.count_pending)
        for player in players.values():
            player.play(Worlds(truths, evidence, orders[part]), attacks if oblivious else None, delays, part)
    return {
        name: match.trace(player.record, best_reward, count_outside(player.state)) for name, player in players.items()
    }


class _Player:
    """One policy in one block: its state, random streams and record."""

    def __init__(self, match: Match, name: str, block: int, attack: State | None) -> None:
        self.match, self.name, self.policy = match, name, match.policies[name]
        self.state = match.start(self.policy, capacity=match.horizon)
        self.streams = match.stream(block, POLICY), match.stream(block, ADVERSARY)
        self.record, self.buffers = match.empty_record(block), match.empty_buffers()
        self.compiled = match.compiled and not self.policy.interpreted_only and not match.adversary.interpreted_only
        # one compiled game serves all adaptive attacks; an interpreted game needs no common state
        self.attack = as_combined_attack(attack, match.arms) if self.compiled and attack is not None else attack

    def play(self, worlds: Worlds, attacks: Floats | None, delays: DelaySchedule | None, part: slice) -> None:
        """Play the trials of a slice; `attacks` are the tables of an oblivious attack."""
        adversary = self.attack if attacks is None else planned_attack(attacks)
        learner = self.state if self.match.adversary.observes_learner else HiddenLearner()
        budget, constraint = self.match.adversary.budget, self.match.adversary.constraint
        run = compiled(play_games, self.state, adversary, learner, delays) if self.compiled else play_games
        run(
            self.state,
            adversary,
            learner,
            worlds,
            self.match.checkpoints,
            Limits(np.inf if budget is None else float(budget), np.inf if constraint is None else float(constraint)),
            *self.streams,
            delays,
            self.policy.learns_from_missing or None,  # None leaves the branch out of compiled code
            # without history, all trials share one row
            Record._make(field[part] if field.shape[0] > 1 else field for field in self.record),
            self.buffers,
        )
        t, arm = self.buffers.invalid.tolist()
        if t > 0:
            label = f"policies[{self.name!r}]" if self.name else type(self.policy).__name__
            raise UnknownArmError(
                f"the arm that {label} chose in round {t} must be from 0 to {self.match.arms.n_arms - 1}, got {arm}"
            )


def short_match(match: Match, name: str) -> Match:
    """Return the match of one policy over one round and one trial, which is enough to compile its game."""
    alone = {name: match.policies[name]}
    return replace(match, policies=alone, horizon=1, trials=1, checkpoints=checkpoints_of(1), keep_history=False)


def empty_planned_attack() -> State:
    """Return the state that every oblivious attack has in the loop."""
    return planned_attack(np.zeros((1, 1, 1)))


def known_scale(arms: Arms, adversary: Adversary) -> Floats | None:
    """Return the rating scale that all rewards lie on, contaminated ones included; None if there is none."""
    return arms.scale if adversary.keeps_scale(arms) else None


def checkpoints_of(horizon: int, asked: ArrayLike | None = None) -> Ints:
    """Return the rounds at which curves are kept; the last round is always one of them."""
    if asked is None:
        return np.unique(np.linspace(0, horizon, min(horizon, CHECKPOINTS) + 1)[1:].round().astype(np.int64))
    rounds = check_array("checkpoints", asked, at_least=1, at_most=horizon)
    if (rounds != np.round(rounds)).any() or (np.diff(rounds) <= 0).any():
        raise ParameterError(f"checkpoints must be increasing whole numbers, got {asked!r}")
    return np.union1d(rounds.astype(np.int64), [horizon])
