"""Requests wait in a line, and who takes them is woken for all that are expected."""

import threading

from trueward.study import line
from trueward.study.line import Line, Request


def requests(count):
    return [Request(lambda _: None, "test") for _ in range(count)]


def test_all_that_wait_are_taken_in_order_and_no_more_than_most():
    waiting, some = Line(), requests(5)
    for request in some:
        waiting.put(request)
    assert waiting.take(0, 3) == (some[:3], True)
    assert len(waiting) == 2
    assert waiting.take(0, 3) == (some[3:], True)


def test_the_end_stands_behind_what_came_before_it():
    waiting, some = Line(), requests(2)
    for request in (*some, None):
        waiting.put(request)
    assert waiting.take(8, 64) == (some, False)


def test_who_expects_several_is_woken_when_the_last_of_them_comes(monkeypatch):
    monkeypatch.setattr(line, "PATIENCE", 60.0)
    waiting, some, taken = Line(), requests(4), []
    taker = threading.Thread(target=lambda: taken.extend(waiting.take(4, 64)[0]))
    taker.start()
    for request in some[:3]:
        waiting.put(request)
    assert taken == []  # it sleeps, or has not begun: fewer than four are never enough
    waiting.put(some[3])
    taker.join()
    assert taken == some


def test_who_is_expected_and_does_not_come_is_waited_for_no_longer_than_a_moment():
    waiting, (only,) = Line(), requests(1)
    threading.Timer(0.05, waiting.put, [only]).start()
    assert waiting.take(8, 64) == ([only], True)


def test_many_threads_lose_none_and_none_is_taken_twice():
    waiting, some = Line(), requests(4_000)
    threads = [threading.Thread(target=lambda i=i: [*map(waiting.put, some[i::8])]) for i in range(8)]
    for thread in threads:
        thread.start()
    taken = []
    while len(taken) < len(some):
        taken += waiting.take(8, 64)[0]
    assert len(taken) == len({*map(id, taken)}) == len(some)
