"""What is borrowed is not counted: a generator that a compiled function was given is not freed by it."""

import numba
import numpy as np
import pytest

from trueward.engine.compiling import compiled
from trueward.engine.native import borrow, shift_up


def draw_one(rng):
    rng = borrow(rng)
    return rng.random()


def test_borrowed_generator_draws_and_keeps_its_reference_count():
    compiled = numba.njit(draw_one)
    rng, same = np.random.default_rng(0), np.random.default_rng(0)
    assert compiled(rng) == same.random()
    (code,) = compiled.inspect_llvm().values()
    body = code.partition("define ")[2].partition("\n}")[0]
    assert "draw_one" in body
    assert "NRT_decref" not in body  # of a counter that it never counted up: the generator would be freed twice


def shift_elements(array, start, stop):
    shift_up(array, start, stop)


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
@pytest.mark.parametrize(("start", "stop"), [(0, 9), (3, 7), (5, 5), (9, 9)])
def test_shift_up_moves_each_element_once_interpreted_and_compiled(kind, start, stop):
    expected = list(range(start)) + [start] * (stop > start) + list(range(start, stop)) + list(range(stop + 1, 10))
    for shift in (shift_elements, compiled(shift_elements)):
        array = np.arange(10, dtype=kind)
        shift(array, start, stop)
        assert array.tolist() == (expected if stop > start else list(range(10)))
