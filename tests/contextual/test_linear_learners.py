import math

import numpy as np
import pytest
from scipy import optimize

import trueward as tw
from policy_states import state_after
from trueward.contextual import ContextualCrUCB, ContextualLog, LinearArms, LinUCB, Ridge
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError

ARMS = LinearArms.random(arms=3, dimension=4, noise=0.2, seed=5)
LOG = ARMS.simulate_log(300, seed=6)
ROBUST = [tw.TrimmedMean(0.1), tw.ShorthMean(0.2), tw.HuberMean(0.2)]


def without_context(samples):
    """Return a log in which the context is always 1."""
    arms = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
    return ContextualLog(contexts=np.ones((arms.size, 1)), arms=arms, rewards=np.concatenate(samples))


def test_ridge_equals_augmented_least_squares():
    fit = Ridge(penalty=0.7).fit(LOG)
    for arm in range(3):
        rows = LOG.rounds_of(arm)
        x = np.vstack([LOG.contexts[rows], math.sqrt(0.7) * np.eye(4)])
        y = np.concatenate([LOG.rewards[rows], np.zeros(4)])
        np.testing.assert_allclose(fit.coefficients[arm], np.linalg.lstsq(x, y, rcond=None)[0], rtol=1e-10)
    np.testing.assert_allclose(fit.scores(LOG.contexts), LOG.contexts @ fit.coefficients.T, rtol=1e-12)
    assert (fit.weights == 1.0).all()


def test_linucb_radius_is_that_of_the_confidence_ellipsoid():
    fit = LinUCB(sigma=0.2, penalty=2.0, delta=0.1, norm=1.5).fit(LOG)
    x = ARMS.draw_contexts(1, seed=1)[0]
    for arm in range(3):
        rows = LOG.contexts[LOG.rounds_of(arm)]
        gram = rows.T @ rows + 2.0 * np.eye(4)
        radius = 0.2 * math.sqrt(2 * math.log(math.sqrt(np.linalg.det(gram) / 2.0**4) / 0.1)) + math.sqrt(2) * 1.5
        expected = x @ fit.coefficients[arm] + radius * math.sqrt(x @ np.linalg.inv(gram) @ x)
        assert fit.scores(x)[0, arm] == pytest.approx(expected, rel=1e-12)


def test_linucb_scores_are_above_the_true_means():
    for seed in range(50):
        arms = LinearArms.random(arms=2, dimension=3, noise=0.3, seed=seed)
        fit = LinUCB(sigma=0.3, delta=0.05).fit(arms.simulate_log(60, seed=seed + 100))
        contexts = arms.draw_contexts(200, seed=seed + 200)
        assert (fit.scores(contexts) >= arms.means(contexts)).all()  # with probability 0.9 for two arms; in fact always


@pytest.mark.parametrize("estimator", ROBUST, ids=repr)
def test_coefficient_without_a_context_is_the_estimate_itself(estimator):
    rng = np.random.default_rng(3)
    samples = [rng.normal(5, 1, 30), np.append(rng.normal(3, 0.3, 24), 1e6)]
    fit = Ridge(estimator, penalty=1e-12).fit(without_context(samples))
    expected = [float(estimator(sample)) for sample in samples]
    np.testing.assert_allclose(fit.coefficients[:, 0], expected, rtol=1e-9)


def test_contextual_crucb_without_a_context_equals_crucb():
    rng = np.random.default_rng(4)
    samples = [rng.normal(5, 1, 30), rng.normal(6, 1, 7)]
    policy = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3)
    indices = policy.indices(state_after(policy, samples), make_ask(38, 2))
    scores = (
        ContextualCrUCB(tw.TrimmedMean(0.1), sigma=1.3, penalty=1e-12).fit(without_context(samples)).scores([[1.0]])
    )
    np.testing.assert_allclose(scores[0], indices, rtol=1e-9)


def test_ridge_with_huber_mean_minimises_hubers_loss():
    beta, lam = 0.15, 0.5
    fit = Ridge(tw.HuberMean(beta), penalty=lam).fit(LOG)
    x, y = LOG.contexts[LOG.rounds_of(1)], LOG.rewards[LOG.rounds_of(1)]

    def loss(theta):
        size = np.abs(y - x @ theta)
        return np.where(size < beta, size**2 / 2, beta * (size - beta / 2)).sum() + lam / 2 * theta @ theta

    result = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(fit.coefficients[1], result.x, atol=2e-6)


@pytest.mark.parametrize("estimator", ROBUST, ids=repr)
def test_huge_rewards_move_ridge_but_not_robust_learners(estimator):
    bad = LOG.rewards.copy()
    for arm in range(3):
        bad[LOG.rounds_of(arm)[:6]] = 1e90
    spoilt = LOG.with_rewards(bad)
    clean, moved = Ridge(estimator).fit(LOG).coefficients, Ridge(estimator).fit(spoilt).coefficients
    assert np.abs(moved - clean).max() < 0.2
    assert np.abs(Ridge().fit(spoilt).coefficients).max() > 1e80
    weights = Ridge(estimator).fit(spoilt).weights
    assert weights[LOG.rounds_of(0)[:6]].max() < 1e-80  # so users can see which rewards were down-weighted


def test_unplayed_arm_has_zero_coefficients_and_the_widest_interval():
    log = ContextualLog(contexts=LOG.contexts, arms=LOG.arms, rewards=LOG.rewards, n_arms=4)
    for learner in (Ridge(), Ridge(tw.TrimmedMean(0.1)), ContextualCrUCB(sigma=0.2), LinUCB(sigma=0.2)):
        fit = learner.fit(log)
        np.testing.assert_array_equal(fit.coefficients[3], 0.0)
    widths = fit.scores(ARMS.draw_contexts(1, seed=1))[0] - fit.coefficients @ ARMS.draw_contexts(1, seed=1)[0]
    assert widths.argmax() == 3


def test_leverage_is_the_derivative_of_a_score():
    for learner in (Ridge(), LinUCB(sigma=0.2)):
        x = ARMS.draw_contexts(1, seed=2)[0]
        before = learner.fit(LOG).scores(x)[0]
        for row in (0, 17):
            bumped = LOG.rewards.copy()
            bumped[row] += 1.0
            moved = learner.fit(LOG.with_rewards(bumped)).scores(x)[0] - before
            expected = np.where(np.arange(3) == LOG.arms[row], learner.fit(LOG).leverage(x)[row], 0.0)
            np.testing.assert_allclose(moved, expected, atol=1e-12)


def test_linear_learners_name_the_invalid_parameter():
    for build, name in (
        (lambda: Ridge(penalty=0.0), "penalty"),
        (lambda: Ridge("mean"), "estimator"),
        (lambda: LinUCB(sigma=-1.0), "sigma"),
        (lambda: LinUCB(sigma=1.0, delta=1.0), "delta"),
        (lambda: ContextualCrUCB(sigma=1.0, c=0.0), "c must be"),
        (lambda: Ridge(tw.Median()).fit(LOG), "estimator must give a positive weight to at least half"),
        (lambda: Ridge().fit(LOG).choose([[1.0, 2.0]]), "contexts must have 4 features each, got 2"),
    ):
        with pytest.raises(ParameterError, match=name):
            build()
