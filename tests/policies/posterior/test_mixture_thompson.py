import numpy as np
import pytest
from scipy import stats

import policy_states
import trueward as tw
from trueward.engine.protocol import choose, make_ask, make_observation, reset, update
from trueward.engine.states import arrays_of, copy_of
from trueward.errors import ParameterError, RewardError
from trueward.policies.declared_range import count_outside
from trueward.policies.posterior.mixture_thompson import MixtureThompson, binomial_pmfs, normal_pmfs

RATES = np.array([0.01, 0.05, 0.1, 0.2, 0.3, 0.45])
PAPER = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
RATINGS = [[8, 9, 0, 8, 10, 9], [7, 10, 10, 8], [9]]


def state_after(policy, rewards=RATINGS):
    return policy_states.state_after(policy, rewards)


def scipy_pmfs(base, top=10):
    """Return the base pmfs by SciPy, (distributions, ratings), and their means."""
    k = np.arange(top + 1)
    if base == "binomial":
        table = np.array([stats.binom.pmf(k, top, p) for p in np.linspace(0.02, 0.98, 49)])
    else:
        table = []
        for s in np.array([0.7, 1.0, 1.3, 1.7, 2.2]) * top / 10:
            for m in np.linspace(0, top, 51):
                cdf = np.append(stats.norm.cdf((k[:-1] + 0.5 - m) / s), 1.0)
                table.append(np.diff(cdf, prepend=0.0))
        table = np.array(table)
    return table, table @ k


def posterior(base, ratings, top=10):
    """Return the joint posterior (rates, distributions) of an arm's ratings, by multiplying likelihoods."""
    table, means = scipy_pmfs(base, top)
    weights = np.ones((6, len(table)))
    for rating in ratings:
        weights *= (1 - RATES)[:, None] * table[:, rating] + RATES[:, None] / (top + 1)
    return weights / weights.sum(), means


@pytest.mark.parametrize(("base", "pmfs"), [("binomial", binomial_pmfs), ("normal", normal_pmfs)])
@pytest.mark.parametrize("top", [1, 4, 10])
def test_base_pmfs_equal_those_of_scipy(base, pmfs, top):
    np.testing.assert_allclose(pmfs(top + 1), scipy_pmfs(base, top)[0], atol=1e-14)


@pytest.mark.parametrize("base", ["binomial", "normal"])
def test_mixture_thompson_posterior_is_the_product_of_the_likelihoods(base):
    policy = MixtureThompson((0, 10), base=base)
    state = state_after(policy)
    for arm, ratings in enumerate(RATINGS):
        weights, means = posterior(base, ratings)
        assert policy.estimates(state)[arm] == pytest.approx((weights @ means).sum())
        assert policy.contamination(state)[arm] == pytest.approx((weights.T @ RATES).sum())


@pytest.mark.parametrize("base", ["binomial", "normal"])
def test_mixture_thompson_probabilities_sum_over_all_combinations_of_draws_and_share_ties(base):
    policy = MixtureThompson((0, 10), base=base)
    expected = np.zeros(3)
    atoms = []
    for ratings in RATINGS:
        weights, means = posterior(base, ratings)
        place = np.unique(np.round(means / 10, 9), return_inverse=True)[1]
        atoms.append(np.bincount(place, weights.sum(axis=0)))
    below = [np.cumsum(p) - p for p in atoms]
    for a, b, c in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
        wins = below[b] * below[c] + (atoms[b] * below[c] + below[b] * atoms[c]) / 2 + atoms[b] * atoms[c] / 3
        expected[a] = atoms[a] @ wins
    assert expected.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(policy.probabilities(state_after(policy), make_ask(9, 3)), expected, atol=1e-12)


@pytest.mark.parametrize("base", ["binomial", "normal"])
def test_mixture_thompson_choices_follow_its_probabilities(base):
    policy = MixtureThompson((0, 10), base=base)
    state = state_after(policy)
    ask = make_ask(9, 3)
    p, rng = policy.probabilities(state, ask), np.random.default_rng(1)
    shares = np.bincount([choose(state, ask, rng) for _ in range(4000)], minlength=3) / 4000
    assert (np.abs(shares - p) < 4 * np.sqrt(p * (1 - p) / 4000)).all()  # 4 standard errors


def test_mixture_thompson_gives_equal_arms_equal_probabilities():
    policy = MixtureThompson()
    for n_arms in (1, 2, 5, 30):
        p = policy.probabilities(state_after(policy, [[7, 8]] * n_arms), make_ask(1, n_arms))
        np.testing.assert_allclose(p, 1 / n_arms)


def test_mixture_thompson_detects_contamination_and_ignores_it_in_the_estimate():
    policy = MixtureThompson()
    ratings = [8, 7, 9, 8, 8, 7, 9, 8] * 5
    state = state_after(policy, [ratings, ratings + [0] * 10])
    estimates, rates = policy.estimates(state), policy.contamination(state)
    assert abs(estimates[0] - estimates[1]) < 0.1  # the plain means are 8 and 6.4
    assert rates[0] < 0.05
    assert 0.15 < rates[1] < 0.35  # the truth is 0.2; all at one end, which a uniform component explains worse


def test_mixture_thompson_rounds_ratings_between_values_and_clips_and_counts_those_outside_the_range():
    policy = MixtureThompson((1, 5))
    unrounded, exact = state_after(policy, [[2.2, 3.5, 7.0, -1e300]]), state_after(policy, [[2, 4, 5, 1]])
    np.testing.assert_array_equal(unrounded.log_weights, exact.log_weights)
    assert (count_outside(unrounded), count_outside(exact)) == (2, 0)
    with pytest.raises(RewardError, match="arm 0 in round 1 lies outside the range"):
        count_outside(state_after(MixtureThompson((1, 5), outside="raise"), [[7.0]]))


def test_mixture_thompson_accepts_a_scale_of_tenths_by_its_number_of_levels():
    policy = MixtureThompson((0, 1), levels=11)
    fine = state_after(policy, [[0.8, 0.9, 0.1]])
    whole = state_after(MixtureThompson((0, 10)), [[8, 9, 1]])
    np.testing.assert_array_equal(fine.log_weights, whole.log_weights)
    np.testing.assert_allclose(fine.means * 10, whole.means)


def test_mixture_thompson_estimates_stay_finite_after_a_million_ratings():
    policy = MixtureThompson(base="binomial")
    state = state_after(policy, [[9], [8]])
    state.log_weights[0] *= 1e6
    update(state, make_observation(0, 9, n_arms=2), np.random.default_rng(0))
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, make_ask(1, 2)).sum() == pytest.approx(1.0)


def test_mixture_thompson_arm_without_a_rating_has_no_estimate_but_a_positive_probability():
    policy = MixtureThompson()
    state = state_after(policy, [[5], []])
    assert np.isnan(policy.estimates(state)[1])
    assert policy.probabilities(state, make_ask(2, 2))[1] > 0.3
    assert policy.contamination(state)[1] == pytest.approx(RATES.mean())


def test_mixture_thompson_state_can_be_restricted_to_some_arms():
    policy = MixtureThompson()
    state = copy_of(state_after(policy), np.array([0, 2]))
    assert policy.probabilities(state, make_ask(9, 2)).shape == (2,)
    assert choose(state, make_ask(9, 2), np.random.default_rng(0)) in {0, 1}


def test_mixture_thompson_reset_restores_the_prior():
    state, fresh = state_after(MixtureThompson()), state_after(MixtureThompson(), [[], [], []])
    reset(state)
    for name in ("log_weights", "cumulative", "pulls"):
        np.testing.assert_array_equal(getattr(state, name), getattr(fresh, name))


@pytest.mark.parametrize("base", ["binomial", "normal"])
def test_mixture_thompson_interpreted_equals_compiled(base):
    policy = MixtureThompson(base=base)
    attack = tw.BernoulliAdversary(0.2, tw.Unbounded())
    slow = tw.play(policy, PAPER, attack, horizon=60, trials=2, keep_history=True, compiled=False)
    fast = tw.play(policy, PAPER, attack, horizon=60, trials=2, keep_history=True, compiled=True)
    np.testing.assert_array_equal(slow.arms, fast.arms)
    assert slow.outside == fast.outside > 0


def test_mixture_thompson_clips_huge_rewards_to_the_scale():
    state = state_after(MixtureThompson(), [[1e300, -1e300] * 20, [5.0]])
    assert all(np.isfinite(array).all() for array in arrays_of(state))
    assert 0 < MixtureThompson().estimates(state)[0] < 10


@pytest.mark.parametrize(
    ("base", "attack", "mean", "sd"),
    [  # prototypes written independently of this code, 200 games each: mean and sd of the regret
        ("binomial", None, 55, 16),
        ("binomial", tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 81, 33),
        ("binomial", tw.BernoulliAdversary(0.1, tw.WorstBounded()), 85, 52),
        ("normal", None, 59, 16),
        ("normal", tw.BernoulliAdversary(0.1, tw.ContinuousMalicious()), 74, 26),
    ],
)
@pytest.mark.soak
def test_mixture_thompson_regret_agrees_with_the_prototypes(base, attack, mean, sd):
    trace = tw.play(MixtureThompson(base=base), PAPER, attack, horizon=1000, trials=128, checkpoints=[1000], seed=3)
    assert abs(trace.regret[:, -1].mean() - mean) < 4 * sd * np.sqrt(1 / 128 + 1 / 200)  # 4 standard errors


def test_mixture_thompson_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="base must be one of 'normal', 'binomial', got 'poisson'"):
        MixtureThompson(base="poisson")
    with pytest.raises(ParameterError, match="range must have low below high"):
        MixtureThompson((10, 0))
    with pytest.raises(ParameterError, match="levels must be the number of levels of the scale, at most 201"):
        MixtureThompson((0, 0.5))
    with pytest.raises(ParameterError, match="levels must be a whole number of at least 2, got 1"):
        MixtureThompson(levels=1)
