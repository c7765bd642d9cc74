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


def test_burst_contaminates_its_rounds_and_no_others():
    _, table = planned(tw.Burst(11, 5, tw.WorstBounded()))
    assert np.flatnonzero(~np.isnan(table).any(axis=1)).tolist() == [10, 11, 12, 13, 14]
    assert table[10].tolist() == [0.0, 10.0, 10.0]


def test_burst_from_round_1_equals_a_front_cluster():
    settings = {"horizon": 100, "trials": 3}
    cluster = tw.play(tw.UCB(sigma=1.3), ARMS, tw.FrontCluster(0.2), **settings)
    burst = tw.play(tw.UCB(sigma=1.3), ARMS, tw.Burst(1, 20), **settings)
    np.testing.assert_array_equal(cluster.pulls, burst.pulls)


def test_burst_may_outlast_the_game():
    assert not np.isnan(planned(tw.Burst(41, 1000))[1][40:]).any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tw.Burst(0, 5), "start_round must be a whole number of at least 1, got 0"),
        (lambda: tw.Burst(1, -5), "length must be a whole number of at least 0, got -5"),
        (lambda: tw.Burst(1, 5, tw.WorstBounded), "values must be Values"),
    ],
)
def test_burst_refuses_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()
