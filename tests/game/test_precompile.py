import json
import os
import pickle
import subprocess
import sys

import pytest

import trueward as tw
from trueward.engine.kernel import state_classes
from trueward.game.match import short_match
from trueward.game.play import match_of
from trueward.game.precompile import by_policy, states_of, uncompiled_matches

CODE = """
import json, sys
import trueward as tw
from trueward.game.play import match_of
from trueward.game.precompile import uncompiled_matches, warm_up
arms = tw.BernoulliArms([0.5, 0.6])
policies = {"uniform": tw.Uniform(), "again": tw.Uniform(), "ε-greedy": tw.EpsilonGreedy(c=1.0), "EXP3": tw.EXP3()}
match = match_of(policies, arms, None, horizon=20, trials=1, seed=0)
said = []
before = len(uncompiled_matches([match]))
compiled = warm_up([match, match], processes=2, progress=lambda done, of, name: said.append(name))
print(json.dumps([before, compiled, len(uncompiled_matches([match])), len(said) <= 3]))
"""


@pytest.mark.soak
def test_warm_up_compiles_each_kind_of_game_once_and_finds_it_on_disk(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [3, 3, 0, True]


def test_compiling_process_ends_with_its_parent():
    arms = tw.BernoulliArms([0.5, 0.6])
    hours = match_of({"UCB": tw.UCB(sigma=1)}, arms, None, horizon=10**6, trials=1000, seed=0, compiled=False)
    command = [sys.executable, "-m", "trueward.game.precompile"]
    done = subprocess.run(command, input=pickle.dumps(hours), capture_output=True, check=False, timeout=60)
    assert done.stdout == b""


def test_adaptive_attacks_share_one_compiled_game_on_disk():
    arms, policy = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8]), {"UCB": tw.UCB(sigma=1.3)}
    attacks = tw.PrefixBudget(0.1), tw.JunUCB(), tw.ACE()
    matches = [match_of(policy, arms, attack, horizon=5, trials=1, seed=0) for attack in attacks]
    assert len({tuple(state_classes(*states_of(short_match(match, "UCB")))) for match in matches}) == 1
    tw.play(policy, arms, attacks[1], horizon=5, compiled=True)
    assert uncompiled_matches(matches) == []


def test_jobs_of_one_policy_are_compiled_together():
    policies = {"UCB": tw.UCB(sigma=1), "uniform": tw.Uniform()}
    arms = tw.BernoulliArms([0.5, 0.6])
    whole = [match_of(policies, arms, attack, horizon=5, trials=1, seed=0) for attack in (None, tw.ACE())]
    jobs = [short_match(match, name) for match in whole for name in policies]
    assert by_policy(jobs) == [[jobs[1], jobs[3]], [jobs[0], jobs[2]]]
