"""The script that measures poisoned contextual bandits."""

import pytest

import loading
from trueward.contextual import Ridge


@pytest.fixture
def script(monkeypatch):
    module = loading.script("poisoning")
    monkeypatch.setattr(module, "ROUNDS", 60)
    monkeypatch.setattr(module, "SHARES", (1.0,))
    monkeypatch.setattr(module, "LEARNERS", {name: module.LEARNERS[name] for name in list(module.LEARNERS)[:3]})
    return module


def test_the_tables_and_the_figures_show_every_learner(script):
    effort = script.data_effort(2)
    assert effort.height == 2 * 2
    assert effort["hit"].all()
    hits, costs, shares = script.data_hits(1), script.data_costs(1), script.data_shares(1)
    assert hits.height == len(script.ATTACKS) * len(script.LEARNERS)
    plain = hits.filter(learner="ridge", attack="all rewards, any value")
    assert plain["plain"].item() is plain["own"].item() is True
    assert costs.height == 2 * len(script.LEARNERS)
    assert (costs["regret"] >= 0).all()
    lines = script.hits_table(hits, costs).splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == list(script.LEARNERS)
    assert script.effort_table(effort).splitlines()[2].startswith("| ridge | 100 % | 100 % |")
    assert script.quantiles(effort).startswith("effort ratio against ridge: 10 % 0.")
    assert shares.filter(share=1.0, policy="ridge")["hit"].item() == 1.0
    assert len(script.draw_shares(shares).to_dict()["layer"]) == 2
    assert script.draw_effort(effort).to_dict()["encoding"]["y"]["title"] == "instances"


def test_an_instance_is_the_same_whenever_it_is_asked_for(script):
    first, again = (list(script.instances(2))[1] for _ in range(2))
    assert (first.log.rewards == again.log.rewards).all()
    assert first.controls(0.1).sum() == 6
    assert (first.controls(0.2) >= first.controls(0.1)).all()
    assert first.attack(Ridge(), 1.0, None).ratio == again.attack(Ridge(), 1.0, None).ratio
