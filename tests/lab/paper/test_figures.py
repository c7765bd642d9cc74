import polars as pl
import pytest

from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import load
from trueward.lab.paper.figures import FIGURES
from trueward.reporting.styles import policy_colors


def hand_made(name, trials=3):
    """A result whose numbers can be read off: regret is 100 * cell + 10 * policy + round, plus the trial at the end."""
    experiment = load(example_file(name), trials=trials)
    return Result(experiment, [tables(cell, index, trials) for index, cell in enumerate(experiment.cells)])


def tables(cell, index, trials):
    curves, ends = [], []
    for rank, policy in enumerate(cell.policies):
        for t in (500, 1000):
            mean = 100.0 * index + 10 * rank + t
            spread = {"mean": mean, "low": mean - 2, "high": mean + 2, "sd": 5.0}
            quantiles = {"q10": mean - 6, "median": mean - 1, "q90": mean + 7}
            paired = {"difference": 10.0 * rank, "difference_low": 10.0 * rank - 1, "difference_high": 10.0 * rank + 1}
            curves.append({"policy": policy, "round": t, **spread, **quantiles, **paired})
        ends += [{"policy": policy, "trial": i, "regret": 100.0 * index + 10 * rank + 1000 + i} for i in range(trials)]
    return {"curves": pl.DataFrame(curves), "trials": pl.DataFrame(ends)}


def dig(node, key):
    """All values of a key, anywhere in a specification."""
    if isinstance(node, list):
        return [value for part in node for value in dig(part, key)]
    if not isinstance(node, dict):
        return []
    return ([node[key]] if key in node else []) + [value for part in node.values() for value in dig(part, key)]


def drawn(number, *, paper=False):
    figure = FIGURES[number]
    return figure.chart(hand_made(figure.experiment), paper=paper).to_dict()


def test_figures_are_the_five_of_the_paper():
    assert [figure.experiment for figure in FIGURES.values()] == [f"figure{number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    ("number", "panels"),
    [(1, ["ε = 0", "ε = 0.05", "ε = 0.1"]), (2, ["α = 0", "α = 0.05", "α = 0.1"]), (5, [""])],
)
def test_comparison_shows_every_panel_policy_and_number(number, panels):
    curves, trials = FIGURES[number].data(hand_made(f"figure{number}"))
    assert curves["panel"].unique(maintain_order=True).to_list() == panels
    row = curves.filter(policy="sUCB", round=1000, panel=panels[-1]).row(0, named=True)
    mean = 100.0 * (len(panels) - 1) + 10 + 1000
    assert (row["mean"], row["low"], row["high"], row["sd"]) == (mean, mean - 2, mean + 2, 5.0)
    assert (row["q10"], row["median"], row["q90"]) == (mean - 6, mean - 1, mean + 7)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == (10.0, 9.0, 11.0)
    assert trials.filter(policy="sUCB", panel=panels[-1])["regret"].to_list() == [mean, mean + 1, mean + 2]


def test_comparison_shows_at_most_two_hundred_single_trials():
    _, trials = FIGURES[5].data(hand_made("figure5", trials=250))
    assert trials.filter(policy="tUCB")["trial"].to_list() == list(range(200))


@pytest.mark.parametrize(("number", "last"), [(3, 0.3), (4, 5.0)])
def test_sensitivity_has_a_panel_per_policy_and_a_row_per_value(number, last):
    curves, _ = FIGURES[number].data(hand_made(f"figure{number}"))
    assert curves["panel"].unique(maintain_order=True).to_list() == ["tUCB", "sUCB"]
    row = curves.filter(policy="sUCB", value=last, round=1000).row(0, named=True)
    assert (row["mean"], row["difference"]) == (100.0 * 6 + 10 + 1000, 10.0)


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("number", FIGURES)
def test_every_axis_has_a_title_and_a_unit(number, paper):
    encodings = dig(drawn(number, paper=paper), "encoding")
    names = {e[axis]["title"] for e in encodings for axis in ("x", "y") if e.get(axis, {}).get("title")}
    measured = {name for name in names if "regret" in name}
    assert measured
    assert all(name.endswith("(rating points)") for name in measured)
    assert names - measured <= {"time (rounds)", "alpha (α)", "sigma (σ)"}


@pytest.mark.parametrize("number", FIGURES)
def test_policy_has_the_same_colour_in_every_panel(number):
    scales = [c["scale"] for c in dig(drawn(number), "color") if isinstance(c, dict) and c.get("field") == "policy"]
    assert scales
    for scale in scales:
        assert dict(zip(scale["domain"], scale["range"], strict=True)) == policy_colors(scale["domain"])
        assert len(set(scale["range"])) == len(scale["domain"])


@pytest.mark.parametrize("number", FIGURES)
def test_figure_shows_interval_paired_difference_and_range(number):
    fields = set(dig(drawn(number), "field"))
    assert {"mean", "low", "high", "difference", "difference_low", "difference_high", "q10", "q90"} <= fields


@pytest.mark.parametrize("number", FIGURES)
def test_paper_style_draws_standard_deviation_bars_and_no_band(number):
    chart = drawn(number, paper=True)
    assert {"mean", "sd_low", "sd_high"} <= set(dig(chart, "field"))
    assert "area" not in {mark["type"] for mark in dig(chart, "mark")}


@pytest.mark.parametrize("number", FIGURES)
def test_legend_is_interactive_and_outside_the_plot(number):
    chart = drawn(number)
    assert "legend" in dig(chart, "bind")
    assert {legend.get("orient", "right") for legend in dig(chart, "legend") if legend} <= {"top", "right"}
