"""Choosing and learning in compiled code: the same numbers, and nothing is compiled while somebody waits."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import event
from tests.examples import POLICIES

import trueward as tw
from trueward.engine.compiling import execution_mode
from trueward.engine.protocol import Observation, choose, make_ask, update
from trueward.engine.states import arrays_of
from trueward.live import steps
from trueward.live.steps import learn_rewards

EVERY = [pytest.param(policy, id=f"{name} {i}") for name, some in POLICIES.items() for i, policy in enumerate(some)]


@pytest.mark.parametrize("policy", EVERY)
def test_a_policy_that_is_said_to_learn_without_random_numbers_draws_none(policy):
    state = policy.start(3, horizon=400, capacity=128)
    if policy.interpreted_only or learn_rewards.draws(state):
        return
    choosing, learning = np.random.default_rng(0), np.random.default_rng(1)
    before = learning.bit_generator.state
    for t in range(1, 31):
        ask = make_ask(t, 3)
        arm = choose(state, ask, choosing)
        update(state, Observation(t, arm, float((7 * t) % 11), ask.p, ask.available), learning)
    assert learning.bit_generator.state == before


def test_it_is_known_that_ties_of_windows_are_broken_at_random_when_a_reward_is_learned():
    at_random = tw.CrUCB(tw.ShorthMean(0.15, tie="random"), sigma=1.3)
    assert learn_rewards.draws(at_random.start(3))
    assert not learn_rewards.draws(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3).start(3))
    assert not learn_rewards.draws(tw.Wary((1, 5)).start(3))


def live_through(policy, *, warm):
    """Return a bandit after asks of all arms and of some, rewards late and out of order, a void and a new arm."""
    bandit = tw.Bandit(policy, ["a", "b", "c"], seed=3, horizon=500)
    if warm:
        bandit.warm_up()
    late = []
    for number in range(90):
        ticket = bandit.ask(ticket=True, among=None if number % 3 else ["a", "c"])
        late.append(ticket)
        if len(late) > number % 4:
            bandit.tell(late.pop(number % len(late)), float((3 * number) % 11))
    bandit.void([5, 6, 7])
    bandit.add_arm("d")
    for number in range(20):
        bandit.tell(bandit.ask(ticket=True), float(number % 11))
    return bandit


@pytest.mark.parametrize(
    "policy",
    [tw.UCB1((0, 10)), tw.UniformShare(tw.BetaThompson((0, 10))), tw.EXP3((0, 10))],
    ids=lambda policy: type(policy).__name__,
)
def test_compiled_steps_choose_and_learn_the_same_in_every_bit(policy, monkeypatch):
    compiled = live_through(policy, warm=True)
    assert compiled._learner._steps  # and they are used
    assert steps.learn_rewards.interpreted not in compiled._learner._steps.values()
    monkeypatch.setattr(steps.Compilable, "without_compiling", lambda step, *_: step.interpreted)
    interpreted = live_through(policy, warm=False)
    assert interpreted.to_dict() == compiled.to_dict()
    for one, other in zip(arrays_of(interpreted._state), arrays_of(compiled._state), strict=True):
        np.testing.assert_array_equal(one, other)


class Compilations(event.Listener):
    """Counts what is compiled."""

    def __init__(self):
        self.names = []

    def on_start(self, found):
        self.names.append(found.data["dispatcher"].__name__)

    def on_end(self, found):
        pass


def test_after_the_warm_up_nothing_is_compiled_while_somebody_waits():
    policy = tw.UCB1((0, 10))
    tw.Bandit(policy, 2).warm_up()
    seen = Compilations()
    with event.install_listener("numba:compile", seen):
        live_through(policy, warm=False)
    assert seen.names == []


WARM = """
from numba.core import event
import trueward as tw
from tests.live.test_steps import Compilations
bandit, seen = tw.Bandit(tw.MixtureThompson(), 3), Compilations()
bandit.warm_up()
with event.install_listener("numba:compile", seen):
    bandit.tell(bandit.ask(ticket=True), 7)
    print(seen.names, bandit.estimates() and bandit.probabilities() and seen.names)
"""


@pytest.mark.soak
def test_where_nothing_is_on_disk_the_warm_up_compiles_what_probabilities_need_as_well(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", WARM], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[] []\n"), done.stderr


def test_many_ratings_are_learned_as_one_after_another():
    one_by_one = tw.Bandit(tw.BetaThompson((0, 10)), 3)
    for number in range(300):
        one_by_one.tell(one_by_one.ask(ticket=True), float(number % 11))
    at_once = tw.Bandit.from_dict(one_by_one.to_dict())
    for one, other in zip(arrays_of(one_by_one._state), arrays_of(at_once._state), strict=True):
        np.testing.assert_array_equal(one, other)


COLD = """
from numba.core import event
import trueward as tw
from tests.live.test_steps import Compilations
seen = Compilations()
with event.install_listener("numba:compile", seen):
    for policy in tw.Wary((0, 10)), tw.MixtureThompson():
        bandit = tw.Bandit(policy, 5)
        bandit.tell(bandit.ask(), 7)
        assert bandit.ask() in range(5) and bandit.estimates() and bandit.probabilities() and bandit.explain()
print(seen.names)
"""


def test_where_nothing_is_on_disk_nothing_is_compiled_while_somebody_waits(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COLD], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_what_is_compiled_only_if_on_disk_gives_the_same_choices_and_probabilities_in_every_bit():
    def studied(*, compiled):
        with execution_mode(compiled=compiled):
            bandit = tw.Bandit(tw.Wary((0, 10)), 5, seed=1, horizon=1000)
            for number in range(40):
                among = None if number % 3 else [0, 2, 4]
                bandit.tell(bandit.ask(ticket=True, among=among), (7 * number) % 11 if number % 5 else 10)
            return bandit

    one, other = studied(compiled=True), studied(compiled=False)
    assert one.to_dict() == other.to_dict()
    assert one.probabilities() == other.probabilities()
    for mine, others in zip(arrays_of(one._state), arrays_of(other._state), strict=True):
        np.testing.assert_array_equal(mine, others)
