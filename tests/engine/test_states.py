from typing import Annotated, NamedTuple

import numpy as np
import pytest

from trueward.engine.compiling import Compilable
from trueward.engine.kernel import Bools, Floats, Ints
from trueward.engine.protocol import reset
from trueward.engine.states import (
    REWARDS,
    Setting,
    arrays_of,
    check_declared,
    clear,
    copy_of,
    given,
    grow,
    kept,
    new,
    per_arm,
    scratch,
    single,
)
from trueward.errors import KernelError


class Inner(NamedTuple):
    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]


class Outer(NamedTuple):
    mean: Annotated[Floats, per_arm(np.inf)]
    active: Annotated[Bools, per_arm(True, "layers")]
    clock: Annotated[Ints, single(3, 2)]
    room: Annotated[Floats, single(scratch, REWARDS)]
    weights: Annotated[Floats, per_arm(given)]
    inner: Inner
    gamma: float


def outer(n_arms=3, capacity=4):
    setting = Setting(n_arms, capacity=capacity)
    inner = new(Inner, setting)
    return new(Outer, setting, {"layers": 2}, weights=np.arange(float(n_arms)), inner=inner, gamma=0.5)


def spoil(state):
    for i, array in enumerate(arrays_of(state)):
        array[...] = i + 7 if array.dtype != np.bool_ else False
    return state


def test_a_new_state_has_the_shapes_kinds_and_starts_of_its_declaration():
    state = outer()
    assert state.mean.tolist() == [np.inf] * 3
    assert state.active.shape == (3, 2)
    assert state.active.all()
    assert state.clock.tolist() == [3, 3]
    assert state.clock.dtype == np.int64
    assert state.room.shape == (4,)
    assert state.inner.values.shape == (3, 4)
    assert state.gamma == 0.5


@Compilable
def forget(state):
    reset(state)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_derived_reset_sets_every_start_and_leaves_what_is_kept(compiled):
    state = spoil(outer())
    forget.version(state, compiled=compiled)(state)
    fresh = outer()
    for field in ("mean", "active", "clock"):
        np.testing.assert_array_equal(getattr(state, field), getattr(fresh, field))
    assert state.inner.sizes.tolist() == [0, 0, 0]
    assert (state.inner.values != 0).all()  # kept
    assert state.weights.tolist() == [0.0, 1.0, 2.0]  # given


class Counting(NamedTuple):
    started: Annotated[Ints, single(kept)]
    seen: Annotated[Ints, single(0)]


@reset.register(Counting)
def count_resets(state):
    clear(state)
    state.started[0] += 1


def test_a_reset_of_its_own_may_clear_first_and_do_more():
    state = new(Counting, Setting(1))
    state.seen[0] = 5
    reset(state)
    reset(state)
    assert (state.started[0], state.seen[0]) == (2, 0)


def test_a_restricted_state_has_some_arms_only_and_shares_nothing_that_changes():
    state = spoil(outer())
    part = copy_of(state, np.array([2, 0]))
    assert part.mean.shape == (2,)
    assert part.weights.tolist() == [2.0, 0.0]
    assert part.inner.values.shape == (2, 4)
    assert part.clock.tolist() == state.clock.tolist()
    spoiled = [array.copy() for array in arrays_of(state)]
    for array in arrays_of(part):
        array[...] = 0
    for array, before in zip(arrays_of(state), spoiled, strict=True):
        np.testing.assert_array_equal(array, before)


def test_a_copy_is_equal_and_shares_nothing_that_changes():
    state = spoil(outer())
    twin = copy_of(state)
    for mine, other in zip(arrays_of(state), arrays_of(twin), strict=True):
        np.testing.assert_array_equal(mine, other)
        assert not np.shares_memory(mine, other)


def test_what_was_learned_goes_over_into_more_room_and_more_arms():
    state = spoil(outer())
    larger = grow(state, outer(n_arms=5, capacity=9))
    np.testing.assert_array_equal(larger.mean, [7, 7, 7, np.inf, np.inf])
    np.testing.assert_array_equal(larger.inner.values[:3, :4], state.inner.values)
    assert (larger.inner.values[3:] == 0).all()
    assert larger.weights.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]  # given anew
    assert larger.clock.tolist() == state.clock.tolist()


class Undeclared(NamedTuple):
    pulls: np.ndarray


def test_an_array_that_could_change_must_be_declared():
    with pytest.raises(KernelError, match=r"Undeclared.pulls is an array without a declaration: write Annotated"):
        check_declared(Undeclared(np.zeros(2)))
    constant = np.zeros(2)
    constant.flags.writeable = False
    check_declared(Undeclared(constant))
