"""The script that draws what cannot be had together with Wary."""

import functools

import pytest

import loading
import trueward as tw


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(loading.SCRIPTS))
    module = loading.script("wary_frontier")
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    monkeypatch.setattr(module.measured, "DIVIDED_ROUNDS", 12)
    monkeypatch.setattr(module.measured, "ROUNDS", 12)
    monkeypatch.setattr(module, "SWEEPS", {"heap_odds": module.SWEEPS["heap_odds"]._replace(values=(0.01, 1.0))})
    return module


def test_every_row_of_a_sweep_is_measured_at_every_value_with_its_target(script):
    table = script.data_frontier(groups=1, games=2, paper_games=2)
    rows = [name for _, _, name in script.SWEEPS["heap_odds"].rows]
    assert sorted(table.select("value", "row").rows()) == sorted((value, row) for value in (0.01, 1.0) for row in rows)
    assert table.filter(row="paper's arms, W")["reach"].to_list() == [130, 130]
    assert len(script.draw_frontier(table).to_dict()["hconcat"]) == 1


def test_every_assumption_that_is_swept_is_changed_in_the_policy(script):
    for assumption in loading.script("wary_frontier").SWEEPS:
        assert getattr(script.policy_with(assumption, 0.5)((1, 5)).assumptions(5), assumption) == 0.5
        assert getattr(tw.Wary((1, 5)).assumptions(5), assumption) != 0.5
