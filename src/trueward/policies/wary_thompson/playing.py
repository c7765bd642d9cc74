"""What the policy does in a round: draw a hypothesis and an arm, learn the rating, look for a change in time."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.apart import apart
from trueward.engine.compiling import compiled_if_on_disk
from trueward.engine.kernel import Floats, Ints, kernel, not_inlined
from trueward.engine.protocol import Ask, Observation, choose, reset, update
from trueward.engine.states import clear, kept, per_arm, single
from trueward.policies.declared_range import DeclaredRange, nearest_level
from trueward.policies.selection import random_argmax
from trueward.policies.signals import SignalTable, evidence_ratio
from trueward.policies.wary_thompson.belief import Belief, expect_anything, learn, learn_counts
from trueward.policies.wary_thompson.evidence import Evidence, add_rating, hold_nothing_excluded
from trueward.policies.wary_thompson.hypotheses import CHANGES, HYPOTHESES, Labels, Log, Standing, most_likely
from trueward.policies.wary_thompson.judgement import LEAST_WEIGHT, Judgement, agreed_arm, judge, time_to_judge
from trueward.policies.wary_thompson.proposals import revise
from trueward.policies.wary_thompson.rating_model import RatingModel
from trueward.statistics.rank_change import FIRST_TEST, MIN_HORIZON, find_change_point_of_ratings, next_test

WORTH_A_PROPOSAL = 2.0  # times ln T: the statistic of a change of ranks; the guard, which has nothing else, takes 2.5
RECENT = 5  # ratings of an arm: a burst may be over since then
SELDOM = 0.05  # share of the other arms' ratings: what is lower is odd
LIKELY = 1e-5  # weight at which a hypothesis is learned; it is not any more below LEAST_WEIGHT
REMEMBERED = 32  # changes, for the explanation


class WaryThompsonState(NamedTuple):
    """What is believed of each arm under each hypothesis."""

    belief: Belief
    judgement: Judgement
    model: RatingModel
    log: Log
    labels: Labels
    standing: Standing
    evidence: Evidence
    due: Annotated[Ints, per_arm(FIRST_TEST)]  # how many ratings there must be for the next test
    found: Annotated[Floats, single(kept, REMEMBERED, 4)]  # changes: arm, its rating, that of all, statistic
    scale: DeclaredRange
    signals: SignalTable
    owed: float  # ratings of each arm, times 1 + ln(t / K)
    owed_if_odd: float  # further ones, of an arm that may be the best but for ratings lower than the others'
    hoped: int  # ratings at the top of the scale that it may get beside the others
    agreeing: int  # draws of an arm that have to agree
    horizon: int  # 0 if unknown


@reset.register(WaryThompsonState)
def reset_apart(state: WaryThompsonState) -> None:
    """Forget all ratings."""
    forget(state)


@apart
def forget(state: WaryThompsonState) -> None:
    """Forget all ratings, and all hypotheses but that nothing is excluded."""
    clear(state)
    hold_nothing_excluded(state.standing, state.evidence)
    for arm in range(state.due.size):
        begin(state.belief, state.judgement, state.model, arm, 0)


@kernel
def begin(belief: Belief, judgement: Judgement, model: RatingModel, arm: int, hypothesis: int) -> None:
    """Expect anything of an arm."""
    judgement.counted[arm, hypothesis] = 0
    expect_anything(belief, arm, hypothesis)
    judge(judgement, belief, model, arm, hypothesis)


@compiled_if_on_disk
def owed_a_look(
    given: Ints, sizes: Ints, pending: Ints, owed: float, owed_if_odd: float, hoped: int, few: Floats
) -> int:
    """Say of each arm, by 1 or 0, whether it has fewer ratings than it should have by now; return how many arms have.

    It should have `owed` (1 + ln(t / K)). Where it may be the best but for its odd ratings, which are lower than the
    other arms', it should have more, by their share: where the rest of its ratings, and `hoped` at the top of the
    scale, are on average no lower than those of the arm with the most ratings. Those under way count as if they were
    there.
    """
    n_arms, n_ratings, total, n_few, leader, lead = sizes.size, given.shape[1], sizes.sum(), 0, 0, 0
    grown = 1.0 + math.log((total + 1) / n_arms)
    of_all = np.zeros(n_ratings, np.int64)
    for arm in range(n_arms):
        leader = arm if sizes[arm] > sizes[leader] else leader
        for rating in range(n_ratings):
            of_all[rating] += given[arm, rating]
    for rating in range(n_ratings):
        lead += rating * given[leader, rating]
    for arm in range(n_arms):
        others, others_below, lowest = total - sizes[arm], of_all[0] - given[arm, 0], 0
        while others_below + 0.5 < SELDOM * (others + 1):
            lowest += 1
            others_below += of_all[lowest] - given[arm, lowest]
        n_rest, rest = 0, 0
        for rating in range(lowest, n_ratings):
            n_rest += given[arm, rating]
            rest += rating * given[arm, rating]
        could_lead = (rest + hoped * (n_ratings - 1)) * sizes[leader] >= lead * (n_rest + hoped)
        odd = (sizes[arm] - n_rest) / max(1, sizes[arm]) if could_lead else 0.0
        few[arm] = 1.0 if sizes[arm] + pending[arm] < (owed + owed_if_odd * odd) * grown else 0.0
        n_few += few[arm] > 0.0
    return n_few


@kernel
def draw_hypothesis(standing: Standing, rng: np.random.Generator) -> int:
    """Return a hypothesis, drawn by weight; for one that is dormant, the most likely one."""
    weights, held, hypothesis = standing.weights, standing.counts[HYPOTHESES], 0
    if held > 1:
        u = rng.random()
        while hypothesis < held - 1 and u >= weights[hypothesis]:
            u -= weights[hypothesis]
            hypothesis += 1
    return hypothesis if standing.dormant[hypothesis] == 0 else most_likely(standing)


@choose.register(WaryThompsonState)
def choose_apart(state: WaryThompsonState, ask: Ask, rng: np.random.Generator) -> int:
    """Return the arm to play."""
    return play_agreed_arm(state, ask, rng)


@apart
def play_agreed_arm(state: WaryThompsonState, ask: Ask, rng: np.random.Generator) -> int:
    """Look at an arm that is owed it; or draw what is true of the study, and pairs of arms until they agree."""
    standing = state.standing
    log, owed = state.log, state.owed
    few: int = owed_a_look(log.given, log.sizes, ask.pending, owed, state.owed_if_odd, state.hoped, ask.p)
    if few > 0 and rng.random() < 0.5:
        return random_argmax(ask.p, rng)
    hypothesis = draw_hypothesis(standing, rng)
    return agreed_arm(state.judgement, state.belief, state.model, state.agreeing, hypothesis, rng)


@update.register(WaryThompsonState)
def update_apart(state: WaryThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Learn a rating."""
    learn_rating(state, seen, rng)


@apart
def learn_rating(state: WaryThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Learn the nearest rating under every hypothesis in which it counts, and test the arm when it is due."""
    log, labels, standing, evidence = state.log, state.labels, state.standing, state.evidence
    arm, horizon = seen.arm, rounds(state.horizon, seen.t)
    rating = nearest_level(state.scale, seen, evidence.tally.size)
    add_rating(log, labels, standing, evidence, arm, rating, horizon)
    size, likelier = log.sizes[arm], evidence_ratio(state.signals, seen.evidence)
    log.doubts[arm, size - 1] = likelier
    for hypothesis in range(standing.counts[HYPOTHESES]):
        if labels.excluded[arm, hypothesis, size - 1] == 0 and standing.dormant[hypothesis] == 0:
            learn(state.belief, state.model, arm, hypothesis, rating, likelier)
            state.judgement.counted[arm, hypothesis] += 1
            if time_to_judge(state.judgement.counted[arm, hypothesis]):
                judge(state.judgement, state.belief, state.model, arm, hypothesis)
    if size >= state.due[arm]:
        state.due[arm] = next_test(size)
        place = find_change(log, labels.excluded, standing, evidence.tally, state.found, arm, horizon)
        over = log.arrivals[arm, max(0, size - RECENT)]
        revise(log, labels, standing, evidence, arm, place, over, horizon)
    wake(state.belief, state.judgement, state.model, log, labels.excluded, standing, evidence.tally)


@kernel
def rounds(horizon: int, t: int) -> int:
    """Return how long the game is, or already lasts; where nobody said, as long again, and not too short."""
    return max(horizon, t) if horizon > 0 else max(MIN_HORIZON, 2 * t)


@not_inlined
def find_change(
    log: Log, excluded: Ints, standing: Standing, tally: Ints, found: Floats, arm: int, horizon: int
) -> int:
    """Return where the arm's ratings changed, of those labelled as its last one, or -1; and write it down, once."""
    size, counts = log.sizes[arm], standing.counts
    z2, place = find_change_point_of_ratings(
        log.ratings[arm, :size], excluded[arm, most_likely(standing), :size], tally
    )
    if z2 <= WORTH_A_PROPOSAL * math.log(horizon):
        return -1
    which = counts[CHANGES]
    for i in range(max(0, counts[CHANGES] - REMEMBERED), counts[CHANGES]):
        if found[i % REMEMBERED, 0] == arm and found[i % REMEMBERED, 1] == place + 1:
            which = i
    note = found[which % REMEMBERED]
    note[0], note[1], note[2], note[3] = arm, place + 1, log.arrivals[arm, place], z2
    counts[CHANGES] = max(counts[CHANGES], which + 1)
    return place


@not_inlined
def wake(
    belief: Belief,
    judgement: Judgement,
    model: RatingModel,
    log: Log,
    excluded: Ints,
    standing: Standing,
    tally: Ints,
) -> None:
    """Learn all that counts under hypotheses that have become likely enough; and let those rest that are not any more.

    What came with evidence is learned by itself.
    """
    for hypothesis in range(standing.counts[HYPOTHESES]):
        if standing.weights[hypothesis] < LEAST_WEIGHT:
            standing.dormant[hypothesis] = 1
        elif standing.dormant[hypothesis] == 1 and standing.weights[hypothesis] > LIKELY:
            standing.dormant[hypothesis] = 0
            for arm in range(log.sizes.size):
                judgement.counted[arm, hypothesis] = 0
                for i in range(log.sizes[arm]):
                    judgement.counted[arm, hypothesis] += 1 - excluded[arm, hypothesis, i]
                    if log.doubts[arm, i] == 1.0:
                        tally[log.ratings[arm, i]] += 1 - excluded[arm, hypothesis, i]
                learn_counts(belief, model, arm, hypothesis, tally)
                for i in range(log.sizes[arm]):
                    if log.doubts[arm, i] != 1.0 and excluded[arm, hypothesis, i] == 0:
                        learn(belief, model, arm, hypothesis, log.ratings[arm, i], log.doubts[arm, i])
                judge(judgement, belief, model, arm, hypothesis)
