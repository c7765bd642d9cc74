"""A study of thousands of decisions, with all that happens to it, computed again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

import trueward as tw
from soak_size import size
from trueward.study import tables
from trueward.study.database import connected

pytestmark = pytest.mark.soak

DECISIONS = size(5000, 600)


def test_every_choice_of_a_long_study_is_computed_again_and_a_changed_byte_is_found(sqlite, create):
    study = create(sqlite, policy=tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0), uniform_share=0.1)

    numbers = {}  # of the participants' decisions, which threads make in any order

    def rate(i):
        decision = study.ask(participant=f"p{i}")
        numbers[i] = decision.number
        study.tell(decision, 1 + (i * i) % 5)

    with ThreadPoolExecutor(16) as threads:
        for part in range(10):
            list(threads.map(rate, range(part * DECISIONS // 10, (part + 1) * DECISIONS // 10)))
            study.void(participant=f"p{part * 7}", reason="a bot")
            study.amend(numbers[part * 7 + 1], 1 + part % 5, reason="typo")
        study.add_arm("song")
        study.pause()
        study.resume()
        list(threads.map(rate, range(DECISIONS, DECISIONS + 100)))
    checked = study.verify()
    assert checked.ok, checked
    assert checked.decisions == DECISIONS + 100
    with connected(sqlite) as database, database.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER event_kept_as_it_is")
        middle = tables.event.c.seq == DECISIONS
        (body,) = connection.execute(sa.select(tables.event.c.body).where(middle)).one()
        connection.execute(sa.update(tables.event).where(middle).values(body=body.replace("0", "1", 1)))
    (problem,) = study.verify().problems
    assert problem.startswith(f"event {DECISIONS} (")
