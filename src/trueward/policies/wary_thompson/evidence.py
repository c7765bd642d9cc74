"""How hypotheses are weighed.

    ln P(hypothesis | ratings) = sum over arms of  ln P(ratings that count) + ln P(ratings excluded) + ln P(hypothesis)

What tells hypotheses apart is the likelihood: the ratings that count must follow one law on each arm, and so must those
of a burst. Where that says nothing (which of two halves is the burst?), the prior does. A burst is short:

    - ln P(hypothesis) = 20 (share of all T rounds excluded) + ln T for each beginning + ln (0.05 T) for each end

A burst at the very start costs 1.4 instead of ln T, and one under way is taken to last another 0.05 T. So a change
early in the game speaks for its later part, and one late in the game for its earlier part. The numbers are ours.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, not_inlined
from trueward.engine.states import Setting, kept, new, per_arm, read_only, single
from trueward.policies.wary_thompson.belief import Belief, belief_in, expect_anything, learn, learn_counts
from trueward.policies.wary_thompson.hypotheses import HYPOTHESES, RATINGS, SLOTS, Labels, Log, Standing, weigh
from trueward.policies.wary_thompson.rating_model import Likelihoods, RatingModel, likelihoods_of

STEEPNESS = 20.0  # of the prior, per share of all rounds excluded
NEGLIGIBLE = 100.0  # in logarithms: what is lost in the rounding of a sum
SHORT = 0.05  # of all rounds: what a burst under way is taken to last on, and how exactly an end is foreseen


class Evidence(NamedTuple):
    """What is believed of the ratings that count under each hypothesis, and of those that are excluded."""

    belief: Belief  # SLOTS hypotheses for what counts, then as many for what is excluded
    model: Likelihoods
    prior: Floats  # (groups, blocks) of the model
    logs: Annotated[Floats, per_arm(kept, SLOTS, 2)]  # log probability of what counts, and of what is excluded
    places: Annotated[Ints, single(kept, SLOTS)]  # where the beliefs and the logs of a hypothesis stand
    tally: Annotated[Ints, single(kept, "ratings")]  # room to count ratings: zero between two uses


def evidence_by(model: RatingModel, setting: Setting) -> Evidence:
    """Return room for the evidence of every hypothesis."""
    belief, likelihoods = belief_in(model, setting, 2 * SLOTS), likelihoods_of(model)
    prior = read_only(np.outer(np.exp(model.ends) @ model.groups[: model.ends.size], model.near.mean(axis=0)))
    axes = {"ratings": model.laws.shape[0]}
    return new(Evidence, setting, axes=axes, belief=belief, model=likelihoods, prior=prior)


@not_inlined
def likelihood(prior: Floats, belief: Belief, arm: int, place: int) -> float:
    """Return the log of the average likelihood over what is likely beforehand."""
    sums, logs = belief.sums[arm, place], belief.logs[arm, place]
    largest, total = -math.inf, 0.0
    for group in range(prior.shape[0]):
        for block in range(prior.shape[1]):
            largest = max(largest, logs[group, block])
    for group in range(prior.shape[0]):
        for block in range(prior.shape[1]):
            if logs[group, block] > largest - NEGLIGIBLE:
                total += prior[group, block] * sums[group, block] * exp(logs[group, block] - largest)
    return float(largest + math.log(total))


@not_inlined
def hold_nothing_excluded(standing: Standing, evidence: Evidence) -> None:
    """Hold the one hypothesis that excludes nothing."""
    standing.counts[HYPOTHESES] = 1
    standing.weights[0] = 1.0
    standing.dormant[0] = 0
    for hypothesis in range(SLOTS):
        evidence.places[hypothesis] = hypothesis
    for arm in range(evidence.logs.shape[0]):
        expect_anything(evidence.belief, arm, 0)
        evidence.logs[arm, 0, 0] = 0.0


@not_inlined
def add_rating(
    log: Log, labels: Labels, standing: Standing, evidence: Evidence, arm: int, rating: int, horizon: int
) -> None:
    """Label a rating under every hypothesis, and weigh the hypotheses by it."""
    n, model, belief, logs = log.sizes[arm], evidence.model, evidence.belief, evidence.logs
    standing.counts[RATINGS] += 1
    log.ratings[arm, n] = rating
    log.arrivals[arm, n] = standing.counts[RATINGS]
    log.given[arm, rating] += 1
    log.sizes[arm] += 1
    for hypothesis in range(standing.counts[HYPOTHESES]):
        place = evidence.places[hypothesis]
        excluded = int(labels.open[arm, hypothesis] == 1 or n < labels.first[hypothesis])
        labels.excluded[arm, hypothesis, n] = excluded
        standing.n_excluded[hypothesis] += excluded
        where = place + SLOTS * excluded
        if excluded == 1 and n > 0 and labels.excluded[arm, hypothesis, n - 1] == 0:
            expect_anything(belief, arm, where)
        before = likelihood(evidence.prior, belief, arm, where) if excluded == 1 else logs[arm, place, 0]
        learn(belief, model, arm, where, rating, 1.0)
        logs[arm, place, excluded] += likelihood(evidence.prior, belief, arm, where) - before
        n_excluded = standing.n_excluded[hypothesis]
        standing.scores[hypothesis] = score(labels, logs, place, hypothesis, n_excluded, horizon)
    weigh(standing)


@not_inlined
def score(labels: Labels, logs: Floats, place: int, hypothesis: int, n_excluded: int, horizon: int) -> float:
    """Return the log posterior of a hypothesis: its evidence, less what its bursts cost."""
    total, under_way, n_arms = 0.0, 0.0, logs.shape[0]
    for arm in range(n_arms):
        total += logs[arm, place, 0] + logs[arm, place, 1]
        if labels.open[arm, hypothesis] == 1:
            under_way = SHORT
    share = max(n_excluded, labels.first[hypothesis] * n_arms) / horizon
    return float(total - labels.cost[hypothesis] - STEEPNESS * (share + under_way))


@not_inlined
def gather_evidence(log: Log, labels: Labels, evidence: Evidence, hypothesis: int) -> int:
    """Learn all that counts of an arm together, each burst that is excluded by itself; return how many are excluded."""
    n_excluded, place = 0, evidence.places[hypothesis]
    model, belief, logs, tally = evidence.model, evidence.belief, evidence.logs, evidence.tally
    for arm in range(log.sizes.size):
        size, labelled = log.sizes[arm], labels.excluded[arm, hypothesis]
        for excluded in range(2):
            where = place + SLOTS * excluded
            logs[arm, place, excluded] = 0.0
            expect_anything(belief, arm, where)
            for i in range(size + 1):
                complete = i == size if excluded == 0 else i > 0 and labelled[i - 1] == 1
                if i < size and labelled[i] == excluded:
                    tally[log.ratings[arm, i]] += 1
                    n_excluded += excluded
                elif complete:
                    learn_counts(belief, model, arm, where, tally)
                    logs[arm, place, excluded] += likelihood(evidence.prior, belief, arm, where)
    return n_excluded
