"""A fork waits for threads that are at work, and they wait for it."""

import threading

from trueward.study import forking
from trueward.study.forking import Gate


def in_a_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_fork_waits_until_nobody_is_at_work():
    gate, began, end, closed = Gate(), threading.Event(), threading.Event(), threading.Event()

    def work():
        with gate.at_work():
            began.set()
            end.wait(5)
            assert not closed.is_set()

    def fork():
        gate.close()
        closed.set()

    worker = in_a_thread(work)
    assert began.wait(5)
    forker = in_a_thread(fork)
    assert not closed.wait(0.05)
    end.set()
    worker.join(5)
    forker.join(5)
    assert closed.is_set()


def test_nobody_begins_to_work_while_a_process_forks():
    gate, began = Gate(), threading.Event()

    def work():
        with gate.at_work():
            began.set()

    gate.close()
    worker = in_a_thread(work)
    assert not began.wait(0.05)
    gate.open()
    assert began.wait(5)
    worker.join(5)


def test_who_is_at_work_may_fork_itself_and_who_never_ends_is_not_waited_for_for_ever(monkeypatch):
    gate = Gate()
    with gate.at_work():
        gate.close()
        gate.open()
    monkeypatch.setattr(forking, "LONGEST", 0.01)
    end = threading.Event()

    def work():
        with gate.at_work():
            end.wait(5)

    worker = in_a_thread(work)
    gate.close()
    gate.forget()  # as in the child, in which the other thread is not
    with gate.at_work():
        pass
    end.set()
    worker.join(5)
