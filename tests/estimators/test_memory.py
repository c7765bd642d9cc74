"""Memories that take rewards one by one give the same estimates as arrays, and which memory is used when."""

import copy
import math

import numpy as np
import pytest

import trueward as tw
from trueward.engine.compiling import compiled
from trueward.engine.protocol import insert, reset
from trueward.engine.states import Setting
from trueward.estimators.samples.blocked_sample import BLOCK_SIZE

ALPHAS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.3, 0.35, 0.49)
TRIMMED = [
    tw.TrimmedMean(alpha, rounding=rounding, literal=literal)
    for alpha in ALPHAS
    for rounding in ("ceil", "floor")
    for literal in (False, True)
]
SHORTH = [
    tw.ShorthMean(alpha, tie=tie, literal=literal)
    for alpha in ALPHAS
    for tie in ("average", "random", "first", "middle")
    for literal in (False, True)
]
MEDIANS = [tw.Median(), tw.Median(even="upper")]
SAMPLES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ratings": lambda rng, n: rng.integers(0, 11, n).astype(float),
    "rising": lambda rng, n: np.arange(float(n)),
    "falling": lambda rng, n: -np.arange(float(n)),
    "constant": lambda rng, n: np.full(n, 7.0),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
}


def new_memory(estimator, n_arms, capacity, scale=None):
    return estimator.memory(Setting(n_arms, capacity=capacity, scale=scale))


def insert_all(memory, sample, arm=1):
    rng = np.random.default_rng(9)
    return np.array([insert(memory, arm, x, rng) for x in sample.tolist()])


def check_every_estimate(estimator, memory, sample):
    """Compare each estimate with that of the array of the rewards so far, the same random tie included."""
    rng = np.random.default_rng(9)
    for n, x in enumerate(sample.tolist(), start=1):
        known = {"rng": copy.deepcopy(rng)} if getattr(estimator, "tie", "") == "random" else {}
        expected = float(estimator(sample[:n], **known))
        assert insert(memory, 1, x, rng) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("estimator", [*TRIMMED, *SHORTH, *MEDIANS], ids=repr)
def test_ordered_memory_gives_the_estimate_of_the_array_after_every_reward(estimator, name):
    sample = SAMPLES[name](np.random.default_rng(3), 3 * BLOCK_SIZE // 2)
    check_every_estimate(estimator, new_memory(estimator, 2, sample.size), sample)


HUBER = [tw.HuberMean(beta) for beta in (0.2, 1.0, 1.5, 2.0, 40.0)]


@pytest.mark.parametrize("estimator", [*TRIMMED, *SHORTH, *MEDIANS, *HUBER, tw.GroupedMedian(0.5), tw.Mean()], ids=repr)
@pytest.mark.parametrize("scale", [np.arange(11.0), np.array([1.0, 2.0, 5.0, 5.5]), np.array([3.0])], ids=len)
def test_counted_memory_gives_the_estimate_of_the_array_after_every_rating(estimator, scale):
    rng = np.random.default_rng(4)
    sample = rng.choice(scale, p=rng.dirichlet(np.full(scale.size, 0.7)), size=120)
    check_every_estimate(estimator, new_memory(estimator, 2, 0, scale), sample)


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.2), tw.ShorthMean(0.2)], ids=repr)
def test_memory_is_exact_after_huge_values_were_kept_and_trimmed_again(estimator):
    # Up to a fifth are huge at any moment: every estimate stays that of the small ones in exact arithmetic.
    rng = np.random.default_rng(5)
    memory, seen = new_memory(estimator, 1, 600), []
    for i in range(600):
        huge = i % 6 == 5
        x = float(rng.choice([1e18, -1e18, 1e300])) if huge else float(rng.normal(5))
        seen.append(x)
        estimate = insert(memory, 0, x, rng)
        kept = np.array(seen)[estimator.weights(seen) > 0]
        if np.abs(kept).max() < 100:
            assert estimate == pytest.approx(math.fsum(kept) / kept.size, rel=1e-13)


def test_memory_is_exact_although_the_first_reward_is_huge():
    sample = np.concatenate([[-1e18], np.random.default_rng(0).normal(5, 1, 99)])
    for estimator in (tw.TrimmedMean(0.1), tw.ShorthMean(0.1)):
        assert insert_all(new_memory(estimator, 2, 100), sample)[-1] == pytest.approx(
            float(estimator(sample)), rel=1e-13
        )


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.1), tw.Median()], ids=repr)
def test_compiled_memory_agrees_with_the_array_function_for_30000_rewards(estimator):
    sample = np.random.default_rng(6).normal(size=30_000)
    memory = new_memory(estimator, 1, sample.size)

    estimate = last_estimate(new_memory(estimator, 1, 500), sample[:500], np.random.default_rng(0))
    assert estimate == pytest.approx(float(estimator(sample[:500])), rel=1e-12)
    assert last_estimate_compiled(memory, sample) == pytest.approx(float(estimator(sample)), rel=1e-12)


def last_estimate(memory, sample, rng):
    estimate = 0.0
    for i in range(sample.size):
        estimate = insert(memory, 0, sample[i], rng)
    return estimate


def last_estimate_compiled(memory, sample):
    return compiled(last_estimate, memory)(memory, sample, np.random.default_rng(0))


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.2), tw.Median()], ids=repr)
def test_reset_memory_gives_the_same_estimates_again(estimator):
    sample = np.random.default_rng(7).normal(size=3 * BLOCK_SIZE)
    for memory in (new_memory(estimator, 2, sample.size), new_memory(estimator, 2, 0, np.arange(11.0))):
        stream = np.round(np.abs(sample)) if not hasattr(memory, "sample") else sample
        once = insert_all(memory, stream)
        reset(memory)
        np.testing.assert_array_equal(insert_all(memory, stream), once)


def memory_class(estimator, scale=None):
    return type(new_memory(estimator, 2, 5, scale)).__name__


def test_memory_counts_ratings_on_a_small_scale_unless_their_order_matters():
    assert memory_class(tw.TrimmedMean(0.1), np.arange(128.0)) == "CountedTrimmedMean"
    assert (
        memory_class(tw.TrimmedMean(0.1), np.arange(129.0)) == memory_class(tw.TrimmedMean(0.1)) == "OrderedTrimmedMean"
    )
    assert memory_class(tw.HuberMean(1.0), np.arange(5.0)) == "CountedHuber"
    assert memory_class(tw.HuberMean(1.0, sequential=True), np.arange(5.0)) == "SequentialHuber"
    assert memory_class(tw.Mean(), np.arange(5.0)) == memory_class(tw.Mean()) == "MeanMemory"


def memory_class_in_game(arms, adversary, policy):
    scale = arms.scale if adversary.keeps_scale(arms) else None
    return type(policy.start(arms.n_arms, horizon=9, capacity=9, scale=scale).memory).__name__


def test_policy_counts_ratings_only_if_the_adversary_keeps_to_the_scale():
    ratings = tw.BinomialArms(n=10, p=[0.9, 0.8])
    tucb = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1)
    on = [None, tw.RandomMalicious(), tw.WorstBounded(), tw.Inlier()]
    off = [tw.ContinuousMalicious(), tw.Unbounded(), tw.WorstBounded(range=(-5, 10))]
    for values in on:
        attack = tw.NoAdversary() if values is None else tw.BernoulliAdversary(0.1, values)
        assert memory_class_in_game(ratings, attack, tucb) == "CountedTrimmedMean"
    for values in off:
        for attack in (tw.BernoulliAdversary(0.1, values), tw.PrefixBudget(0.1, values), tw.FrontCluster(0.1, values)):
            assert memory_class_in_game(ratings, attack, tucb) == "OrderedTrimmedMean"
    assert memory_class_in_game(tw.GaussianArms(means=[0, 1]), tw.NoAdversary(), tucb) == "OrderedTrimmedMean"
    assert memory_class_in_game(ratings, tw.NoAdversary(), tw.HuberUCB(sigma=1, beta=2)) == "CountedHuber"
    assert memory_class_in_game(ratings, tw.FunctionAdversary(lambda *_: None), tucb) == "OrderedTrimmedMean"


@pytest.mark.parametrize(
    "estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.1), tw.Median(), tw.GroupedMedian()], ids=repr
)
def test_policy_makes_the_same_choices_with_counted_and_ordered_memory(estimator):
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8])
    policy = tw.CrUCB(estimator, sigma=1.3)
    settings = {"horizon": 300, "trials": 4, "seed": 2}
    harmless = tw.FunctionAdversary(lambda view, t, arm, reward, rng: None)  # which the game cannot know
    ordered, counted = tw.play(policy, arms, harmless, **settings), tw.play(policy, arms, **settings)
    np.testing.assert_array_equal(ordered.pulls, counted.pulls)
