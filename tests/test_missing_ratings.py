"""The script that shows the effect of counting missing ratings."""

from dataclasses import replace

import pytest

import loading
from interpreted import interpreted


@pytest.fixture
def script(monkeypatch, tmp_path):
    module = loading.script("missing_ratings")
    monkeypatch.setattr(module, "STORE", tmp_path)
    monkeypatch.setattr(module, "POLICIES", ("UCB", "Beta Thompson"))
    return module


def test_missing_ratings_tables_and_figure_show_every_scenario_policy_and_severity(script, monkeypatch):
    few = [replace(each, horizon=60) for each in script.GROUP if each.label in script.COMPARED]
    monkeypatch.setattr(script, "GROUP", few)
    with interpreted():
        shares = script.split_labels(script.data_missing(script.field(script.SEVERITIES), few, games=2))
        unpooled = script.split_labels(script.data_missing(script.field((0.5, 1.0), pooled=False), few, games=2))
    assert shares.height == 2 * 2 * 3  # scenarios, policies, severities
    assert shares.select("kind", "arms", "severity").null_count().row(0) == (0, 0, 0)
    lines = script.markdown_table(shares).splitlines()
    assert lines[0] == "| missing | true gap | observed gap | severity | UCB | Beta Thompson |"
    assert lines[2].startswith("| low raters of the others, close | 0.30 | -0.06 | 0.15 | ")
    assert lines[3].startswith("| at random 30 % | 1.00 | 1.00 | 0.00 | ")
    assert len(script.pooled_table(shares, unpooled).splitlines()) == 2 + 2 * 2
    assert len(script.draw_missing(shares).to_dict()["spec"]["layer"]) == 4


def test_missing_ratings_scenarios_have_a_kind_and_severity_zero_is_unwrapped(script):
    assert all(any(s.label.startswith(start) for start in script.KINDS) for s in script.GROUP)
    problem = script.GROUP[0].problem
    assert script.entry("UCB", 0.0, True, problem) == script.FIELD["UCB"].build(problem)
    assert script.entry("UCB", 0.5, True, problem).severity == 0.5
