"""A lane: the thread that serves all requests of a process to one study, up to 64 in one transaction.

    lock the study; apply events of other processes; each request, asks first; commit; and only then answer

To read a log from its beginning takes long, and is done before the lock is taken, so that no other process waits for
it. What has to be learned anew after a correction is learned beside the lane, and no ask waits for it: see `learning`.
A request that cannot be served without it is held until it is known. The second ask of a batch knows of the first, and
none what is told in it: nobody was answered yet, so that any order is as good as another. What is told is learned after
the answers, all at once, while those who were answered go on; so is what the next asks share. A fork waits for all of
that: see `forking`.
If the commit fails, or nobody knows whether it did, nothing is answered but an error, and the memory is built anew from
the database.
"""

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from trueward.errors import StorageError, TruewardError
from trueward.policies.policy import Policy
from trueward.study import snapshot
from trueward.study.database import Database, first_words
from trueward.study.desk import Desk, save_head
from trueward.study.forking import gate
from trueward.study.learning import NotYet
from trueward.study.ledger import Ledger
from trueward.study.line import Answer, Line, Request
from trueward.study.log import Head, events_after, head_of, row_of
from trueward.study.memory import Memory
from trueward.study.settings import origin

MOST = 64  # requests in one transaction


class Lane:
    """Serves requests to one study in order, in a thread of its own; for any thread, and after a fork."""

    def __init__(self, database: Database, study: str, policy: Policy | None, secret: str | None) -> None:
        self._database, self._study, self._policy, self._secret = database, study, policy, secret
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._process = os.getpid()
        self._waiting = Line()
        self._expected = 0  # requests, as many as have just been served or were waiting
        self._held: list[Request] = []  # those that wait for what is being learned
        self._memory: Memory | None = None
        self._among_others = False  # whether other processes have written since the last batch
        self._noted = False  # whether the log says which code computes the choices of this process
        self._keeping: threading.Thread | None = None  # who writes a snapshot
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def do(self, work: Callable[[Desk], Any], actor: str, participant: object = None, *, asks: bool = False) -> Any:
        """Wait for a request to be done, and return its answer; `participant` is whom it is about, if anybody."""
        self._database.refuse_if_closed()
        request = Request(work, actor, participant, asks=asks)
        self._make_sure_it_runs()
        self._waiting.put(request)
        return request.result()

    @property
    def waiting(self) -> int:
        """How many requests wait to be served."""
        return len(self._waiting)

    def close(self) -> None:
        """Serve what is waiting, and stop."""
        if self._thread is not None and self._process == os.getpid():
            self._waiting.put(None)
            self._thread.join()
            self._thread = None

    def _make_sure_it_runs(self) -> None:
        if self._thread is not None and self._process == os.getpid():
            return
        if self._process != os.getpid():  # forked: the thread stayed with the parent
            self._database.after_fork()
            self._start_afresh()
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"study {self._study}", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        going = True
        while going or self._held:
            batch, more = self._waiting.take(self._expected, MOST)
            going &= more
            if batch:
                with gate.at_work():
                    self._serve(batch)
                    self._keep(snapshot.EVERY)
        self._keep(snapshot.AT_THE_END)
        if self._keeping is not None:
            self._keeping.join()

    def _keep(self, every: int) -> None:
        """Begin to write a snapshot, beside the lane, if there are so many events more than in the last one."""
        memory = self._memory
        if memory is None or not memory.settled or memory.last_seq - memory.snapshot < every:
            return
        if self._keeping is not None:
            self._keeping.join()
        taken, memory.snapshot = snapshot.taken_of(memory), memory.last_seq
        if taken is not None:
            write = partial(taken.write, self._database, self._secret)
            self._keeping = threading.Thread(target=write, name=f"snapshot of {self._study}", daemon=True)
            self._keeping.start()

    def _serve(self, new: list[Request]) -> None:
        batch, self._held = sorted([*self._held, *new], key=lambda request: not request.asks), []
        self._serve_together(batch)
        self._learn_beside()

    def _serve_together(self, batch: list[Request]) -> None:
        try:
            answers = self._answers_to(batch)
        except Exception as error:  # whatever it was, those who wait must hear of it
            self._memory = None
            if len(batch) > 1 and isinstance(error.__cause__, exc.IntegrityError | exc.DataError):
                for request in batch:  # what one of them had written was refused at the end: the others can be served
                    self._serve_together([request])
                return
            for request in batch:
                request.answer(None, _for_one(error))
            return
        self._expected = min(MOST, len(batch) + len(self._waiting))
        for request, answer in zip(batch, answers, strict=True):
            if answer is not None:
                request.answer(*answer)
            else:
                self._held.append(request)

    def _answers_to(self, batch: list[Request]) -> list[Answer | None]:
        """Return the answer to each request; None where it has to be held."""
        self._learn_beside()
        if self._memory is not None and not self._among_others:
            with self._database.write() as connection:
                head = head_of(connection, self._study)
                if head.head == self._memory.head:
                    return self._answers(connection, head, batch)
        with self._database.read() as connection:  # without a lock, so that no other process waits
            row, before = row_of(connection, self._study), self._memory
            self._among_others = before is not None and before.head != row.head
            self._catch_up(connection, row.last_seq, row.head)
        self._learn_beside()
        with self._database.write() as connection:
            return self._answers(connection, head_of(connection, self._study), batch)

    def _learn_beside(self) -> None:
        """Go on with what is learned beside the lane, which is looked at again, by a request, when that is done."""
        try:
            if self._memory is not None:
                self._memory.keep_learning(lambda: self._waiting.put(Request(lambda _: None, "trueward")))
        except Exception:  # of a policy of the user's own: all who wait hear of it when the log is read again
            self._memory = None

    def _answers(self, connection: sa.Connection, head: Head, batch: list[Request]) -> list[Answer | None]:
        memory = self._catch_up(connection, head.last_seq, head.head)
        ledger = Ledger(connection, self._study, head.key)
        self._note_upgrade(ledger, memory)
        ledger.look_up([request.participant for request in batch if isinstance(request.participant, str)])
        answers: list[Answer | None] = []
        for request in batch:
            answers.append(self._one(Desk(ledger, memory, request.actor, self._secret), request))
            if self._memory is None:
                ledger.write()  # what is undone is not in the log, and all the rest has to be
                memory = self._memory = self._load(connection)
        ledger.write()
        if memory.last_seq != head.last_seq:
            save_head(connection, memory)
        return answers

    def _one(self, desk: Desk, request: Request) -> Answer | None:
        """Serve one request; if it fails, what it wrote is undone and the others go on."""
        before = desk.memory.last_seq
        try:
            answer = request.work(desk)
            desk.done()
            return answer, None
        except NotYet:
            desk.undo()
            return None
        except (exc.OperationalError, exc.InterfaceError):
            raise  # the database is in trouble, not the request
        except Exception as error:  # a policy of the user's own may raise anything
            desk.undo()
            if desk.memory.last_seq != before:
                self._memory = None  # it knows of events that are undone
            return None, _for_one(error) if isinstance(error, exc.DBAPIError) else error

    def _catch_up(self, connection: sa.Connection, last_seq: int, head: str) -> Memory:
        """Return the memory with all events of other processes; anew where it knows of more than there are."""
        if self._memory is not None and self._memory.last_seq >= last_seq and self._memory.head != head:
            self._memory = None  # the database is another: a backup, or a study of the same name
        if self._memory is None:
            self._memory = self._load(connection)
            self._noted = False
        elif self._memory.last_seq < last_seq:
            self._memory.apply_all(events_after(connection, self._study, self._memory.last_seq))
        return self._memory

    def _load(self, connection: sa.Connection) -> Memory:
        return load(connection, self._study, self._policy, self._secret)

    def _note_upgrade(self, ledger: Ledger, memory: Memory) -> None:
        """Write down that the choices are computed by other code from now on."""
        if not self._noted and memory.code != (present := origin())["code"]:
            Desk(ledger, memory, "trueward", self._secret).append("upgrade", present)
        self._noted = True


def load(connection: sa.Connection, study: str, policy: Policy | None, secret: str | None) -> Memory:
    """Return the memory of a study, from its events, after it has learned them; from a snapshot, those behind it."""
    with uncollected():
        first = next(events_after(connection, study, limit=1))
        memory = snapshot.restored(connection, first, policy, secret) or Memory(first, policy)
        memory.apply_all(events_after(connection, study, memory.last_seq))
    memory.learn()
    return memory


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for garbage: a log makes many objects that stay, and each look takes longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _for_one(error: Exception) -> Exception:
    """Return an error for one of those who wait, so that no two raise the same."""
    if isinstance(error, exc.DBAPIError):
        return StorageError(f"the database refused it: {first_words(error)}")
    if isinstance(error, TruewardError):
        return type(error)(*error.args)
    return StorageError(f"the study could not be served: {error!r}")
