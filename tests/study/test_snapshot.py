"""A snapshot spares reading the log, gives what the log gives in every bit, and is never believed against it."""

import numpy as np
import pytest
import sqlalchemy as sa

import trueward as tw
from trueward.engine.states import arrays_of
from trueward.study import snapshot, tables
from trueward.study.database import connected
from trueward.study.lane import load
from trueward.study.log import events_after
from trueward.study.memory import Memory

BETA = tw.BetaThompson((1, 5))
SECRET = "sixteen letters or more"


@pytest.fixture(autouse=True)
def at_every_end(monkeypatch):
    monkeypatch.setattr(snapshot, "AT_THE_END", 1)


def all_of(memory):
    """Return all that is known, to be compared."""
    log, learner = memory.bandit.log, memory.known.learner
    state = [array.tobytes() for array in arrays_of(learner.state)]
    asks = [column.tobytes() for column in log.asks.columns()]
    logged = log.arms, [*log.told.items()], log.void, log.closed, [*log.order], log.evidence, log._open
    plain = [getattr(memory, name) for name in (*snapshot.PLAIN, "last_seq", "head", "retired", "shut_out")]
    learned = memory.known.corrections, memory.known.n_arms, learner.learned, learner._capacity
    return state, asks, logged, plain, learned, memory.made, memory.by_occasion


def kept(url):
    """Return the row of the only snapshot, or None."""
    with connected(url) as database, database.read() as connection:
        return connection.execute(sa.select(tables.snapshot)).one_or_none()


def change(url, **values):
    with connected(url) as database, database.write() as connection:
        connection.execute(sa.update(tables.snapshot).values(**values))


def is_believed(url, secret=None):
    """Return whether the snapshot of a study counts, after a look that it comes to what the log comes to."""
    with connected(url) as database, database.read() as connection:
        first = next(events_after(connection, "explanations", limit=1))
        found = snapshot.restored(connection, first, None, secret)
        from_log = Memory(first, None)
        from_log.apply_all(events_after(connection, "explanations", 1))
        from_log.learn()
        assert all_of(load(connection, "explanations", None, secret)) == all_of(from_log)
        return found is not None


def eventful(create, rate, url, **settings):
    """Begin a study to which all happens that a snapshot has to hold."""
    study = create(
        url, **{"policy": tw.MissingAs(BETA, severity=1.0), "window": "1h", "uniform_share": 0.2, **settings}
    )
    rate(study, 90)  # more than a learner has room for at first
    study.tell(study.ask(participant="quick"), 1, evidence={"seconds": 0.5, "check": False})
    study.ask(participant="late")
    study.void(participant="p3", reason="bot")
    study.amend(5, 2, reason="typo")
    study.add_arm("song")
    study.retire_arm("quiz")
    study.ask()
    return study


@pytest.mark.parametrize("policy", [BETA, tw.MissingAs(BETA, severity=1.0), tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0)])
def test_what_a_snapshot_holds_is_what_the_log_comes_to_in_every_bit(policy, url, create, rate, reopen):
    eventful(create, rate, url, policy=policy).close()
    assert is_believed(url)
    study = reopen(url)
    rate(study, 3, first=200)  # behind the snapshot
    study.expire()
    assert is_believed(url)
    assert study.verify().ok


def test_a_void_a_late_rating_and_a_restored_one_are_learned_after_a_snapshot(sqlite, create, rate, reopen):
    eventful(create, rate, sqlite).close()
    study = reopen(sqlite)
    study.tell(study.ask(participant="late"), 4)
    study.void(participant="p7", reason="bot")
    study.restore(participant="p3", reason="no bot")
    assert study.ask(participant="p7", occasion="2").number == 94
    assert study.decisions()["status"].to_list()[-1] == "void"  # shut out before and after
    assert study.verify().ok
    study.close()
    assert is_believed(sqlite)


def test_a_snapshot_that_was_changed_or_is_of_other_code_is_passed_over(sqlite, create, rate, monkeypatch):
    eventful(create, rate, sqlite).close()
    row = kept(sqlite)
    for position in np.linspace(0, len(row.body) - 1, 7, dtype=int):
        body = bytearray(row.body)
        body[position] ^= 1
        change(sqlite, body=bytes(body))
        assert not is_believed(sqlite)
    change(sqlite, body=row.body)
    assert is_believed(sqlite)
    for wrong in ({"seq": row.seq - 1}, {"seq": row.seq + 1}, {"head": "0" * 64}, {"stamp": "0" * 64}):
        change(sqlite, **wrong)
        assert not is_believed(sqlite)
        change(sqlite, **{name: getattr(row, name) for name in wrong})
    monkeypatch.setattr(snapshot, "code_of", lambda *_: "other code")
    assert not is_believed(sqlite)


def test_a_snapshot_of_another_log_is_passed_over(sqlite, tmp_path, create, rate):
    other = f"sqlite:///{tmp_path}/other.db"
    for url in (sqlite, other):  # the same study, at another time
        eventful(create, rate, url).close()
    row = kept(other)
    change(sqlite, body=row.body, seq=row.seq, head=row.head, stamp=row.stamp)
    assert not is_believed(sqlite)


def test_nobody_without_the_secret_of_a_study_can_make_a_snapshot(sqlite, create, rate):
    eventful(create, rate, sqlite, secret=SECRET).close()
    row = kept(sqlite)
    assert is_believed(sqlite, SECRET)
    with connected(sqlite) as database, database.read() as connection:
        policy = snapshot.policy_to_plain(load(connection, "explanations", None, SECRET).policy)
    change(sqlite, stamp=snapshot._stamp("explanations", row.seq, row.head, policy, row.body, None))
    assert not is_believed(sqlite, SECRET)


def test_a_study_that_goes_on_keeps_a_snapshot_and_answers_meanwhile(sqlite, create, rate, monkeypatch):
    monkeypatch.setattr(snapshot, "EVERY", 50)
    study = create(sqlite, policy=BETA)
    rate(study, 60)
    study._lane._keeping.join()
    assert 51 <= kept(sqlite).seq <= 121
    assert is_believed(sqlite)


def test_a_policy_of_the_user_s_own_has_no_snapshots(sqlite, create, rate):
    class Own(tw.BetaThompson):
        """A policy without a name."""

    study = create(sqlite, policy=Own((1, 5)))
    rate(study, 3)
    study.close()
    assert kept(sqlite) is None


def test_a_short_study_is_not_worth_a_snapshot(sqlite, create, rate, monkeypatch):
    monkeypatch.setattr(snapshot, "AT_THE_END", 1000)
    study = create(sqlite)
    rate(study, 3)
    study.close()
    assert kept(sqlite) is None
