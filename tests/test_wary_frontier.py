"""The script that draws what cannot be had together."""

import functools

import numpy as np
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
    monkeypatch.setattr(module, "SERIES", {"attacked": [0.0], "most": [0.1], "agreeing": [2], "owed": [0.6]})
    return module


def test_every_curve_goes_through_what_was_chosen(script):
    table = script.data_frontier(groups=1, games=1)
    assert table.height == (2 + 2 + 1 + 1) * 2 * 2  # values with the present ones, sources, attacks
    chosen = table.filter(pl.col("chosen"))
    assert chosen["series"].n_unique() == 4
    assert chosen.group_by("source", "attack").agg(pl.col("clean", "malice").n_unique())["malice"].to_list() == [1] * 4
    drawn = script.draw_frontier(table, script.data_removed(groups=1, games=1)).to_dict()
    assert len(drawn["vconcat"]) == 4


def test_what_is_lost_without_bad_ratings_is_set_against_plain_thompson_sampling_with_them(script, monkeypatch):
    lost = {("WaryThompson", "missing"): 3.0, ("BetaThompson", "A"): 6.0, ("BetaThompson", "W"): 12.0}

    def regret(make, arms, attack, **size):
        values = "missing" if attack is script.REMOVED else "A" if attack == script.ATTACKS["a tenth A"] else "W"
        return lost[type(make(arms)).__name__, values]

    monkeypatch.setattr(script, "regret", regret)
    table = script.data_removed(groups=3, games=1)
    assert dict(zip(table["attack"], table["malice"].round(9), strict=True)) == {"a tenth A": 0.5, "a tenth W": 0.25}


def test_games_in_which_most_is_lost_are_counted(script, monkeypatch):
    class Games:
        regret = np.array([[1.0], [399.0], [401.0], [999.0]])  # uniform play loses 800

    monkeypatch.setattr(tw, "play", lambda *a, **kw: Games, raising=False)
    table = script.data_rule(games=4)
    assert table["attack"].to_list() == ["clean", "A", "W", "I"] * 2
    assert table.select("mean", "median", "lost games").row(3) == (450.0, 400.0, 0.5)


def test_bad_ratings_mislead_where_the_best_is_ahead_by_less_than_they_move_the_means(script):
    worst = script.ATTACKS["a tenth W"]  # of a best arm with 4, 3.7 is left
    close, apart = (
        tw.CategoricalArms(values=range(1, 6), probabilities=[[0, 0, 0, 1, 0], [0, 0, share, 1 - share, 0]])
        for share in (0.4, 0.5)
    )
    assert script.misled(close, worst)
    assert not script.misled(apart, worst)


def test_the_policy_that_is_told_of_the_attack_expects_bad_ratings_on_either_side(script):
    model = script.Told((1, 5)).start(3, horizon=8).model
    up, down = (model.groups[part].argmax() for part in (-2, -1))
    np.testing.assert_allclose(model.bad[:, up], [0, 0, 0, 0.05, 0.05])
    np.testing.assert_allclose(model.bad[:, down], [0.1 / 3, 0.1 / 3, 0.1 / 3, 0, 0])
    np.testing.assert_allclose(model.clean[[up, down]], 0.9)
    expected = np.log(0.9 * model.laws[1].astype(float) + 0.1 / 3)
    np.testing.assert_allclose(model.logs[1, down], expected, rtol=1e-6)
