"""A state that is handed to compiled code by its address is the same state, and its arrays are the same arrays."""

import threading
from typing import NamedTuple

import numba
import numpy as np
import pytest

from trueward.engine.compiling import Compilable
from trueward.engine.handing import ByAddress, Handed, address_of, type_when_handed
from trueward.engine.native import borrow


class Inner(NamedTuple):
    table: np.ndarray
    flags: np.ndarray
    strict: bool
    lenient: bool


class Outer(NamedTuple):
    short: np.ndarray
    inner: Inner
    rate: float
    count: int
    constants: np.ndarray


def state_of(seed):
    rng = np.random.default_rng(seed)
    constants = rng.random(3)
    constants.flags.writeable = False
    inner = Inner(rng.integers(0, 9, (2, 3, 4)), rng.random(5) < 0.5, bool(seed % 2), not seed % 2)
    return Outer(rng.random((4, 2)).astype(np.float32), inner, rng.normal(), -7 - seed, constants)


def digest(state, factor):
    """Return a number that depends on every part, and write into one of the arrays."""
    state = borrow(state)
    total = state.rate * factor + state.count
    for i in range(state.short.shape[0]):
        for j in range(state.short.shape[1]):
            total = 1.7 * total + float(state.short[i, j])
    table = state.inner.table
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            for k in range(table.shape[2]):
                total = 0.7 * total + table[i, j, k]
    for i in range(state.inner.flags.size):
        total += (i + 1) * state.inner.flags[i] * state.constants[i % 3]
    table[1, 2, 3] += 1
    return 8.0 * total + 4.0 * state.inner.strict + 2.0 * state.inner.lenient


def test_compiled_code_reads_and_writes_a_state_passed_by_address():
    compiled = numba.njit(digest)
    for seed in range(4):
        state, same = state_of(seed), state_of(seed)
        handed = type_when_handed(state)
        assert isinstance(handed, ByAddress)
        compiled.compile((handed, numba.float64))
        found = compiled.get_overload((handed, numba.float64))(Handed(state), 1.5)
        assert found == pytest.approx(digest(same, 1.5), rel=1e-12)
        np.testing.assert_array_equal(state.inner.table, same.inner.table)


@pytest.mark.parametrize("array", [np.arange(7), np.ones((3, 4), np.float32)[1:, ::2], np.empty(0), np.zeros(2, bool)])
def test_address_of_array_is_the_address_of_its_data(array):
    assert address_of(array) == array.ctypes.data


def test_state_with_a_field_larger_than_a_word_is_not_passed_by_address():
    class Narrow(NamedTuple):
        rate: np.float32
        sums: np.ndarray

    state = Narrow(np.float32(0.5), np.ones(3))
    assert type_when_handed(state) == numba.typeof(state)


@Compilable
def first_of(state, rng):
    """Return the first number of a state."""
    state, rng = borrow(state), borrow(rng)
    return state.short[0, 0] + 0.0 * rng.random()


def test_each_thread_passes_its_own_state_by_address():
    states, rng = [state_of(seed) for seed in range(4)], np.random.default_rng(0)
    first_of.compile(states[0], rng)
    step, wrong = first_of.without_compiling(states[0], rng), []
    assert step is not first_of.interpreted

    def call(state):
        own = np.random.default_rng(0)
        wrong.extend(1 for _ in range(2000) if step(state, own) != state.short[0, 0])

    threads = [threading.Thread(target=call, args=(state,)) for state in states]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
