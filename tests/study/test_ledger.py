"""The rows of a batch are written together; a request that fails leaves none, and the others all of theirs."""

import pytest
import sqlalchemy as sa

from trueward.errors import StorageError, StudyError
from trueward.study import asking, correcting, tables
from trueward.study.correcting import Which
from trueward.study.database import connected
from trueward.study.line import Request


def asking_for(participant):
    return Request(lambda desk: asking.ask(desk, participant, "1", None), "test", participant)


def failing(participant, *, guarded):
    """Return a request that writes all that an ask writes, by itself or behind a savepoint, and fails."""

    def work(desk):
        asking.ask(desk, participant, "1", None)
        if guarded:
            desk.connection.execute(sa.update(tables.study).values(state="lost"))
            desk.append("pause", {"reason": ""})
        raise StudyError("no")

    return Request(work, "test", participant)


def served(study, *requests):
    """Serve requests in one batch, and return their answers, None for those that were refused."""
    study._lane._serve(list(requests))
    return [request._answer[0] for request in requests]


def rows(url, table):
    with connected(url) as database, database.read() as connection:
        return connection.execute(sa.select(table)).all()


@pytest.mark.parametrize("guarded", [False, True])
def test_a_request_that_fails_leaves_nothing_and_the_others_go_on(guarded, url, create):
    study = create(url)
    first, lost, same, again = served(
        study, asking_for("ann"), failing("bob", guarded=guarded), asking_for("bob"), asking_for("ann")
    )
    assert (first.number, lost, same.number) == (1, None, 2)
    assert again.number == 1
    assert again.again
    assert len(rows(url, tables.participant)) == len(rows(url, tables.decision)) == 2
    assert [row.kind for row in rows(url, tables.event)] == ["create", "ask", "ask"]
    assert study.state == "running"
    assert study.verify().ok


def test_what_the_database_refuses_at_the_end_of_a_batch_is_refused_to_who_wrote_it_alone(url, create):
    study = create(url)

    def without_a_key(desk):
        asking.ask(desk, "bob", "1", None)
        desk.ledger.insert((tables.participant, (desk.memory.study, None, "nobody")))

    first, refused, last = asking_for("ann"), Request(without_a_key, "test", "bob"), asking_for("eve")
    one, _, other = served(study, first, refused, last)
    assert (one.number, other.number) == (1, 2)
    with pytest.raises(StorageError, match="the database"):
        refused.result()
    assert len(rows(url, tables.participant)) == 2
    assert study.verify().ok


def test_two_of_a_batch_who_ask_for_the_same_newcomer_get_one_decision(url, create):
    one, other = served(create(url), asking_for("ann"), asking_for("ann"))
    assert one.number == other.number == 1
    assert (one.again, other.again) == (False, True)


def test_a_request_that_reads_the_tables_sees_what_was_asked_before_it_in_the_batch(url, create):
    study = create(url)
    told = Request(lambda desk: asking.tell(desk, 1, 4, None), "test")
    voiding = Request(lambda desk: correcting.void(desk, Which(participant="ann"), "bot", False), "test")
    counting = Request(lambda desk: desk.connection.execute(sa.select(tables.reward.c.active)).scalars().all(), "test")
    *_, voided, counts, after = served(study, asking_for("ann"), told, voiding, counting, asking_for("bob"))
    assert (voided, counts, after.number) == ([1], [False], 2)
    assert study.verify().ok


def test_asks_are_served_before_what_is_told_in_the_batch_and_the_next_ones_know_it(url, create):
    study = create(url)
    served(study, asking_for("ann"))
    asked = Request(lambda desk: asking.ask(desk, "bob", "1", None), "test", "bob", asks=True)
    served(study, Request(lambda desk: asking.tell(desk, 1, 4, None), "test"), asked)
    assert study._lane._memory.known.learner.learned == 1  # nobody has to ask for it
    served(study, asking_for("eve"))
    *_, first, bobs, told, last = study.events()
    assert [event.kind for event in (first, bobs, told, last)] == ["ask", "ask", "tell", "ask"]
    assert (bobs.body["learned"], last.body["learned"]) == (first.seq, told.seq)
    assert study.verify().ok


def test_who_is_erased_in_a_batch_is_somebody_new_in_the_same_batch(url, create):
    study = create(url)
    erasing = Request(lambda desk: correcting.erase(desk, "ann", ""), "test")
    *_, erased, after = served(study, asking_for("ann"), erasing, asking_for("ann"))
    assert (erased, after.number, after.again) == (True, 2, False)
    assert len(rows(url, tables.participant)) == 1
    assert study.verify().ok
