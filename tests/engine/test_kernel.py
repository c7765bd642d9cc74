import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import trueward as tw
from trueward.engine.kernel import ceil_edge, exp, fingerprint, floor_edge, insert

MY_POLICY = """
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from trueward.engine.kernel import choose, reset, update
from trueward.policies import Policy
import my_helper

FAVOURITE = 0

class MyState(NamedTuple):
    last: np.ndarray

@reset.register(MyState)
def reset_mine(state):
    state.last[0] = 0

@choose.register(MyState)
def choose_mine(state, t, rng):
    return my_helper.clip(FAVOURITE + 0)

@update.register(MyState)
def update_mine(state, t, arm, reward, rng):
    state.last[0] = arm

@dataclass(frozen=True)
class Mine(Policy):
    def start(self, n_arms, *, horizon, capacity):
        return MyState(np.zeros(1, np.int64))
    def estimates(self, state):
        return np.zeros(3)
    def probabilities(self, state, t):
        return np.ones(3) / 3
"""

MY_HELPER = """
from trueward.engine.kernel import kernel

@kernel
def clip(arm):
    return min(arm, 2)
"""

RUN = """
import json, sys
import my_policy
import trueward as tw
from trueward import loop
trace = tw.play(my_policy.Mine(), tw.BernoulliArms([0.1, 0.2, 0.3]), horizon=20, trials=2)
(compiled,) = loop.play_games._compiled.values()
hits = sum(compiled.stats.cache_hits.values())
print(json.dumps({"pulls": trace.pulls[:, -1].tolist(), "hits": hits}))
"""


def run_in_a_new_process(folder, policy=MY_POLICY, helper=MY_HELPER):
    (folder / "my_policy.py").write_text(textwrap.dedent(policy))
    (folder / "my_helper.py").write_text(textwrap.dedent(helper))
    env = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", RUN], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_editing_a_users_kernel_its_constant_or_its_helper_invalidates_the_compiled_code(tmp_path):
    assert run_in_a_new_process(tmp_path) == {"pulls": [[20, 0, 0]] * 2, "hits": 0}
    assert run_in_a_new_process(tmp_path) == {"pulls": [[20, 0, 0]] * 2, "hits": 1}  # unchanged: from the disk
    edited = MY_POLICY.replace("FAVOURITE + 0", "FAVOURITE + 1")
    assert run_in_a_new_process(tmp_path, edited) == {"pulls": [[0, 20, 0]] * 2, "hits": 0}
    constant = MY_POLICY.replace("FAVOURITE = 0", "FAVOURITE = 5")
    assert run_in_a_new_process(tmp_path, constant)["pulls"] == [[0, 0, 20]] * 2
    helper = MY_HELPER.replace("min(arm, 2)", "min(arm, 1)")
    assert run_in_a_new_process(tmp_path, constant, helper)["pulls"] == [[0, 20, 0]] * 2


def test_a_fingerprint_depends_on_the_code_and_not_on_the_data():
    def body(state):
        return 0

    trimmed = tw.TrimmedMean(0.1).memory(2, 5), tw.TrimmedMean(0.3).memory(7, 9)
    assert fingerprint(body, trimmed[0]) == fingerprint(body, trimmed[1])
    assert fingerprint(body, trimmed[0]) != fingerprint(body, tw.ShorthMean(0.1).memory(2, 5))

    def other(state):
        return 1

    assert fingerprint(body, trimmed[0]) != fingerprint(other, trimmed[0])


def test_a_generic_function_refuses_a_state_without_a_kernel():
    with pytest.raises(KeyError):
        insert((1, 2), 0, 1.0, np.random.default_rng(0))


def test_edges_forgive_rounding_and_nothing_else():
    assert ceil_edge(0.1 * 30) == 3  # 3.0000000000000004
    assert floor_edge(0.29 * 100) == 29  # 28.999999999999996
    assert ceil_edge(3.001) == 4
    assert floor_edge(2.999) == 2
    assert ceil_edge(0.35 * 81_940) == 28_679


def test_exp_does_not_overflow():
    assert exp(1e300) == exp(700.0)
    assert exp(-1e300) == 0.0


def test_a_fingerprint_is_the_same_in_every_process():
    code = """
import trueward as tw
from trueward.game.match import code_of
from trueward.policies import POLICIES
arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
policies = {"a": tw.UCB(sigma=1), "b": tw.CrUCB(tw.ShorthMean(0.1), sigma=1), "c": tw.MixtureThompson((0, 10))}
print(code_of(policies, arms, tw.People(), 10))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
