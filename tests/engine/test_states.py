from typing import Annotated, NamedTuple

import numpy as np
import pytest

from trueward.engine.compiling import compiled
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


def test_new_state_has_declared_shapes_dtypes_and_initial_values():
    state = outer()
    assert state.mean.tolist() == [np.inf] * 3
    assert state.active.shape == (3, 2)
    assert state.active.all()
    assert state.clock.tolist() == [3, 3]
    assert state.clock.dtype == np.int64
    assert state.room.shape == (4,)
    assert state.inner.values.shape == (3, 4)
    assert state.gamma == 0.5


def forget(state):
    reset(state)


@pytest.mark.parametrize("fast", [False, True])
def test_derived_reset_sets_initial_values_and_keeps_kept_arrays(fast):
    state = spoil(outer())
    run = compiled(forget, state) if fast else forget
    run(state)
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


def test_custom_reset_can_call_clear_first():
    state = new(Counting, Setting(1))
    state.seen[0] = 5
    reset(state)
    reset(state)
    assert (state.started[0], state.seen[0]) == (2, 0)


def test_copy_of_with_arms_has_only_these_arms_and_shares_no_mutable_array():
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


def test_copy_of_is_equal_and_shares_no_mutable_array():
    state = spoil(outer())
    twin = copy_of(state)
    for mine, other in zip(arrays_of(state), arrays_of(twin), strict=True):
        np.testing.assert_array_equal(mine, other)
        assert not np.shares_memory(mine, other)


def test_grow_keeps_what_was_learned_with_more_capacity_and_more_arms():
    state = spoil(outer())
    larger = grow(state, outer(n_arms=5, capacity=9))
    np.testing.assert_array_equal(larger.mean, [7, 7, 7, np.inf, np.inf])
    np.testing.assert_array_equal(larger.inner.values[:3, :4], state.inner.values)
    assert (larger.inner.values[3:] == 0).all()
    assert larger.weights.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]  # given anew
    assert larger.clock.tolist() == state.clock.tolist()


class Undeclared(NamedTuple):
    pulls: np.ndarray


def test_check_declared_rejects_writable_array_without_declaration():
    with pytest.raises(KernelError, match=r"Undeclared.pulls is an array without a declaration: write Annotated"):
        check_declared(Undeclared(np.zeros(2)))
    constant = np.zeros(2)
    constant.flags.writeable = False
    check_declared(Undeclared(constant))
