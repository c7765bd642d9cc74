"""Answers that do not come, and a policy that counts them."""

import json
import math

import pytest

import trueward as tw
from trueward.engine.states import arrays_of

POLICIES = [
    tw.MissingAs(tw.BetaThompson((0, 10)), severity=1.0, pooled=False),
    tw.MissingAs(tw.EXP3((0, 10), gamma=0.2), severity=1.0, pooled=False),
    tw.UniformShare(tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3), low=0.0, pooled=False)),
]
RATINGS = [7, None, 9, None, 6, 8, None, 5, 10, 1]  # None: given up, in its place


def learned(bandit):
    return [array.tobytes() for array in arrays_of(bandit._state)]


def played(policy, answers):
    """Return a bandit that was told of asks in order: a rating, None for one given up, an ellipsis for nothing."""
    bandit = tw.Bandit(policy, ["a", "b"], seed=4)
    tickets = [bandit.ask(ticket=True) for _ in answers]
    for ticket, answer in zip(tickets, answers, strict=True):
        if answer is None:
            bandit.close([ticket])
        elif answer is not ...:
            bandit.tell(ticket, answer)
    return bandit


def without(*numbers):
    return [... if number in numbers else answer for number, answer in enumerate(RATINGS, 1)]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_what_is_given_up_is_learned_in_its_place(policy):
    bandit = played(policy, RATINGS)
    assert learned(bandit) != learned(played(policy, without(2)))
    assert learned(tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict())))) == learned(bandit)
    bandit.close([2, 4, 5])  # those that have been given up, or have a rating, are not given up again
    assert learned(bandit) == learned(played(policy, RATINGS))


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_a_rating_that_comes_later_replaces_what_was_given_up(policy):
    bandit, never = played(policy, RATINGS), played(policy, without(4))
    bandit.tell(ticket=4, reward=3)
    never.tell(ticket=4, reward=3)
    assert learned(bandit) == learned(never)
    bandit.retract(4)  # given up it still is, from now on
    never = played(policy, without(4))
    never.close([4])
    assert learned(bandit) == learned(never)


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_a_void_ask_is_not_missing_and_a_restored_one_is_again(policy):
    bandit = played(policy, RATINGS)
    bandit.void([2, 3])
    assert learned(bandit) == learned(played(policy, without(2, 3)))
    bandit.restore([2, 3])
    assert learned(bandit) == learned(played(policy, RATINGS))
    waiting = played(policy, without(4))
    waiting.void([4])
    waiting.close([4])
    assert learned(waiting) == learned(played(policy, without(4)))


def test_an_arm_added_later_changes_nothing_that_is_missing():
    bandit = played(POLICIES[0], RATINGS)
    bandit.add_arm("c")
    assert bandit._state.missing.tolist() == [*played(POLICIES[0], RATINGS)._state.missing.tolist(), 0]


def test_other_policies_learn_nothing_from_what_is_given_up():
    for policy in (tw.BetaThompson((0, 10)), tw.MissingAs(tw.BetaThompson((0, 10)), severity=0.0)):
        assert learned(played(policy, RATINGS)) == learned(played(policy, without(2, 4, 7)))


def test_an_explanation_tells_ratings_from_missing_answers():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.25), sigma=1.3), low=0.0, severity=1.0, pooled=False)
    bandit = tw.Bandit(policy, ["a"])
    for answer in (7, None, 9, 8, 8, 8):
        ticket = bandit.ask(ticket=True)
        bandit.close([ticket]) if answer is None else bandit.tell(ticket, answer)
    told = bandit.explain()
    assert (told["a"].ratings, told["a"].mean) == (5, 8.0)
    assert [rating.ticket for rating in told["a"].trimmed] == [1, 3, 6]  # 2 of 6 at each end, and the missing one
    assert "a: 1 of 6 ratings are missing; 1 count as 0" in str(told)
    assert not math.isnan(told["a"].estimate)


def test_memory_grows_with_missing_answers_as_with_ratings():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3), low=0.0, severity=1.0, pooled=False)
    bandit = tw.Bandit(policy, ["a"])
    for number in range(1, 201):
        bandit.ask()
        bandit.close([number]) if number % 2 else bandit.tell(ticket=number, reward=number % 10)
    assert bandit._state.is_imputed[0, :200].sum() == 100
