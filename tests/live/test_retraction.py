import pytest

import trueward as tw
from trueward.errors import TicketError


def never_told(bandit, number):
    """Return a bandit with the same asks and rewards, but the one reward never came."""
    saved = bandit.to_dict()
    saved["events"] = [e for e in saved["events"] if number not in (e.get("tell"), e.get("retract"))]
    return tw.Bandit.from_dict(saved)


@pytest.mark.parametrize("number", [1, 13, 40])
def test_retracting_a_rating_leaves_the_state_as_if_it_had_never_come(number, policy, fresh, play, snapshot):
    bandit = fresh(policy)
    play(bandit, 40)
    told = snapshot(bandit)
    bandit.retract(number)
    other = never_told(bandit, number)
    assert snapshot(bandit) == snapshot(other) != told
    assert bandit.open_tickets == other.open_tickets == (number,)
    assert play(bandit, 20, seed=2) == play(other, 20, seed=2)
    assert snapshot(bandit) == snapshot(other)


def test_a_rating_told_and_retracted_at_once_changes_no_later_choice(policy, fresh, play, snapshot):
    bandit, other = fresh(policy), fresh(policy)
    for study in (bandit, other):
        play(study, 10)
        ticket = study.ask(ticket=True)
        if study is bandit:
            study.tell(ticket, 0.1)
            study.retract(ticket)
    assert snapshot(bandit) == snapshot(other)
    assert play(bandit, 20, seed=2) == play(other, 20, seed=2)


def test_a_rating_told_again_after_its_retraction_comes_last(policy, fresh, snapshot):
    bandit, other = fresh(policy), fresh(policy)
    first, second, third = tickets = [bandit.ask(ticket=True) for _ in range(3)]
    assert [other.ask(ticket=True) for _ in range(3)] == tickets
    bandit.tell_many([(first, 0.9), (second, 0.2), (third, 0.4)])
    bandit.retract(first)
    bandit.tell(first, 0.6)
    other.tell_many([(second, 0.2), (third, 0.4), (first, 0.6)])
    assert snapshot(bandit) == snapshot(other)


@pytest.mark.parametrize("times", [1, 2])  # once: the memory is small again after the retraction
def test_retraction_is_exact_when_the_memory_has_grown(times, small_memory, policy, fresh, play, snapshot):
    bandit = fresh(policy)
    play(bandit, 5)
    shown = [bandit.ask(among=["text"], ticket=True) for _ in range(times * small_memory + 1)]
    bandit.tell_many((ticket, (7 * i % 11) / 10) for i, ticket in enumerate(shown))
    bandit.retract(shown[20])
    other = never_told(bandit, shown[20].number)
    assert snapshot(bandit) == snapshot(other)
    assert play(bandit, 5, seed=2) == play(other, 5, seed=2)


@pytest.mark.parametrize(
    "estimator",
    [tw.Mean(), tw.Median(), tw.GroupedMedian(0.1), tw.TrimmedMean(0.1), tw.ShorthMean(0.1)],
    ids=lambda e: type(e).__name__,
)
def test_the_grown_memory_holds_every_rating_that_was_not_retracted(estimator, small_memory, fresh):
    bandit = fresh(tw.CrUCB(estimator, sigma=0.3))
    shown = [bandit.ask(among=["quiz"], ticket=True) for _ in range(3 * small_memory)]
    ratings = [(7 * i % 11) / 10 for i in range(len(shown))]
    bandit.tell_many(zip(shown, ratings, strict=True))
    bandit.retract(shown.pop(70))
    del ratings[70]
    assert bandit.estimates()["quiz"] == pytest.approx(float(estimator(ratings)), rel=1e-12)
    assert bandit.explain()["quiz"].ratings == len(ratings)


def test_a_retracted_ask_is_the_oldest_open_one_again(fresh):
    bandit = fresh(tw.Uniform())
    for _ in range(3):
        bandit.ask(among=["text"])
    assert [bandit.tell("text", reward) for reward in (0.1, 0.2)] == [1, 2]
    bandit.retract(1)
    assert bandit.tell("text", 0.4) == 1
    assert bandit.tell("text", 0.5) == 3


@pytest.mark.parametrize(
    ("ticket", "message"),
    [
        (1, "ticket 1 has no reward to retract"),
        (2, "there is no ticket 2; 1 have been given out"),
        (0, "there is no ticket 0"),
        (-1, "there is no ticket -1"),
        (True, "there is no ticket True"),
        (1.0, "there is no ticket 1.0"),
        ("video", "there is no ticket 'video'"),
        ([1], r"there is no ticket \[1\]"),
        (None, "there is no ticket None"),
    ],
)
def test_a_retraction_of_nothing_is_refused(ticket, message, fresh):
    bandit = fresh(tw.Uniform())
    bandit.ask()
    before = bandit.to_dict()
    with pytest.raises(TicketError, match=message):
        bandit.retract(ticket)
    assert bandit.to_dict() == before
