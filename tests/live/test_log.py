"""What the log says of an ask, and that threads may share a bandit."""

import json
import threading

import numpy as np
import pytest

import trueward as tw


def test_every_ask_logs_the_probabilities_it_was_drawn_from(policy, fresh, play):
    bandit = fresh(policy)
    play(bandit, 20)
    expected = bandit.probabilities()
    bandit.ask()  # without a ticket
    event = bandit.to_dict()["events"][-1]
    assert event["p"] == pytest.approx(list(expected.values()), abs=1e-12)
    assert event["among"] == list(bandit.arms)


def test_an_ask_among_some_arms_logs_them_and_their_probabilities(policy, fresh, play):
    bandit = fresh(policy)
    play(bandit, 20)
    expected = bandit.probabilities(among=["text", "quiz"])
    ticket = bandit.ask(among=["quiz", "text"], ticket=True)
    event = bandit.to_dict()["events"][-1]
    assert event["among"] == ["text", "quiz"]
    assert event["p"][0] == 0.0
    assert event["p"] == pytest.approx(list(expected.values()), abs=1e-12)
    assert ticket.probability == event["p"][bandit.arms.index(ticket.arm)]


def test_threads_may_share_a_bandit(snapshot):
    bandit = tw.Bandit(tw.EXP3(gamma=0.2), ["a", "b"])

    def work():
        for _ in range(60):
            bandit.tell(bandit.ask(ticket=True), 0.5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = bandit.to_dict()["events"]
    assert [event["ask"] for event in events if "ask" in event] == list(range(1, 241))
    resumed = tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict())))
    assert snapshot(resumed) == snapshot(bandit)


def test_telling_by_arm_looks_at_no_more_asks_than_it_must():
    bandit = tw.Bandit(tw.Uniform(), 2)
    arms = [bandit.ask() for _ in range(3000)]
    looked = CountingDict(bandit._log._open[0])
    bandit._log._open[0] = looked
    bandit.tell_many((arm, 0.5) for arm in arms[:1500])
    assert looked.passed < 10 * 1500
    assert bandit.open_tickets == tuple(range(1501, 3001))


class CountingDict(dict):
    """Counts how many entries were passed in going through it."""

    passed = 0

    def __iter__(self):
        for key in super().__iter__():
            self.passed += 1
            yield key


def test_a_retracted_ask_is_open_again_in_its_old_place(fresh):
    bandit = fresh(tw.Uniform())
    for _ in range(4):
        bandit.ask(among=["text"])
    bandit.tell_many([("text", 0.1), ("text", 0.2), ("text", 0.3)])
    bandit.retract(2)
    assert bandit.open_tickets == (2, 4)
    assert bandit.tell("text", 0.9) == 2


def test_pending_asks_are_shown_to_the_policy(fresh):
    bandit = fresh(tw.UCB(sigma=0.3))
    for arm in ("text", "text", "quiz"):
        bandit.ask(among=[arm])
    _, ask = bandit._at_hand(np.ones(3, np.bool_))
    assert ask.pending.tolist() == [0, 2, 1]


def test_every_ask_says_among_which_arms_it_chose_and_a_log_that_does_not_is_resumed():
    bandit = tw.Bandit(tw.BetaThompson((1, 5)), ["video", "text", "quiz"], seed=2)
    for among in (None, ["text", "quiz"], None):
        bandit.tell(bandit.ask(among=among, ticket=True), 4)
    saved = bandit.to_dict()
    asks = [event for event in saved["events"] if "ask" in event]
    assert [ask["among"] for ask in asks] == [["video", "text", "quiz"], ["text", "quiz"], ["video", "text", "quiz"]]
    for ask in (asks[0], asks[2]):
        del ask["among"]
    resumed = tw.Bandit.from_dict(saved)
    assert resumed.to_dict() == bandit.to_dict()
    assert resumed.next_ask() == bandit.next_ask()
