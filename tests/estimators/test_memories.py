"""What memories give after every reward, against the estimators' values on arrays, and exact arithmetic beyond."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueward as tw
from trueward.engine.compiling import Compilable
from trueward.engine.native import shift_up
from trueward.engine.protocol import insert, reset
from trueward.engine.states import Setting, new
from trueward.estimators.samples.blocked_sample import HALF, ROOM, begin, blocked_sample, place_between
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded
from trueward.estimators.samples.histogram import histogram, tally

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
    for tie in ("average", "random", "first", "midmost")
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


def remember(estimator, n_arms, capacity, scale=None):
    return estimator.memory(Setting(n_arms, capacity=capacity, scale=scale))


def fed(memory, sample, arm=1):
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
def test_cursors_give_the_estimate_after_every_reward(estimator, name):
    sample = SAMPLES[name](np.random.default_rng(3), 3 * ROOM // 2)
    check_every_estimate(estimator, remember(estimator, 2, sample.size), sample)


HUBER = [tw.HuberMean(beta) for beta in (0.2, 1.0, 1.5, 2.0, 40.0)]


@pytest.mark.parametrize("estimator", [*TRIMMED, *SHORTH, *MEDIANS, *HUBER, tw.GroupedMedian(0.5), tw.Mean()], ids=repr)
@pytest.mark.parametrize("scale", [np.arange(11.0), np.array([1.0, 2.0, 5.0, 5.5]), np.array([3.0])], ids=len)
def test_counts_give_the_estimate_after_every_rating(estimator, scale):
    rng = np.random.default_rng(4)
    sample = rng.choice(scale, p=rng.dirichlet(np.full(scale.size, 0.7)), size=120)
    check_every_estimate(estimator, remember(estimator, 2, 0, scale), sample)


@pytest.mark.parametrize("scale", [np.arange(11.0), np.array([1.0, 2.0, 5.0])], ids=len)
def test_a_value_off_the_scale_is_counted_at_its_end(scale):
    counted = histogram(Setting(1, scale=scale))
    for value in (-1e300, -1e20, scale[0] - 1, scale[-1] + 1, 1e18, 1e20, 1e300):
        tally(counted, 0, value)
    assert counted.counts[0].tolist() == [3, *[0] * (scale.size - 2), 4]


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.2), tw.ShorthMean(0.2)], ids=repr)
def test_huge_values_come_and_go_without_a_trace(estimator):
    # Up to a fifth are huge at any moment: every estimate stays that of the small ones in exact arithmetic.
    rng = np.random.default_rng(5)
    memory, seen = remember(estimator, 1, 600), []
    for i in range(600):
        huge = i % 6 == 5
        x = float(rng.choice([1e18, -1e18, 1e300])) if huge else float(rng.normal(5))
        seen.append(x)
        estimate = insert(memory, 0, x, rng)
        kept = np.array(seen)[estimator.weights(seen) > 0]
        if np.abs(kept).max() < 100:
            assert estimate == pytest.approx(math.fsum(kept) / kept.size, rel=1e-13)


def test_the_trap_of_subtracting_sums_is_avoided():
    sample = np.concatenate([[-1e18], np.random.default_rng(0).normal(5, 1, 99)])
    for estimator in (tw.TrimmedMean(0.1), tw.ShorthMean(0.1)):
        assert fed(remember(estimator, 2, 100), sample)[-1] == pytest.approx(float(estimator(sample)), rel=1e-13)


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.1), tw.Median()], ids=repr)
def test_large_samples_agree_with_the_array_function(estimator):
    sample = np.random.default_rng(6).normal(size=30_000)
    memory = remember(estimator, 1, sample.size)

    estimate = feed_all.interpreted(remember(estimator, 1, 500), sample[:500], np.random.default_rng(0))
    assert estimate == pytest.approx(float(estimator(sample[:500])), rel=1e-12)
    assert fed_compiled(memory, sample) == pytest.approx(float(estimator(sample)), rel=1e-12)


@Compilable
def feed_all(memory, sample, rng):
    estimate = 0.0
    for i in range(sample.size):
        estimate = insert(memory, 0, sample[i], rng)
    return estimate


def fed_compiled(memory, sample):
    return feed_all.compiled(memory)(memory, sample, np.random.default_rng(0))


@pytest.mark.parametrize("estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.2), tw.Median()], ids=repr)
def test_reset_forgets_everything(estimator):
    sample = np.random.default_rng(7).normal(size=3 * ROOM)
    for memory in (remember(estimator, 2, sample.size), remember(estimator, 2, 0, np.arange(11.0))):
        stream = np.round(np.abs(sample)) if not hasattr(memory, "sample") else sample
        once = fed(memory, stream)
        reset(memory)
        np.testing.assert_array_equal(fed(memory, stream), once)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300, allow_nan=False), min_size=1, max_size=40), st.data())
def test_an_exact_sum_is_that_of_fsum_whatever_left_it(values, data):
    sums = new(ExactSum, Setting(1))
    for value in values:
        add_exactly(sums, 0, value)
    gone = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True))
    for i in gone:
        add_exactly(sums, 0, -values[i])
    left = math.fsum(value for i, value in enumerate(values) if i not in gone)
    assert rounded(sums, 0) == pytest.approx(left, rel=1e-15, abs=0)


def test_an_exact_sum_of_like_values_needs_two_parts_and_others_more():
    like, unlike = new(ExactSum, Setting(1)), new(ExactSum, Setting(1))
    for value in np.random.default_rng(8).normal(5, 1, 2000).tolist():
        add_exactly(like, 0, value)
    for value in (1e18, 1.0, 1e-18, 1e-36):
        add_exactly(unlike, 0, value)
    assert like.n_parts[0] == 2
    assert unlike.n_parts[0] == 4
    for value in (1e18, 1.0, 1e-18):  # and back to two, with what is left intact
        add_exactly(unlike, 0, -value)
    assert unlike.n_parts[0] == 2
    assert rounded(unlike, 0) == 1e-36


@Compilable
def make_room(array, start, stop):
    shift_up(array, start, stop)


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
@pytest.mark.parametrize(("start", "stop"), [(0, 9), (3, 7), (5, 5), (9, 9)])
def test_shifting_moves_each_element_once_interpreted_and_compiled(kind, start, stop):
    expected = list(range(start)) + [start] * (stop > start) + list(range(start, stop)) + list(range(stop + 1, 10))
    for shift in (make_room.interpreted, make_room.compiled()):
        array = np.arange(10, dtype=kind)
        shift(array, start, stop)
        assert array.tolist() == (expected if stop > start else list(range(10)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=5 * ROOM))
def test_blocks_keep_every_reward_in_order(values):
    sample = blocked_sample(Setting(1, capacity=len(values)))
    begin(sample, 0, float(values[0]))
    for value in values[1:]:
        place_between(sample, 0, float(value))
    blocks = [sample.order[0, i] for i in range(sample.entries[0])]
    stored = [sample.pool[block, i] for block in blocks for i in range(sample.fill[block])]
    assert stored == sorted(values)
    assert [sample.pool[block, 0] for block in blocks] == sample.lowest[0, : len(blocks)].tolist()
    assert all(sample.fill[block] >= HALF for block in blocks) or len(blocks) == 1


def kind(estimator, scale=None):
    return type(remember(estimator, 2, 5, scale)).__name__


def test_ratings_are_counted_on_a_small_scale_and_where_their_order_does_not_matter():
    assert kind(tw.TrimmedMean(0.1), np.arange(128.0)) == "CountedRanks"
    assert kind(tw.TrimmedMean(0.1), np.arange(129.0)) == kind(tw.TrimmedMean(0.1)) == "OrderedRanks"
    assert kind(tw.HuberMean(1.0), np.arange(5.0)) == "CountedHuber"
    assert kind(tw.HuberMean(1.0, sequential=True), np.arange(5.0)) == "SequentialHuber"
    assert kind(tw.Mean(), np.arange(5.0)) == kind(tw.Mean()) == "MeanMemory"


def memory_used(arms, adversary, policy):
    scale = arms.scale if adversary.keeps_scale(arms) else None
    return type(policy.start(arms.n_arms, horizon=9, capacity=9, scale=scale).memory).__name__


def test_ratings_are_counted_when_all_that_is_shown_lies_on_the_scale():
    ratings = tw.BinomialArms(n=10, p=[0.9, 0.8])
    tucb = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1)
    on = [None, tw.RandomMalicious(), tw.WorstBounded(), tw.Inlier()]
    off = [tw.ContinuousMalicious(), tw.Unbounded(), tw.WorstBounded(range=(-5, 10))]
    for values in on:
        attack = tw.NoAdversary() if values is None else tw.BernoulliAdversary(0.1, values)
        assert memory_used(ratings, attack, tucb) == "CountedRanks"
    for values in off:
        for attack in (tw.BernoulliAdversary(0.1, values), tw.PrefixBudget(0.1, values), tw.FrontCluster(0.1, values)):
            assert memory_used(ratings, attack, tucb) == "OrderedRanks"
    assert memory_used(tw.GaussianArms(means=[0, 1]), tw.NoAdversary(), tucb) == "OrderedRanks"
    assert memory_used(ratings, tw.NoAdversary(), tw.HuberUCB(sigma=1, beta=2)) == "CountedHuber"
    assert memory_used(ratings, tw.FunctionAdversary(lambda *_: None), tucb) == "OrderedRanks"


@pytest.mark.parametrize(
    "estimator", [tw.TrimmedMean(0.1), tw.ShorthMean(0.1), tw.Median(), tw.GroupedMedian()], ids=repr
)
def test_counting_changes_no_choice(estimator):
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8])
    policy = tw.CrUCB(estimator, sigma=1.3)
    settings = {"horizon": 300, "trials": 4, "seed": 2}
    harmless = tw.FunctionAdversary(lambda view, t, arm, reward, rng: None)  # which the game cannot know
    ordered, counted = tw.play(policy, arms, harmless, **settings), tw.play(policy, arms, **settings)
    np.testing.assert_array_equal(ordered.pulls, counted.pulls)
