import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import plan_attack
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.6])


def table_of(adversary, horizon=50, arms=ARMS, seed=0):
    rng = np.random.default_rng(seed)
    truth = arms.draw(horizon, rng)
    table = np.empty_like(truth)
    plan_attack(adversary.start(arms, horizon), truth, table, rng)
    return truth, table


def test_a_burst_fills_its_rounds_and_no_others():
    _, table = table_of(tw.Burst(11, 5, tw.WorstBounded()))
    assert np.flatnonzero(~np.isnan(table).any(axis=1)).tolist() == [10, 11, 12, 13, 14]
    assert table[10].tolist() == [0.0, 10.0, 10.0]


def test_a_front_cluster_is_a_burst_from_the_first_round_on():
    settings = {"horizon": 100, "trials": 3}
    cluster = tw.play(tw.UCB(sigma=1.3), ARMS, tw.FrontCluster(0.2), **settings)
    burst = tw.play(tw.UCB(sigma=1.3), ARMS, tw.Burst(1, 20), **settings)
    np.testing.assert_array_equal(cluster.pulls, burst.pulls)


def test_a_burst_may_outlast_the_game():
    assert not np.isnan(table_of(tw.Burst(41, 1000))[1][40:]).any()


def test_a_brigade_touches_one_arm_only():
    _, table = table_of(tw.Brigade(6, 10))
    assert np.flatnonzero(~np.isnan(table).all(axis=0)).tolist() == [2]  # the worst arm is promoted
    assert table[5:15, 2].tolist() == [10.0] * 10
    _, table = table_of(tw.Brigade(6, 10, promote=False))
    assert table[5:15, 0].tolist() == [0.0] * 10  # the best is demoted
    _, table = table_of(tw.Brigade(6, 10, arm=1))
    assert np.flatnonzero(~np.isnan(table).all(axis=0)).tolist() == [1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tw.Burst(0, 5), "start_round must be a whole number of at least 1, got 0"),
        (lambda: tw.Burst(1, -5), "length must be a whole number of at least 0, got -5"),
        (lambda: tw.Burst(1, 5, tw.WorstBounded), "values must be Values"),
        (lambda: tw.Brigade(1.5, 5), "start_round must be a whole number"),
        (lambda: tw.Brigade(1, 5).start(tw.GaussianArms(means=[0, 1]), 10), "needs arms with bounded rewards"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()
