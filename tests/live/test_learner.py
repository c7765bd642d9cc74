"""A live study learns one rating after another, interpreted: nothing is compiled while somebody waits."""

import os
import subprocess
import sys

import numpy as np
import pytest

import trueward as tw
from trueward.engine.states import arrays_of

LIVE = """
from numba.core import event
import trueward as tw

class Compilations(event.Listener):
    names = []

    def on_start(self, found):
        self.names.append(found.data["dispatcher"].__name__)

    def on_end(self, found):
        pass

with event.install_listener("numba:compile", Compilations()):
    for policy in tw.Wary((0, 10)), tw.MixtureThompson(), tw.CrUCB(tw.TrimmedMean(0.1), sigma=1):
        bandit = tw.Bandit(policy, 5)
        bandit.tell(bandit.ask(), 7)
        assert bandit.ask() in range(5) and bandit.estimates() and bandit.probabilities() and bandit.explain()
print(Compilations.names)
"""


def test_live_bandit_compiles_nothing(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LIVE], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "policy",
    [tw.BetaThompson((0, 10)), tw.CrUCB(tw.ShorthMean(0.15, tie="random"), sigma=1), tw.MixtureThompson()],
    ids=["without random numbers", "with random numbers", "with a lazy posterior"],
)
def test_ratings_learned_at_once_give_the_state_of_ratings_learned_one_by_one(policy):
    one_by_one = tw.Bandit(policy, 3)
    for number in range(200):
        one_by_one.tell(one_by_one.ask(ticket=True), float(number % 11))
    at_once = tw.Bandit.from_dict(one_by_one.to_dict())
    for one, other in zip(arrays_of(one_by_one._state), arrays_of(at_once._state), strict=True):
        np.testing.assert_array_equal(one, other)
    assert at_once.ask() == one_by_one.ask()
