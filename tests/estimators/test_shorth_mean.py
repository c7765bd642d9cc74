import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueward as tw
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, copy_of
from trueward.errors import ParameterError, RewardError
from trueward.estimators.shorth_mean.windows import window_size

S20 = [0, 6, 7, 8, 8, 8, *[9] * 8, *[10] * 6]  # algorithms.md, section 21
ALPHAS = [0, 0.05, 0.1, 0.15, 0.25, 0.3, 0.35, 0.49]
RATINGS = st.lists(st.integers(0, 10), min_size=1, max_size=60)
FLOATS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
CERTAIN = ["average", "first", "middle"]


def tied_means(x, alpha, literal):
    """Return the means of all shortest windows, low to high (section 18.3), every window summed exactly."""
    ordered, n = sorted(map(float, x)), len(x)
    h = math.ceil((1 - Fraction(str(alpha))) * n)
    if literal:
        h = min(n, math.floor((1 - Fraction(str(alpha))) * n) + 1)
    windows = [ordered[k : k + h] for k in range(n - h + 1)]
    shortest = min(window[-1] - window[0] for window in windows)
    return [float(sum(map(Fraction, w)) / h) for w in windows if w[-1] - w[0] == shortest]


def brute_force(x, alpha, tie, literal):
    means = tied_means(x, alpha, literal)
    middle = means[(len(means) - 1) // 2 : len(means) // 2 + 1]
    chosen = {"average": means, "first": means[:1], "middle": middle}[tie]
    return sum(chosen) / len(chosen)


def close_to(expected, x):
    return pytest.approx(expected, rel=1e-12, abs=1e-12 * max(1.0, max(map(abs, x))))


@pytest.mark.parametrize(
    ("alpha", "tie", "expected"),
    [
        (0.05, "average", 8.894737),
        (0.1, "average", 9.055556),
        (0.2, "average", 9.1875),
        (0.2, "first", 9.125),
        (0.25, "average", 9.2),
        (0.25, "first", 9.066667),
        (0, "average", 8.45),
    ],
)
def test_shorth_mean_of_twenty_ratings_by_hand(alpha, tie, expected):
    assert tw.shorth_mean(S20, alpha, tie=tie) == pytest.approx(expected, abs=5e-7)


def test_shorth_mean_with_middle_ties_takes_the_middle_window_or_both():
    assert tw.shorth_mean(range(9), 0.25, tie="middle") == 4  # windows of 7: means 3, 4, 5
    assert tw.shorth_mean(range(10), 0.3, tie="middle") == 4.5  # windows of 7: means 3, 4, 5, 6


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 8.45), (0.1, 8.894737)])
def test_literal_shorth_mean_by_hand(alpha, expected):
    assert tw.shorth_mean(S20, alpha, literal=True) == pytest.approx(expected, abs=5e-7)


def test_shorth_mean_drops_one_huge_value_and_the_literal_algorithm_does_not():
    x = [1e6, *[8] * 9]
    assert tw.shorth_mean(x, 0.1) == 8.0
    assert tw.shorth_mean(x, 0.1, literal=True) == pytest.approx((1e6 + 72) / 10)  # 1e5


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), tie=st.sampled_from(CERTAIN), literal=st.booleans())
def test_shorth_mean_equals_a_brute_force_over_all_windows(x, alpha, tie, literal):
    expected = brute_force(x, alpha, tie, literal)
    assert tw.shorth_mean(x, alpha, tie=tie, literal=literal) == close_to(expected, x)


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), tie=st.sampled_from(CERTAIN), literal=st.booleans())
def test_shorth_mean_one_reward_at_a_time_equals_the_array(x, alpha, tie, literal):
    estimator = tw.ShorthMean(alpha, tie=tie, literal=literal)
    memory, rng = estimator.memory(Setting(2, capacity=len(x))), np.random.default_rng(0)
    for n, reward in enumerate(map(float, x), start=1):
        insert(memory, 1, -reward, rng)  # arms do not affect each other
        assert insert(memory, 0, reward, rng) == close_to(estimator(x[:n]), x)


@settings(deadline=None)
@given(x=RATINGS, alpha=st.sampled_from(ALPHAS), literal=st.booleans(), seed=st.integers(0, 1000))
def test_shorth_mean_with_random_ties_is_the_mean_of_one_tied_window(x, alpha, literal, seed):
    estimator = tw.ShorthMean(alpha, tie="random", literal=literal)
    memory, rng = estimator.memory(Setting(1, capacity=len(x))), np.random.default_rng(seed)
    last = [insert(memory, 0, float(reward), rng) for reward in x][-1]
    for estimate in (last, float(estimator(x, rng=rng))):
        assert min(abs(estimate - mean) for mean in tied_means(x, alpha, literal)) < 1e-12


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), tie=st.sampled_from(CERTAIN), literal=st.booleans())
def test_shorth_mean_is_the_weighted_mean_and_gives_reasons_for_zero_weights(x, alpha, tie, literal):
    estimator = tw.ShorthMean(alpha, tie=tie, literal=literal)
    weights, reasons = estimator.weights(x), estimator.why_down_weighted(x)
    assert weights @ np.array(x, float) == close_to(estimator(x), x)
    assert [reason != "" for reason in reasons] == [weight == 0 for weight in weights]
    kept = [value for value, weight in zip(x, weights, strict=True) if weight > 0]
    for value, reason in zip(x, reasons, strict=True):
        assert not reason.startswith("trimmed: below") or value <= min(kept)
        assert not reason.startswith("trimmed: above") or value >= max(kept)


def test_shorth_mean_weights_with_random_ties_are_expectations():
    assert tw.ShorthMean(0.25, tie="random").weights(S20) @ np.array(S20) == pytest.approx(9.2)


def test_shorth_mean_reasons_name_the_side_of_the_interval():
    reasons = tw.ShorthMean(0.2).why_down_weighted([-50, 4, 4, 4, 4, 4, 4, 4, 4, 40])
    assert reasons[0] == "trimmed: below the shortest interval with 8 of 10 (alpha = 0.2)"
    assert reasons[-1] == "trimmed: above the shortest interval with 8 of 10 (alpha = 0.2)"


class TestRandomTies:
    # 0, …, 9 with alpha = 0.3: windows of 7, all of length 6, with means 3, 4, 5, 6
    DRAWS = 4000

    def check_uniform(self, estimates):
        means, counts = np.unique(estimates, return_counts=True)
        assert means.tolist() == [3, 4, 5, 6]
        # a count is binomial(4000, 1/4), sd 27.4; four of them: 110
        assert np.abs(counts - self.DRAWS / 4).max() < 110
        # the mean of the draws has standard error sqrt(5/4) / sqrt(4000) = 0.0177; four of them: 0.071
        assert np.mean(estimates) == pytest.approx(tw.shorth_mean(range(10), 0.3, tie="average"), abs=0.071)

    def test_array_function_draws_uniformly_from_the_tied_windows(self):
        x = np.broadcast_to(np.arange(10.0), (self.DRAWS, 10))
        self.check_uniform(tw.shorth_mean(x, 0.3, tie="random", rng=np.random.default_rng(2)))

    def test_memory_draws_uniformly_from_the_tied_windows(self):
        memory, rng = tw.ShorthMean(0.3, tie="random").memory(Setting(1, capacity=10)), np.random.default_rng(3)
        for reward in range(9):
            insert(memory, 0, float(reward), rng)
        self.check_uniform([insert(copy_of(memory), 0, 9.0, rng) for _ in range(self.DRAWS)])

    def test_shorth_mean_requires_a_generator(self):
        with pytest.raises(ParameterError, match=r"rng must be a numpy.random.Generator if tie='random', got None"):
            tw.shorth_mean([1, 2], 0.1, tie="random")


@pytest.mark.parametrize("hundredths", [5, 10, 15, 25, 30, 35, 49])
def test_window_size_is_exact_if_alpha_n_is_a_whole_number(hundredths):
    for n in (*range(1, 2001), *range(81_000, 82_001), *range(100_000, 1_000_001, 3_100)):
        assert window_size(n, hundredths / 100, False) == n - hundredths * n // 100, n
        assert window_size(n, hundredths / 100, True) == min(n, (100 - hundredths) * n // 100 + 1), n


def test_shorth_mean_window_has_more_than_half_of_the_rewards_for_alpha_close_to_one_half():
    estimator, sample = tw.ShorthMean(0.4999999999), [9.0, 9.0, 0.0, 1.0, 2.0, 1.0]
    memory, rng = estimator.memory(Setting(1, capacity=6)), np.random.default_rng(0)
    assert [insert(memory, 0, x, rng) for x in sample][-1] == 1.0  # 0, 1, 1, 2
    assert float(estimator(sample)) == 1.0
    assert np.flatnonzero(estimator.weights(sample)).tolist() == [2, 3, 4, 5]


def test_window_size_is_right_where_naive_rounding_is_wrong():
    # section 18.3: floor((1 - 0.3) n) in floats is wrong for 34 of the first 2000 sizes
    wrong = [n for n in range(1, 2001) if math.floor((1 - 0.3) * n) != 7 * n // 10]
    assert len(wrong) == 34
    assert all(window_size(n, 0.3, False) == 7 * n // 10 for n in wrong)


def test_shorth_mean_is_exact_although_a_huge_value_is_dropped():
    # section 16.5: a window rolled past -1e18 by subtraction would give 0.117
    clean = np.random.default_rng(5).normal(5, 1, size=99)
    x = np.concatenate([[-1e18], clean])
    expected = brute_force(x, 0.1, "average", False)
    assert 4.5 < expected < 5.5
    for sign in (1, -1):
        assert tw.shorth_mean(sign * x, 0.1) == pytest.approx(sign * expected, rel=1e-13)
        memory, rng = tw.ShorthMean(0.1).memory(Setting(1, capacity=100)), np.random.default_rng(0)
        last = [insert(memory, 0, float(reward), rng) for reward in sign * x][-1]
        assert last == pytest.approx(sign * expected, rel=1e-13)


def test_shorth_mean_does_not_overflow_with_values_of_1e300():
    x = [1e300, 1e300, -1e300, -1e300, *[8.0] * 16]
    with warnings.catch_warnings(action="error"):
        assert tw.shorth_mean(x, 0.2) == 8.0
        assert np.isfinite(tw.shorth_mean([1e300] * 50, 0.1))
        assert np.isfinite(tw.shorth_mean(x, 0))


@settings(deadline=None)
@given(
    clean=st.lists(st.floats(-1, 1), min_size=9, max_size=18),
    bad=st.lists(st.floats(-20, 20) | st.sampled_from([-1e300, 1e300]), min_size=2, max_size=2),
)
def test_shorth_mean_stays_within_three_times_the_largest_clean_value(clean, bad):
    # section 18.11, with 2 bad of at most 20 and alpha = 0.2: floor(0.2 n) >= 2
    x = clean + bad
    assert abs(float(tw.shorth_mean(x, 0.2))) <= 3 * max(map(abs, clean)) * (1 + 1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("tie", CERTAIN)
def test_shorth_mean_works_along_any_axis(axis, tie):
    x = np.random.default_rng(1).integers(0, 11, size=(6, 5, 4)).astype(float)
    expected = np.apply_along_axis(lambda row: brute_force(row, 0.25, tie, False), axis, x)
    np.testing.assert_allclose(tw.shorth_mean(x, 0.25, tie=tie, axis=axis), expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [-0.01, 0.5, 1, math.nan, math.inf, "0.1", None, True])
def test_shorth_mean_rejects_an_alpha_outside_its_range(alpha):
    with pytest.raises(ParameterError, match=r"alpha must be .*got"):
        tw.ShorthMean(alpha)


def test_shorth_mean_rejects_an_unknown_tie_rule():
    with pytest.raises(ParameterError, match=r"tie must be one of 'average', .*, got 'last'"):
        tw.shorth_mean([1, 2], 0.1, tie="last")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_shorth_mean_rejects_non_finite_rewards(bad):
    for call in (tw.ShorthMean(0.1), tw.ShorthMean(0.1).weights, tw.ShorthMean(0.1).why_down_weighted):
        with pytest.raises(RewardError, match="x must be finite, got"):
            call([1, bad, 2])


def test_shorth_mean_rejects_an_empty_sample():
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.shorth_mean([], 0.1)


def test_shorth_mean_constants_are_those_of_theorem_2_or_the_sharpened_ones():
    paper, sharpened = tw.ShorthMean(0.1), tw.ShorthMean(0.1, sharpened=True)
    assert paper.inflation == pytest.approx(1 / 0.8)
    assert paper.bias == pytest.approx((0.6 - 0.08) / (0.8 * 0.9))
    assert sharpened.inflation == pytest.approx(1 / 0.9)
    assert sharpened.bias == pytest.approx(0.5 / 0.9)
