import numpy as np
import pytest

from trueward.errors import ParameterError
from trueward.estimators.median_of_means import median_of_means


def test_median_of_means_equals_numpy():
    for n in (1, 2, 9, 40, 101):
        x = np.random.default_rng(n).standard_t(2, size=n)
        for blocks in {1, max(1, n // 3), max(1, n // 2), n}:
            size = n // blocks
            means = x[: blocks * size].reshape(blocks, size).mean(axis=1)
            assert median_of_means(x, blocks) == pytest.approx(np.median(means), rel=1e-12)


def test_median_of_means_with_one_block_is_the_mean_and_with_n_blocks_the_median():
    x = np.random.default_rng(0).normal(size=31)
    assert median_of_means(x, 1) == pytest.approx(x.mean())
    assert median_of_means(x, 31) == np.median(x)


def test_median_of_means_withstands_bad_rewards_in_fewer_than_half_of_the_blocks():
    x = np.random.default_rng(1).uniform(-1, 1, size=50)
    x[[0, 11, 22, 33]] = 1e300  # four of ten blocks
    assert abs(median_of_means(x, 10)) < 1
    x[44] = x[49] = 1e300  # five
    assert median_of_means(x, 10) > 1e290


def test_median_of_means_rejects_bad_block_counts_by_name():
    with pytest.raises(ParameterError, match="blocks must be at most the number of rewards, 2, got 3"):
        median_of_means([1, 2], 3)
    with pytest.raises(ParameterError, match="blocks must be a whole number of at least 1, got 0"):
        median_of_means([1, 2], 0)
