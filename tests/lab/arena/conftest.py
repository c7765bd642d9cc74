import io

import pytest
from rich.console import Console

import trueward as tw
from trueward.lab.arena.field import FIELD
from trueward.lab.arena.scenario import Scenario, W
from trueward.lab.arena.suite import PAPER

SHORT = 120  # rounds
SMALL_FIELD = {name: FIELD[name] for name in ("uniform", "UCB", "tUCB")}
SMALL_SUITE = (
    Scenario("clean", "ratings", PAPER, tw.NoAdversary(), SHORT, None, "quick"),
    Scenario("tenth", "W", PAPER, tw.BernoulliAdversary(0.1, W), SHORT, 0.1, "quick"),
    Scenario("bursts", "front W", PAPER, tw.FrontCluster(0.1, W), SHORT, 0.1, "quick"),
)


@pytest.fixture
def small_field():
    return dict(SMALL_FIELD)


@pytest.fixture
def small_suite():
    return SMALL_SUITE


@pytest.fixture
def small_arena(monkeypatch):
    """The command plays three policies in three short scenarios."""
    monkeypatch.setattr("trueward.lab.arena.tournament.field_of", lambda size: dict(SMALL_FIELD))
    monkeypatch.setattr("trueward.lab.arena.tournament.suite_of", lambda size: SMALL_SUITE)


@pytest.fixture
def silent():
    return Console(file=io.StringIO(), width=160)
