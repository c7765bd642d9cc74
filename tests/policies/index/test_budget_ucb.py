import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError
from trueward.policies.index.budget_ucb import BudgetUCB

LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
BUDGET = 10 * 0.1 * 1000 / 5  # what an arm may lose in uniform play: the range times epsilon T / K


def test_budget_ucb_index_agrees_with_a_hand_computed_one():
    policy = BudgetUCB(budget=6.0, sigma=2.0, c=4.0)
    state = state_after(policy, [[1.0, 2.0, 6.0], []])
    indices = policy.indices(state, make_ask(10, 2))
    assert indices[0] == pytest.approx(3.0 + 2.0 * math.sqrt(4.0 * math.log(10) / 3) + 6.0 / 3)
    assert indices[1] == math.inf
    np.testing.assert_array_equal(policy.estimates(state), [3.0, np.nan])


def test_budget_ucb_with_budget_zero_plays_as_ucb():
    both = {"budget": BudgetUCB(budget=0.0, sigma=1.3), "plain": tw.UCB(sigma=1.3)}
    traces = tw.play(both, LIKERT, tw.BernoulliAdversary(0.1), horizon=300, trials=8)
    np.testing.assert_array_equal(traces["budget"].pulls, traces["plain"].pulls)


@pytest.mark.parametrize(
    ("attack", "mean", "sd"),
    [
        (tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 747, 23),
        (tw.BernoulliAdversary(0.1, tw.WorstBounded()), 812, 25),
        (tw.FrontCluster(0.1, tw.RandomMalicious()), 704, 17),
    ],
)
@pytest.mark.soak
def test_budget_ucb_regret_agrees_with_the_prototype(attack, mean, sd):
    trials = 256
    policy = BudgetUCB(budget=BUDGET, sigma=LIKERT.sd)
    regret = tw.play(policy, LIKERT, attack, horizon=1000, trials=trials, checkpoints=[1000]).regret
    assert abs(regret.mean() - mean) < 4 * math.sqrt(regret.var() / trials + sd * sd / 200 + 1 / 12)


def test_budget_ucb_recovers_from_a_burst_within_its_budget():
    def burst(view, t, arm, reward, rng):
        return 0.0 if arm == 0 and view.touched[0] < 5 else None

    arms = tw.BinomialArms(n=10, p=(0.9, 0.5))
    both = {"budget": BudgetUCB(budget=50.0, sigma=0.5), "plain": tw.UCB(sigma=0.5)}
    traces = tw.play(both, arms, tw.FunctionAdversary(burst), horizon=400, trials=8)
    assert traces["budget"].regret[:, -1].max() < 4 * 50  # at most some 2 C / gap + 1 pulls of the worse arm
    assert traces["plain"].regret[:, -1].mean() > 800.0  # never comes back to the better one


def test_budget_ucb_interpreted_equals_compiled():
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = BudgetUCB(budget=20.0, sigma=1.3)
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


def test_budget_ucb_index_is_finite_for_huge_rewards():
    policy = BudgetUCB(budget=20.0, sigma=1.3)
    state = state_after(policy, [[1e300, -1e300, 1e300], [-1e300, 1e300, -1e300]])
    assert np.isfinite(policy.indices(state, make_ask(7, 2))).all()
    np.testing.assert_array_equal(policy.probabilities(state, make_ask(7, 2)), [1.0, 0.0])


def test_budget_ucb_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="budget"):
        BudgetUCB(budget=-1.0, sigma=1.0)
