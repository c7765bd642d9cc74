import pytest

import trueward as tw
from trueward.lab.arena.field import BASELINE, FIELD, OURS, PAPERS, PUBLISHED, field_of
from trueward.lab.arena.suite import SUITE, suite_of
from trueward.policies import POLICIES

PROBLEMS = list({(id(each.arms), each.horizon, each.epsilon): each.problem for each in SUITE}.values())


@pytest.mark.parametrize("name", FIELD)
def test_every_policy_of_the_field_can_be_built_for_every_scenario(name):
    for problem in PROBLEMS:
        policy = FIELD[name].build(problem)
        state = policy.start(problem.arms.n_arms, horizon=problem.horizon, capacity=1)
        assert policy.estimates(state).shape == (problem.arms.n_arms,)


def test_field_contains_every_registered_policy():
    playing = {type(competitor.build(SUITE[0].problem)) for competitor in FIELD.values()}
    assert playing >= set(POLICIES.values()) - {
        tw.UniformShare,
        tw.MissingAs,
    }  # devices around a policy, not competitors


def test_field_contains_all_policies_of_the_paper():
    assert {competitor.family for competitor in FIELD.values()} == {BASELINE, PAPERS, PUBLISHED, OURS}
    papers = [name for name, competitor in FIELD.items() if competitor.family == PAPERS]
    assert papers == ["UCB1", "UCB", "tUCB", "sUCB", "RUCB-MAB", "EXP3", "EXP3++", "Tsallis-INF"]


def test_quick_arena_is_a_part_of_the_full_one():
    quick, full = field_of("quick"), field_of("full")
    assert quick.items() < full.items()
    assert set(full) - set(quick) >= {"Catoni-UCB", "BARBAR", "Race", "SAO", "HuberUCB"}
    assert set(suite_of("quick")) < set(suite_of("full"))
    assert 12 <= len(suite_of("quick")) <= 28
    assert 45 <= len(suite_of("full")) <= 144
