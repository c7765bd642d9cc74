import pytest

from trueward import lab
from trueward.reporting.panels import final
from trueward.reporting.regret_charts import curves_chart, data_curves
from trueward.reporting.sensitivity_charts import data_sensitivity, draw_sensitivity
from trueward.reporting.styles import KNOWN, color_of, style_of

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


def test_known_policies_have_their_own_colour():
    assert len(set(color_of(list(KNOWN)).values())) == len(KNOWN)


def test_a_policy_has_the_same_colour_in_any_company():
    assert color_of(["UCB", "tUCB"])["tUCB"] == color_of(["EXP3", "mine", "tUCB"])["tUCB"] == "#0072B2"


def test_no_two_policies_share_colour_and_dash():
    names = [*KNOWN, *(f"{base} (proxy)" for base in KNOWN), *(f"{base} (raw)" for base in KNOWN), *map(str, range(40))]
    assert len(set(style_of(names).values())) == len(names)


def test_up_to_six_unknown_policies_have_colours_of_their_own_among_the_known():
    names = [*KNOWN, *"abcdef"]
    assert len(set(color_of(names).values())) == len(names)


def test_a_variant_keeps_the_colour_of_its_policy():
    assert color_of(["tUCB (proxy)"])["tUCB (proxy)"] == color_of(["tUCB"])["tUCB"]


def test_curves_hold_the_numbers_of_the_result():
    result = swept([0.0, 0.1])
    table = data_curves(result)
    assert table["panel"].unique(maintain_order=True).to_list() == ["ε = 0", "ε = 0.1"]
    for column in ("round", "mean", "low", "high", "q10", "q90", "difference"):
        assert table[column].equals(result.curves[column])


def test_the_last_round_is_that_of_the_results_table():
    result = swept([0.0, 0.1])
    assert final(data_curves(result))["mean"].to_list() == pytest.approx(result.table["regret"].to_list())


def test_sensitivity_has_a_panel_per_policy_and_a_row_per_value():
    table = final(data_sensitivity(swept([0.0, 0.05, 0.1]), "epsilon"))
    assert table["panel"].to_list() == ["first", "second"] * 3
    assert table["value"].to_list() == [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]


@pytest.mark.parametrize("band", ["ci", "sd", "range"])
@pytest.mark.parametrize("sweep", [None, [0.0, 0.1]])
def test_curves_can_be_drawn_and_name_their_axes_and_units(band, sweep):
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
    chart = draw_sensitivity(final(data_sensitivity(result, "epsilon")), "epsilon")
    assert chart.to_dict()["facet"]["sort"][0] == "first, scheme = worst-bounded"


@pytest.mark.parametrize("band", ["ci", "sd"])
@pytest.mark.parametrize(("name", "values"), [("epsilon", [0.01, 0.2]), ("scheme", ["worst-bounded", "inlier"])])
def test_sensitivity_to_numbers_and_to_names_can_be_drawn(name, values, band):
    ends = final(data_sensitivity(swept(values, name), name))
    found = titles(draw_sensitivity(ends, name, band=band).to_dict())
    assert {"scheme", "epsilon (ε)"} & {title for channel, title in found if channel == "x"}


def test_a_chart_keeps_the_last_round_of_a_long_game_and_stays_small():
    chart = curves_chart(played(horizon=10_000, trials=2)).to_dict()
    (rows,) = chart["datasets"].values()
    assert max(row["round"] for row in rows) == 10_000
    assert len(rows) <= 2 * 100


def test_a_result_plots_itself():
    assert played().plot().to_dict()["layer"]


def test_one_round_and_one_trial_can_be_drawn():
    assert curves_chart(played(horizon=1, trials=1), band="sd").to_dict()["layer"]
