"""Machine code is found on disk again by another process, and never after an edit of the code that it was made of."""

import importlib.util
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

import trueward as tw
from new_process import in_new_processes
from trueward.engine import compiling
from trueward.engine.compiling import compiled, is_on_disk, source_digest
from trueward.engine.kernel import kernel, state_classes
from trueward.engine.protocol import reset
from trueward.estimators.samples import blocked_sample
from trueward.game.loop import play_games

MY_POLICY = """
from typing import Annotated, NamedTuple
import my_helper
from my_constants import FAVOURITE
from trueward.engine.kernel import Ints
from trueward.engine.protocol import choose
from trueward.engine.states import Setting, new, single

class MyState(NamedTuple):
    last: Annotated[Ints, single(0)]

@choose.register(MyState)
def favour(state, ask, rng):
    return my_helper.clip(FAVOURITE + 0)

def start():
    return new(MyState, Setting(3))
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
from trueward.engine import compiling
from trueward.engine.protocol import choose, make_ask

def choose_arm(state, ask, rng):
    return choose(state, ask, rng)

def main():
    state = my_policy.start()
    before = compiling.is_on_disk(choose_arm, state)
    arm = compiling.compiled(choose_arm, state)(state, make_ask(1, 3), np.random.default_rng(0))
    hits = sum(compiling._code(choose_arm, [state]).stats.cache_hits.values())
    print("arm", arm, "on disk", before, "hits", hits)
"""

MY_CONSTANTS = "FAVOURITE = 0"


def test_editing_a_kernel_a_helper_or_a_constant_of_a_user_compiles_again(tmp_path):
    edited = MY_POLICY.replace("FAVOURITE + 0", "FAVOURITE + 1")
    helper = MY_HELPER.replace("min(arm, 2)", "min(arm, 1)")
    versions = [
        (MY_POLICY, MY_HELPER, MY_CONSTANTS),
        (MY_POLICY, MY_HELPER, MY_CONSTANTS),
        (edited, MY_HELPER, MY_CONSTANTS),
        (edited, MY_HELPER, "FAVOURITE = 5"),
        (edited, helper, "FAVOURITE = 5"),
    ]
    steps = [
        ({"my_choice.py": MY_CHOICE, "my_policy.py": p, "my_helper.py": h, "my_constants.py": c}, "my_choice")
        for p, h, c in versions
    ]
    first, unchanged, *others = in_new_processes(tmp_path, steps, ready="trueward.engine.compiling")
    assert first == "arm 0 on disk False hits 0"
    assert unchanged == "arm 0 on disk True hits 1"
    assert others == [f"arm {arm} on disk False hits 0" for arm in (1, 2, 1)]


def digest_of(state):
    return source_digest(play_games, tuple(dict.fromkeys(state_classes(state))))


def tucb_and_exp3():
    states = [tw.CrUCB(tw.TrimmedMean(0.1), sigma=1).start(3), tw.EXP3().start(3, horizon=10)]
    return [digest_of(state) for state in states]


def test_editing_a_file_changes_the_digests_of_the_states_that_reach_it_only(monkeypatch, tmp_path):
    tucb, exp3 = tucb_and_exp3()
    assert None not in (tucb, exp3)
    edited = tmp_path / "blocked_sample.py"
    edited.write_text(Path(blocked_sample.__file__).read_text() + "# edited\n")
    os.utime(edited, (1, 1))
    monkeypatch.setattr(blocked_sample, "__file__", str(edited))
    assert tucb_and_exp3()[0] not in (None, tucb)
    assert tucb_and_exp3()[1] == exp3


def test_changing_a_constant_that_a_kernel_uses_changes_the_digest(monkeypatch):
    tucb, exp3 = tucb_and_exp3()
    monkeypatch.setattr(blocked_sample, "BLOCK_SIZE", blocked_sample.BLOCK_SIZE + 1)
    assert tucb_and_exp3()[0] not in (None, tucb)
    assert tucb_and_exp3()[1] == exp3


def test_digest_depends_on_classes_and_not_on_data():
    few, many = (tw.UCB(sigma=sigma).start(n) for sigma, n in ((1.0, 2), (2.0, 7)))
    assert digest_of(few) == digest_of(many)
    assert digest_of(few) != digest_of(tw.CrUCB(tw.Median(), sigma=1).start(2))


def test_state_whose_file_is_newer_than_the_process_is_not_cached(monkeypatch, tmp_path):
    edited = tmp_path / "blocked_sample.py"
    edited.write_text(Path(blocked_sample.__file__).read_text())
    monkeypatch.setattr(blocked_sample, "__file__", str(edited))
    assert tucb_and_exp3()[0] is None
    assert tucb_and_exp3()[1] is not None


class Plain(NamedTuple):
    counts: np.ndarray


def with_a_closure():
    step = 2

    @reset.register(Plain)
    def add(state):
        state.counts[0] += step

    return add


def test_kernel_with_a_closure_is_not_cached():
    assert digest_of(Plain(np.zeros(1))) is not None
    with_a_closure()
    assert digest_of(Plain(np.zeros(1))) is None


def test_kernel_in_a_module_without_a_file_is_not_cached():
    notebook = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("a_notebook", None))
    sys.modules["a_notebook"] = notebook
    try:
        exec("from typing import NamedTuple\nclass InNotebook(NamedTuple):\n    counts: object", vars(notebook))
        state = notebook.InNotebook(np.zeros(1))
        assert digest_of(state) is None
        assert not is_on_disk(play_games, state)
    finally:
        del sys.modules["a_notebook"]


@kernel
def double(x):
    return 2 * x


def double_first(state):
    state.counts[0] = double(state.counts[0])


def test_function_that_is_not_cached_runs_compiled_all_the_same(monkeypatch):
    monkeypatch.setattr(compiling, "source_digest", lambda *_: None)
    monkeypatch.setattr(compiling, "_dispatcher", compiling._dispatcher.__wrapped__)
    state = Plain(np.full(1, 21.0))
    compiled(double_first, state)(state)
    assert state.counts[0] == 42.0
    assert not is_on_disk(double_first, state)


def test_compiled_code_runs_uncached_without_a_writable_folder(tmp_path):
    package = tmp_path / "site" / "trueward"
    shutil.copytree(Path(tw.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:  # as for a user who may write nowhere
    locator.from_function = classmethod(lambda cls, py_func, py_file: None)
import numpy as np
import trueward
from trueward.engine.compiling import compiled
from trueward.game.loop import sum_arm
sums = np.zeros((1, 1))
compiled(sum_arm)(np.ones((1, 2, 1)), 0, np.array([2]), sums)
print(sums.item(), trueward.__file__)
"""
    env = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"2.0 {package / '__init__.py'}"


def test_threads_that_call_at_once_share_one_dispatcher():
    state = Plain(np.zeros(1))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: compiling._code(double_first, [state]), range(8)))
    assert len(set(map(id, found))) == 1
