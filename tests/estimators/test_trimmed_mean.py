import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import trueward as tw
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.errors import ParameterError, RewardError
from trueward.estimators.trimmed_mean import Trimming, kept_ranks

S20 = [0, 6, 7, 8, 8, 8, *[9] * 8, *[10] * 6]  # algorithms.md, section 21
ALPHAS = [0, 0.05, 0.1, 0.15, 0.25, 0.3, 0.35, 0.49]
RATINGS = st.lists(st.integers(0, 10), min_size=1, max_size=60)
FLOATS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
OPTIONS = [(rounding, literal) for rounding in ("ceil", "floor") for literal in (False, True)]


def brute_force(x, alpha, rounding, literal):
    """Sections 18.1 and 18.2, with alpha as the decimal fraction it is written as, and every sum exact."""
    ordered, n = sorted(map(Fraction, x)), len(x)
    rounded = math.ceil if rounding == "ceil" else math.floor
    cut = rounded(Fraction(str(alpha)) * n)
    if not literal:
        cut = min(cut, (n - 1) // 2)
        kept = [v for rank, v in enumerate(ordered, start=1) if cut + 1 <= rank <= n - cut]
    else:
        kept = [v for rank, v in enumerate(ordered, start=1) if cut <= rank <= n - cut]
        if cut == 0 or not kept:
            kept = ordered
    return float(sum(kept) / len(kept))


def close_to(expected, x):
    return pytest.approx(expected, rel=1e-12, abs=1e-12 * max(1.0, max(map(abs, x))))


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 8.833333), (0.1, 8.9375), (0.2, 9.0), (0.25, 9.0), (0, 8.45)])
def test_trimmed_mean_of_twenty_ratings_by_hand(alpha, expected):
    assert tw.trimmed_mean(S20, alpha) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 8.368421), (0.1, 8.764706)])
def test_literal_trimmed_mean_by_hand(alpha, expected):
    assert tw.trimmed_mean(S20, alpha, literal=True) == pytest.approx(expected, abs=5e-7)


def test_trimmed_mean_ignores_one_huge_value_and_the_literal_algorithm_does_not():
    x = [-1e6, *[8] * 9]
    assert tw.trimmed_mean(x, 0.1) == 8.0
    assert tw.trimmed_mean(x, 0.1, literal=True) == pytest.approx((-1e6 + 8 * 8) / 9)  # -1.1e5


@pytest.mark.parametrize(("n", "expected"), [(1, 3.0), (2, 5.0), (3, 7.0)])
def test_trimmed_mean_of_up_to_three_rewards_is_the_median(n, expected):
    assert tw.trimmed_mean([3, 7, 1e9][:n], 0.35) == expected


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), option=st.sampled_from(OPTIONS))
def test_trimmed_mean_equals_a_brute_force_in_exact_fractions(x, alpha, option):
    rounding, literal = option
    estimate = tw.trimmed_mean(x, alpha, rounding=rounding, literal=literal)
    assert estimate == close_to(brute_force(x, alpha, rounding, literal), x)


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS))
def test_trimmed_mean_with_floor_rounding_equals_scipy(x, alpha):
    assume(int(alpha * len(x)) == math.floor(Fraction(str(alpha)) * len(x)))  # where SciPy itself is right
    assert tw.trimmed_mean(x, alpha, rounding="floor") == close_to(stats.trim_mean(x, alpha), x)


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), option=st.sampled_from(OPTIONS))
def test_trimmed_mean_one_reward_at_a_time_equals_the_array(x, alpha, option):
    estimator = tw.TrimmedMean(alpha, rounding=option[0], literal=option[1])
    memory, rng = estimator.memory(Setting(2, capacity=len(x))), np.random.default_rng(0)
    for n, reward in enumerate(map(float, x), start=1):
        insert(memory, 1, -reward, rng)  # arms do not affect each other
        assert insert(memory, 0, reward, rng) == close_to(estimator(x[:n]), x)


@settings(deadline=None)
@given(x=RATINGS | FLOATS, alpha=st.sampled_from(ALPHAS), option=st.sampled_from(OPTIONS))
def test_trimmed_mean_is_the_weighted_mean_and_gives_reasons_for_zero_weights(x, alpha, option):
    estimator = tw.TrimmedMean(alpha, rounding=option[0], literal=option[1])
    weights, reasons = estimator.weights(x), estimator.why_down_weighted(x)
    assert weights @ np.array(x, float) == close_to(estimator(x), x)
    assert [reason != "" for reason in reasons] == [weight == 0 for weight in weights]


def test_trimmed_mean_reasons_name_the_trimmed_end():
    low, *kept, high = tw.TrimmedMean(0.1).why_down_weighted([-5, 4, 4, 4, 4, 4, 4, 4, 4, 40])
    assert low == "trimmed: among the lowest 1 of 10 (alpha = 0.1)"
    assert high == "trimmed: among the highest 1 of 10 (alpha = 0.1)"
    assert kept == [""] * 8


@pytest.mark.parametrize("hundredths", [5, 10, 15, 25, 30, 35, 49])
def test_kept_ranks_are_exact_if_alpha_n_is_a_whole_number(hundredths):
    # up to n = 82,000 every n: a tolerance of 1e-12 fails for alpha = 0.35 from n = 81,940 on; then some to 10^6
    for n in (*range(1, 2001), *range(81_000, 82_001), *range(100_000, 1_000_001, 3_100)):
        floor, ceil = hundredths * n // 100, -(-hundredths * n // 100)
        assert kept_ranks(Trimming(hundredths / 100, True, False, False), n) == (floor, n - floor), n
        cut = min(ceil, (n - 1) // 2)
        assert kept_ranks(Trimming(hundredths / 100, False, False, False), n) == (cut, n - cut), n


def test_trimmed_mean_is_exact_although_a_huge_value_is_trimmed():
    # section 16.5: a running sum that once held -1e18 has forgotten everything below 128
    clean = np.random.default_rng(5).normal(5, 1, size=99)
    x = np.concatenate([[-1e18], clean])
    expected = brute_force(x, 0.1, "ceil", False)
    assert 4.5 < expected < 5.5
    assert tw.trimmed_mean(x, 0.1) == pytest.approx(expected, rel=1e-13)
    memory, rng = tw.TrimmedMean(0.1).memory(Setting(1, capacity=100)), np.random.default_rng(0)
    assert [insert(memory, 0, reward, rng) for reward in x][-1] == pytest.approx(expected, rel=1e-13)


def test_trimmed_mean_does_not_overflow_with_values_of_1e300():
    x = [1e300, -1e300, 1e300, *[8.0] * 17]
    with warnings.catch_warnings(action="error"):
        assert tw.trimmed_mean(x, 0.1) == 8.0
        assert np.isfinite(tw.trimmed_mean([1e300] * 50, 0.1))
        assert np.isfinite(tw.trimmed_mean(x, 0))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_trimmed_mean_works_along_any_axis(axis):
    x = np.random.default_rng(1).normal(size=(6, 5, 4))
    expected = np.apply_along_axis(lambda row: brute_force(row, 0.2, "ceil", False), axis, x)
    np.testing.assert_allclose(tw.trimmed_mean(x, 0.2, axis=axis), expected, rtol=1e-12)


def test_trimmed_mean_leaves_its_input_unchanged():
    x = np.array([3.0, 1.0, 2.0])
    tw.trimmed_mean(x, 0.3)
    assert x.tolist() == [3, 1, 2]


@pytest.mark.parametrize("alpha", [-0.01, 0.5, 1, math.nan, math.inf, "0.1", None, True])
def test_trimmed_mean_rejects_an_alpha_outside_its_range(alpha):
    with pytest.raises(ParameterError, match=r"alpha must be .*got"):
        tw.TrimmedMean(alpha)


def test_trimmed_mean_rejects_an_unknown_rounding():
    with pytest.raises(ParameterError, match="rounding must be one of 'ceil', 'floor', got 'round'"):
        tw.trimmed_mean([1, 2], 0.1, rounding="round")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_trimmed_mean_rejects_non_finite_rewards(bad):
    for call in (tw.TrimmedMean(0.1), tw.TrimmedMean(0.1).weights, tw.TrimmedMean(0.1).why_down_weighted):
        with pytest.raises(RewardError, match="x must be finite, got"):
            call([1, bad, 2])


def test_trimmed_mean_rejects_an_empty_sample():
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.trimmed_mean([], 0.1)
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.trimmed_mean(np.empty((3, 0)), 0.1)


def test_trimmed_mean_constants_are_those_of_theorem_1():
    estimator = tw.TrimmedMean(0.1)
    assert estimator.inflation == pytest.approx(1 / 0.8)
    assert estimator.bias == pytest.approx(0.4 / 0.8)
