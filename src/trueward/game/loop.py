"""Algorithm 1, the contaminated stochastic bandit: the one loop in which the stages meet.

    fix all true rewards;  in each round: the learner picks an arm, the adversary sees it and chooses what is shown,
    the learner sees only that, at once or some rounds later

It runs interpreted and compiled. The adversary's budget is enforced here, and what it did is written down.

A reward with a delay of d rounds is learned at the end of round t + d, where t is the round of its ask: d further arms
are chosen without it. What comes at the end of the same round is learned in the order of the asks; what would come
after the last round never does. The adversary acts when the arm is chosen, whenever the reward comes: who is asked in a
round is careless or malicious, however long they take to answer, and an attack and its budget are the same with any
delay. Regret is counted when an arm is chosen, too. A reward that is missing never comes; that it does not is known
when it would have come.

Reference: Niss & Tewari (2020), Algorithm 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine.compiling import TwoSpeeds
from trueward.engine.kernel import ROUNDING_TOLERANCE, Bools, Floats, Ints, State
from trueward.engine.native import borrow
from trueward.engine.protocol import (
    MISSING,
    UNTOUCHED,
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


class Record(NamedTuple):
    """What the loop writes down, one row per trial."""

    pulls: NDArray[np.int32]  # (trials, checkpoints, arms)
    true_reward: Floats  # (trials, checkpoints)
    observed_reward: Floats  # (trials, checkpoints)
    touched: Ints  # (trials, arms)
    changed: Ints  # (trials, arms)
    refused: Ints  # (trials,)
    first_violation: Ints  # (trials,)
    missing: Ints  # (trials, arms)
    arms: Ints  # (trials or 1, rounds) a single row is used again and again
    observed: Floats  # (trials or 1, rounds)


class DelaySchedule(NamedTuple):
    """When late rewards come, and what was known at their asks."""

    turns: Ints  # (trials, rounds) asks, from 0, in the order in which their rewards come
    stops: Ints  # (trials, rounds + 1) how many of these have come by the end of each round, from round 0
    places: Ints  # (rounds,) of the arms played
    p: Floats  # (rounds, arms) the probabilities from which they were drawn
    counted: int  # 1 if the policy is told of the asks under way, else 0


class Buffers(NamedTuple):
    """What the loop needs for the round under way."""

    pulls: Ints  # (arms,) in the trial under way
    available: Bools  # (arms,) every arm, in every round
    pending: Ints  # (arms,) asks whose rewards are under way, as far as the policy is told
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
    post: DelaySchedule | None,  # None if every reward comes at once: Numba then leaves out what is for late ones
    learns_from_missing: bool | None,  # None if the policy learns nothing where no reward comes: likewise
    record: Record,
    room: Buffers,
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
        room.pending[:] = 0
        row = trial if record.arms.shape[0] > 1 else 0
        truth, order, arms, observed = truths[trial], orders[trial], record.arms[row], record.observed[row]
        touched, changed = record.touched[trial], record.changed[trial]
        view = View(truth, pulls, touched, arms, observed, learner)
        true_reward, observed_reward = 0.0, 0.0
        t = 0
        for checkpoint in range(checkpoints.size):
            while t < checkpoints[checkpoint]:
                t += 1
                p = room.p
                if post is not None:
                    p = borrow(post).p[t - 1]
                place = choose(policy, Ask(t, room.available, room.pending, p), policy_rng)
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
                        shown = UNTOUCHED
                        record.missing[trial, arm] += 1
                    elif touched[arm] + 1 <= budget * pulls[arm] + ROUNDING_TOLERANCE:
                        touched[arm] += 1
                        shown = value
                        if shown != reward:
                            changed[arm] += 1
                            if (
                                record.first_violation[trial] == 0
                                and changed[arm] > epsilon * pulls[arm] + ROUNDING_TOLERANCE
                            ):
                                record.first_violation[trial] = t
                    else:
                        record.refused[trial] += 1
                observed[t - 1] = shown
                if shown == shown:  # not missing
                    observed_reward += shown
                first, stop = t - 1, t
                if post is not None:
                    post.places[t - 1] = place
                    room.pending[place] += post.counted
                    first, stop = post.stops[trial, t - 1], post.stops[trial, t]
                for turn in range(first, stop):
                    asked = turn
                    if post is not None:
                        asked = post.turns[trial, turn]
                        place, shown, p = post.places[asked], observed[asked], borrow(post).p[asked]
                        room.pending[place] -= post.counted
                    if shown == shown:
                        seen = Observation(asked + 1, place, shown, p, room.available, evidence[trial, asked])
                        update(policy, seen, policy_rng)
                    elif learns_from_missing is not None:
                        gone = Observation(asked + 1, place, shown, p, room.available, evidence[trial, asked])
                        update_missing(policy, gone, policy_rng)
            record.true_reward[trial, checkpoint] = true_reward
            record.observed_reward[trial, checkpoint] = observed_reward
            for a in range(pulls.size):
                record.pulls[trial, checkpoint, a] = pulls[a]


@TwoSpeeds
def draw_worlds(distribution: State, truths: Floats, rng: np.random.Generator) -> None:
    """Fill the tables of true rewards."""
    distribution, truths, rng = borrow(distribution), borrow(truths), borrow(rng)
    for trial in range(truths.shape[0]):
        draw(distribution, truths[trial], rng)


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
def plan_attacks(
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
        plan_attack(adversary, truths[trial], tables[trial], rng)
        draw_evidence(adversary, evidence[trial], evidence_rng)
