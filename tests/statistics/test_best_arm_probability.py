import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import trueward as tw
from trueward.engine.protocol import make_ask
from trueward.statistics.best_arm_probability import (
    best_arm_probabilities,
    best_arm_probabilities_discrete,
    cdf_from_log_density,
    normal_cdf,
)


def normal(means, sds):
    m, s = np.array(means, dtype=float), np.array(sds, dtype=float)
    return best_arm_probabilities(m, s, lambda grid: normal_cdf((grid - m[:, None]) / s[:, None]))


def beta(a, b):
    policy = tw.BetaThompson()
    state = policy.start(len(a))
    state.successes[:], state.failures[:] = a, b
    return policy.probabilities(state, make_ask(1, len(a)))


def thompson(means, pulls, sigma=1.0):
    policy = tw.GaussianThompson(sigma=sigma)
    state = policy.start(len(means))
    state.estimate[:], state.pulls[:] = means, pulls
    return policy.probabilities(state, make_ask(1, len(means)))


@pytest.mark.parametrize("ratio", [1, 10, 1000])
@pytest.mark.parametrize("distance", [-6.0, -2.0, -0.5, -0.01, 0.0, 0.1, 1.0, 3.0, 9.0])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_best_arm_probabilities_of_two_normal_arms_equal_the_closed_form(ratio, distance, unit):
    # P(N(m1, s1^2) > N(m2, s2^2)) = Phi((m1 - m2) / sqrt(s1^2 + s2^2))
    spread = math.hypot(1, ratio)
    p = normal([distance * spread * unit, 0.0], [unit, ratio * unit])
    assert p == pytest.approx([stats.norm.cdf(distance), stats.norm.sf(distance)], abs=1e-5)


BETAS = [
    ((1, 1), (1, 1)),
    ((2, 1), (1, 1)),
    ((1, 1), (1, 9)),
    ((5, 30), (3, 12)),
    ((50, 1), (1, 1)),
    ((1000, 990), (30, 40)),
    ((1, 3), (1000, 3000)),
    ((1, 1), (1_000_000, 10_000_000)),
    ((1_000_000, 1000), (1_000_000, 1010)),
]


@pytest.mark.parametrize(("a", "b"), BETAS)
def test_best_arm_probabilities_of_two_beta_arms_equal_scipys_integral(a, b):
    first, second = stats.beta(a[0], b[0]), stats.beta(a[1], b[1])
    levels = [1e-12, 1e-6, 0.01, 0.5, 0.99, 1 - 1e-6, 1 - 1e-12]
    knots = np.unique([0, *first.ppf(levels), *second.ppf(levels), 1])
    pieces = [quad(lambda x: first.pdf(x) * second.cdf(x), *interval)[0] for interval in itertools.pairwise(knots)]
    assert beta(a, b)[0] == pytest.approx(sum(pieces), abs=1e-5)


@pytest.mark.parametrize(("a", "b"), [((3, 5), (4, 2)), ((1, 20), (30, 1)), ((12, 7), (40, 33))])
def test_best_arm_probabilities_of_two_beta_arms_equal_the_exact_sum(a, b):
    # P(X2 > X1) = sum_{i < a2} B(a1 + i, b1 + b2) / ((b2 + i) B(1 + i, b2) B(a1, b1)) for whole a2
    def log_beta(x, y):
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    terms = (
        log_beta(a[0] + i, b[0] + b[1]) - math.log(b[1] + i) - log_beta(1 + i, b[1]) - log_beta(a[0], b[0])
        for i in range(a[1])
    )
    assert beta(a, b)[1] == pytest.approx(sum(map(math.exp, terms)), abs=1e-5)


DRAWS = 200_000


def frequencies(draws):
    return np.bincount(draws.argmax(axis=1), minlength=draws.shape[1]) / DRAWS


def test_best_arm_probabilities_of_five_normal_arms_agree_with_draws():
    m, s = np.array([0.0, 0.3, -0.2, 0.1, 1.0]), np.array([1.0, 0.5, 3.0, 0.01, 0.2])
    p = normal(m, s)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    seen = frequencies(np.random.default_rng(0).normal(m, s, (DRAWS, 5)))
    assert (np.abs(seen - p) <= 4 * np.sqrt(p * (1 - p) / DRAWS) + 1 / DRAWS).all()  # four standard errors


def test_best_arm_probabilities_of_five_beta_arms_agree_with_draws():
    a, b = np.array([1.0, 3.0, 30.0, 80.0, 2.0]), np.array([1.0, 2.0, 12.0, 40.0, 9.0])
    p = beta(a, b)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    seen = frequencies(np.random.default_rng(1).beta(a, b, (DRAWS, 5)))
    assert (np.abs(seen - p) <= 4 * np.sqrt(p * (1 - p) / DRAWS) + 1 / DRAWS).all()  # four standard errors


@pytest.mark.parametrize("arms", [1, 2, 7, 40, 200])
def test_best_arm_probabilities_of_identical_arms_are_equal(arms):
    assert normal(np.full(arms, 3.0), np.full(arms, 0.5)) == pytest.approx(np.full(arms, 1 / arms), abs=1e-12)
    assert beta(np.full(arms, 4.0), np.full(arms, 2.0)) == pytest.approx(np.full(arms, 1 / arms), abs=1e-12)


def test_best_arm_probabilities_are_right_for_means_of_1e300():
    assert thompson([1e300, 1e300], [3, 3]) == pytest.approx([0.5, 0.5])
    assert thompson([1e300, -1e300, 0.0], [1, 5, 100]) == pytest.approx([1, 0, 0], abs=1e-12)
    assert thompson([-1e300, -1e300, 7.0, 7.0], [1, 1, 9, 9]) == pytest.approx([0, 0, 0.5, 0.5], abs=1e-12)


def test_thompson_probabilities_are_uniform_over_arms_not_yet_pulled():
    assert list(thompson([9.0, 0.0, 0.0], [5, 0, 0])) == [0, 0.5, 0.5]


def test_best_arm_probabilities_do_not_depend_on_the_order_of_the_arms():
    m, s = np.array([0.0, 0.3, -0.2, 1.0]), np.array([1.0, 0.5, 3.0, 0.2])
    order = np.array([2, 0, 3, 1])
    assert normal(m[order], s[order]) == pytest.approx(normal(m, s)[order], abs=1e-14)


def test_normal_cdf_equals_scipy_far_into_the_tails():
    z = np.array([-37.0, -8.0, -1.0, 0.0, 2.0, 9.0, 1e300, -1e300])
    assert normal_cdf(z) == pytest.approx(stats.norm.cdf(z), rel=1e-12)


def test_cdf_from_log_density_equals_scipy():
    grid = np.append(np.linspace(-0.1, 1.1, 2401), [0.0, 1.0])
    grid = np.unique(grid.round(12))
    distributions = [stats.beta(1, 1), stats.beta(1, 8), stats.beta(20, 5)]
    with np.errstate(divide="ignore"):
        log_density = np.array([distribution.logpdf(grid) for distribution in distributions])
    expected = np.array([distribution.cdf(grid) for distribution in distributions])
    assert np.abs(cdf_from_log_density(log_density, grid) - expected).max() < 5e-6


def best_arm_by_definition(pmf):
    """Return P(arm a's draw is the highest), ties broken at random, with enough nodes for an exact rule."""
    below, mass = np.cumsum(pmf, axis=1) - pmf, np.zeros(len(pmf))
    nodes, weights = np.polynomial.legendre.leggauss((len(pmf) + 1) // 2)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        f = below + node * pmf
        for arm in range(len(pmf)):
            mass[arm] += weight * (pmf[arm] * np.delete(f, arm, axis=0).prod(axis=0)).sum()
    return mass


@pytest.mark.parametrize("n_arms", [1, 2, 5, 16, 17, 60])
@pytest.mark.parametrize("values", [1, 2, 30])
def test_discrete_best_arm_probabilities_with_ties_equal_the_definition(n_arms, values):
    pmf = np.random.default_rng(n_arms).dirichlet(np.full(values, 0.3), n_arms)
    np.testing.assert_allclose(best_arm_probabilities_discrete(pmf), best_arm_by_definition(pmf), atol=1e-9)


@pytest.mark.parametrize("spread", [0.01, 0.03, 0.2])
def test_discrete_best_arm_probabilities_of_forty_similar_arms_equal_the_definition(spread):
    middle, values = np.random.default_rng(40).uniform(0.48, 0.52, (40, 1)), np.linspace(0, 1, 128)
    pmf = np.exp(-0.5 * ((values - middle) / spread) ** 2) + 1e-12  # no arm is out of reach
    pmf /= pmf.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(best_arm_probabilities_discrete(pmf), best_arm_by_definition(pmf), atol=1e-9)


def test_discrete_best_arm_probability_is_zero_for_an_arm_below_all_others():
    pmf = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
    assert best_arm_probabilities_discrete(pmf).tolist() == [0.0, 0.5, 0.5]
