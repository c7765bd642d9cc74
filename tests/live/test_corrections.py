"""Rewards that should not count, or should have been others, and arms that come later."""

import json

import pytest

import trueward as tw
from trueward.engine.states import arrays_of
from trueward.errors import LogError, TicketError

POLICIES = [tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3), tw.EXP3((0, 10), gamma=0.2), tw.BetaThompson((0, 10))]
RATINGS = [7, 3, 9, 4, 6, 8, 2, 5, 10, 1]


def learned(bandit):
    return [array.tobytes() for array in arrays_of(bandit._state)]


def played(policy, rewards=RATINGS):
    bandit = tw.Bandit(policy, ["a", "b"], seed=4)
    tickets = [bandit.ask(ticket=True) for _ in RATINGS]
    for ticket, reward in zip(tickets, rewards, strict=True):
        if reward is not None:
            bandit.tell(ticket, reward)
    return bandit


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_void_rewards_leave_no_trace_and_come_back_in_their_places(policy):
    bandit, before = played(policy), learned(played(policy))
    bandit.void([2, 5, 9])
    without = [None if i in (1, 4, 8) else r for i, r in enumerate(RATINGS)]
    assert learned(bandit) == learned(played(policy, without)) != before
    assert bandit.open_tickets == ()  # a void ask is not waited for
    with pytest.raises(TicketError, match="ticket 5 has a reward already"):
        bandit.tell(bandit.arms[bandit.log.asks[4].arm], 3, ticket=5)
    bandit.restore([9, 2, 5])
    assert learned(bandit) == before


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_an_amended_reward_keeps_its_place(policy):
    bandit = played(policy)
    bandit.amend(3, 1)
    assert learned(bandit) == learned(played(policy, [*RATINGS[:2], 1, *RATINGS[3:]]))
    with pytest.raises(tw.TruewardError, match="finite"):
        bandit.amend(3, float("nan"))


def test_a_void_ask_takes_no_reward_and_a_closed_one_does():
    bandit = played(tw.UCB(sigma=1.3), [*RATINGS[:8], None, None])
    assert bandit.open_tickets == (9, 10)
    bandit.close([9])
    bandit.void([10])
    assert bandit.open_tickets == ()
    label = bandit.arms[bandit.log.asks[9].arm]
    with pytest.raises(TicketError, match="ticket 10 is void: it takes no reward; restore it first"):
        bandit.tell(tw.Ticket(10, label, None), 4)
    bandit.tell(tw.Ticket(9, bandit.arms[bandit.log.asks[8].arm], None), 4)
    bandit.restore([10])
    assert bandit.open_tickets == (10,)


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_an_arm_that_comes_later_is_learned_like_the_others(policy):
    bandit = played(policy)
    bandit.add_arm("c")
    assert bandit.arms == ("a", "b", "c")
    for _ in range(20):
        bandit.tell(bandit.ask(ticket=True), 6)
    assert bandit.explain()["c"].ratings > 0
    with pytest.raises(tw.ParameterError, match="different names"):
        bandit.add_arm("a")


def test_a_policy_told_one_thing_per_arm_takes_no_other():
    bandit = tw.Bandit(tw.CrUCB(tw.TrimmedMean(0.1), sigma=(1.0, 2.0), bias_term=True), ["a", "b"])
    with pytest.raises(tw.ParameterError, match="sigma"):
        bandit.add_arm("c")
    assert bandit.arms == ("a", "b")
    bandit.ask()


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_corrections_and_arms_are_saved_and_resumed(policy):
    bandit = played(policy, [*RATINGS[:8], None, None])
    bandit.void([1, 9])
    bandit.amend(2, 8)
    bandit.add_arm("c")
    bandit.close([10])
    bandit.restore([1])
    bandit.ask()
    resumed = tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict())))
    assert resumed.to_dict() == bandit.to_dict()
    assert learned(resumed) == learned(bandit)
    assert resumed.next_ask() == bandit.next_ask()


@pytest.mark.parametrize(
    "event",
    [{"void": [0]}, {"void": [1, 99]}, {"restore": [3]}, {"amend": 10, "reward": 3}, {"add": "a"}, {"close": "x"}],
)
def test_an_event_that_does_not_follow_is_refused(event):
    bandit = played(tw.UCB(sigma=1.3), [*RATINGS[:9], None])
    before = learned(bandit)
    with pytest.raises(LogError, match="does not follow"):
        bandit.apply(event)
    assert learned(bandit) == before


def test_the_next_ask_is_foretold_and_nothing_changed():
    bandit = played(tw.BetaThompson((0, 10)))
    foretold = bandit.next_ask(among=["b"])
    assert foretold["among"] == ["b"]
    assert bandit.next_ask(among=["b"]) == foretold
    bandit.ask(among=["b"])
    assert bandit.to_dict()["events"][-1] == foretold
