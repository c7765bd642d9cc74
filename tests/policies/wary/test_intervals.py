"""Contaminated intervals: pieces of time, their merging, and the probability of an interval."""

import numpy as np
import pytest
from scipy.special import gammaln

import trueward as tw
from trueward.engine.protocol import make_observation, update
from trueward.policies.wary.arrays import log_marginals
from trueward.policies.wary.constants import TABULATED

POLICY = tw.Wary((0, 10))
PIECES, LEAST_PROBABILITY = POLICY.resolution.pieces, POLICY.resolution.least_probability


def learned(ratings, policy=POLICY, n_arms=2):
    """Return a state that has learned (arm, rating) pairs."""
    state, rng = policy.start(n_arms), np.random.default_rng(0)
    for t, (arm, rating) in enumerate(ratings, 1):
        update(state, make_observation(arm, rating, n_arms=n_arms, t=t), rng)
    return state


def with_burst(n, first, stop, seed=0):
    """Return ratings of two arms, around 8 and 6; those from `first` to before `stop` are 0 and 10."""
    rng = np.random.default_rng(seed)
    return [(t % 2, (0, 10)[t % 2] if first <= t < stop else int(rng.integers(7, 10)) - 2 * (t % 2)) for t in range(n)]


def span(state):
    """Return the probability, the first rating of the interval, and the first after it."""
    timeline = state.timeline
    first, stop = (timeline.interval * timeline.length[0]).tolist()
    return timeline.probability[0], first, stop


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 63, 64, 65, 200, 1000])
def test_pieces_count_every_rating_once_and_in_order(n):
    ratings = with_burst(n, n // 3, n // 2)
    timeline = learned(ratings).timeline
    length, pieces = timeline.length[0], -(-n // timeline.length[0])
    assert timeline.learned[0] == n
    assert timeline.sizes.tolist() == [(n + 1) // 2, n // 2]
    assert pieces <= PIECES
    assert length == 1 or 2 * pieces >= PIECES  # pieces are no longer than they need to be
    for piece in range(PIECES):
        expected = np.zeros((2, 11), int)
        for arm, rating in ratings[piece * length : (piece + 1) * length]:
            expected[arm, rating] += 1
        np.testing.assert_array_equal(timeline.counts[:, piece], expected)


@pytest.mark.parametrize(
    ("n", "first", "stop"), [(30, 10, 20), (60, 20, 36), (300, 96, 160), (30, 0, 18), (50, 40, 50)]
)
def test_burst_is_found_where_it_was(n, first, stop):
    state = learned(with_burst(n, first, stop))
    probability, found_first, found_stop = span(state)
    assert probability > 0.95
    assert (found_first, found_stop) == (first, stop)


def test_clean_ratings_have_no_contaminated_interval():
    """Of twenty sets of ratings without a burst, none is taken to have one."""
    assert max(span(learned(with_burst(100, 0, 0, seed)))[0] for seed in range(20)) < 0.1


def test_interval_is_at_most_35_per_cent_of_the_ratings_unless_it_is_at_the_start():
    middle = span(learned(with_burst(60, 20, 50)))
    start = span(learned(with_burst(60, 0, 40)))
    assert middle[1:] != (20, 50)
    assert start[1:] == (0, 40)
    few = span(learned(with_burst(60, 20, 36), tw.Wary((0, 10), most=0.1)))
    assert few[2] - few[1] <= 6 or few[1] == 0


def test_interval_less_probable_than_the_limit_is_ignored():
    probabilities = [span(learned(with_burst(n, 8, 8 + k)))[0] for n in (20, 30, 40) for k in range(7)]
    assert 0.0 in probabilities
    assert min(p for p in probabilities if p > 0) >= LEAST_PROBABILITY


def test_policy_that_trusts_every_rating_has_no_interval():
    assert span(learned(with_burst(60, 20, 36), tw.Wary((0, 10), most=0.0)))[0] == 0


def test_probability_is_that_of_bayes_theorem_over_all_intervals():
    """Six ratings of one arm, 0 0 0 10 10 10: intervals of 1 to 4 at the start, and of 1 or 2 later."""
    state = learned([(0, 0)] * 3 + [(0, 10)] * 3, n_arms=1)
    prior, mass = POLICY.assumed.interval_prior, POLICY.assumed.interval_mass

    def log_d(zeros, tens):
        each = gammaln(np.array([zeros, tens]) + mass / 11) - gammaln(mass / 11)
        return each.sum() - gammaln(zeros + tens + mass) + gammaln(mass)

    def log_factor(zeros, tens):
        return log_d(zeros, tens) + log_d(3 - zeros, 3 - tens) - log_d(3, 3)

    start = [log_factor(1, 0), log_factor(2, 0), log_factor(3, 0), log_factor(3, 1)]
    later = [log_factor(*c) for c in [(1, 0), (2, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 1), (0, 2), (0, 1)]]
    odds = prior / (1 - prior) * (np.exp(start).mean() + np.exp(later).mean()) / 2
    assert state.timeline.probability[0] == pytest.approx(odds / (1 + odds), abs=1e-12)
    assert state.timeline.interval.tolist() == [0, 3]


def test_log_marginals_of_counts_beyond_the_table_continue_it():
    prior = POLICY.start(1).intervals
    for n in (TABULATED // 2 - 2, TABULATED // 2 - 1, TABULATED // 2, TABULATED, 10 * TABULATED):
        before = np.zeros((3, 1, 11), np.int64)
        before[1:, 0, 4], before[2, 0, 5] = n, n
        mass, expected = prior.mass, 0.0
        for _ in range(2):
            expected += gammaln(n + mass / 11) - gammaln(mass / 11) - gammaln(n + mass) + gammaln(mass)
        assert log_marginals(before, 0, 2, prior)[0] == pytest.approx(expected, rel=1e-12)
