import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import trueward as tw
from trueward.errors import RewardError, TicketError
from trueward.live.bandit import Ticket


def ask_many(bandit, count):
    return [bandit.ask(ticket=True) for _ in range(count)]


def gains(bandit):
    """Return the importance-weighted gains of EXP3 on [0, 1]: its estimates, times the number of rewards."""
    told = sum("tell" in event for event in bandit.to_dict()["events"])
    return np.array(list(bandit.estimates().values())) * told


def test_delayed_rewards_in_any_order_all_arrive(policy, fresh):
    bandit = fresh(policy)
    tickets = ask_many(bandit, 30)
    rewards = {ticket.number: (ticket.number % 11) / 10 for ticket in tickets}
    for position in np.random.default_rng(0).permutation(30):
        assert bandit.tell(tickets[position], rewards[position + 1]) == position + 1
    assert bandit.open_tickets == ()
    for explanation in bandit.explain().arms:
        mine = [rewards[t.number] for t in tickets if t.arm == explanation.arm]
        assert explanation.ratings == len(mine)
        assert explanation.mean == pytest.approx(np.mean(mine) if mine else math.nan, nan_ok=True)


def test_exp3_weights_a_late_reward_with_the_probability_of_its_own_ask():
    gamma = 0.5
    bandit = tw.Bandit(tw.EXP3(gamma=gamma), ["a", "b"], seed=0)
    late, early = ask_many(bandit, 2)
    assert late.probability == early.probability == 0.5
    expected = {"a": 0.0, "b": 0.0}
    bandit.tell(early, 0.8)
    expected[early.arm] += 0.8 / 0.5
    assert gains(bandit) == pytest.approx(list(expected.values()))

    third = bandit.ask(ticket=True)  # the distribution has moved: w_a = exp(gamma G_a / K)
    w = {arm: math.exp(gamma * gain / 2) for arm, gain in expected.items()}
    p = {arm: (1 - gamma) * w[arm] / sum(w.values()) + gamma / 2 for arm in w}
    assert third.probability == pytest.approx(p[third.arm], rel=1e-12)
    assert abs(third.probability - 0.5) > 0.04

    bandit.tell(late, 0.5)
    expected[late.arm] += 0.5 / 0.5
    bandit.tell(third, 1.0)
    expected[third.arm] += 1.0 / p[third.arm]
    assert gains(bandit) == pytest.approx(list(expected.values()))


def test_tsallis_and_exp3pp_weight_a_late_reward_with_the_probability_of_its_own_ask(fresh, play):
    for policy, losses in ((tw.TsallisINF(loss_estimator="iw"), "losses"), (tw.EXP3PP(), "weighted")):
        bandit = fresh(policy)
        play(bandit, 10)
        late = bandit.ask(ticket=True)
        play(bandit, 30)
        before = getattr(bandit._state, losses).copy()
        bandit.tell(late, 0.25)
        arm = bandit.arms.index(late.arm)
        moved = getattr(bandit._state, losses) - before
        assert moved[arm] == pytest.approx(0.75 / late.probability, rel=1e-9)
        assert np.count_nonzero(moved) == 1
        assert bandit.probabilities()[late.arm] != pytest.approx(late.probability, rel=1e-3)


def test_a_reward_without_a_ticket_belongs_to_the_oldest_open_ask_of_its_arm(fresh):
    bandit = fresh(tw.Uniform())
    for arm in ("text", "quiz", "text", "text"):
        bandit.ask(among=[arm])
    assert bandit.tell("text", 0.1, ticket=3) == 3
    assert bandit.tell("text", 0.2) == 1
    assert bandit.tell_many([("text", 0.3), ("quiz", 0.4)]) == [4, 2]
    with pytest.raises(TicketError, match="arm 'text' has no open ask"):
        bandit.tell("text", 0.5)


def test_a_reward_without_a_ticket_takes_the_probability_of_the_oldest_ask(fresh, play, snapshot):
    bandit, other = fresh(tw.EXP3(gamma=0.3)), fresh(tw.EXP3(gamma=0.3))
    for study in (bandit, other):
        oldest = study.ask(ticket=True)
        play_on = [study.ask(ticket=True) for _ in range(10)]
        study.tell_many((t, 0.9) for t in play_on if t.arm != oldest.arm)
        study.ask(among=[oldest.arm])
    bandit.tell(oldest.arm, 1.0)
    other.tell(oldest, 1.0)
    assert snapshot(bandit) == snapshot(other)


@pytest.mark.parametrize(
    "ticket", [lambda t: t.number, lambda t: np.int64(t.number), lambda t: t], ids=["int", "numpy", "ticket"]
)
def test_a_ticket_may_be_given_by_its_number(ticket, fresh):
    bandit = fresh(tw.Uniform())
    first, second = ask_many(bandit, 2)
    assert bandit.tell(second.arm, 0.5, ticket=ticket(second)) == second.number
    bandit.retract(ticket(second))
    assert bandit.open_tickets == (first.number, second.number)
    json.dumps(bandit.to_dict())


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (("video", math.nan), RewardError),
        (("video", math.inf), RewardError),
        (("video", 7.0), RewardError),  # outside of the strict range
        (("radio", 0.5), LookupError),
        (("text", 0.5), TicketError),  # its only open ask has a reward in the same batch
        ((Ticket(1, "text", None), 0.5), TicketError),
        ((Ticket(9, "text", None), 0.5), TicketError),
    ],
)
def test_many_rewards_are_told_all_or_none(last, error, fresh, snapshot):
    bandit = fresh(tw.EXP3(gamma=0.2, outside="raise"))
    for arm in ("text", "quiz", "video"):
        bandit.ask(among=[arm])
    before, log = snapshot(bandit), bandit.to_dict()
    with pytest.raises(error):
        bandit.tell_many([("text", 0.5), ("quiz", 0.5), last])
    assert snapshot(bandit) == before
    assert bandit.to_dict() == log
    assert bandit.tell_many([("text", 0.5), ("quiz", 0.5)]) == [1, 2]


def test_many_rewards_at_once_are_the_same_rewards_one_by_one(policy, fresh, snapshot):
    bandit, other = fresh(policy), fresh(policy)
    tickets = ask_many(bandit, 20)
    assert ask_many(other, 20) == tickets
    bandit.tell_many((ticket, 0.3) for ticket in tickets)
    for ticket in tickets:
        other.tell(ticket, 0.3)
    assert snapshot(bandit) == snapshot(other)
    assert bandit.tell_many([]) == []


@pytest.mark.parametrize("reward", [np.float64(0.5), np.float32(0.5), 0.5, np.int64(1), 1, True, np.True_], ids=repr)
def test_rewards_may_be_any_kind_of_number(reward, fresh):
    bandit = fresh(tw.UCB(sigma=1))
    arm = bandit.ask()
    bandit.tell(arm, reward)
    assert bandit.estimates()[arm] == float(reward)
    assert tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict()))).estimates()[arm] == float(reward)


def test_arms_may_be_whole_numbers_also_those_of_numpy():
    bandit = tw.Bandit(tw.Uniform(), np.array([10, 20, 30]))
    assert bandit.arms == (10, 20, 30)
    assert all(type(label) is int for label in bandit.arms)
    assert bandit.ask(among=np.array([20])) == 20
    assert bandit.tell(np.int64(20), 0.5) == 1
    assert tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict()))).arms == (10, 20, 30)
    assert tw.Bandit(tw.Uniform(), 3).arms == tw.Bandit(tw.Uniform(), np.int64(3)).arms == (0, 1, 2)
    assert tw.Bandit(tw.Uniform(), np.array(["a", "b"])).arms == ("a", "b")


def clipping(policy):
    """Return the same policy, which clips what lies outside of its range also in a live study."""
    if hasattr(policy, "policy"):
        return replace(policy, policy=clipping(policy.policy))
    return replace(policy, outside="clip") if getattr(policy, "outside", "") is None else policy


def test_rewards_of_1e300_are_played_by_every_policy(policy, fresh):
    # warnings are errors in this suite
    bandit = fresh(clipping(policy))
    if getattr(policy, "outside", "") == "raise":
        with pytest.raises(RewardError, match=r"of arm '\w+' in round 1 must lie in \[0, 1\], got 1e\+300"):
            bandit.tell(bandit.ask(), 1e300)
        return
    for reward in itertools.islice(itertools.cycle([1e300, -1e300, 0.0, 1e300, -1e300]), 75):
        arm = bandit.ask()
        bandit.tell(arm, reward)
        assert math.isfinite(bandit.estimates()[arm])
        assert sum(bandit.probabilities().values()) == pytest.approx(1)
    assert all(math.isfinite(e.estimate) and math.isfinite(e.mean) for e in bandit.explain().arms if e.ratings)
    str(bandit.explain())
    tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict(), allow_nan=False)))


def test_one_huge_reward_from_every_side_does_not_stop_a_policy(policy, fresh):
    if getattr(policy, "outside", "") == "raise":
        return
    for reward in (1e300, -1e300, 5e-324, -0.0):
        bandit = fresh(clipping(policy))
        for _ in range(5):
            bandit.tell(bandit.ask(), reward)
            assert sum(bandit.probabilities().values()) == pytest.approx(1)


def test_the_number_of_a_ticket_is_enough():
    bandit = tw.Bandit(tw.UCB(sigma=1.0), ["video", "text"])
    tickets = [bandit.ask(ticket=True) for _ in range(3)]
    assert bandit.tell(ticket=2, reward=4) == 2
    assert bandit.tell(ticket=tickets[2], reward=5) == 3
    assert bandit.open_tickets == (1,)
    with pytest.raises(TicketError, match="ticket 2 has a reward already"):
        bandit.tell(ticket=2, reward=4)
    with pytest.raises(TicketError, match="there is no ticket 9"):
        bandit.tell(ticket=9, reward=4)
    with pytest.raises(RewardError, match="finite"):
        bandit.tell(ticket=1)
    with pytest.raises(tw.TruewardError, match="there is no arm None, and no ticket either"):
        bandit.tell(reward=4)
