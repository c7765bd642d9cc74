import numpy as np
import pytest
from scipy import optimize

import trueward as tw
from trueward.engine.compiling import compiled
from trueward.engine.protocol import insert, reset
from trueward.engine.states import Setting
from trueward.errors import ParameterError
from trueward.estimators.huber_mean import HuberMean, huber_mean

S20 = [0, 6, 7, 8, 8, 8, *[9] * 8, *[10] * 6]


def insert_all(memory, rewards, estimates, rng):
    for i in range(rewards.size):
        estimates[i] = insert(memory, 0, rewards[i], rng)


def run(inserting, memory, rewards):
    reset(memory)
    estimates = np.empty(rewards.size)
    inserting(memory, rewards, estimates, np.random.default_rng(2))
    return estimates


def samples():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 20, 101):
        yield rng.normal(5, 2, size=n)
        yield rng.binomial(10, 0.8, size=n).astype(float)
        yield np.where(rng.random(n) < 0.3, 1e6, rng.normal(size=n))
        yield rng.standard_cauchy(n)


def test_huber_mean_by_hand():
    assert float(huber_mean(S20, 2)) == pytest.approx(8.833333, abs=5e-7)
    assert float(huber_mean([0.0, 1.0, 2.0, 100.0], 3)) == pytest.approx(2.0)  # (0 + 1 + 2 + 3) / 3


@pytest.mark.parametrize("beta", [0.1, 1.0, 2.5, 40.0])
def test_huber_mean_is_the_root_that_scipy_finds(beta):
    for x in samples():
        ours = float(huber_mean(x, beta))
        psi_sum = lambda theta: np.clip(x - theta, -beta, beta).sum()  # noqa: B023, E731 - used at once
        assert psi_sum(ours) == pytest.approx(0, abs=1e-9 * x.size * max(1.0, abs(ours)))
        middle = np.sort(x)[[(x.size - 1) // 2, x.size // 2]]
        if middle[1] - middle[0] < 2 * beta:  # else every number between the two halves is a root
            root = optimize.brentq(psi_sum, x.min() - 1, x.max() + 1, xtol=1e-12)
            assert ours == pytest.approx(root, abs=1e-8)


def test_huber_mean_with_a_large_beta_is_the_mean_and_with_a_small_one_the_median():
    for x in samples():
        assert float(huber_mean(x, 1e9)) == pytest.approx(x.mean(), rel=1e-12)
        assert float(huber_mean(x, 1e-9)) == pytest.approx(np.median(x), abs=1e-8)


def test_huber_mean_of_two_halves_far_apart_is_the_middle():
    assert float(huber_mean([0, 1, 100, 101], 3)) == 50.5


def test_huber_mean_moves_by_less_than_beta_under_a_minority_of_huge_rewards():
    clean = np.random.default_rng(1).uniform(-1, 1, size=11)
    for bad in ([1e300] * 9, [-1e300] * 9, [1e300, -1e300] * 5):
        assert abs(float(huber_mean([*clean, *bad], 2.0))) < 3
    assert abs(float(huber_mean([*clean, *[1e300] * 12], 2.0))) > 1e290
    assert float(huber_mean([1e300, 1e300, -1e300], 2.0)) == 1e300


def test_huber_mean_is_the_weighted_mean_of_its_weights():
    for x in samples():
        estimator = HuberMean(1.5)
        weights = estimator.weights(x)
        assert weights.sum() == pytest.approx(1)
        middle = np.sort(x)[[(x.size - 1) // 2, x.size // 2]]
        if middle[1] - middle[0] < 3.0:
            assert weights @ x == pytest.approx(float(estimator(x)), abs=1e-9)


def test_huber_mean_reasons_say_down_weighted_not_trimmed():
    reasons = HuberMean(2).why_down_weighted([5, 5, 5, 9])
    assert reasons == ["", "", "", "down-weighted: more than beta = 2 from the estimate"]


@pytest.mark.parametrize("estimator", [HuberMean(1.5), HuberMean(1.5, sequential=True)], ids=["exact", "sequential"])
def test_huber_mean_one_reward_at_a_time_equals_the_array_interpreted_and_compiled(estimator):
    memory = estimator.memory(Setting(1, capacity=150))
    rng = np.random.default_rng(3)
    for x in (
        rng.normal(size=150),
        rng.binomial(10, 0.8, size=150) * np.pi,
        rng.choice([1e300, -1e300, 0.0, 5.0], 150),
    ):
        slow = run(insert_all, memory, x)
        assert slow.tobytes() == run(compiled(insert_all, memory), memory, x).tobytes()
        assert np.isfinite(slow).all()
        for n in (1, 2, 5, 64, 150):
            assert slow[n - 1] == float(estimator(x[:n]))


def test_sequential_huber_mean_is_exact_at_powers_of_two_and_takes_newton_steps_in_between():
    x = np.random.default_rng(4).standard_t(2, size=100)
    sequential = HuberMean(1.0, sequential=True)
    assert float(sequential(x[:64])) == float(huber_mean(x[:64], 1.0))
    base = float(huber_mean(x[:64], 1.0))
    step = np.clip(x - base, -1, 1).sum() / (np.abs(x - base) <= 1).sum()
    assert float(sequential(x)) == pytest.approx(base + step, rel=1e-12)
    assert float(sequential(x)) == pytest.approx(float(huber_mean(x, 1.0)), abs=0.02)


def test_huber_mean_works_along_an_axis():
    x = np.random.default_rng(5).normal(size=(4, 30))
    np.testing.assert_array_equal(huber_mean(x, 1.0), [float(huber_mean(row, 1.0)) for row in x])
    np.testing.assert_array_equal(huber_mean(x.T, 1.0, axis=0), huber_mean(x, 1.0))


def test_crucb_plays_with_huber_mean():
    trace = tw.play(tw.CrUCB(HuberMean(2.0), sigma=1.0), tw.BernoulliArms([0.2, 0.9]), horizon=100, compiled=False)
    assert trace.pulls[0, -1].sum() == 100


def test_huber_mean_rejects_a_beta_of_zero():
    with pytest.raises(ParameterError, match="beta must be above 0, got 0"):
        HuberMean(0)
