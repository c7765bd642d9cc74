"""Guarantees of every registered estimator."""

import numpy as np
import pytest

import trueward as tw
from trueward.engine.compiling import compiled
from trueward.engine.protocol import insert, reset
from trueward.engine.states import Setting
from trueward.estimators import ESTIMATORS

N = 20
EXAMPLES = {
    "mean": [tw.Mean()],
    "huber-mean": [tw.HuberMean(0.7), tw.HuberMean(2.0)],
    "median": [tw.Median(), tw.Median(even="upper")],
    "grouped-median": [tw.GroupedMedian(), tw.GroupedMedian(width=0.5)],
    "trimmed-mean": [
        tw.TrimmedMean(0),
        tw.TrimmedMean(0.2),
        tw.TrimmedMean(0.2, rounding="floor"),
        tw.TrimmedMean(0.2, literal=True),
    ],
    "shorth-mean": [
        tw.ShorthMean(0),
        tw.ShorthMean(0.2),
        tw.ShorthMean(0.2, tie="random"),
        tw.ShorthMean(0.2, tie="first"),
        tw.ShorthMean(0.2, tie="middle"),
        tw.ShorthMean(0.2, literal=True),
    ],
}
ALL = [estimator for examples in EXAMPLES.values() for estimator in examples]
CERTAIN = [estimator for estimator in ALL if getattr(estimator, "tie", "") != "random"]
RIGHT = [estimator for estimator in ALL if not getattr(estimator, "literal", False)]  # literal ones guarantee nothing


def estimate(estimator, x):
    """Return the estimate; the same random tie for samples with the same ties."""
    if isinstance(estimator, tw.ShorthMean):
        return float(estimator(x, rng=np.random.default_rng(7)))
    return float(estimator(x))


def tolerated(estimator):
    """Return how many of N rewards may be arbitrary."""
    if isinstance(estimator, tw.Mean):
        return 0
    return round(estimator.alpha * N) if hasattr(estimator, "alpha") else (N - 1) // 2


def in_units_of(estimator, scale):
    if isinstance(estimator, tw.HuberMean):
        return tw.HuberMean(estimator.beta * scale)
    return tw.GroupedMedian(estimator.width * scale) if isinstance(estimator, tw.GroupedMedian) else estimator


def samples(seed, n=N):
    """Return ratings, with many ties, and numbers with eight fractional bits: both stay exact when shifted."""
    rng = np.random.default_rng(seed)
    return [rng.binomial(10, 0.8, size=n).astype(float), np.round(rng.normal(5, 2, size=n) * 256) / 256]


def attacks(bad, clean):
    """Return samples in which `bad` of the clean rewards are replaced: far below, far above, both, and near."""
    ends = [[-1e300] * bad, [1e300] * bad, [1e300 * (-1) ** i for i in range(bad)]]
    near = [[sign * distance] * bad for sign in (-1, 1) for distance in (1.5, 2.0, 3.0, 5.0, 100.0)]
    return [np.concatenate([clean[bad:], values]) for values in ends + near]


def insert_all(memory, arms, rewards, estimates, rng):
    for i in range(rewards.size):
        estimates[i] = insert(memory, arms[i], rewards[i], rng)


def run(inserting, memory, rewards):
    estimates = np.empty(rewards.size)
    arms = np.random.default_rng(1).integers(3, size=rewards.size)
    inserting(memory, arms, rewards, estimates, np.random.default_rng(2))
    return estimates


def test_every_registered_estimator_has_an_example():
    assert EXAMPLES.keys() == ESTIMATORS.keys()
    for name, examples in EXAMPLES.items():
        assert examples
        assert all(type(example) is ESTIMATORS[name] for example in examples)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_estimate_does_not_depend_on_the_order_of_the_rewards(estimator):
    for x in samples(1):
        for seed in range(5):
            shuffled = np.random.default_rng(seed).permutation(x)
            assert estimate(estimator, shuffled) == estimate(estimator, x)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_estimate_is_shift_and_scale_equivariant(estimator):
    for x in samples(2):
        for shift, scale in [(3, 1), (-1024, 1), (0, 4), (0, 0.5), (7, 2)]:
            stretched = in_units_of(estimator, scale)
            expected = shift + scale * estimate(estimator, x)
            assert estimate(stretched, shift + scale * x) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_estimate_of_one_reward_or_equal_rewards_is_that_reward(estimator):
    for n in (1, 2, 7, N):
        assert estimate(estimator, np.full(n, 8.25)) == pytest.approx(8.25, rel=1e-15)


@pytest.mark.parametrize("estimator", [tw.Mean(), tw.TrimmedMean(0), tw.ShorthMean(0)], ids=repr)
def test_estimate_is_the_mean_if_nothing_is_trimmed(estimator):
    for x in samples(3):
        assert estimate(estimator, x) == pytest.approx(x.mean(), rel=1e-14)
    assert estimator.inflation == 1
    assert estimator.bias == 0


@pytest.mark.parametrize("estimator", RIGHT, ids=repr)
def test_estimate_is_bounded_under_the_tolerated_number_of_bad_rewards(estimator):
    clean = np.round(np.random.default_rng(4).uniform(-1, 1, size=N) * 256) / 256
    for x in attacks(tolerated(estimator), clean):
        good = clean[tolerated(estimator) :]
        low, high = good.min(), good.max()
        if isinstance(estimator, tw.ShorthMean):
            low, high = -3 * np.abs(good).max(), 3 * np.abs(good).max()
        if isinstance(estimator, tw.GroupedMedian):
            low, high = low - estimator.width / 2, high + estimator.width / 2
        if isinstance(estimator, tw.HuberMean):
            low, high = low - estimator.beta, high + estimator.beta
        slack = 1e-12
        assert low - slack <= estimate(estimator, x) <= high + slack


@pytest.mark.parametrize("estimator", RIGHT, ids=repr)
def test_estimate_breaks_down_with_one_bad_reward_more_than_tolerated(estimator):
    clean = np.random.default_rng(4).uniform(-1, 1, size=N)
    assert max(abs(estimate(estimator, x)) for x in attacks(tolerated(estimator) + 1, clean)) > 1e290


@pytest.mark.parametrize("estimator", CERTAIN, ids=repr)  # random ties: tests/estimators/test_shorth_mean.py
def test_estimate_one_reward_at_a_time_equals_the_array(estimator):
    for x in samples(5, n=100):
        memory, rng = estimator.memory(Setting(1, capacity=x.size)), np.random.default_rng(0)
        for n, reward in enumerate(x, start=1):
            assert insert(memory, 0, reward, rng) == pytest.approx(estimate(estimator, x[:n]), rel=1e-13)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_weights_sum_to_one_and_give_the_estimate(estimator):
    for x in samples(6):
        weights = estimator.weights(x)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
        if not isinstance(estimator, tw.GroupedMedian) and getattr(estimator, "tie", "") != "random":
            assert weights @ x == pytest.approx(estimate(estimator, x), rel=1e-13)
        assert len(estimator.why_down_weighted(x)) == x.size


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_reset_memory_equals_a_new_one(estimator):
    memory = estimator.memory(Setting(3, capacity=60))
    for x in samples(7, n=60):
        run(insert_all, memory, np.concatenate([x[:25], [1e300, -1e300]]))
        reset(memory)
        fresh = estimator.memory(Setting(3, capacity=60))
        assert (run(insert_all, memory, x) == run(insert_all, fresh, x)).all()
        reset(memory)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_interpreted_memory_equals_compiled_memory_bit_for_bit(estimator):
    memory = estimator.memory(Setting(3, capacity=150))
    for x in samples(8, n=150):
        for rewards in (x, x * np.pi, np.where(np.arange(x.size) % 10 == 3, -1e18, x * np.pi)):
            reset(memory)
            interpreted = run(insert_all, memory, rewards)
            reset(memory)
            fast = run(compiled(insert_all, memory), memory, rewards)
            assert interpreted.tobytes() == fast.tobytes()
            assert np.isfinite(interpreted).all()
