"""Rows of numbers: loops and NumPy give the same in every bit."""

import copy

import numpy as np
import pytest

from trueward.engine import rows
from trueward.policies.wary_thompson.belief import multiply_rows


@pytest.mark.parametrize(
    ("function", "row", "others"),
    [
        (rows.fill, np.float64, [0.3]),
        (rows.fill_from, np.float64, [np.float32]),
        (rows.multiply, np.float64, [np.float64]),
        (rows.multiply_by_number, np.float64, [0.3]),
        (rows.add_number, np.float64, [0.3]),
        (rows.add, np.float32, [np.float32]),
        (rows.add_up, np.float32, [np.float32, np.float32]),
        (rows.add_times, np.float64, [np.float64(0.3), np.float32]),
        (rows.add_times, np.float64, [7, np.float64]),
        (rows.fill_with_line, np.float64, [0.3, np.float64, np.float64, 0.7]),
        (rows.fill_over_line, np.float64, [np.float64, np.float64, np.float64, 0.7]),
        (rows.multiply_by_line, np.float64, [np.float64, np.float64, 0.7]),
        (rows.multiply_by_lines, np.float64, [np.float64, np.float64, np.float64, 0.7, 0.2]),
        (rows.add_over_lines, np.float64, [np.float64, np.float64, np.float64, np.float64, 0.7, 0.2]),
        (multiply_rows, np.float32, [np.float32(0.9), np.float32, np.float32(0.01)]),
    ],
)
def test_numpy_row_functions_equal_compiled_loops_in_every_bit(function, row, others):
    rng = np.random.default_rng(0)

    def numbers(dtype):
        return np.asarray(np.exp(rng.normal(0.0, 8.0, 301)), dtype)

    given = [numbers(other) if isinstance(other, type) else other for other in others]
    with_numpy = [numbers(row), *given]
    in_a_loop = copy.deepcopy(with_numpy)
    function(*with_numpy)
    function.__wrapped__(*in_a_loop)
    for one, other in zip(with_numpy, in_a_loop, strict=True):
        np.testing.assert_array_equal(one, other)
