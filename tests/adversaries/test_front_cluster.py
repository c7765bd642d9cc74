import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
POLICY = tw.UCB(sigma=1.3)


def contaminated(trace):
    return trace.observed % 1 != 0  # no unbounded value is a whole number, and every rating is


@pytest.mark.parametrize(("epsilon", "horizon", "rounds"), [(0.1, 300, 30), (0.29, 100, 29), (0.0, 50, 0), (1, 50, 50)])
def test_front_cluster_by_rounds_contaminates_the_first_rounds_and_no_others(epsilon, horizon, rounds):
    # 0.29 * 100 is 28.999999999999996
    adversary = tw.FrontCluster(epsilon, tw.Unbounded())
    trace = tw.play(POLICY, ARMS, adversary, horizon=horizon, trials=3, keep_history=True, compiled=False)
    assert (contaminated(trace) == (np.arange(horizon) < rounds)).all()
    assert (trace.touched.sum(axis=1) == rounds).all()
    assert (trace.first_violation == (1 if 0 < epsilon < 1 else 0)).all()


@pytest.mark.parametrize(("epsilon", "horizon", "pulls"), [(0.1, 300, 10), (0.7, 90, 21), (0.1, 100, 3)])
def test_front_cluster_by_pulls_contaminates_the_first_pulls_of_each_arm_and_no_others(epsilon, horizon, pulls):
    # 0.7 * 90 / 3 is 20.999999999999996
    adversary = tw.FrontCluster(epsilon, tw.Unbounded(), by="pulls")
    trace = tw.play(POLICY, ARMS, adversary, horizon=horizon, trials=3, keep_history=True, compiled=False)
    for trial in range(3):
        for arm in range(3):
            mask = contaminated(trace)[trial][trace.arms[trial] == arm]
            assert (mask == (np.arange(mask.size) < pulls)).all()
    assert (trace.touched == np.minimum(trace.pulls[:, -1], pulls)).all()
    assert trace.touched.max() == pulls


def test_front_cluster_is_adaptive_by_pulls_and_declares_no_budget():
    rounds, pulls = tw.FrontCluster(0.1), tw.FrontCluster(0.1, by="pulls")
    assert (rounds.adaptive, pulls.adaptive) == (False, True)
    assert rounds.budget is pulls.budget is None
    assert rounds.constraint == 0.1


def test_front_cluster_refuses_wrong_parameters():
    with pytest.raises(ParameterError, match="by must be one of 'rounds', 'pulls', got 'arms'"):
        tw.FrontCluster(0.1, by="arms")
    for epsilon in (-0.1, 1.1, np.nan):
        with pytest.raises(ParameterError, match=r"epsilon must be .*got"):
            tw.FrontCluster(epsilon)
