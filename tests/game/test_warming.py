import json
import os
import pickle
import subprocess
import sys

import pytest

import trueward as tw
from trueward.game.play import match_of

CODE = """
import json, sys
import trueward as tw
from trueward.game.play import match_of
from trueward.game.warming import cold, warm_up
arms = tw.BernoulliArms([0.5, 0.6])
policies = {"uniform": tw.Uniform(), "again": tw.Uniform(), "ε-greedy": tw.EpsilonGreedy(c=1.0), "EXP3": tw.EXP3()}
match = match_of(policies, arms, None, horizon=20, trials=1, seed=0)
said = []
before = len(cold([match]))
compiled = warm_up([match, match], processes=2, progress=lambda done, of, name: said.append(name))
print(json.dumps([before, compiled, len(cold([match])), len(said) <= 3]))
"""


@pytest.mark.soak
def test_each_kind_of_game_is_compiled_once_here_or_in_another_process_and_then_found_on_disk(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [3, 3, 0, True]


def test_a_process_that_compiles_ends_with_the_one_that_wanted_it():
    arms = tw.BernoulliArms([0.5, 0.6])
    hours = match_of({"UCB": tw.UCB(sigma=1)}, arms, None, horizon=10**6, trials=1000, seed=0, compiled=False)
    command = [sys.executable, "-m", "trueward.game.warming"]
    done = subprocess.run(command, input=pickle.dumps(hours), capture_output=True, check=False, timeout=60)
    assert done.stdout == b""
