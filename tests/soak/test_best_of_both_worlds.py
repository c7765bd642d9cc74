"""SAPO's promises, at horizons where they bite: logarithmic regret where arms stay, and sublinear where they turn."""

import itertools

import pytest

import loading
import trueward as tw
from soak_size import size

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def script():
    return loading.script("best_of_both_worlds")


@pytest.fixture(scope="module")
def regret(script):
    """Return the mean regret by world and horizon, each four times the one before."""
    horizons = size([62_500, 250_000, 1_000_000, 4_000_000], [62_500, 250_000])
    table = script.data_worlds(horizons, trials=2, policies={"SAPO": tw.SAPO(), "uniform": tw.Uniform()})
    return {
        (world, name): table.filter(world=world, policy=name).sort("horizon")["regret"].to_list()
        for world in (script.STAY, script.TURN)
        for name in ("SAPO", "uniform")
    }


def test_where_arms_stay_regret_grows_with_the_logarithm_of_the_horizon(script, regret):
    found = regret[script.STAY, "SAPO"]
    steps = [later - earlier for earlier, later in itertools.pairwise(found)]
    assert all(step < 0.8 * found[0] for step in steps)  # as much again with each quadrupling; linear growth: 3 times
    assert max(steps) < 1.3 * min(steps)  # and no more with the last than with the first
    assert regret[script.STAY, "uniform"][-1] > 4 * found[-1]


def test_where_the_bad_arm_becomes_the_best_regret_grows_less_than_the_square_root(script, regret):
    found, uniform = regret[script.TURN, "SAPO"], regret[script.TURN, "uniform"]
    assert found[1] < uniform[1]
    for earlier, later in itertools.pairwise(found[1:]):  # it has switched by 250,000 rounds
        assert later < 2.0 * earlier
    if len(found) > 2:
        assert found[-1] < uniform[-1] / 10
