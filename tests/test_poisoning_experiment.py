"""The script that measures data poisoning of contextual bandits."""

import pytest

import loading
from trueward.contextual import Ridge


@pytest.fixture
def script(monkeypatch):
    module = loading.script("poisoning_experiment")
    monkeypatch.setattr(module, "ROUNDS", 60)
    monkeypatch.setattr(module, "SHARES", (1.0,))
    monkeypatch.setattr(module, "LEARNERS", {name: module.LEARNERS[name] for name in list(module.LEARNERS)[:3]})
    return module


def test_poisoning_tables_and_figures_show_every_learner(script):
    effort = script.data_effort(2)
    assert effort.height == 2 * 2
    assert effort["succeeded"].all()
    attacks, costs, shares = script.data_attacks(1), script.data_costs(1), script.data_shares(1)
    assert attacks.height == len(script.ATTACKS) * len(script.LEARNERS)
    ridge = attacks.filter(learner="ridge", attack="all rewards, any value")
    assert ridge["transferred"].item() is ridge["tailored"].item() is True
    assert costs.height == 2 * len(script.LEARNERS)
    assert (costs["regret"] >= 0).all()
    lines = script.attacks_table(attacks, costs).splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == list(script.LEARNERS)
    assert script.effort_table(effort).splitlines()[2].startswith("| ridge | 100 % | 100 % |")
    assert script.quantiles(effort).startswith("relative effort against ridge: 10 % 0.")
    assert shares.filter(share=1.0, learner="ridge")["succeeded"].item() == 1.0
    assert len(script.draw_shares(shares).to_dict()["layer"]) == 2
    assert script.draw_effort(effort).to_dict()["encoding"]["y"]["title"] == "instances"


def test_poisoning_instances_are_reproducible(script):
    first, again = (list(script.instances(2))[1] for _ in range(2))
    assert (first.log.rewards == again.log.rewards).all()
    assert first.controlled(0.1).sum() == 6
    assert (first.controlled(0.2) >= first.controlled(0.1)).all()
    assert first.attack(Ridge(), 1.0, None).relative_effort == again.attack(Ridge(), 1.0, None).relative_effort
