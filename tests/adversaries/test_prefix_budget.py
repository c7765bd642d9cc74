import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
POLICY = tw.UCB(sigma=1.3)


@pytest.mark.parametrize("hundredths", [0, 5, 10, 30, 35, 100])
def test_prefix_budget_contaminates_as_many_rewards_of_every_prefix_as_allowed(hundredths):
    adversary = tw.PrefixBudget(hundredths / 100, tw.Unbounded())
    trace = tw.play(POLICY, ARMS, adversary, horizon=400, trials=20, seed=4, keep_history=True)
    contaminated = trace.observed % 1 != 0  # no unbounded value is a whole number, and every rating is
    for trial in range(20):
        for arm in range(ARMS.n_arms):
            mask = contaminated[trial][trace.arms[trial] == arm]
            n = np.arange(1, mask.size + 1)
            # the n-th reward may be the floor(epsilon n)-th bad one, in whole numbers: never more, and never fewer
            assert (np.cumsum(mask) == hundredths * n // 100).all()
            assert trace.touched[trial, arm] == mask.sum()
    assert (trace.first_violation == 0).all()
    assert (trace.refused == 0).all()


def test_prefix_budget_declares_its_epsilon_as_budget():
    adversary = tw.PrefixBudget(0.1)
    assert adversary.budget == adversary.constraint == 0.1
    assert adversary.adaptive


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, np.nan, None])
def test_prefix_budget_refuses_an_epsilon_outside_0_to_1(epsilon):
    with pytest.raises(ParameterError, match=r"epsilon must be .*got"):
        tw.PrefixBudget(epsilon)
