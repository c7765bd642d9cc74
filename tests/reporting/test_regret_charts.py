"""Charts of regret over time and against a swept value."""

import pytest

from trueward import lab
from trueward.reporting.panels import last_round
from trueward.reporting.regret_charts import curves_chart, data_curves
from trueward.reporting.sensitivity_charts import data_sensitivity, draw_sensitivity

SPEC = {
    "arms": {"name": "bernoulli", "p": [0.9, 0.5]},
    "policies": {"first": {"name": "uniform"}, "second": {"name": "ucb1", "range": [0, 1]}},
    "horizon": 40,
    "trials": 3,
}


def played(**changes):
    return lab.run({**SPEC, **changes})


def swept(values, name="epsilon"):
    adversary = {"name": "bernoulli", "epsilon": "$epsilon", "values": "worst-bounded"}
    if name == "scheme":
        adversary = {"name": "bernoulli", "epsilon": 0.1, "values": "$scheme"}
    return played(adversary=adversary, sweep={name: values})


def titles(node):
    """All axis titles of a specification, by channel."""
    if isinstance(node, list):
        return [title for part in node for title in titles(part)]
    if not isinstance(node, dict):
        return []
    own = [(key, node[key]["title"]) for key in ("x", "y") if isinstance(node.get(key), dict) and "title" in node[key]]
    return own + [title for part in node.values() for title in titles(part)]


def test_data_curves_equals_the_curves_of_the_result():
    result = swept([0.0, 0.1])
    table = data_curves(result)
    assert table["panel"].unique(maintain_order=True).to_list() == ["ε = 0", "ε = 0.1"]
    for column in ("round", "mean", "low", "high", "q10", "q90", "difference"):
        assert table[column].equals(result.curves[column])


def test_final_curves_equal_the_results_table():
    result = swept([0.0, 0.1])
    assert last_round(data_curves(result))["mean"].to_list() == pytest.approx(result.table["regret"].to_list())


def test_data_sensitivity_has_a_panel_per_policy_and_a_row_per_value():
    table = last_round(data_sensitivity(swept([0.0, 0.05, 0.1]), "epsilon"))
    assert table["panel"].to_list() == ["first", "second"] * 3
    assert table["value"].to_list() == [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]


@pytest.mark.parametrize("band", ["ci", "sd", "range"])
@pytest.mark.parametrize("sweep", [None, [0.0, 0.1]])
def test_curves_chart_names_axes_and_units(band, sweep):
    result = played() if sweep is None else swept(sweep)
    found = titles(curves_chart(result, band=band, unit="rating points").to_dict())
    assert {title for channel, title in found if channel == "x"} == {"time (rounds)"}
    assert {title for channel, title in found if channel == "y"} == {"mean regret (rating points)"}


def test_two_sweeps_give_a_panel_per_pair():
    adversary = {"name": "bernoulli", "epsilon": "$epsilon", "values": "$scheme"}
    result = played(adversary=adversary, sweep={"scheme": ["worst-bounded", "inlier"], "epsilon": [0.0, 0.1]})
    panels = data_curves(result)["panel"].unique(maintain_order=True).to_list()
    assert panels[:2] == ["scheme = worst-bounded, ε = 0", "scheme = worst-bounded, ε = 0.1"]
    assert curves_chart(result).to_dict()["facet"]["sort"] == panels
    chart = draw_sensitivity(last_round(data_sensitivity(result, "epsilon")), "epsilon")
    assert chart.to_dict()["facet"]["sort"][0] == "first, scheme = worst-bounded"


@pytest.mark.parametrize("band", ["ci", "sd"])
@pytest.mark.parametrize(("name", "values"), [("epsilon", [0.01, 0.2]), ("scheme", ["worst-bounded", "inlier"])])
def test_draw_sensitivity_accepts_numbers_and_names(name, values, band):
    ends = last_round(data_sensitivity(swept(values, name), name))
    found = titles(draw_sensitivity(ends, name, band=band).to_dict())
    assert {"scheme", "epsilon (ε)"} & {title for channel, title in found if channel == "x"}


def test_curves_chart_of_a_long_game_is_thinned_but_keeps_the_last_round():
    chart = curves_chart(played(horizon=10_000, trials=2)).to_dict()
    (rows,) = chart["datasets"].values()
    assert max(row["round"] for row in rows) == 10_000
    assert len(rows) <= 2 * 100


def test_result_plot_returns_a_chart():
    assert played().plot().to_dict()["layer"]


def test_curves_chart_accepts_one_round_and_one_trial():
    assert curves_chart(played(horizon=1, trials=1), band="sd").to_dict()["layer"]
