import math

import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError, RewardError, TicketError, TruewardError, UnknownArmError
from trueward.live.bandit import Ticket
from trueward.policies.wrappers.plain_policy import PlainPolicyAdapter


class Always:
    def choose(self, t):
        return 0

    def update(self, arm, reward):
        pass


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.Bandit(tw.Uniform(), []), "arms must have at least one arm, got none"),
        (lambda: tw.Bandit(tw.Uniform(), 0), "arms must be a whole number of at least 1, got 0"),
        (lambda: tw.Bandit(tw.Uniform(), 2.0), "arms must be a list of names, or how many there are, got 2.0"),
        (lambda: tw.Bandit(tw.Uniform(), True), "arms must be a list of names, or how many there are, got True"),
        (lambda: tw.Bandit(tw.Uniform(), None), "arms must be a list of names, or how many there are, got None"),
        (lambda: tw.Bandit(tw.Uniform(), "video"), "arms must be a list of names, or how many there are, got 'video'"),
        (lambda: tw.Bandit(tw.Uniform(), {"a"}), "arms must be a list of names, or how many there are, got {'a'}"),
        (lambda: tw.Bandit(tw.Uniform(), ["a", "a"]), r"arms must be different names or whole numbers, got \['a', 'a'"),
        (lambda: tw.Bandit(tw.Uniform(), ["a", 1.5]), r"arms must be different names or whole numbers, got \['a', 1.5"),
        (lambda: tw.Bandit(tw.Uniform(), [["a"]]), r"arms must be different names or whole numbers, got \[\['a'\]\]"),
        (lambda: tw.Bandit(tw.Uniform(), [True, "b"]), "arms must be different names or whole numbers"),
        (lambda: tw.Bandit("ucb", 2), "policy must be a Policy such as UCB.*, got 'ucb'"),
        (lambda: tw.Bandit(tw.UCB, 2), "policy must be a Policy such as UCB"),
        (lambda: tw.Bandit(Always(), 2), "policy must be a Policy such as UCB"),
        (lambda: tw.Bandit(PlainPolicyAdapter(Always()), 2), "policy must keep what it learns in arrays"),
        (lambda: tw.Bandit(tw.EXP3(), 2), "EXP3 needs a horizon, the number of rounds; got None"),
        (lambda: tw.Bandit(tw.EXP3(), 2, horizon=0), "horizon must be a whole number of at least 1, got 0"),
        (lambda: tw.Bandit(tw.Uniform(), 2, seed=-1), "seed must be a whole number of at least 0, got -1"),
        (lambda: tw.Bandit(tw.Uniform(), 2, seed=0.5), "seed must be a whole number of at least 0, got 0.5"),
        (lambda: tw.Bandit(tw.CrUCB(tw.Mean(), sigma=[1, 2], bias_term=True), 3), "one for each of 3 arms"),
        (lambda: tw.TrimmedMean(0.5), "alpha must be at least 0 and below 0.5, got 0.5"),
        (lambda: tw.ShorthMean(-0.1), "alpha must be at least 0 and below 0.5, got -0.1"),
        (lambda: tw.TrimmedMean(math.nan), "alpha must be at least 0 and below 0.5, got nan"),
    ],
)
def test_a_bandit_that_cannot_be_built_says_why(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


def test_policies_that_need_a_horizon_say_so_when_the_bandit_is_built(policy):
    if policy.needs_horizon:
        with pytest.raises(ParameterError, match=f"{type(policy).__name__} needs a horizon"):
            tw.Bandit(policy, 3)
    tw.Bandit(policy, 3, horizon=100).ask()


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf, "7", None, 1j, [1.0]])
def test_a_reward_that_is_no_finite_number_is_refused_and_named(reward, policy, fresh, play, snapshot):
    bandit = fresh(policy)
    play(bandit, 5)
    arm = bandit.ask()
    before, log = snapshot(bandit), bandit.to_dict()
    with pytest.raises(RewardError, match=f"reward of arm '{arm}' in round 6 must be a finite number, got"):
        bandit.tell(arm, reward)
    assert snapshot(bandit) == before
    assert bandit.to_dict() == log
    assert bandit.tell(arm, 0.5) == 6


@pytest.mark.parametrize(
    ("tell", "error", "message"),
    [
        (lambda b: b.tell("radio", 0.5), UnknownArmError, "there is no arm 'radio'; the arms are 'video', 'text'"),
        (lambda b: b.tell(True, 0.5), UnknownArmError, "there is no arm True"),
        (lambda b: b.tell(["text"], 0.5), UnknownArmError, r"there is no arm \['text'\]"),
        (lambda b: b.tell(None, 0.5), UnknownArmError, "there is no arm None"),
        (lambda b: b.tell("quiz", 0.5), TicketError, "arm 'quiz' has no open ask that a reward could belong to"),
        (lambda b: b.tell("video", 0.5), TicketError, "arm 'video' has no open ask that a reward could belong to"),
        (lambda b: b.tell("video", 0.5, ticket=1), TicketError, "ticket 1 has a reward already; retract it first"),
        (lambda b: b.tell("video", 0.5, ticket=2), TicketError, "ticket 2 is for arm 'text', got 'video'"),
        (lambda b: b.tell("text", 0.5, ticket=3), TicketError, "there is no ticket 3; 2 have been given out"),
        (lambda b: b.tell("text", 0.5, ticket=0), TicketError, "there is no ticket 0"),
        (lambda b: b.tell("text", 0.5, ticket=-1), TicketError, "there is no ticket -1"),
        (lambda b: b.tell("text", 0.5, ticket="2"), TicketError, "there is no ticket '2'"),
        (lambda b: b.tell("text", 0.5, ticket=2.0), TicketError, "there is no ticket 2.0"),
        (lambda b: b.tell(Ticket(2, "quiz", 0.3), 0.5), TicketError, "ticket 2 is for arm 'text', got 'quiz'"),
    ],
)
def test_a_reward_that_belongs_nowhere_is_refused(tell, error, message, fresh, snapshot):
    bandit = fresh(tw.EXP3(gamma=0.5))
    bandit.ask(among=["video"])
    bandit.ask(among=["text"])
    bandit.tell("video", 1.0)
    before, log = snapshot(bandit), bandit.to_dict()
    with pytest.raises(error, match=message):
        tell(bandit)
    assert snapshot(bandit) == before
    assert bandit.to_dict() == log


def test_a_reward_outside_of_a_strict_range_is_refused(fresh, snapshot):
    for policy in (tw.EXP3((0, 10), gamma=0.5, outside="raise"), tw.UCB1((0, 10), outside="raise")):
        bandit = fresh(policy)
        arm = bandit.ask()
        before = snapshot(bandit)
        with pytest.raises(RewardError, match=rf"arm '{arm}' in round 1 must lie in \[0, 10\], got 11"):
            bandit.tell(arm, 11)
        assert snapshot(bandit) == before
        bandit.tell(arm, 10)


def test_a_rating_outside_of_the_declared_range_is_refused_unless_the_policy_clips(fresh, snapshot):
    for policy in (tw.EXP3((0, 10), gamma=0.5), tw.BetaThompson((0, 10)), tw.UCB1((0, 10))):
        bandit = fresh(policy)
        arm, before = bandit.ask(), snapshot(bandit)
        with pytest.raises(RewardError, match=rf"arm '{arm}' in round 1 must lie in \[0, 10\], got 70"):
            bandit.tell(arm, 70)
        assert snapshot(bandit) == before
    lenient = fresh(tw.BetaThompson((0, 10), outside="clip"))
    arm = lenient.ask()
    lenient.tell(arm, 70)
    assert lenient.explain()[arm].mean == 10.0  # as the policy counts it


@pytest.mark.parametrize("label", [np.array([1, 2]), np.array(["video"]), [1], {}], ids=repr)
def test_an_arm_that_is_an_array_is_refused_by_name(label, fresh):
    bandit = fresh(tw.Uniform())
    bandit.ask()
    with pytest.raises(UnknownArmError, match="there is no arm"):
        bandit.tell(label, 0.5)
    with pytest.raises(UnknownArmError, match="there is no arm"):
        bandit.ask(among=[label])


def test_every_error_can_be_caught_as_one():
    assert all(issubclass(e, TruewardError) for e in (ParameterError, RewardError, TicketError, UnknownArmError))
