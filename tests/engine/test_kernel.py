import numpy as np
import pytest

from trueward.engine.kernel import ceil_edge, exp, floor_edge
from trueward.engine.protocol import insert
from trueward.errors import KernelError


def test_generic_function_rejects_state_without_kernel():
    with pytest.raises(KernelError, match=r"tuple has no kernel for insert: write a function under @insert.register"):
        insert((1, 2), 0, 1.0, np.random.default_rng(0))


def test_floor_edge_and_ceil_edge_ignore_rounding_errors_only():
    assert ceil_edge(0.1 * 30) == 3  # 3.0000000000000004
    assert floor_edge(0.29 * 100) == 29  # 28.999999999999996
    assert ceil_edge(3.001) == 4
    assert floor_edge(2.999) == 2
    assert ceil_edge(0.35 * 81_940) == 28_679


def test_exp_does_not_overflow():
    assert exp(1e300) == exp(700.0)
    assert exp(-1e300) == 0.0
