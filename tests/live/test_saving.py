import copy
import json
import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import trueward as tw
from trueward.engine.kernel import Ints
from trueward.engine.protocol import choose, update
from trueward.engine.states import new, per_arm
from trueward.errors import LogError, ParameterError
from trueward.policies import POLICIES
from trueward.policies.index.ucb import UCB
from trueward.policies.policy import Policy


def test_the_examples_cover_every_policy_of_the_table(examples):
    assert examples.keys() == POLICIES.keys()
    assert all(type(e) is POLICIES[name] for name, group in examples.items() for e in group)


def test_a_saved_bandit_resumes_with_the_very_next_choices(policy, fresh, play, snapshot):
    bandit = fresh(policy)
    play(bandit, 30)
    late = [bandit.ask(ticket=True) for _ in range(3)]
    bandit.tell(late[1], 0.3)
    bandit.retract(7)
    text = json.dumps(bandit.to_dict(), allow_nan=False)
    resumed = tw.Bandit.from_dict(json.loads(text))
    assert resumed.policy == policy
    assert resumed.open_tickets == bandit.open_tickets == (7, late[0].number, late[2].number)
    assert snapshot(resumed) == snapshot(bandit)
    assert json.dumps(resumed.to_dict()) == text
    bandit.tell(late[0], 0.9)
    resumed.tell(late[0], 0.9)
    assert play(resumed, 20, seed=2) == play(bandit, 20, seed=2)
    assert snapshot(resumed) == snapshot(bandit)


def test_a_bandit_saved_before_its_first_ask_resumes(policy, fresh, play):
    bandit = fresh(policy)
    resumed = tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict())))
    assert play(resumed, 20) == play(bandit, 20)


def test_what_was_saved_shares_nothing_with_the_bandit(fresh, play):
    bandit = fresh(tw.EXP3(gamma=0.2))
    play(bandit, 3)
    saved = bandit.to_dict()
    before = copy.deepcopy(saved)
    resumed = tw.Bandit.from_dict(saved)
    saved["events"][0]["p"][0] = 7.0
    saved["arms"].append("podcast")
    assert bandit.to_dict() == resumed.to_dict() == before


def test_parameters_that_came_from_numpy_are_saved(fresh):
    policy = tw.CrUCB(tw.TrimmedMean(np.float64(0.1)), sigma=np.array([0.5, 1.0, 2.0]), bias_term=np.True_)
    saved = json.loads(json.dumps(fresh(policy, seed=np.int64(3)).to_dict()))
    assert saved["policy"]["sigma"] == [0.5, 1.0, 2.0]
    assert tw.Bandit.from_dict(saved).seed == 3


@dataclass(frozen=True, kw_only=True)
class Cautious(UCB):
    """A policy of the user's own: it looks like UCB, and has no name in the table."""


class TurnsState(NamedTuple):
    pulls: Annotated[Ints, per_arm(0)]


@choose.register(TurnsState)
def fewest_ratings(state, ask, rng):
    return int(np.argmin(state.pulls))


@update.register(TurnsState)
def count_rating(state, seen, rng):
    state.pulls[seen.arm] += 1


class Turns(Policy):
    """A policy of the user's own, from scratch: the arm rated least often."""

    def state(self, setting):
        return new(TurnsState, setting)

    def estimates(self, state):
        return np.full(state.pulls.size, math.nan)

    def probabilities(self, state, ask):
        return np.eye(state.pulls.size)[int(np.argmin(state.pulls))]


class Halves(tw.Mean):
    """An estimator of the user's own."""


@pytest.mark.parametrize(
    "own",
    [Cautious(sigma=0.3), Turns(), tw.CrUCB(Halves(), sigma=0.3)],
    ids=["changed", "from scratch", "with an estimator of their own"],
)
def test_a_policy_of_the_users_own_is_given_again_when_a_bandit_resumes(own, fresh, play, snapshot):
    bandit = fresh(own)
    play(bandit, 10)
    saved = json.loads(json.dumps(bandit.to_dict()))
    with pytest.raises(LogError, match="policy has no name: give it, as in from_dict"):
        tw.Bandit.from_dict(saved)
    resumed = tw.Bandit.from_dict(saved, policy=own)
    assert snapshot(resumed) == snapshot(bandit)
    assert play(resumed, 10) == play(bandit, 10)


def test_a_policy_given_in_place_of_another_is_refused(fresh):
    saved = fresh(tw.UCB(sigma=1)).to_dict()
    assert tw.Bandit.from_dict(saved, policy=tw.UCB(sigma=1.0)).policy == tw.UCB(sigma=1)
    for other in (tw.UCB(sigma=2), tw.EXP3(), Turns()):
        with pytest.raises(ParameterError, match=r"must be the one that was saved, UCB\(sigma=1, c=4.0\), got"):
            tw.Bandit.from_dict(saved, policy=other)
    with pytest.raises(ParameterError, match="policy must be a Policy such as"):
        tw.Bandit.from_dict(saved, policy="ucb")


def without(key):
    return lambda saved: saved.pop(key)


def setting(key, value):
    return lambda saved: saved.__setitem__(key, value)


def event(position, **changes):
    return lambda saved: saved["events"][position].update(changes)


def extra(**new):
    return lambda saved: saved["events"].append(new)


DAMAGES = {
    "no format": without("format"),
    "another format": setting("format", "trueward.game.trace"),
    "a later version": setting("version", 3),
    **{f"no {key}": without(key) for key in ("policy", "arms", "seed", "horizon", "events")},
    "an unknown policy": setting("policy", {"name": "oracle"}),
    "a policy that is none": setting("policy", {"name": "mean"}),
    "a policy by its name alone": setting("policy", "exp3"),
    "a parameter out of range": setting("policy", {"name": "exp3", "gamma": 2}),
    "an unknown parameter": setting("policy", {"name": "exp3", "delta": 2}),
    "no arms": setting("arms", []),
    "arms that are not a list": setting("arms", None),
    "a seed that is none": setting("seed", "x"),
    "no horizon where it is needed": setting("policy", {"name": "exp3"}),
    "events that are not a list": setting("events", 3),
    "an event that is a word": setting("events", ["ask"]),
    "an unknown event": extra(forget=1),
    "an ask out of turn": event(0, ask=2),
    "an ask of an unknown arm": event(0, arm="radio"),
    "an ask without probabilities": lambda saved: saved["events"][0].pop("p"),
    "too few probabilities": event(0, p=[1.0]),
    "probabilities that do not sum to 1": event(0, p=[0.5, 0.5, 0.5]),
    "a negative probability": event(0, p=[1.5, 0.5, -1.0]),
    "a probability that is not a number": event(0, p=[math.nan, 0.5, 0.5]),
    "probabilities that are words": event(0, p=["a", "b", "c"]),
    "a reward before its ask": extra(tell=4, reward=0.5),
    "a reward of no ask": extra(tell=0, reward=0.5),
    "a second reward of an ask": extra(tell=1, reward=0.5),
    "a reward of half a ticket": event(1, tell=0.5),
    "a ticket that is a word": event(1, tell="one"),
    "a reward that is NaN": event(1, reward=math.nan),
    "a reward that is infinite": event(1, reward=math.inf),
    "a reward that is a word": event(1, reward="good"),
    "a reward outside of the strict range": event(1, reward=2.0),
    "a retraction of nothing": extra(retract=3),
    "a retraction of a list": extra(retract=[1]),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_log_is_refused(damage, fresh, play):
    bandit = fresh(tw.EXP3(gamma=0.2, outside="raise"))
    play(bandit, 2)
    bandit.ask()
    saved = bandit.to_dict() | {"horizon": None}
    tw.Bandit.from_dict(saved)
    damage(saved)
    with pytest.raises(LogError, match=r"the saved bandit|ask 1|event") as refused:
        tw.Bandit.from_dict(saved)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("saved", [None, [], "bandit", 3])
def test_what_is_no_saved_bandit_is_refused(saved):
    with pytest.raises(LogError, match=r"must be of format 'trueward\.bandit' version 2, got"):
        tw.Bandit.from_dict(saved)


def test_an_ask_that_chose_an_arm_of_probability_zero_is_refused(fresh):
    bandit = fresh(tw.Uniform())
    bandit.ask(among=["text"])
    saved = bandit.to_dict()
    saved["events"][0]["arm"] = "quiz"
    with pytest.raises(LogError, match=r"p of ask 1 must be the probabilities of its arms, got \[0.0, 1.0, 0.0\]"):
        tw.Bandit.from_dict(saved)


def test_an_ask_that_gave_a_chance_to_an_arm_that_was_not_available_is_refused(fresh):
    bandit = fresh(tw.UCB(sigma=1))
    bandit.ask(among=["text", "quiz"])
    saved = bandit.to_dict()
    assert saved["events"][0]["among"] == ["text", "quiz"]
    saved["events"][0]["p"] = [0.5, 0.5, 0.0]
    with pytest.raises(LogError, match=r"ask 1 shows an arm that was not available|p of ask 1"):
        tw.Bandit.from_dict(saved)


@pytest.mark.parametrize("own", [tw.UCB(sigma=0.3), tw.EXP3(gamma=0.2), tw.CrUCB(tw.TrimmedMean(0.1), sigma=0.3)])
def test_a_log_of_the_first_format_is_resumed(own, fresh, play, snapshot):
    bandit = fresh(own)
    play(bandit, 30)
    bandit.retract(7)
    old = bandit.to_dict()
    for event in old["events"]:  # only policies that sample from probabilities noted them
        if "ask" in event and not own.samples:
            del event["p"]
    resumed = tw.Bandit.from_dict(json.loads(json.dumps(old | {"version": 1})))
    assert snapshot(resumed) == snapshot(bandit)
    assert resumed.open_tickets == (7,)


@pytest.mark.parametrize(
    "damage",
    [setting("arms", 10**12), setting("policy", {"name": "ucb", "sigma": 10**400}), setting("seed", [[[]]])],
    ids=["too many arms", "a number too large", "a seed that is a list"],
)
def test_what_cannot_be_built_is_a_damaged_log_in_one_line(damage, fresh):
    saved = fresh(tw.UCB(sigma=1)).to_dict()
    damage(saved)
    with pytest.raises(LogError, match="the saved bandit is damaged") as refused:
        tw.Bandit.from_dict(saved)
    assert "\n" not in str(refused.value)
