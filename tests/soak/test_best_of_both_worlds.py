"""SAPO at long horizons: logarithmic regret with stationary arms, and sublinear regret with an arm that improves."""

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
    """Return the mean regrets by environment and policy, at horizons that grow by a factor of four."""
    horizons = size([62_500, 250_000, 1_000_000, 4_000_000], [62_500, 250_000])
    table = script.data_environments(horizons, trials=2, policies={"SAPO": tw.SAPO(), "uniform": tw.Uniform()})
    return {
        (environment, name): table.filter(environment=environment, policy=name).sort("horizon")["regret"].to_list()
        for environment in (script.STATIONARY, script.IMPROVING)
        for name in ("SAPO", "uniform")
    }


def test_sapo_regret_with_stationary_arms_grows_with_the_logarithm_of_the_horizon(script, regret):
    sapo = regret[script.STATIONARY, "SAPO"]
    steps = [later - earlier for earlier, later in itertools.pairwise(sapo)]
    assert all(step < 0.8 * sapo[0] for step in steps)  # the same increment per factor of four; linear growth: 3 times
    assert max(steps) < 1.3 * min(steps)  # increments do not grow
    assert regret[script.STATIONARY, "uniform"][-1] > 4 * sapo[-1]


def test_sapo_regret_with_an_improving_arm_grows_less_than_the_square_root_of_the_horizon(script, regret):
    sapo, uniform = regret[script.IMPROVING, "SAPO"], regret[script.IMPROVING, "uniform"]
    assert sapo[1] < uniform[1]
    for earlier, later in itertools.pairwise(sapo[1:]):  # it has switched by 250,000 rounds
        assert later < 2.0 * earlier
    if len(sapo) > 2:
        assert sapo[-1] < uniform[-1] / 10
