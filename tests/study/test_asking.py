"""Asking and telling, on both databases."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

import trueward as tw
from trueward.errors import ConflictError, ParameterError, RewardError, StudyError, TicketError, UnknownArmError


def test_asking_again_gives_the_same_decision(url, create, reopen):
    study = create(url)
    shown = study.ask(participant="p17")
    assert (shown.number, shown.again) == (1, False)
    for again in (study.ask(participant="p17"), reopen(url).ask(participant="p17")):
        assert (again.number, again.arm, again.probability, again.again) == (1, shown.arm, shown.probability, True)
    assert study.ask(participant="p17", occasion="2").number == 2
    assert study.ask().number == 3  # nobody in particular: each ask is a new decision
    assert study.ask().number == 4


def test_eight_threads_that_ask_for_one_participant_get_one_decision(url, create, reopen):
    create(url)
    studies = [reopen(url), reopen(url)]
    together, shown = threading.Barrier(8), []

    def work(study):
        together.wait()
        shown.append(study.ask(participant="p1"))

    threads = [threading.Thread(target=work, args=(studies[i % 2],)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(s.number, s.arm) for s in shown} == {(1, shown[0].arm)}
    assert sorted(s.again for s in shown) == [False] + [True] * 7
    assert studies[0].decisions().height == 1


def test_the_same_reward_again_is_a_success_and_another_a_conflict(url, create):
    study = create(url)
    shown = study.ask(participant="p1")
    study.tell(shown, 4, evidence={"seconds": 12, "check": True})
    study.tell(shown.number, 4.0)
    with pytest.raises(ConflictError, match="decision 1 has the reward 4, got 5; use amend"):
        study.tell(1, 5)
    (row,) = study.decisions().to_dicts()
    assert (row["reward"], row["status"], row["revision"]) == (4.0, "rated", 1)
    assert row["evidence"] == '{"seconds":12.0,"check":true}'


def test_a_reward_needs_a_decision_and_must_lie_on_the_scale(url, create):
    study = create(url, policy=tw.BetaThompson((1, 5)))
    with pytest.raises(TicketError, match="study 'explanations' has no decision 1; 0 have been made"):
        study.tell(1, 4)
    study.ask()
    with pytest.raises(RewardError, match="finite"):
        study.tell(1, float("nan"))
    with pytest.raises(RewardError, match="must lie in"):
        study.tell(1, 6)
    study.tell(1, 5)


def test_every_decision_says_what_it_was_drawn_from(url, create, rate):
    study = create(url, policy=tw.BetaThompson((1, 5)), uniform_share=0.3)
    rate(study, 12)
    p = study.probabilities()
    shown = study.ask(participant="next", among=["text", "quiz"])
    assert shown.arm in ("text", "quiz")
    expected = study.replay(tw.UniformShare(tw.BetaThompson((1, 5)), share=0.3))
    assert min(p.values()) >= 0.1 - 1e-12
    assert sum(p.values()) == pytest.approx(1.0)
    assert set(study.decisions()["kind"]) == {"policy", "uniform"}
    assert expected.estimates() == study.estimates()


def test_an_arm_that_is_not_there_is_refused(url, create):
    study = create(url)
    with pytest.raises(UnknownArmError, match="there is no arm 'song'"):
        study.ask(among=["song"])
    with pytest.raises(tw.ParameterError, match="among must be a list of arms"):
        study.ask(among="text")
    with pytest.raises(tw.ParameterError, match="participant must be a name"):
        study.ask(participant="")
    assert study.decisions().height == 0


def test_distinct_shows_each_arm_once_before_any_twice(url, create):
    study = create(url, distinct=True)
    shown = [study.ask(participant="p1", occasion=str(i)).arm for i in range(4)]
    assert sorted(shown[:3]) == ["quiz", "text", "video"]
    assert shown[3] in shown[:3]


def test_with_one_arm_a_participant_keeps_the_first_whatever_is_learned(url, create):
    study = create(url, one_arm=True)
    first = study.ask(participant="p1")
    study.tell(first, 1)
    for other in [arm for arm in ("video", "text", "quiz") if arm != first.arm] * 5:
        study.tell(study.ask(among=[other]), 5)
    again = study.ask(participant="p1", occasion="2")
    assert (again.arm, again.probability) == (first.arm, 1.0)
    study.retire_arm(first.arm)
    moved = study.ask(participant="p1", occasion="3")
    assert moved.arm != first.arm
    assert study.ask(participant="p1", occasion="4").arm == moved.arm
    assert study.verify().ok
    with pytest.raises(tw.ParameterError, match="one_arm shows the same arm again, and distinct another"):
        create(url, name="both", one_arm=True, distinct=True)


def test_a_decision_expires_by_an_event_and_its_reward_is_still_taken(url, create):
    study = create(url, window="48h")
    study.ask(participant="p1")
    study.ask(participant="p2")
    study.tell(1, 3)
    assert study.expire() == ()
    later = datetime.now(UTC) + timedelta(hours=49)
    assert study.expire(now=later) == (2,)
    assert study.expire(now=later) == ()
    assert study.decisions()["status"].to_list() == ["rated", "missing"]
    assert sum(arm.missing for arm in study.summary()) == 1
    study.tell(2, 5)
    assert study.decisions()["status"].to_list() == ["rated", "rated"]
    assert study.verify().ok


def test_a_new_ask_notes_what_has_expired(url, create):
    study = create(url, window=1e-6)
    study.ask(participant="p1")
    study.ask(participant="p2")
    assert [arm.missing for arm in study.summary()] == [
        int(study.decisions()["arm"][0] == a.arm) for a in study.summary()
    ]


def test_a_study_goes_on_past_its_horizon_and_says_so_once(url, create):
    study = create(url, horizon=2)
    study.ask()
    study.ask()
    with pytest.warns(UserWarning, match="has passed its horizon of 2 decisions"):
        study.ask()
    assert study.ask().number == 4


def test_a_study_made_to_stop_at_its_horizon_stops(url, create):
    study = create(url, horizon=1, stop_at_horizon=True)
    study.ask(participant="p1")
    with pytest.raises(StudyError, match="has reached its horizon of 1 decisions"):
        study.ask(participant="p2")
    assert study.ask(participant="p1").again


def test_a_name_that_is_far_too_long_is_shortened_in_the_message(url, create):
    study = create(url)
    with pytest.raises(ParameterError, match="participant must be a name of 1 to 200 printable characters") as refused:
        study.ask(participant="x" * 10_000)
    assert len(str(refused.value)) < 150
