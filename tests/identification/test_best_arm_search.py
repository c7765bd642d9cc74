import math

import numpy as np
import pytest
from scipy.stats import norm

import trueward as tw
from trueward.errors import ParameterError, RewardError
from trueward.identification import METHODS, MODELS
from trueward.identification.best_arm_search import _schedule

UNIT = tw.GaussianQuantileBound(sigma=1)


def find(means, *, epsilon=0.1, model="malicious", seed=0, **settings):
    pull = tw.ContaminatedArms(tw.GaussianArms(means=means), epsilon=epsilon, model=model, seed=seed)
    settings = {"epsilon": epsilon, "model": model, "quantile_bound": UNIT, "accuracy": 1.0} | settings
    return tw.identify_best_arm(pull, len(means), **settings)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", METHODS)
def test_identify_best_arm_keeps_its_guarantee_against_every_adversary(model, method):
    means = np.array([0.0, 1.2, 0.9, -1.0])
    bad_arm = bad_interval = 0
    for seed in range(25):
        result = find(means, model=model, method=method, seed=seed, accuracy=0.6, delta=0.2)
        assert result.reached
        bad_arm += means[result.arm] < means.max() - min(result.tolerance, result.shortfall)
        bad_interval += not ((result.low <= means) & (means <= result.high)).all()
    # promised at most 0.2 * 25 = 5 on average; Hoeffding's radius is wide enough for fewer
    assert bad_arm == 0
    assert bad_interval <= 5


@pytest.mark.parametrize("method", METHODS)
def test_identify_best_arm_is_misled_if_epsilon_is_assumed_to_be_zero(method):
    means = np.array([0.8, 0.0])  # a gap below 2U = 1.05
    aware = find(means, epsilon=0.2, method=method, accuracy=0.2)
    assert (aware.low <= means).all()
    assert (means <= aware.high).all()
    assert means[aware.arm] >= 0.8 - aware.shortfall
    for seed in range(5):
        pull = tw.ContaminatedArms(tw.GaussianArms(means=means), epsilon=0.2, model="malicious", seed=seed)
        naive = tw.identify_best_arm(pull, 2, epsilon=0.0, quantile_bound=UNIT, accuracy=0.2, method=method)
        assert naive.arm == 1
        assert naive.high[0] < means[0]
        assert naive.low[1] > means[1]


def test_elimination_needs_fewer_pulls_than_uniform_when_gaps_are_large():
    means = [4.0, 0.0, 0.0, 1.0, 1.0]
    elimination, uniform = (find(means, method=method, accuracy=0.2) for method in METHODS)
    assert elimination.arm == uniform.arm == 0
    assert elimination.pulls.sum() < uniform.pulls.sum() / 10
    assert elimination.pulls[[1, 2]].max() < elimination.pulls[[0, 3, 4]].min()


SKEWED = tw.ResampledArms([np.random.default_rng(arm).exponential(size=200) for arm in range(2)])
RATINGS = tw.BinomialArms(n=10, p=[0.9, 0.8])
WORLDS = {
    "alike": (tw.GaussianArms(means=[0, 0, 0, 0]), UNIT, 0.7),
    "skewed": (SKEWED, tw.ArmsQuantileBound(SKEWED), 0.4),
    "ratings": (RATINGS, tw.ArmsQuantileBound(RATINGS), 0.5),
    "in tenths": (tw.CategoricalArms(values=[0.1, 0.4, 0.7], probabilities=[[0.2, 0.6, 0.2]] * 2), UNIT, 0.8),
}


@pytest.mark.parametrize("world", WORLDS)
def test_elimination_needs_few_more_pulls_than_uniform_and_succeeds_where_uniform_does(world):
    arms, quantile_bound, accuracy = WORLDS[world]

    def search(method, max_pulls):
        pull = tw.ContaminatedArms(arms, epsilon=0.1, seed=1)
        result = tw.identify_best_arm(
            pull,
            arms.n_arms,
            epsilon=0.1,
            quantile_bound=quantile_bound,
            accuracy=accuracy,
            method=method,
            max_pulls=max_pulls,
        )
        assert result.reached
        assert result.shortfall <= result.tolerance + 1e-12
        return int(result.pulls.sum())

    uniform = search("uniform", 10_000)
    price = 1 + math.log(2) / math.log(2 * arms.n_arms / 0.05)  # half of delta is left for the final comparison
    assert search("elimination", 10_000) <= price * uniform + arms.n_arms
    for extra in (0, arms.n_arms, uniform // 50):
        assert search("elimination", uniform + extra) <= uniform + extra


def test_schedule_divides_delta_among_its_comparisons():
    for max_pulls in (9, 200, 300, 330, 10_000):
        schedule = _schedule("elimination", 3, max_pulls, 0.05, lambda noise: noise <= 0.15)
        spent = sum(2 * 3 * math.exp(-2 * n * noise**2) for n, noise in schedule.items())
        assert spent == pytest.approx(0.05)
        assert max(schedule) <= max_pulls // 2
    assert _schedule("uniform", 3, 10_000, 0.05, lambda noise: noise <= 0.15).keys() == {
        107
    }  # ln 120 / (2 0.15^2) = 106.4
    assert (
        max(_schedule("elimination", 3, 10_000, 0.05, lambda noise: noise <= 0.15)) == 122
    )  # ln 240 / (2 0.15^2) = 121.8


@pytest.mark.parametrize(
    "seed", [189744312, 11, 184, 254]
)  # an eliminated arm has the same lower bound as the selected one
def test_elimination_returns_an_arm_that_was_not_eliminated(seed):
    rng, p = np.random.default_rng(seed), [0.69674667, 0.68107405, 0.72447331]
    quantile_bound = tw.CustomQuantileBound(lambda u: 2 * round(4 * u) / 4)
    result = tw.identify_best_arm(
        lambda arm: float(rng.binomial(2, p[arm])),
        3,
        epsilon=0.05,
        model="malicious",
        quantile_bound=quantile_bound,
        accuracy=0.5,
    )
    assert result.reached
    assert result.pulls[result.arm] == result.pulls.max()
    assert result.shortfall <= result.tolerance


@pytest.mark.parametrize("model", MODELS)
def test_elimination_matches_its_definition_on_a_table_of_rewards(model):
    table = np.random.default_rng(5).normal([0.0, 1.5, 1.0, 3.0], size=(400, 4))
    table[70:110, 3] = -5.0  # the leader's median falls, but intervals only shrink
    drawn = np.zeros(4, int)

    def pull(arm):
        drawn[arm] += 1
        return table[drawn[arm] - 1, arm]

    result = tw.identify_best_arm(pull, 4, epsilon=0.1, model=model, quantile_bound=UNIT, accuracy=0.4, delta=0.1)
    shift = 0.1 if model == "malicious" else 0.05 / 0.9
    scale = 1.0 if model == "malicious" else 1 / 0.9
    low, high, left, pulls = np.full(4, -np.inf), np.full(4, np.inf), np.full(4, True), np.zeros(4, int)
    most = norm.cdf(norm.ppf(0.5 + shift) + 0.2)  # the level at which a radius is U + accuracy/2
    end = math.ceil(math.log(2 * 4 / 0.05) / (2 * ((most - 0.5 - shift) / scale) ** 2))
    schedule = {round(n) for n in np.geomspace(1, end, 1 + math.ceil(math.log(end, 1.25)))}
    while left.sum() > 1:
        pulls[left] += 1
        n = pulls.max()
        if n not in schedule:
            continue
        noise = math.sqrt(math.log(2 * 4 * (len(schedule) - 1 if n < end else 1) / 0.05) / (2 * n))
        level = min(1.0, 0.5 + shift + scale * noise)
        medians = np.median(table[:n], axis=0)
        low[left] = np.maximum(low, medians - norm.ppf(level))[left]
        high[left] = np.minimum(high, medians + norm.ppf(level))[left]
        leader = np.argmax(np.where(left, low, -np.inf))
        left &= (high > low.max() + 2 * norm.ppf(0.5 + shift) + 0.4) | (np.arange(4) == leader)
    assert result.arm == 3 == np.argmax(left)
    assert result.pulls.tolist() == pulls.tolist() == drawn.tolist()
    np.testing.assert_allclose(result.low, low, rtol=1e-9)
    np.testing.assert_allclose(result.high, high, rtol=1e-9)
    assert result.reached


@pytest.mark.parametrize("model", MODELS)
def test_uniform_pulls_match_the_closed_form(model):
    result = find([1.0, 0.0, 0.0], model=model, method="uniform", accuracy=0.5, delta=0.1)
    level = norm.cdf(result.uncertainty[0] + 0.25)
    noise = level - 0.1 - 0.5 if model == "malicious" else 0.9 * level - 0.5
    assert result.pulls.tolist() == [math.ceil(math.log(6 / 0.1) / (2 * noise**2))] * 3
    np.testing.assert_allclose((result.low + result.high) / 2, result.medians)
    assert (result.high - result.low <= result.tolerance + 1e-12).all()
    assert result.reached


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("max_pulls", [3, 100, 1001])
def test_search_gives_up_at_max_pulls_and_states_what_was_proved(method, max_pulls):
    result = find([0.0, 0.1, 0.0], method=method, accuracy=0.0, max_pulls=max_pulls)
    assert not result.reached
    assert max_pulls - 3 < result.pulls.sum() <= max_pulls
    assert result.guarantee.startswith(f"gave up after {result.pulls.sum()} pulls")
    if max_pulls == 3:
        assert result.shortfall == math.inf
        assert "too few" in result.guarantee
        guesses = [find([0.0, 0.1, 0.0], method=method, max_pulls=3, seed=seed) for seed in range(8)]
        assert all(guess.arm == guess.medians.argmax() for guess in guesses)
    if max_pulls == 1001:
        assert f"within {result.shortfall:.4g} of the highest" in result.guarantee


def test_result_is_resolvable_for_a_wide_gap_and_not_for_a_narrow_one():
    wide = find([3.0, 0.0], method="uniform", accuracy=0.4)
    assert wide.resolvable
    assert wide.shortfall == 0
    assert wide.guarantee == "with probability 0.95, its median is the highest (2U + accuracy = 0.9067)"
    narrow = find([0.3, 0.0], method="uniform", accuracy=0.4)
    assert not narrow.resolvable
    assert 0 < narrow.shortfall <= narrow.tolerance
    assert f"its median is within {narrow.shortfall:.4g} of the highest (2U + accuracy = 0.9067)" in narrow.guarantee
    assert narrow.gap == pytest.approx(np.ptp(narrow.medians))
    assert str(narrow).splitlines()[0] == f"arm {narrow.arm}: {narrow.guarantee}"


def test_identify_best_arm_accepts_one_quantile_bound_per_arm():
    bounds = [UNIT, tw.GaussianQuantileBound(sigma=0.1)]
    result = find([0.0, 0.0], quantile_bound=bounds, method="uniform")
    np.testing.assert_allclose(result.uncertainty, norm.ppf(0.6) * np.array([1.0, 0.1]))
    assert result.tolerance == pytest.approx(2 * norm.ppf(0.6) + 1.0)
    assert result.pulls.tolist() == find([0.0, 0.0], method="uniform").pulls.tolist()
    assert result.high[1] - result.low[1] == pytest.approx(0.1 * (result.high[0] - result.low[0]))


def test_identify_best_arm_accepts_the_quantile_bound_of_pilot_ratings():
    arms = tw.BinomialArms(n=10, p=[0.5, 0.8])
    pull = tw.ContaminatedArms(arms, epsilon=0.05)
    result = tw.identify_best_arm(pull, 2, epsilon=0.05, quantile_bound=tw.ArmsQuantileBound(arms), accuracy=0.5)
    assert result.arm == 1
    assert result.reached
    assert result.medians.tolist() == [5.0, 8.0]


@pytest.mark.parametrize("method", METHODS)
def test_identify_best_arm_is_reproducible_for_the_same_seed(method):
    first, again, other = (find([1.0, 0.0], method=method, seed=seed) for seed in (7, 7, 8))
    assert str(first) == str(again) != str(other)


@pytest.mark.parametrize("method", METHODS)
def test_identify_best_arm_handles_huge_rewards(method):
    rewards = {0: 1e300, 1: -1e300}
    result = tw.identify_best_arm(rewards.get, 2, epsilon=0.1, quantile_bound=UNIT, accuracy=0.5, method=method)
    assert result.arm == 0
    assert result.reached
    assert not np.isnan([*result.low, *result.high, result.shortfall, result.gap]).any()


def test_progress_receives_all_pulls():
    calls = []
    result = find([1.0, 0.0], max_pulls=500, progress=lambda done, limit: calls.append((done, limit)))
    assert calls[-1] == (result.pulls.sum(), 500)
    assert calls == sorted(set(calls))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pull": 3}, "pull must be a function that returns an arm's reward, got 3"),
        ({"n_arms": 1}, "n_arms must be a whole number of at least 2, got 1"),
        ({"accuracy": -0.1}, "accuracy must be at least 0, got -0.1"),
        ({"delta": 0}, "delta must be above 0 and below 1, got 0"),
        ({"method": "guess"}, "method must be one of 'elimination', 'uniform', got 'guess'"),
        ({"max_pulls": 1}, "max_pulls must be a whole number of at least 2, got 1"),
        ({"quantile_bound": [UNIT]}, "quantile_bound must be one, or one for each of 2 arms, got 1"),
        ({"quantile_bound": 1.0}, "quantile_bound must be a QuantileBound such as"),
        ({"epsilon": 0.6}, "epsilon must be at least 0 and below 0.5, got 0.6"),
        ({"model": "kind"}, "model must be one of 'oblivious', 'prescient', 'malicious', got 'kind'"),
    ],
)
def test_identify_best_arm_names_the_invalid_parameter(changes, message):
    good = {"pull": lambda arm: 0.0, "n_arms": 2, "epsilon": 0.1, "quantile_bound": UNIT, "accuracy": 0.5}
    with pytest.raises(ParameterError, match=message):
        tw.identify_best_arm(**(good | changes))


def test_identify_best_arm_names_the_pull_of_an_invalid_reward():
    with pytest.raises(RewardError, match="the reward of arm 1 at its pull 1 must be a finite number, got nan"):
        tw.identify_best_arm({0: 0.0, 1: math.nan}.get, 2, epsilon=0.1, quantile_bound=UNIT, accuracy=0.5)
