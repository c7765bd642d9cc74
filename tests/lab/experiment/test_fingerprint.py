import os
import subprocess
import sys
from types import FunctionType

import trueward as tw
from trueward.engine.kernel import floor_edge
from trueward.engine.states import Setting
from trueward.lab.experiment.fingerprint import fingerprint


def test_fingerprint_depends_on_code_and_not_on_data():
    def body(state):
        return 0

    trimmed = tw.TrimmedMean(0.1).memory(Setting(2, capacity=5)), tw.TrimmedMean(0.3).memory(Setting(7, capacity=9))
    assert fingerprint(body, trimmed[0]) == fingerprint(body, trimmed[1])
    assert fingerprint(body, trimmed[0]) != fingerprint(body, tw.ShorthMean(0.1).memory(Setting(2, capacity=5)))

    def other(state):
        return 1

    assert fingerprint(body, trimmed[0]) != fingerprint(other, trimmed[0])


def test_fingerprint_changes_when_code_moves_to_another_module():
    here, there = (FunctionType(floor_edge.__code__, floor_edge.__globals__) for _ in range(2))
    there.__module__ = "trueward.moved"
    assert fingerprint(here) != fingerprint(there)


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
