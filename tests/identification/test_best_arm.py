import math

import numpy as np
import pytest
from scipy.stats import norm

import trueward as tw
from trueward.errors import ParameterError, RewardError
from trueward.identification import METHODS, MODELS
from trueward.identification.best_arm import _looks

UNIT = tw.GaussianSpread(sigma=1)


def find(means, *, epsilon=0.1, model="malicious", seed=0, **settings):
    pull = tw.ContaminatedArms(tw.GaussianArms(means=means), epsilon=epsilon, model=model, seed=seed)
    settings = {"epsilon": epsilon, "model": model, "spread": UNIT, "alpha": 1.0} | settings
    return tw.identify_best_arm(pull, len(means), **settings)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", METHODS)
def test_the_guarantee_holds_against_every_adversary(model, method):
    means = np.array([0.0, 1.2, 0.9, -1.0])
    bad_arm = bad_interval = 0
    for seed in range(25):
        found = find(means, model=model, method=method, seed=seed, alpha=0.6, delta=0.2)
        assert found.reached
        bad_arm += means[found.arm] < means.max() - min(found.tolerance, found.shortfall)
        bad_interval += not ((found.low <= means) & (means <= found.high)).all()
    # promised at most 0.2 * 25 = 5 on average; Hoeffding's radius is wide enough for fewer
    assert bad_arm == 0
    assert bad_interval <= 5


@pytest.mark.parametrize("method", METHODS)
def test_a_malicious_adversary_breaks_a_radius_that_does_not_reckon_with_it(method):
    means = np.array([0.8, 0.0])  # a gap below 2U = 1.05
    aware = find(means, epsilon=0.2, method=method, alpha=0.2)
    assert (aware.low <= means).all()
    assert (means <= aware.high).all()
    assert means[aware.arm] >= 0.8 - aware.shortfall
    for seed in range(5):
        pull = tw.ContaminatedArms(tw.GaussianArms(means=means), epsilon=0.2, model="malicious", seed=seed)
        naive = tw.identify_best_arm(pull, 2, epsilon=0.0, spread=UNIT, alpha=0.2, method=method)
        assert naive.arm == 1
        assert naive.high[0] < means[0]
        assert naive.low[1] > means[1]


def test_elimination_needs_fewer_pulls_than_uniform_when_gaps_are_large():
    means = [4.0, 0.0, 0.0, 1.0, 1.0]
    elimination, uniform = (find(means, method=method, alpha=0.2) for method in METHODS)
    assert elimination.arm == uniform.arm == 0
    assert elimination.pulls.sum() < uniform.pulls.sum() / 10
    assert elimination.pulls[[1, 2]].max() < elimination.pulls[[0, 3, 4]].min()


SKEWED = tw.ResampledArms([np.random.default_rng(arm).exponential(size=200) for arm in range(2)])
RATINGS = tw.BinomialArms(n=10, p=[0.9, 0.8])
WORLDS = {
    "alike": (tw.GaussianArms(means=[0, 0, 0, 0]), UNIT, 0.7),
    "skewed": (SKEWED, tw.ArmsSpread(SKEWED), 0.4),
    "ratings": (RATINGS, tw.ArmsSpread(RATINGS), 0.5),
    "in tenths": (tw.CategoricalArms(values=[0.1, 0.4, 0.7], probabilities=[[0.2, 0.6, 0.2]] * 2), UNIT, 0.8),
}


@pytest.mark.parametrize("world", WORLDS)
def test_elimination_costs_little_more_than_uniform_and_answers_wherever_uniform_does(world):
    arms, spread, alpha = WORLDS[world]

    def search(method, max_pulls):
        pull = tw.ContaminatedArms(arms, epsilon=0.1, seed=1)
        found = tw.identify_best_arm(
            pull, arms.n_arms, epsilon=0.1, spread=spread, alpha=alpha, method=method, max_pulls=max_pulls
        )
        assert found.reached
        assert found.shortfall <= found.tolerance + 1e-12
        return int(found.pulls.sum())

    uniform = search("uniform", 10_000)
    price = 1 + math.log(2) / math.log(2 * arms.n_arms / 0.05)  # of half of delta for the last look
    assert search("elimination", 10_000) <= price * uniform + arms.n_arms
    for extra in (0, arms.n_arms, uniform // 50):
        assert search("elimination", uniform + extra) <= uniform + extra


def test_the_looks_divide_delta_among_them():
    for max_pulls in (9, 200, 300, 330, 10_000):
        looks = _looks("elimination", 3, max_pulls, 0.05, lambda noise: noise <= 0.15)
        spent = sum(2 * 3 * math.exp(-2 * n * noise**2) for n, noise in looks.items())
        assert spent == pytest.approx(0.05)
        assert max(looks) <= max_pulls // 2
    assert _looks("uniform", 3, 10_000, 0.05, lambda noise: noise <= 0.15).keys() == {
        107
    }  # ln 120 / (2 0.15^2) = 106.4
    assert (
        max(_looks("elimination", 3, 10_000, 0.05, lambda noise: noise <= 0.15)) == 122
    )  # ln 240 / (2 0.15^2) = 121.8


@pytest.mark.parametrize("seed", [189744312, 11, 184, 254])  # an eliminated arm has the same lower end as the survivor
def test_the_answer_is_the_arm_that_was_not_eliminated(seed):
    rng, p = np.random.default_rng(seed), [0.69674667, 0.68107405, 0.72447331]
    spread = tw.FunctionSpread(lambda u: 2 * round(4 * u) / 4)
    found = tw.identify_best_arm(
        lambda arm: float(rng.binomial(2, p[arm])), 3, epsilon=0.05, model="malicious", spread=spread, alpha=0.5
    )
    assert found.reached
    assert found.pulls[found.arm] == found.pulls.max()
    assert found.shortfall <= found.tolerance


@pytest.mark.parametrize("model", MODELS)
def test_elimination_is_what_the_definition_says_on_a_table_of_rewards(model):
    table = np.random.default_rng(5).normal([0.0, 1.5, 1.0, 3.0], size=(400, 4))
    table[70:110, 3] = -5.0  # the leader's median falls, but ends only move inwards
    drawn = np.zeros(4, int)

    def pull(arm):
        drawn[arm] += 1
        return table[drawn[arm] - 1, arm]

    found = tw.identify_best_arm(pull, 4, epsilon=0.1, model=model, spread=UNIT, alpha=0.4, delta=0.1)
    shift = 0.1 if model == "malicious" else 0.05 / 0.9
    scale = 1.0 if model == "malicious" else 1 / 0.9
    low, high, left, pulls = np.full(4, -np.inf), np.full(4, np.inf), np.full(4, True), np.zeros(4, int)
    most = norm.cdf(norm.ppf(0.5 + shift) + 0.2)  # the level at which a radius is U + alpha/2
    end = math.ceil(math.log(2 * 4 / 0.05) / (2 * ((most - 0.5 - shift) / scale) ** 2))
    looks = {round(n) for n in np.geomspace(1, end, 1 + math.ceil(math.log(end, 1.25)))}
    while left.sum() > 1:
        pulls[left] += 1
        n = pulls.max()
        if n not in looks:
            continue
        noise = math.sqrt(math.log(2 * 4 * (len(looks) - 1 if n < end else 1) / 0.05) / (2 * n))
        level = min(1.0, 0.5 + shift + scale * noise)
        medians = np.median(table[:n], axis=0)
        low[left] = np.maximum(low, medians - norm.ppf(level))[left]
        high[left] = np.minimum(high, medians + norm.ppf(level))[left]
        leader = np.argmax(np.where(left, low, -np.inf))
        left &= (high > low.max() + 2 * norm.ppf(0.5 + shift) + 0.4) | (np.arange(4) == leader)
    assert found.arm == 3 == np.argmax(left)
    assert found.pulls.tolist() == pulls.tolist() == drawn.tolist()
    np.testing.assert_allclose(found.low, low, rtol=1e-9)
    np.testing.assert_allclose(found.high, high, rtol=1e-9)
    assert found.reached


@pytest.mark.parametrize("model", MODELS)
def test_uniform_pulls_as_often_as_the_closed_form_says(model):
    found = find([1.0, 0.0, 0.0], model=model, method="uniform", alpha=0.5, delta=0.1)
    level = norm.cdf(found.uncertainty[0] + 0.25)
    noise = level - 0.1 - 0.5 if model == "malicious" else 0.9 * level - 0.5
    assert found.pulls.tolist() == [math.ceil(math.log(6 / 0.1) / (2 * noise**2))] * 3
    np.testing.assert_allclose((found.low + found.high) / 2, found.medians)
    assert (found.high - found.low <= found.tolerance + 1e-12).all()
    assert found.reached


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("max_pulls", [3, 100, 1001])
def test_a_search_gives_up_within_its_pulls_and_says_what_it_knows(method, max_pulls):
    found = find([0.0, 0.1, 0.0], method=method, alpha=0.0, max_pulls=max_pulls)
    assert not found.reached
    assert max_pulls - 3 < found.pulls.sum() <= max_pulls
    assert found.guarantee.startswith(f"gave up after {found.pulls.sum()} pulls")
    if max_pulls == 3:
        assert found.shortfall == math.inf
        assert "too few" in found.guarantee
        guesses = [find([0.0, 0.1, 0.0], method=method, max_pulls=3, seed=seed) for seed in range(8)]
        assert all(guess.arm == guess.medians.argmax() for guess in guesses)
    if max_pulls == 1001:
        assert f"within {found.shortfall:.4g} of the highest" in found.guarantee


def test_a_wide_gap_is_proved_and_resolvable_and_a_narrow_one_is_not():
    wide = find([3.0, 0.0], method="uniform", alpha=0.4)
    assert wide.resolvable
    assert wide.shortfall == 0
    assert wide.guarantee == "with probability 0.95, its median is the highest (2U + alpha = 0.9067)"
    narrow = find([0.3, 0.0], method="uniform", alpha=0.4)
    assert not narrow.resolvable
    assert 0 < narrow.shortfall <= narrow.tolerance
    assert f"its median is within {narrow.shortfall:.4g} of the highest (2U + alpha = 0.9067)" in narrow.guarantee
    assert narrow.gap == pytest.approx(np.ptp(narrow.medians))
    assert str(narrow).splitlines()[0] == f"arm {narrow.arm}: {narrow.guarantee}"


def test_each_arm_may_have_its_own_spread():
    spreads = [UNIT, tw.GaussianSpread(sigma=0.1)]
    found = find([0.0, 0.0], spread=spreads, method="uniform")
    np.testing.assert_allclose(found.uncertainty, norm.ppf(0.6) * np.array([1.0, 0.1]))
    assert found.tolerance == pytest.approx(2 * norm.ppf(0.6) + 1.0)
    assert found.pulls.tolist() == find([0.0, 0.0], method="uniform").pulls.tolist()
    assert found.high[1] - found.low[1] == pytest.approx(0.1 * (found.high[0] - found.low[0]))


def test_ratings_of_a_pilot_study_give_a_spread():
    arms = tw.BinomialArms(n=10, p=[0.5, 0.8])
    pull = tw.ContaminatedArms(arms, epsilon=0.05)
    found = tw.identify_best_arm(pull, 2, epsilon=0.05, spread=tw.ArmsSpread(arms), alpha=0.5)
    assert found.arm == 1
    assert found.reached
    assert found.medians.tolist() == [5.0, 8.0]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_search(method):
    first, again, other = (find([1.0, 0.0], method=method, seed=seed) for seed in (7, 7, 8))
    assert str(first) == str(again) != str(other)


@pytest.mark.parametrize("method", METHODS)
def test_huge_rewards_are_survived(method):
    rewards = {0: 1e300, 1: -1e300}
    found = tw.identify_best_arm(rewards.get, 2, epsilon=0.1, spread=UNIT, alpha=0.5, method=method)
    assert found.arm == 0
    assert found.reached
    assert not np.isnan([*found.low, *found.high, found.shortfall, found.gap]).any()


def test_progress_is_told_of_all_pulls():
    calls = []
    found = find([1.0, 0.0], max_pulls=500, progress=lambda done, limit: calls.append((done, limit)))
    assert calls[-1] == (found.pulls.sum(), 500)
    assert calls == sorted(set(calls))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pull": 3}, "pull must be a function that returns an arm's reward, got 3"),
        ({"n_arms": 1}, "n_arms must be a whole number of at least 2, got 1"),
        ({"alpha": -0.1}, "alpha must be at least 0, got -0.1"),
        ({"delta": 0}, "delta must be above 0 and below 1, got 0"),
        ({"method": "guess"}, "method must be one of 'elimination', 'uniform', got 'guess'"),
        ({"max_pulls": 1}, "max_pulls must be a whole number of at least 2, got 1"),
        ({"spread": [UNIT]}, "spread must be one, or one for each of 2 arms, got 1"),
        ({"spread": 1.0}, "spread must be a Spread such as"),
        ({"epsilon": 0.6}, "epsilon must be at least 0 and below 0.5, got 0.6"),
        ({"model": "kind"}, "model must be one of 'oblivious', 'prescient', 'malicious', got 'kind'"),
    ],
)
def test_bad_input_is_refused_in_one_line(changes, message):
    good = {"pull": lambda arm: 0.0, "n_arms": 2, "epsilon": 0.1, "spread": UNIT, "alpha": 0.5}
    with pytest.raises(ParameterError, match=message):
        tw.identify_best_arm(**(good | changes))


def test_a_reward_that_is_no_number_names_its_pull():
    with pytest.raises(RewardError, match="the reward of arm 1 at its pull 1 must be a finite number, got nan"):
        tw.identify_best_arm({0: 0.0, 1: math.nan}.get, 2, epsilon=0.1, spread=UNIT, alpha=0.5)
