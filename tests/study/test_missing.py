"""Decisions that nobody answers, and a policy that counts them: by events, never by a clock."""

from datetime import UTC, datetime, timedelta

import trueward as tw
from trueward.engine.states import arrays_of

POLICY = tw.MissingAs(tw.BetaThompson((1, 5)), severity=1.0, pooled=False)


def learned(study):
    return study._do(lambda desk: [array.tobytes() for array in arrays_of(desk.memory.bandit._state)])


def later():
    return datetime.now(UTC) + timedelta(hours=49)


def begun(create, url, **settings):
    """Return a study with eight decisions, of which three have expired."""
    study = create(url, policy=POLICY, window="48h", uniform_share=0.2, **settings)
    for i in range(1, 9):
        shown = study.ask(participant=f"p{i}")
        if i not in (2, 5, 8):
            study.tell(shown, 1 + i % 5)
    assert study.expire(now=later()) == (2, 5, 8)
    return study


def test_a_decision_that_expires_is_learned_and_every_choice_can_be_computed_again(url, create, reopen):
    study = create(url, policy=POLICY, window="48h", uniform_share=0.2)
    study.ask(participant="p1")
    before = learned(study)
    study.expire(now=later())
    assert learned(study) != before
    for i in range(2, 12):
        study.ask(participant=f"p{i}")
        study.expire(now=later())
    assert learned(reopen(url)) == learned(study)
    assert study.verify().ok


def test_a_reward_that_comes_later_replaces_it(sqlite, create, reopen):
    study = begun(create, sqlite)
    study.tell(5, 4)
    missed = study._do(lambda desk: desk.memory.bandit._state.policy.missing.sum())
    assert missed == 2
    assert study.decisions()["status"].to_list()[4] == "rated"
    for i in range(9, 15):
        study.tell(study.ask(participant=f"p{i}"), 3)
    assert learned(reopen(sqlite)) == learned(study)
    assert study.verify().ok
    again = study.replay(POLICY)
    assert [a.tobytes() for a in arrays_of(again._state)] == [
        a.tobytes() for a in study._do(lambda desk: list(arrays_of(desk.memory.bandit._state.policy)))
    ]


def test_void_and_restored_decisions_are_missing_or_not(sqlite, create, reopen):
    study = begun(create, sqlite)
    whole = learned(study)
    study.void(number=[2, 3], reason="odd")
    assert learned(study) != whole
    study.restore(number=[2, 3], reason="fine")
    assert learned(study) == whole == learned(reopen(sqlite))
    assert study.verify().ok


def test_a_study_goes_on_where_a_bandit_was_with_what_it_had_given_up(sqlite):
    bandit = tw.Bandit(POLICY, ["a", "b", "c"], seed=3)
    tickets = [bandit.ask(ticket=True) for _ in range(9)]
    for ticket in reversed(tickets):
        bandit.close([ticket]) if ticket.number % 3 == 0 else bandit.tell(ticket, 1 + ticket.number % 5)
    bandit.void([6])
    bandit.tell(ticket=9, reward=2)
    with tw.Study.from_bandit(sqlite, "goes on", bandit) as study:
        assert learned(study) == [array.tobytes() for array in arrays_of(bandit._state)]
        assert study.ask().arm == bandit.ask()
        assert study.verify().ok


def test_without_such_a_policy_nothing_is_imputed(sqlite, create):
    study = create(sqlite, policy=tw.BetaThompson((1, 5)), window="48h")
    for i in range(1, 6):
        study.ask(participant=f"p{i}")
    before = learned(study)
    assert study.expire(now=later()) == (1, 2, 3, 4, 5)
    assert learned(study) == before
    assert study._do(lambda desk: desk.memory.last_correction) == 0
