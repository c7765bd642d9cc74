"""Robust intervals: their three parts, and their width."""

import itertools

import numpy as np
import pytest

import trueward as tw
from hedged_capital import hedged_capital
from trueward.analysis import Decisions, analyse

BADS = ("careless", "capped", "chosen")


def sample(n, seed=0, p=0.9):
    return np.random.default_rng(seed).binomial(10, p, n).astype(float)


def test_intervals_with_ten_percent_bad_are_within_recorded_widths():  # Bin(10, .9), level 95 %
    for n, capped, chosen in ((100, 1.4, 2.7), (1000, 0.53, 1.7)):
        for bad, width in (("capped", capped), ("chosen", chosen)):
            found = [tw.analysis.interval(sample(n, s), scale=(0, 10), epsilon=0.1, bad=bad) for s in range(20)]
            assert np.mean([each.high - each.low for each in found]) <= width


DISTRIBUTIONS = {
    "binomial": lambda rng, n: rng.binomial(10, 0.9, n) / 10,
    "stars": lambda rng, n: rng.choice(5, n, p=[0.1, 0.1, 0.2, 0.3, 0.3]) / 4,
    "clicks": lambda rng, n: rng.binomial(1, 0.05, n).astype(float),
    "uniform": lambda rng, n: rng.random(n),
}


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_clean_intervals_are_within_15_percent_of_hedged_capital(n, distribution):
    samples = [DISTRIBUTIONS[distribution](np.random.default_rng(seed), n) for seed in range(5)]
    ours = [tw.analysis.interval(x, scale=(0, 1)) for x in samples]
    width = np.mean([each.high - each.low for each in ours])
    for c in (0.5, 0.75):  # both are recommended
        assert width <= 1.15 * np.mean([np.diff(hedged_capital(x, c=c)) for x in samples])


@pytest.mark.parametrize("bad", BADS)
def test_parts_of_an_interval_are_nested_and_grow_with_epsilon(bad):
    x = sample(200)
    whole = tw.analysis.interval(x, scale=(0, 10), epsilon=0.1, bad=bad, missing=20)
    (a, b), (c, d), (e, f) = whole.sampling, whole.contaminated, whole.whole
    assert e < c < a < whole.mean < b < d < f
    assert sum(whole.parts.values()) == pytest.approx(f - e)
    assert min(whole.parts.values()) > 0
    ends = [tw.analysis.interval(x, scale=(0, 10), epsilon=eps, bad=bad).whole for eps in (0, 0.01, 0.1, 0.2, 0.5, 1)]
    assert all(b[0] <= a[0] and a[1] <= b[1] for a, b in itertools.pairwise(ends))
    assert ends[-1] == (0.0, 10.0)


def test_interval_is_equivariant_to_scale_and_reflection():
    x = sample(60)
    one = tw.analysis.interval(x, scale=(0, 10), epsilon=0.1)
    other = tw.analysis.interval(1 + 0.4 * x, scale=(1, 5), epsilon=0.1)
    mirrored = tw.analysis.interval(10 - x, scale=(0, 10), epsilon=0.1)
    np.testing.assert_allclose(other.whole, [1 + 0.4 * end for end in one.whole], atol=1e-6)
    np.testing.assert_allclose(mirrored.whole, [10 - one.high, 10 - one.low], atol=1e-6)


def test_interval_raises_for_ratings_outside_the_scale_and_invalid_parameters():
    with pytest.raises(tw.ParameterError, match="ratings must be on the scale from 0 to 5"):
        tw.analysis.interval([1, 6], scale=(0, 5))
    with pytest.raises(tw.ParameterError, match="epsilon must be at least 0 and at most 1, got 2"):
        tw.analysis.interval([1, 2], scale=(0, 5), epsilon=2)
    with pytest.raises(tw.ParameterError, match="bad must be one of 'careless', 'capped', 'chosen', got 'evil'"):
        tw.analysis.interval([1, 2], scale=(0, 5), bad="evil")


def test_arm_without_ratings_is_shown_as_no_ratings():
    found = analyse(Decisions.from_columns(arm=["a", "b", "c"] * 4, rating=[1, 2, None] * 4, scale=(0, 10)))
    assert "c: no ratings, from 0.000 to 10.000" in str(found)
    assert "nan" not in str(found)
