"""The procedure that chooses the constants of Wary."""

import dataclasses

import numpy as np
import pytest

import loading
import trueward as tw


@pytest.fixture(scope="module")
def script():
    return loading.script("choose_constants")


def test_every_assumption_and_every_resolution_is_varied(script):
    chosen_with_others = {"attack_weights"}
    assert script.ALTERNATIVES.keys() == {f.name for f in dataclasses.fields(tw.Wary.assumed)} - chosen_with_others
    assert script.FINER.keys() == {f.name for f in dataclasses.fields(tw.Wary.resolution)}
    for name, values in script.ALTERNATIVES.items():
        assert getattr(tw.Wary.assumed, name) not in values


def test_worlds_are_the_same_for_the_same_seed_and_have_a_clear_winner(script):
    worlds, again = script.draw_worlds(1, 1), script.draw_worlds(1, 1)
    assert len(worlds) == 24
    for world, same in zip(worlds, again, strict=True):
        low, high = world.arms.bounds
        assert 0.02 <= np.sort(world.arms.gaps)[1] / (high - low) <= 0.15
        np.testing.assert_array_equal(world.shown.means, same.shown.means)
    other = script.draw_worlds(2, 1)
    assert any(
        w.arms.bounds != o.arms.bounds or (w.arms.gaps != o.arms.gaps).any() for w, o in zip(worlds, other, strict=True)
    )


def test_half_of_the_weight_is_on_attacks(script):
    worlds = script.draw_worlds(1, 1)
    assert sum(world.is_attacked for world in worlds) == 16


def test_objective_is_the_weighted_geometric_mean_of_ratios(script):
    mean, error = script.objective(np.log([2.0, 8.0]), np.array([0.5, 0.5]))
    assert mean == pytest.approx(4.0)
    assert error == pytest.approx(4.0 * np.log(2.0) / np.sqrt(2.0))


def test_changed_constants_reach_the_policy(script):
    policy = script.assuming(power=2.0, means=24, most=0.1)((1.0, 5.0))
    assert (policy.assumed.power, policy.resolution.means, policy.most) == (2.0, 24, 0.1)
    assert policy.start(2).model.means.size == 24
