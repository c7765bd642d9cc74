"""Algorithm 1, the contaminated stochastic bandit: the one loop in which the stages meet.

    fix all true rewards;  in each round: the learner picks an arm, the adversary sees it and chooses what is shown,
    the learner sees only that

It runs interpreted and compiled. The adversary's budget is enforced here, and what it did is written down.

Reference: Niss & Tewari (2020), Algorithm 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine.compiling import TwoSpeeds
from trueward.engine.kernel import EDGE, Bools, Floats, Ints, State
from trueward.engine.native import borrow
from trueward.engine.stages import (
    MISSING,
    UNTOUCHED,
    Ask,
    Observation,
    View,
    choose,
    contaminate,
    draw,
    mark,
    reset,
    sign,
    update,
)


class Record(NamedTuple):
    """What the loop writes down, one row per trial."""

    pulls: NDArray[np.int32]  # (trials, checkpoints, arms)
    true_reward: Floats  # (trials, checkpoints)
    observed_reward: Floats  # (trials, checkpoints)
    touched: Ints  # (trials, arms)
    changed: Ints  # (trials, arms)
    refused: Ints  # (trials,)
    first_violation: Ints  # (trials,)
    missing: Ints  # (trials,)
    arms: Ints  # (trials or 1, rounds) a single row is used again and again
    observed: Floats  # (trials or 1, rounds)


class Room(NamedTuple):
    """What the loop needs for the round under way."""

    pulls: Ints  # (arms,) in the trial under way
    available: Bools  # (arms,) every arm, in every round
    pending: Ints  # (arms,) none: every reward comes at once
    p: Floats  # (arms,) the probabilities from which the arm is drawn
    wrong: Ints  # (2,) a round, and the arm that was chosen in it although there is none such


@TwoSpeeds
def play_games(
    policy: State,
    adversary: State,
    learner: State,  # the policy as the adversary sees it, if it does
    truths: Floats,  # (trials, rounds, arms)
    evidence: Floats,  # (trials, rounds, signals) what comes with the rewards
    orders: Ints,  # (trials, arms) which arm stands in each place, as the policy sees them
    checkpoints: Ints,
    budget: float,
    epsilon: float,
    policy_rng: np.random.Generator,
    adversary_rng: np.random.Generator,
    record: Record,
    room: Room,
) -> None:
    """Play one policy against one adversary, a game for each table of true rewards."""
    policy, adversary, learner = borrow(policy), borrow(adversary), borrow(learner)
    truths, evidence, orders = borrow(truths), borrow(evidence), borrow(orders)
    record, room = borrow(record), borrow(room)
    policy_rng, adversary_rng = borrow(policy_rng), borrow(adversary_rng)
    pulls = room.pulls
    for trial in range(truths.shape[0]):
        reset(policy)
        reset(adversary)
        pulls[:] = 0
        row = trial if record.arms.shape[0] > 1 else 0
        truth, order, arms, observed = truths[trial], orders[trial], record.arms[row], record.observed[row]
        touched, changed = record.touched[trial], record.changed[trial]
        view = View(truth, pulls, touched, arms, observed, learner)
        true_reward, observed_reward = 0.0, 0.0
        t = 0
        for checkpoint in range(checkpoints.size):
            while t < checkpoints[checkpoint]:
                t += 1
                place = choose(policy, Ask(t, room.available, room.pending, room.p), policy_rng)
                if place < 0 or place >= pulls.size:
                    room.wrong[0], room.wrong[1] = t, place
                    return
                arm = order[place]
                reward = truth[t - 1, arm]
                shown = reward
                value = contaminate(adversary, view, t, arm, reward, adversary_rng)
                pulls[arm] += 1
                arms[t - 1] = arm
                true_reward += reward
                if value == value:  # not UNTOUCHED, which is NaN
                    if value == MISSING:
                        observed[t - 1] = UNTOUCHED
                        record.missing[trial] += 1
                        continue
                    if touched[arm] + 1 <= budget * pulls[arm] + EDGE:
                        touched[arm] += 1
                        shown = value
                    else:
                        record.refused[trial] += 1
                    if shown != reward:
                        changed[arm] += 1
                        if record.first_violation[trial] == 0 and changed[arm] > epsilon * pulls[arm] + EDGE:
                            record.first_violation[trial] = t
                seen = Observation(t, place, shown, room.p, room.available, evidence[trial, t - 1])
                update(policy, seen, policy_rng)
                observed[t - 1] = shown
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
def sum_arm(truths: Floats, arm: int, checkpoints: Ints, sums: Floats) -> None:
    """Write down what one arm would have earned up to each checkpoint, in (trials, checkpoints) sums."""
    for trial in range(truths.shape[0]):
        total = 0.0
        t = 0
        for checkpoint in range(checkpoints.size):
            while t < checkpoints[checkpoint]:
                total += truths[trial, t, arm]
                t += 1
            sums[trial, checkpoint] = total


@TwoSpeeds
def mark_attacks(
    adversary: State,
    truths: Floats,
    tables: Floats,
    evidence: Floats,
    rng: np.random.Generator,
    evidence_rng: np.random.Generator,
) -> None:
    """Fill the tables of an oblivious attack: one for each trial, or a single one for all."""
    adversary, truths, tables, evidence = borrow(adversary), borrow(truths), borrow(tables), borrow(evidence)
    rng, evidence_rng = borrow(rng), borrow(evidence_rng)
    for trial in range(tables.shape[0]):
        mark(adversary, truths[trial], tables[trial], rng)
        sign(adversary, evidence[trial], evidence_rng)
