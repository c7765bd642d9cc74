import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import trueward as tw
from new_process import in_new_processes
from trueward.engine.compiling import fingerprint
from trueward.engine.kernel import ceil_edge, exp, floor_edge
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.errors import KernelError

MY_POLICY = """
from dataclasses import dataclass
from typing import Annotated, NamedTuple
import numpy as np
from trueward.engine.kernel import Ints
from trueward.engine.protocol import choose, update
from trueward.engine.states import new, single
from trueward.policies import Policy
import my_helper

FAVOURITE = 0

class MyState(NamedTuple):
    last: Annotated[Ints, single(0)]

@choose.register(MyState)
def favour(state, ask, rng):
    return my_helper.clip(FAVOURITE + 0)

@update.register(MyState)
def note_arm(state, seen, rng):
    state.last[0] = seen.arm

@dataclass(frozen=True)
class Mine(Policy):
    def state(self, setting):
        return new(MyState, setting)
    def estimates(self, state):
        return np.zeros(3)
    def probabilities(self, state, ask):
        return np.ones(3) / 3
"""

MY_HELPER = """
from trueward.engine.kernel import kernel

@kernel
def clip(arm):
    return min(arm, 2)
"""

MY_CHOICE = """
import my_policy
import numpy as np
from trueward.engine.protocol import make_ask
from trueward.live.steps import choose_arm

def main():
    state = my_policy.Mine().start(3)
    compiled = choose_arm.compiled(state)
    arm = compiled(state, *make_ask(1, 3), np.random.default_rng(0))
    print("arm", arm, "hits", sum(compiled.stats.cache_hits.values()))
"""


def test_editing_custom_kernel_constant_or_helper_invalidates_compiled_code(tmp_path):
    edited = MY_POLICY.replace("FAVOURITE + 0", "FAVOURITE + 1")
    constant, helper = (
        MY_POLICY.replace("FAVOURITE = 0", "FAVOURITE = 5"),
        MY_HELPER.replace("min(arm, 2)", "min(arm, 1)"),
    )
    versions = (MY_POLICY, MY_HELPER), (MY_POLICY, MY_HELPER), (edited, MY_HELPER), (constant, helper)
    steps = [({"my_choice.py": MY_CHOICE, "my_policy.py": p, "my_helper.py": h}, "my_choice") for p, h in versions]
    first, unchanged, after_edit, with_helper = in_new_processes(tmp_path, steps, ready="trueward.live.steps")
    assert first == "arm 0 hits 0"
    assert unchanged == "arm 0 hits 1"  # from the disk
    assert after_edit == "arm 1 hits 0"
    assert with_helper == "arm 1 hits 0"  # 2 with yesterday's helper


def test_fingerprint_depends_on_code_and_not_on_data():
    def body(state):
        return 0

    trimmed = tw.TrimmedMean(0.1).memory(Setting(2, capacity=5)), tw.TrimmedMean(0.3).memory(Setting(7, capacity=9))
    assert fingerprint(body, trimmed[0]) == fingerprint(body, trimmed[1])
    assert fingerprint(body, trimmed[0]) != fingerprint(body, tw.ShorthMean(0.1).memory(Setting(2, capacity=5)))

    def other(state):
        return 1

    assert fingerprint(body, trimmed[0]) != fingerprint(other, trimmed[0])


def test_fingerprint_changes_when_code_moves_to_another_module():  # on disk it is found again by the name of its module
    here, there = (FunctionType(floor_edge.__code__, floor_edge.__globals__) for _ in range(2))
    there.__module__ = "trueward.moved"
    assert fingerprint(here) != fingerprint(there)


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


def test_fingerprint_is_the_same_in_every_process():
    code = """
import trueward as tw
from trueward.lab.experiment.code_digest import game_code_digest
arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
policies = {"a": tw.UCB(sigma=1), "b": tw.CrUCB(tw.ShorthMean(0.1), sigma=1), "c": tw.MixtureThompson((0, 10))}
print(game_code_digest(policies, arms, tw.CarelessParticipants(), 10))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_compiled_code_runs_uncached_without_a_writable_folder(tmp_path):
    package = tmp_path / "site" / "trueward"
    shutil.copytree(Path(tw.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:  # as for a user who may write nowhere
    locator.from_function = classmethod(lambda cls, py_func, py_file: None)
import trueward as tw
bandit = tw.Bandit(tw.MixtureThompson((0, 10)), arms=2)
bandit.tell(bandit.ask(), 7)
tw.play(tw.Uniform(), tw.BernoulliArms([0.5, 0.6]), horizon=2)
print(tw.__file__)
"""
    env = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(package / "__init__.py")
