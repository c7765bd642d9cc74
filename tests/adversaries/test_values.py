import numpy as np
import pytest

import trueward as tw
from trueward.adversaries import VALUES
from trueward.engine.protocol import contaminated_value
from trueward.errors import ParameterError

PAPER = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
# name: the best arm's range, the others' range, whole numbers only, c in the observed gap 1 - c epsilon
SCHEMES = {
    "random-malicious": ((0, 8), (9, 10), True, 6.5),
    "continuous-malicious": ((0, 9), (8, 10), False, 5.5),
    "worst-bounded": ((0, 0), (10, 10), True, 11.0),
    "unbounded": ((-100, 0), (10, 110), False, 1 + 110.0),
    "inlier": ((6, 6), (10, 10), True, 5.0),
}
every = pytest.mark.parametrize("name", VALUES)


def draws(values, arm, n=4000):
    rng, ranges = np.random.default_rng(8), values.start(PAPER)
    return np.array([contaminated_value(ranges, arm, 8.0, rng) for _ in range(n)])


def test_every_registered_scheme_is_checked_here():
    assert SCHEMES.keys() == VALUES.keys()


@every
def test_contaminated_values_fill_their_range_and_nothing_else(name):
    best, others, whole, _ = SCHEMES[name]
    for arm, (low, high) in [(0, best), (1, others), (2, others)]:
        x = draws(VALUES[name](), arm)
        assert x.min() >= low
        assert x.max() <= high
        if whole:
            assert set(x) == set(range(low, high + 1))
        else:
            # uniform: the extremes of 4000 draws leave more than 1/200 of the range with probability e^-20
            assert x.min() < low + (high - low) / 200
            assert x.max() > high - (high - low) / 200


@every
def test_observed_gap_is_that_of_the_scheme(name):
    best, others = draws(VALUES[name](), 0), draws(VALUES[name](), 1)
    c = SCHEMES[name][3]
    # at rate epsilon the gap is (1 - epsilon) 1 + epsilon (E best - E others) = 1 - c epsilon
    error = np.sqrt((best.var() + others.var()) / best.size)
    assert abs(1 - (best.mean() - others.mean()) - c) <= 4 * error + 1e-12  # four standard errors


def test_worst_bounded_lowers_every_best_arm():
    ranges = tw.WorstBounded().start(tw.BernoulliArms([0.5, 0.7, 0.7]))
    assert ranges.low.tolist() == [1, 0, 0]


def test_malicious_values_lie_beyond_the_mean_of_their_own_arm():
    arms = tw.BinomialArms(n=10, p=(0.9, 0.55, 0.2))
    whole, continuous = tw.RandomMalicious().start(arms), tw.ContinuousMalicious().start(arms)
    assert (whole.low.tolist(), whole.high.tolist()) == ([0, 6, 3], [8, 10, 10])
    assert (continuous.low.tolist(), continuous.high.tolist()) == ([0, 5.5, 2], [9, 10, 10])


def test_random_malicious_stays_on_the_scale_when_means_are_at_its_bounds():
    ranges = tw.RandomMalicious().start(tw.BinomialArms(n=10, p=(1, 1, 0)))
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([0, 0, 1], [9, 9, 10])
    ranges = tw.RandomMalicious().start(tw.BinomialArms(n=10, p=(0, 0)))
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([0, 0], [0, 0])


def test_values_without_bounds_stay_within_three_sds_of_the_means_or_the_given_range():
    arms = tw.GaussianArms(means=[5, 3], sd=[1, 2])
    assert tw.WorstBounded().start(arms).low.tolist() == [-3, 11]
    assert tw.WorstBounded(range=(0, 10)).start(arms).low.tolist() == [0, 10]
    assert tw.Unbounded(range=(0, 1)).start(arms).low.tolist() == [-10, 1]
    assert tw.Unbounded(range=(0, 1)).start(arms).high.tolist() == [0, 11]


def test_inlier_is_a_quantile_of_the_best_arm():
    assert tw.Inlier(quantile=0.1).start(PAPER).low.tolist() == [8, 10, 10]  # P(Bin(10, 0.9) <= 7) = 0.0702


@pytest.mark.parametrize("bound", [11, 2.0**53, 1e18, 1e20])
def test_keeps_scale_is_false_for_values_off_the_scale_of_any_size(bound):
    for values in (tw.WorstBounded(range=(-bound, bound)), tw.RandomMalicious(range=(-bound, bound))):
        assert not values.keeps_scale(PAPER)
    assert tw.WorstBounded().keeps_scale(PAPER)
    assert tw.RandomMalicious().keeps_scale(PAPER)
    assert not tw.RandomMalicious(range=(0.5, 8)).keeps_scale(PAPER)


@pytest.mark.parametrize(
    ("bound", "scheme"), [(1e18, tw.WorstBounded), (1e20, tw.WorstBounded), (1e20, tw.RandomMalicious)]
)
def test_values_above_2_to_the_53_give_the_same_game_interpreted_and_compiled(bound, scheme):
    tucb, attack = (
        tw.CrUCB(tw.TrimmedMean(0.2), sigma=1.2649),
        tw.BernoulliAdversary(0.1, scheme(range=(-bound, bound))),
    )
    games = [tw.play(tucb, PAPER, attack, horizon=200, trials=3, compiled=fast) for fast in (False, True)]
    np.testing.assert_array_equal(games[0].regret, games[1].regret)
    if scheme is tw.WorstBounded:  # so far away that the ranks are the same
        far = tw.BernoulliAdversary(0.1, tw.WorstBounded(range=(-1e19, 1e19)))
        assert (
            games[0].regret[:, -1].tolist() == tw.play(tucb, PAPER, far, horizon=200, trials=3).regret[:, -1].tolist()
        )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.RandomMalicious().start(tw.GaussianArms(means=[1, 2])), "needs rewards on a scale of whole number"),
        (lambda: tw.RandomMalicious().start(tw.ResampledArms([[0.5], [1]])), "needs rewards on a scale of whole"),
        (lambda: tw.WorstBounded(range=(1, 0)), "range must have low below high"),
        (lambda: tw.WorstBounded(range=3), r"range must be a pair \(low, high\), got 3"),
        (lambda: tw.Unbounded(range=(0, np.nan)), r"range must be at least -1e\+300 and at most 1e\+300, got nan"),
        (
            lambda: tw.Unbounded(range=(0, 1e300)).start(PAPER),
            r"contaminated rewards must be at most 1e\+300 in absolute value",
        ),
        (lambda: tw.Inlier(quantile=0), "quantile must be above 0 and below 1, got 0"),
        (lambda: tw.Inlier(quantile=1), "quantile must be above 0 and below 1, got 1"),
    ],
)
def test_values_refuse_wrong_parameters(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
