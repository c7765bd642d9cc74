import numpy as np
import pytest
from scipy import stats

from trueward.statistics.rank_change import find_change_point


def brute_force(x):
    """Return the largest z_k^2 and its k from SciPy's ranks, term by term."""
    n = len(x)
    r = stats.rankdata(x) - (n + 1) / 2
    v = (r**2).sum() / (n - 1)
    z = {k: abs(r[:k].sum()) / np.sqrt(k * (n - k) * v / n) for k in range(5, n - 4)}
    excess = max(0.0, np.abs(r).max() / np.sqrt(v) - np.sqrt(3))
    z2 = {k: z[k] ** 2 / (1 + excess * z[k] / (3 * np.sqrt(k * (n - k) / n))) for k in z}
    k = max(z2, key=z2.get)
    return z2[k], k


@pytest.mark.parametrize(
    "draw",
    [lambda rng, n: rng.normal(size=n), lambda rng, n: rng.integers(0, 3, n), lambda rng, n: rng.random(n) < 0.1],
)
@pytest.mark.parametrize("n", [10, 11, 37, 200])
def test_change_point_equals_a_brute_force_with_scipys_ranks(draw, n):
    x = draw(np.random.default_rng(n), n).astype(float)
    x[:2] = 0.0, 1.0  # not all equal
    z2, k = find_change_point(x, np.empty(n))
    expected, change = brute_force(x)
    assert z2 == pytest.approx(expected, rel=1e-12)
    assert k == change


def test_change_point_statistic_at_one_split_is_kruskal_wallis():
    x = np.array([3.0, 1, 4, 7, 5, 9, 2, 6, 8, 0])  # ten rewards can only change after the fifth
    assert find_change_point(x, np.empty(10))[0] == pytest.approx(stats.kruskal(x[:5], x[5:]).statistic)


def test_change_point_of_equal_rewards_is_none_and_depends_only_on_ranks():
    assert find_change_point(np.full(30, 7.0), np.empty(30)) == (0.0, 0)
    steps = np.repeat([0.0, 1.0], 15)
    assert find_change_point(steps * 1e300, np.empty(30)) == find_change_point(steps, np.empty(30))
    assert find_change_point(steps, np.empty(30))[1] == 15
