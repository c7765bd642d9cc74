import numpy as np
import pytest
from scipy import optimize

from least_distance import least_distance
from trueward.contextual.smallest_change import smallest_change


def test_smallest_change_separates_nearly_infeasible_from_infeasible_programs():
    rng = np.random.default_rng(1)
    for _ in range(30):
        rows = rng.normal(size=(3, 40))
        low, high = -rng.uniform(0.5, 2.0, 40), rng.uniform(0.5, 2.0, 40)
        direction = rng.uniform(0.1, 1.0, 3)
        slack = np.append(np.zeros(40), -1.0)  # the most that all three can be moved at once, in this direction
        most = -optimize.linprog(
            slack, np.column_stack([-rows, direction]), np.zeros(3), bounds=[*zip(low, high, strict=True), (0, None)]
        ).fun
        everywhere = np.ones(40, np.bool_)
        assert smallest_change(rows, (most + 1e-5) * direction, (low, high), everywhere) is None
        inside = smallest_change(rows, (most - 1e-5) * direction, (low, high), everywhere)
        expected = least_distance(rows, (most - 1e-5) * direction, low, high)
        assert np.linalg.norm(inside) == pytest.approx(np.linalg.norm(expected), abs=1e-6)
