"""The script that draws what careless people do."""

import functools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import loading
import trueward as tw


@pytest.fixture
def script():
    return loading.script("careless_people")


def test_arms_have_the_means_of_both_kinds_of_people(script):
    arms = script.data_arms()
    assert arms.height == 34 + 15 + 79
    first = arms.row(0, named=True)
    assert (first["arm"], first["kind"]) == ("7u_q01", "mania (7 Up), 0 to 3")
    assert first["attentive"] == pytest.approx((78 + 2 * 16 + 3 * 3) / 301 / 3)
    assert first["careless"] == pytest.approx((30 + 2 * 27 + 3 * 9) / 85 / 3)
    assert arms[["attentive", "careless"]].to_numpy().min() >= 0


def test_slope_of_a_questionnaire_is_that_of_a_regression(script):
    arms = script.data_arms()
    anxiety = arms.filter(pl.col("kind").str.contains("GAD-7"))
    slope, _ = np.polyfit(anxiety["attentive"], anxiety["careless"], 1)
    row = script.data_kinds(arms).filter(pl.col("kind").str.contains("GAD-7"))
    assert row["slope"].item() == pytest.approx(slope)
    assert row["arms"].item() == 7


def test_best_arm_never_changes_without_careless_people_and_as_package_shows_with_them(script):
    table = script.data_best_arms(40)
    assert table.filter(pl.col("share") == 0)["changed"].to_list() == [0, 0, 0]
    for source, share, groups, changed in table.filter("own").select("source", "share", "groups", "changed").rows():
        people = tw.labelled_people(source)
        assert (share, groups) == (people.share, 40)
        drawn = people.groups(40, seed=script.SEED)
        assert changed == sum(people.shown_arms(g).best != people.arms(g).best for g in drawn)


def test_pictures_have_every_policy_and_every_source(script):
    shares = [("UCB", kind, 0.3, 0.01) for kind in script.KINDS] + [
        ("uniform", kind, 1.0, 0.01) for kind in script.KINDS
    ]
    policies = pl.DataFrame(shares, schema=["policy", "kind", "share", "se"], orient="row")
    drawn = script.draw_policies(policies).to_dict()
    assert drawn["layer"][0]["encoding"]["y"]["sort"] == ["UCB", "uniform"]
    assert len(script.draw_best_arms(script.data_best_arms(3)).to_dict()["layer"]) == 4
    assert len(script.draw_arms(script.data_arms()).to_dict()["layer"]) == 3


def test_trimming_is_measured_with_and_without_careless_people(script, monkeypatch):
    kept = [s for s in script.SUITE if s.group == script.GROUP][:2]
    monkeypatch.setattr(script, "SUITE", [replace(scenario, horizon=6) for scenario in kept])
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    table = script.data_trimming(2)
    assert table["trims"].to_list() == ["nothing", "a tenth", "the careless share"]
    assert table.columns == ["trims", "attentive", "careless"]
    assert (table["attentive"] > 0).all()


def test_page_shows_the_tables_that_need_no_games_as_they_are_printed(script, capsys):
    policies = pl.DataFrame(
        [("UCB", kind, 0.3, 0.01) for kind in script.KINDS], ["policy", "kind", "share", "se"], orient="row"
    )
    script.print_numbers(script.data_arms(), script.data_best_arms(), policies, pl.DataFrame())
    page = (loading.SCRIPTS.parent / "docs" / "careless-people.md").read_text()
    arms, best, changes, *_ = capsys.readouterr().out.split("\n\n")
    assert arms in page
    assert best in page
    replaced = [line for line in changes.splitlines() if line.endswith("anhedonia (SHAPS), 0 to 3")]
    assert sum(int(line.split()[0]) for line in replaced) == 72
    assert "In all 72 groups an anhedonia item" in page
