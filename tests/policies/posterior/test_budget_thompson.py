import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError
from trueward.policies.posterior.budget_thompson import BudgetThompson, optimistic_mean

LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
BUDGET = 10 * 0.1 * 1000 / 5  # what an arm may lose in uniform play: the range times epsilon T / K


def test_optimistic_mean_agrees_with_a_hand_computed_one():
    assert optimistic_mean(4.0, 3, 6.0, 1.0) == pytest.approx((3 * 4.0 + 6.0) / 4)
    assert optimistic_mean(4.0, 3, 6.0, 0.0) == pytest.approx(4.0 + 6.0 / 3)
    assert optimistic_mean(0.0, 0, 6.0, 1.0) == 6.0


@pytest.mark.parametrize("preset", ["paper", "practical"])
def test_budget_thompson_choices_follow_its_probabilities(preset):
    policy = BudgetThompson(budget=2.0, sigma=1.5, preset=preset)
    state = state_after(policy, [[3.0, 4.0], [3.0], [2.0, 2.5, 4.0, 3.0]])
    rng, draws = np.random.default_rng(6), 4000
    counts = np.bincount([choose(state, make_ask(8, 3), rng) for _ in range(draws)], minlength=3) / draws
    np.testing.assert_allclose(policy.probabilities(state, make_ask(8, 3)), counts, atol=4 * 0.5 / math.sqrt(draws))


def test_budget_thompson_probabilities_of_two_arms_have_the_closed_form():
    policy = BudgetThompson(budget=3.0, sigma=2.0)
    state = state_after(policy, [[1.0, 2.0], [4.0]])
    z = ((3.0 + 3.0) / 3 - (4.0 + 3.0) / 2) / math.sqrt(4.0 / 3 + 4.0 / 2)
    expected = 0.5 * math.erfc(-z / math.sqrt(2))
    np.testing.assert_allclose(policy.probabilities(state, make_ask(4, 2)), [expected, 1 - expected], atol=1e-5)


def test_budget_thompson_with_budget_zero_and_flat_prior_plays_as_gaussian_thompson():
    both = {
        "budget": BudgetThompson(budget=0.0, sigma=1.3, preset="practical"),
        "plain": tw.GaussianThompson(sigma=1.3),
    }
    traces = tw.play(both, LIKERT, horizon=300, trials=8)
    np.testing.assert_array_equal(traces["budget"].pulls, traces["plain"].pulls)


def test_budget_thompson_derives_an_unknown_budget_from_the_horizon():
    policy = BudgetThompson(sigma=2.0)
    assert policy.needs_horizon
    assert state_after(policy, [[], []], horizon=1000).budget == pytest.approx(2.0 * math.sqrt(1000 * math.log(2) / 2))
    assert not BudgetThompson(budget=1.0).needs_horizon


@pytest.mark.soak
def test_budget_thompson_regret_agrees_with_the_prototype():
    trials, mean, sd = 256, 740, 27
    policy, attack = BudgetThompson(budget=BUDGET, sigma=LIKERT.sd), tw.BernoulliAdversary(0.1, tw.RandomMalicious())
    regret = tw.play(policy, LIKERT, attack, horizon=1000, trials=trials, checkpoints=[1000]).regret
    assert abs(regret.mean() - mean) < 4 * math.sqrt(regret.var() / trials + sd * sd / 200 + 1 / 12)


def test_budget_thompson_recovers_from_a_burst_within_its_budget():
    def burst(view, t, arm, reward, rng):
        return 0.0 if arm == 0 and view.touched[0] < 5 else None

    arms = tw.BinomialArms(n=10, p=(0.9, 0.5))
    both = {"budget": BudgetThompson(budget=50.0, sigma=0.5), "plain": tw.GaussianThompson(sigma=0.5)}
    traces = tw.play(both, arms, tw.FunctionAdversary(burst), horizon=400, trials=8)
    assert traces["budget"].regret[:, -1].max() < 4 * 50
    assert traces["plain"].regret[:, -1].mean() > 800.0


@pytest.mark.parametrize("preset", ["paper", "practical"])
def test_budget_thompson_interpreted_equals_compiled(preset):
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = BudgetThompson(budget=20.0, sigma=1.3, preset=preset)
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


def test_budget_thompson_probabilities_are_finite_for_huge_rewards():
    policy = BudgetThompson(budget=20.0, sigma=1.3)
    state = state_after(policy, [[1e300, -1e300, 1e300], [-1e300], [5.0]])
    np.testing.assert_allclose(policy.probabilities(state, make_ask(6, 3)), [1.0, 0.0, 0.0], atol=1e-100)
    assert choose(state, make_ask(6, 3), np.random.default_rng(0)) == 0


def test_budget_thompson_error_names_the_wrong_parameter():
    for parameters in ({"budget": -1.0}, {"sigma": 0.0}, {"preset": "mine"}):
        with pytest.raises(ParameterError, match=next(iter(parameters))):
            BudgetThompson(**parameters)
