"""Kernels are compiled as parts of what calls them; large ones stand apart, and are compiled once for all callers."""

import re

import numba
from numba.core import event

from new_process import in_new_processes
from trueward.engine.kernel import kernel

MODULE = """
from typing import NamedTuple

import numpy as np

from trueward.engine.apart import _compiled, apart
from trueward.engine.compiling import Compilable
from trueward.engine.kernel import kernel


class Sums(NamedTuple):
    sums: np.ndarray
    step: int


@kernel
def add_one(sums, i):
    sums[i] += STEP


@apart
def add(state, i):
    add_one(state.sums, i)
    return state.sums[i] * state.step


@Compilable
def add_once(state):
    return add(state, 1)


@Compilable
def add_twice(state):
    return add(state, 0) + add(state, 0)


def main():
    state = Sums(np.zeros(2), 10)
    found = [step.compiled(state) for step in (add_once, add_twice)]
    values = [step(state) for step in found]
    (code,) = _compiled.values()
    loaded = [sum(step.stats.cache_hits.values()) for step in (*found, code)]
    print(values, state.sums.tolist(), loaded)
"""


def adding(folder, *steps):
    """Add, in a new process each time, with a source that has this step; return what is printed."""
    sources = [({"adding.py": MODULE.replace("STEP", str(step))}, "adding") for step in steps]
    return in_new_processes(folder, sources, ready="trueward.engine.apart")


def test_separately_compiled_function_is_cached_on_disk(tmp_path):
    right = "[10.0, 30.0] [2.0, 1.0]"  # twice: 10 and 20
    assert adding(tmp_path, 1.0, 1.0) == [f"{right} [0, 0, 0]", f"{right} [1, 1, 1]"]
    code = [path for path in (tmp_path / "cache").rglob("*") if re.search(r"\.add_[0-9a-f]{16}-", path.name)]
    assert len(code) == 2  # of its machine code, and what says where that is
    for path in code:
        path.unlink()
    again, edited = adding(tmp_path, 1.0, 2.0)
    assert again == f"{right} [1, 1, 0]"  # its callers wait until it is compiled again
    assert edited == "[20.0, 60.0] [4.0, 2.0] [0, 0, 0]"


@kernel
def doubled(x):
    return 2.0 * x


class Steps(event.Listener):
    """The last steps of compiling, by function."""

    def __init__(self):
        self.names = []

    def on_start(self, event):
        self.names.append(event.data["name"])

    def on_end(self, event):
        pass


def test_kernel_is_compiled_into_its_caller():
    def caller(x):
        return doubled(doubled(x))

    seen = Steps()
    with event.install_listener("numba:run_pass", seen):
        assert numba.njit(caller)(1.5) == 6.0
    lowered = [name for name in seen.names if "_lowering" in name]
    assert lowered == ["part_lowering [doubled]", f"native_lowering [{caller.__qualname__}]"]
