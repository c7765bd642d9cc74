"""The script that draws what cannot be had together."""

import functools

import polars as pl
import pytest

import loading
import trueward as tw


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(loading.SCRIPTS))
    module = loading.script("wary_frontier")
    play = functools.partial(tw.play, compiled=False)
    monkeypatch.setattr(
        tw, "play", lambda *a, horizon, **kw: play(*a, horizon=8, **{**kw, "checkpoints": [8]}), raising=False
    )
    monkeypatch.setattr(module, "SERIES", {"attacked": [0.0], "most": [0.1]})
    return module


def test_every_curve_goes_through_what_was_chosen(script):
    table = script.data_frontier(groups=1, games=1)
    assert table.height == 2 * 2 * 2 * 2  # numbers, values with the present one, sources, attacks
    chosen = table.filter(pl.col("chosen"))
    assert chosen["series"].n_unique() == 2
    assert chosen.group_by("source", "attack").agg(pl.col("clean", "malice").n_unique())["malice"].to_list() == [1] * 4
    drawn = script.draw_frontier(table).to_dict()
    assert len(drawn["vconcat"]) == 2
