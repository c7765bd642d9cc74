import pytest

from made_up_results import judged, made_up
from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.paper.readings import ALPHAS, SIGMAS


@pytest.mark.parametrize(("name", "key", "grid"), [("figure3", "alpha", ALPHAS), ("figure4", "sigma", SIGMAS)])
def test_grids_are_those_of_the_figures(name, key, grid):
    assert tuple(lab.load(example_file(name)).sweep[key]) == grid


def test_sensitivity_is_a_ratio_of_ranges_that_depends_on_the_grid():
    by_alpha = made_up("figure3", lambda policy, point: 300 + 600 * abs(point["alpha"] - 0.1))  # range 120, or 60
    by_sigma = made_up("figure4", lambda policy, point: 300 + 100 * (point["sigma"] > 1.6))  # range 100
    entry = judged(by_alpha, by_sigma)["alpha-much-less-sensitive-than-sigma"]
    assert [check.value for check in entry.checks] == pytest.approx([1.2, 0.6])
    assert entry.verdict == "does not hold"
    flat = made_up("figure3", lambda policy, point: 300 + 60 * (point["alpha"] == 0.3))
    assert judged(flat, by_sigma)["alpha-much-less-sensitive-than-sigma"].depends_on == ("grids from half to double",)


def test_wrong_sigma_is_judged_on_both_sides_with_the_share_of_lost_games():
    result = made_up("figure4", lambda policy, point: 450.0 if point["sigma"] == 0.3 else 100 * point["sigma"])
    entries = judged(result)
    assert entries["underestimating-sigma-helps"].checks[0].value == pytest.approx(94.9 - 126.5)
    assert entries["overestimating-sigma-hurts"].checks[0].value == pytest.approx(250 - 126.5)
    assert "100% (sigma 0.3), 0% (sigma 0.5)" in entries["underestimating-sigma-helps"].comment


@pytest.mark.parametrize(("share", "outcome"), [(0.5, "holds"), (0.95, "does not hold")])
def test_small_sigma_helps_much_when_it_saves_a_tenth_of_the_regret(share, outcome):
    result = made_up("figure4", lambda policy, point: 300.0 * (share if point["sigma"] == 0.949 else 1))
    entries = judged(result)
    assert entries["underestimating-sigma-helps"].verdict == "holds"
    assert entries["underestimating-sigma-helps-much"].checks[0].value == pytest.approx(1 - share)
    assert entries["underestimating-sigma-helps-much"].verdict == outcome


def test_epsilon_of_figures_3_and_4_is_varied_and_called_ours():
    stated = made_up("figure3", lambda policy, point: 300.0 + 100 * (point["alpha"] == 0.05))
    other = made_up("readings-epsilon-alpha", lambda policy, point: 300.0 + 8 * (point["alpha"] == 0.025))
    entry = judged(stated, other)["slightly-underestimating-alpha-harmless"]
    assert "The paper states no epsilon" in entry.comment
    assert {check.reading: check.value for check in entry.checks} == pytest.approx(
        {"default reading": 100 / 800, "epsilon 0.05 in figures 3 and 4": 8 / 800}
    )
