import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError
from trueward.estimators.catoni_mean import catoni_mean
from trueward.estimators.median_of_means import median_of_means
from trueward.policies.index.heavy_tail_ucb import HeavyTailUCB

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
MEANS = ("median-of-means", "catoni")
TRIALS, PROTOTYPE_TRIALS = 128, 200


def samples():
    rng = np.random.default_rng(0)
    return [rng.standard_t(3, size=n) for n in (150, 20, 1)]


def test_heavy_tail_ucb_index_with_the_median_of_means():
    t, v, e = 3, 1.6, 0.5
    policy = HeavyTailUCB("median-of-means", moment=v, order=e)
    log = 0.125 + 2 * math.log(t)
    for x, index in zip(samples(), policy.indices(state_after(policy, samples()), make_ask(t, 3)), strict=True):
        blocks = max(1, math.floor(min(8 * log, x.size / 2)))
        radius = (12 * v) ** (1 / (1 + e)) * (16 * log / x.size) ** (e / (1 + e))
        assert index == pytest.approx(median_of_means(x, blocks) + radius, rel=1e-12)


@pytest.mark.parametrize("early", ["median", "explore"])
def test_heavy_tail_ucb_index_with_catonis_mean(early):
    t, v = 40, 1.6
    policy = HeavyTailUCB("catoni", moment=v, early=early)
    log = 2 * math.log(t)
    for x, index in zip(samples(), policy.indices(state_after(policy, samples()), make_ask(t, 3)), strict=True):
        if x.size >= 4 * log:
            mean = catoni_mean(x, variance=v, delta=t**-2)
        else:
            mean = np.median(x) if early == "median" else math.inf
        assert index == pytest.approx(mean + 2 * math.sqrt(v * log / x.size), rel=1e-9)


def test_heavy_tail_ucb_with_counted_ratings_equals_that_with_stored_rewards():
    ratings = [
        np.random.default_rng(1).binomial(10, p, size=n).astype(float) for p, n in ((0.9, 300), (0.5, 120), (0.3, 20))
    ]
    policy = HeavyTailUCB("catoni", moment=1.6)
    scale, ask = np.arange(11.0), make_ask(500, 3)
    counting = state_after(policy, ratings, scale=scale)
    assert counting.histogram.counts.sum(axis=1).tolist() == [300, 120, 20]
    np.testing.assert_allclose(
        policy.indices(counting, ask), policy.indices(state_after(policy, ratings), ask), rtol=1e-11
    )
    assert HeavyTailUCB("median-of-means", moment=1.6).start(2, scale=scale).histogram.values.size == 0


@pytest.mark.parametrize("mean", MEANS)
def test_heavy_tail_ucb_choose_and_indices_do_not_change_what_was_learned(mean):
    policy = HeavyTailUCB(mean, moment=1.6)
    state, asked = state_after(policy, samples()), state_after(policy, samples())
    choose(asked, make_ask(5000, 3), np.random.default_rng(0))
    for name in ("sizes", "values", "estimate"):
        np.testing.assert_array_equal(getattr(asked, name), getattr(state, name))
    latest = state.latest.copy()
    policy.indices(state, make_ask(5000, 3))
    np.testing.assert_array_equal(state.latest, latest)


def test_heavy_tail_ucb_plays_arms_without_a_reward_first():
    for mean in MEANS:
        policy = HeavyTailUCB(mean, moment=1.0)
        assert policy.probabilities(state_after(policy, [[], [100.0], []]), make_ask(2, 3)).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("huge", [False, True], ids=["ratings", "huge rewards"])
def test_heavy_tail_ucb_interpreted_equals_compiled(mean, huge):
    policy = HeavyTailUCB(mean, moment=1.6)
    arms = tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0) if huge else ARMS
    adversary = tw.NoAdversary() if huge else tw.BernoulliAdversary(0.1, tw.WorstBounded())
    settings = {"horizon": 150, "trials": 2, "seed": 11, "keep_history": True}
    slow = tw.play(policy, arms, adversary, compiled=False, **settings)
    fast = tw.play(policy, arms, adversary, compiled=True, **settings)
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize("mean", MEANS)
def test_heavy_tail_ucb_index_is_finite_for_huge_rewards_of_both_signs(mean):
    policy = HeavyTailUCB(mean, moment=1e-6)
    state = state_after(policy, [[(1e300, -1e300, 0.0, 5.0, 1e300)[i % 5] for i in range(100)]])
    for t in (1, 2, 1000):
        assert np.isfinite(policy.indices(state, make_ask(t, 1))).all()


@pytest.mark.parametrize(
    ("mean", "adversary", "expected", "sd"),
    [
        ("median-of-means", tw.NoAdversary(), 717, 6),
        ("median-of-means", tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 738, 18),
        ("catoni", tw.NoAdversary(), 198, 30),
        ("catoni", tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 541, 92),
    ],
)
@pytest.mark.soak
def test_heavy_tail_ucb_regret_agrees_with_the_prototypes(mean, adversary, expected, sd):
    policy = HeavyTailUCB(mean, moment=1.6)
    ours = tw.play(policy, ARMS, adversary, horizon=1000, trials=TRIALS, seed=0, checkpoints=[1000]).regret[:, -1]
    error = math.sqrt(ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12)  # rounded to whole numbers
    assert abs(ours.mean() - expected) < 4 * error, (ours.mean(), expected)  # 4 standard errors


def test_heavy_tail_ucb_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="mean must be one of 'median-of-means', 'catoni', got 'mean'"):
        HeavyTailUCB("mean", moment=1)
    with pytest.raises(ParameterError, match="moment must be above 0, got 0"):
        HeavyTailUCB("catoni", moment=0)
    with pytest.raises(ParameterError, match=r"order must be 1, a bounded variance, for Catoni's mean, got 0.5"):
        HeavyTailUCB("catoni", moment=1, order=0.5)
