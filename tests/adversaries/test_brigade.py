import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import plan_attack
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.6])


def planned(adversary, horizon=50, arms=ARMS, seed=0):
    rng = np.random.default_rng(seed)
    truth = arms.draw(horizon, rng)
    table = np.empty_like(truth)
    plan_attack(adversary.start(arms, horizon), truth, table, rng)
    return truth, table


def test_brigade_contaminates_one_arm_only():
    _, table = planned(tw.Brigade(6, 10))
    assert np.flatnonzero(~np.isnan(table).all(axis=0)).tolist() == [2]  # the worst arm is promoted
    assert table[5:15, 2].tolist() == [10.0] * 10
    _, table = planned(tw.Brigade(6, 10, promote=False))
    assert table[5:15, 0].tolist() == [0.0] * 10  # the best is demoted
    _, table = planned(tw.Brigade(6, 10, arm=1))
    assert np.flatnonzero(~np.isnan(table).all(axis=0)).tolist() == [1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tw.Brigade(1.5, 5), "start_round must be a whole number"),
        (lambda: tw.Brigade(1, 5).start(tw.GaussianArms(means=[0, 1]), 10), "needs arms with bounded rewards"),
    ],
)
def test_brigade_refuses_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()
