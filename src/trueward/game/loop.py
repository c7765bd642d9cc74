"""Algorithm 1, the contaminated stochastic bandit: one loop, in which policy, adversary and arms meet.

    fix all true rewards;  in each round: the policy chooses an arm, the adversary sees it and chooses what to show,
    the policy observes only that, at once or some rounds later

The loop runs interpreted and compiled. It enforces the adversary's budget and records what the adversary did.

A reward with a delay of d rounds is observed at the end of round t + d, where t is the round in which its arm was
chosen: d further arms are chosen without it. Rewards that arrive in the same round are observed in the order in which
their arms were chosen; rewards due after the last round never arrive. The adversary acts when the arm is chosen,
however late the reward arrives, so an attack and its budget are the same with any delay. Regret, too, counts when an
arm is chosen. A missing reward never arrives; the policy learns that it is missing when it would have arrived.

Reference: Niss & Tewari (2020), Algorithm 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import ROUNDING_TOLERANCE, Bools, Floats, Ints, State, kernel
from trueward.engine.native import borrow
from trueward.engine.protocol import (
    MISSING,
    Ask,
    Observation,
    View,
    choose,
    contaminate,
    draw,
    draw_evidence,
    plan_attack,
    reset,
    update,
    update_missing,
)

NOT_SHOWN = np.nan  # the observed reward of a round whose rating is missing


class Worlds(NamedTuple):
    """What is fixed before play, one entry per trial; all policies under comparison play the same worlds."""

    truths: Floats  # (trials, rounds, arms) true rewards
    evidence: Floats  # (trials, rounds, signals) evidence that comes with the rewards
    orders: Ints  # (trials, arms) the arm that the policy sees at each position


class Limits(NamedTuple):
    """Limits on the share of each arm's rewards that is contaminated; infinite for none."""

    budget: float  # beyond this share the policy sees the true reward
    constraint: float  # the first round in which the share of changed rewards exceeds this is recorded


class Record(NamedTuple):
    """What the loop writes down, one row per trial."""

    pulls: NDArray[np.int32]  # (trials, checkpoints, arms)
    true_reward: Floats  # (trials, checkpoints)
    observed_reward: Floats  # (trials, checkpoints)
    touched: Ints  # (trials, arms) rewards that the adversary replaced
    changed: Ints  # (trials, arms) those with a different value
    refused: Ints  # (trials,) replacements beyond the budget
    first_violation: Ints  # (trials,) first round beyond the constraint; 0 for none
    missing: Ints  # (trials, arms)
    arms: Ints  # (trials or 1, rounds); with one row, each trial overwrites the last
    observed: Floats  # (trials or 1, rounds)


class DelaySchedule(NamedTuple):
    """When delayed rewards arrive, and what was known when their arms were chosen."""

    arrivals: Ints  # (trials, rounds) rounds, from 0, in the order in which their rewards arrive
    arrived: Ints  # (trials, rounds + 1) number of rewards that have arrived by the end of each round, from round 0
    positions: Ints  # (rounds,) positions of the arms chosen
    p: Floats  # (rounds, arms) the probabilities with which they were chosen
    counts_pending: int  # 1 if the policy knows how many rewards of each arm are pending, else 0


class Buffers(NamedTuple):
    """Memory for the round being played."""

    pulls: Ints  # (arms,) in this trial
    available: Bools  # (arms,) always every arm
    pending: Ints  # (arms,) choices whose rewards have not arrived, as far as the policy is told
    p: Floats  # (arms,) the probabilities with which the arm is chosen
    invalid: Ints  # (2,) the round in which a policy chose an arm that does not exist, and that arm


def play_games(
    policy: State,
    adversary: State,
    learner: State,  # the policy's state, for an adversary that observes it
    worlds: Worlds,
    checkpoints: Ints,
    limits: Limits,
    policy_rng: np.random.Generator,
    adversary_rng: np.random.Generator,
    delays: DelaySchedule | None,  # None: rewards arrive at once, and Numba leaves out the code for delays
    learns_from_missing: bool | None,  # None: the policy ignores missing rewards, and Numba leaves that code out
    record: Record,
    buffers: Buffers,
) -> None:
    """Play one policy against one adversary, one game per table of true rewards."""
    policy, adversary, learner, worlds, record, buffers, policy_rng, adversary_rng = borrow(
        (policy, adversary, learner, worlds, record, buffers, policy_rng, adversary_rng)
    )
    pulls = buffers.pulls
    for trial in range(worlds.truths.shape[0]):
        reset(policy)
        reset(adversary)
        pulls[:] = 0
        buffers.pending[:] = 0
        row = trial if record.arms.shape[0] > 1 else 0
        truth, order, evidence = worlds.truths[trial], worlds.orders[trial], worlds.evidence[trial]
        arms, observed = record.arms[row], record.observed[row]
        view = View(truth, pulls, record.touched[trial], arms, observed, learner)
        true_reward, observed_reward, t = 0.0, 0.0, 0
        for checkpoint in range(checkpoints.size):
            while t < checkpoints[checkpoint]:
                t += 1
                p = buffers.p
                if delays is not None:
                    p = borrow(delays).p[t - 1]
                position = choose(policy, Ask(t, buffers.available, buffers.pending, p), policy_rng)
                if position < 0 or position >= pulls.size:
                    buffers.invalid[0], buffers.invalid[1] = t, position
                    return
                arm = order[position]
                reward = truth[t - 1, arm]
                value = contaminate(adversary, view, t, arm, reward, adversary_rng)
                pulls[arm] += 1
                shown = enforce_budget(record, trial, t, arm, pulls[arm], reward, value, limits)
                arms[t - 1], observed[t - 1] = arm, shown
                true_reward += reward
                if shown == shown:  # not NOT_SHOWN, which is NaN
                    observed_reward += shown
                if delays is None:
                    seen = Observation(t, position, shown, p, buffers.available, evidence[t - 1])
                    learn(policy, seen, learns_from_missing, policy_rng)
                else:
                    delays.positions[t - 1] = position
                    buffers.pending[position] += delays.counts_pending
                    learn_arrived(
                        policy, delays, trial, t, observed, evidence, buffers, learns_from_missing, policy_rng
                    )
            record_checkpoint(record, trial, checkpoint, pulls, true_reward, observed_reward)


@kernel
def enforce_budget(
    record: Record, trial: int, t: int, arm: int, pulls: int, reward: float, value: float, limits: Limits
) -> float:
    """Return the reward that the policy observes: the adversary's value within its budget, else the true one.

    A missing rating is not contaminated, so it costs no budget.
    """
    if value != value:  # UNTOUCHED, which is NaN
        return reward
    if value == MISSING:
        record.missing[trial, arm] += 1
        return NOT_SHOWN
    if record.touched[trial, arm] + 1 > limits.budget * pulls + ROUNDING_TOLERANCE:
        record.refused[trial] += 1
        return reward
    record.touched[trial, arm] += 1
    if value != reward:
        record.changed[trial, arm] += 1
        violated = record.changed[trial, arm] > limits.constraint * pulls + ROUNDING_TOLERANCE
        if violated and record.first_violation[trial] == 0:
            record.first_violation[trial] = t
    return value


@kernel
def learn(policy: State, seen: Observation, learns_from_missing: bool | None, rng: np.random.Generator) -> None:
    """Let the policy learn from a reward, or from its absence."""
    if seen.reward == seen.reward:  # not NOT_SHOWN
        update(policy, seen, rng)
    elif learns_from_missing is not None:
        update_missing(policy, seen, rng)


@kernel
def learn_arrived(
    policy: State,
    delays: DelaySchedule,
    trial: int,
    t: int,
    observed: Floats,
    evidence: Floats,
    buffers: Buffers,
    learns_from_missing: bool | None,
    rng: np.random.Generator,
) -> None:
    """Let the policy learn from the rewards that arrive at the end of round t."""
    delays = borrow(delays)
    for i in range(delays.arrived[trial, t - 1], delays.arrived[trial, t]):
        round_index = delays.arrivals[trial, i]
        position = delays.positions[round_index]
        buffers.pending[position] -= delays.counts_pending
        seen = Observation(
            round_index + 1,
            position,
            observed[round_index],
            delays.p[round_index],
            buffers.available,
            evidence[round_index],
        )
        learn(policy, seen, learns_from_missing, rng)


@kernel
def record_checkpoint(
    record: Record, trial: int, checkpoint: int, pulls: Ints, true_reward: float, observed_reward: float
) -> None:
    record.true_reward[trial, checkpoint] = true_reward
    record.observed_reward[trial, checkpoint] = observed_reward
    for arm in range(pulls.size):
        record.pulls[trial, checkpoint, arm] = pulls[arm]


def draw_worlds(distribution: State, truths: Floats, rng: np.random.Generator) -> None:
    """Fill the tables of true rewards."""
    distribution, truths, rng = borrow((distribution, truths, rng))
    for trial in range(truths.shape[0]):
        draw(distribution, truths[trial], rng)


def sum_arm(truths: Floats, arm: int, checkpoints: Ints, sums: Floats) -> None:
    """Fill (trials, checkpoints) `sums` with the rewards that one arm would have earned up to each checkpoint."""
    for trial in range(truths.shape[0]):
        total = 0.0
        t = 0
        for checkpoint in range(checkpoints.size):
            while t < checkpoints[checkpoint]:
                total += truths[trial, t, arm]
                t += 1
            sums[trial, checkpoint] = total


def plan_attacks(
    adversary: State,
    truths: Floats,
    tables: Floats,
    evidence: Floats,
    rng: np.random.Generator,
    evidence_rng: np.random.Generator,
) -> None:
    """Fill the tables of an oblivious attack: one for each trial, or a single one for all."""
    adversary, truths, tables, evidence, rng, evidence_rng = borrow(
        (adversary, truths, tables, evidence, rng, evidence_rng)
    )
    for trial in range(tables.shape[0]):
        plan_attack(adversary, truths[trial], tables[trial], rng)
        draw_evidence(adversary, evidence[trial], evidence_rng)
