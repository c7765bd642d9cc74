"""The paper's setting against the numbers of independent prototypes: mean and sd of the regret over 200 trials."""

import functools
import math

import pytest
from typer.testing import CliRunner

from trueward.cli import app
from trueward.reproduction import SCENARIOS, final_regrets

TRIALS, PROTOTYPE_TRIALS = 256, 200

PROTOTYPES = {
    "UCB": [(121, 23), (521, 184), (888, 96), (564, 308), (990, 1)],
    "tUCB": [(121, 23), (313, 143), (516, 254), (473, 218), (319, 52)],
    "sUCB": [(121, 23), (309, 161), (768, 228), (489, 222), (169, 27)],
    "RUCB-MAB": [(111, 23), (192, 188), (276, 304), (647, 219), (129, 41)],
    "EXP3": [(699, 102), (777, 85), (803, 77), (820, 84), (801, 74)],
    "EXP3++": [(695, 15), (767, 18), (806, 22), (824, 28), (804, 12)],
    "Tsallis-INF (IW)": [(399, 45), (667, 80), (807, 65), (789, 109), (798, 44)],
    "Tsallis-INF (RV)": [(267, 92), (608, 182), (797, 132), (732, 199), (784, 111)],
    "Thompson (Gaussian)": [(53, 17), (422, 321), (890, 159), (822, 287), (991, 2)],
    "Thompson (Beta)": [(40, 19), (432, 336), (908, 128), (744, 311), (845, 86)],
}


@functools.cache
def regrets():
    return final_regrets(trials=TRIALS, seed=0)


@pytest.mark.parametrize("policy", PROTOTYPES)
def test_regret_agrees_with_the_prototypes(policy):
    for scenario, (mean, sd) in zip(SCENARIOS, PROTOTYPES[policy], strict=True):
        ours = regrets()[scenario][policy]
        error = math.sqrt(
            ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12
        )  # they are rounded to whole numbers
        assert abs(ours.mean() - mean) < 4 * error, (scenario, ours.mean(), mean)  # 4 standard errors, 50 comparisons


def test_the_command_prints_the_table():
    result = CliRunner().invoke(app, ["reproduce", "--trials", "2"], env={"COLUMNS": "150"})
    assert result.exit_code == 0
    assert "mean ± sd over 2 paired trials" in result.output
    assert all(policy in result.output for policy in PROTOTYPES)
