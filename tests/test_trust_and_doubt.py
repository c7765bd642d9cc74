"""The script that draws what trust and doubt cost."""

import functools

import polars as pl
import pytest

import loading
import trueward as tw


@pytest.fixture
def script(monkeypatch):
    module = loading.script("trust_and_doubt")
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    monkeypatch.setattr(module, "HORIZON", 8)
    monkeypatch.setattr(module, "MOST", [0.0, 0.35])
    monkeypatch.setattr(module, "WORLDS", dict(list(module.WORLDS.items())[2:3]))
    return module


def test_beta_thompson_does_not_depend_on_the_assumptions_of_wary(script):
    curves = script.data_curves(games=1)
    assert curves.height == 2 * 2 * 2  # panels, policies, values of `most`
    plain = curves.filter(pl.col("policy") == script.PLAIN)
    assert plain.group_by("world").agg(pl.col("share").n_unique())["share"].to_list() == [1]
    assert script.draw_curves(curves).to_dict()["facet"]["sort"] == ["default", "polarised=True"]
