import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import trueward as tw
from trueward.engine.protocol import Observation, update
from trueward.policies.sampling.tsallis_inf import tsallis_weights

LOSSES = np.array([10.0, 12.0, 15.0, 20.0, 40.0])


def weights(losses, eta):
    p = np.empty(len(losses))
    tsallis_weights(np.asarray(losses, dtype=float), eta, p)
    return p


def weights_by_bisection(losses, eta):
    """Solve sum 4 / (eta (L - x))^2 = 1 for x, between the bounds that the best arm and K equal arms give."""
    offset = np.asarray(losses, dtype=float) - np.min(losses)

    def excess(z):
        return math.fsum(4.0 / (eta * (offset + z)) ** 2) - 1.0

    z = brentq(
        excess, 2.0 / eta * (1 - 1e-12), 2.0 * math.sqrt(len(offset)) / eta * (1 + 1e-12), xtol=1e-300, rtol=1e-15
    )
    return 4.0 / (eta * (offset + z)) ** 2


def test_tsallis_weights_agree_with_the_published_vectors():
    np.testing.assert_allclose(weights(LOSSES, 0.2), [0.341144, 0.273511, 0.204356, 0.135952, 0.045037], atol=5e-7)
    np.testing.assert_allclose(weights(LOSSES, 0.4), [0.455133, 0.282248, 0.162292, 0.082465, 0.017862], atol=5e-7)
    np.testing.assert_allclose(weights(np.zeros(5), 0.2), np.full(5, 0.2), rtol=1e-12)


@settings(max_examples=150, deadline=None)
@given(
    n_arms=st.sampled_from([1, 2, 5, 50, 1000]),
    t=st.integers(1, 10**6),
    spread=st.sampled_from([0.0, 1e-6, 1.0, 30.0, 1e3, 1e6, 1e9]),
    rate=st.sampled_from([2.0, 4.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_tsallis_weights_agree_with_bisection_and_sum_to_one(n_arms, t, spread, rate, seed):
    rng = np.random.default_rng(seed)
    losses = rng.random() * 1e6 + spread * rng.exponential(size=n_arms)
    p = weights(losses, rate / math.sqrt(t))
    np.testing.assert_allclose(p, weights_by_bisection(losses, rate / math.sqrt(t)), atol=1e-9)
    assert abs(p.sum() - 1.0) < 1e-12
    assert (p > 0).all()


def tell(state, t, arm, reward, p):
    seen = Observation(t, arm, reward, np.array(p), np.ones(len(p), np.bool_))
    update(state, seen, np.random.default_rng(0))


def test_tsallis_inf_iw_adds_the_weighted_loss_to_the_arm_played():
    policy = tw.TsallisINF((0, 10), loss_estimator="iw")
    state = policy.start(3)
    tell(state, 100, 2, 4.0, [0.5, 0.3, 0.2])
    np.testing.assert_allclose(state.losses, [0, 0, 0.6 / 0.2], rtol=1e-14)


def test_tsallis_inf_rv_adds_a_baseline_where_the_probability_is_large_enough():
    policy = tw.TsallisINF((0, 10))
    state, p = policy.start(3), [0.5, 0.3, 0.2]
    tell(state, 64, 2, 4.0, p)  # eta^2 = 16 / 64 = 0.25: the baseline is on for 0.5 and 0.3, off for 0.2
    np.testing.assert_allclose(state.losses, [0.5, 0.5, 0.6 / 0.2], rtol=1e-14)
    state.losses[:] = 0.0
    tell(state, 64, 0, 4.0, p)
    np.testing.assert_allclose(state.losses, [(0.6 - 0.5) / 0.5 + 0.5, 0.5, 0.0], rtol=1e-14)


@pytest.mark.parametrize("loss_estimator", ["iw", "rv"])
def test_tsallis_inf_estimated_losses_are_unbiased(loss_estimator):
    policy = tw.TsallisINF(loss_estimator=loss_estimator)
    p, gains = np.array([0.6, 0.3, 0.1]), [0.2, 0.5, 0.9]
    expected = np.zeros(3)
    for arm in range(3):
        state = policy.start(3)
        tell(state, 40, arm, gains[arm], p)
        expected += p[arm] * state.losses
    np.testing.assert_allclose(expected, 1.0 - np.array(gains), rtol=1e-12)
