"""Where requests wait for the one who serves them, who is woken once for all that are expected and not for each."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from trueward.study.desk import Desk

PATIENCE = 0.0005  # seconds that those who are expected have to come

Answer = tuple[Any, Exception | None]
"""What a request returns, or why it was refused."""


class Request:
    """What is to be done at a desk, and who waits for it; a lock, since a `Future` takes ten times as long."""

    def __init__(
        self, work: Callable[[Desk], Any], actor: str, participant: object = None, *, asks: bool = False
    ) -> None:
        self.work, self.actor = work, actor
        self.participant = participant  # whom it is about, if that is known: they are all looked up at once
        self.asks = asks  # for a decision, which depends on what was told
        self._answer: Answer = None, None
        self._answered = threading.Lock()
        self._answered.acquire()

    def answer(self, value: Any, refusal: Exception | None) -> None:
        """Let the one who waits go on."""
        self._answer = value, refusal
        self._answered.release()

    def result(self) -> Any:
        """Wait for the answer, and return it, or raise the refusal."""
        self._answered.acquire()
        value, refusal = self._answer
        if refusal is not None:
            raise refusal
        return value


class Line:
    """Requests in the order in which they came: put there by any thread, and taken by one."""

    def __init__(self) -> None:
        self._waiting: deque[Request | None] = deque()  # None is the end
        self._wanted = 0  # how many requests the one who takes them sleeps for; 0 while that one is awake
        self._enough = threading.Lock()  # held until there are so many
        self._enough.acquire()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, request: Request | None) -> None:
        """Let a request wait; None says that this is the end."""
        with self._lock:
            self._waiting.append(request)
            if self._wanted and self._is_enough(self._wanted):
                self._wanted = 0
                self._enough.release()

    def take(self, expected: int, most: int) -> tuple[list[Request], bool]:
        """Return the requests that are waiting, at least one, and whether to go on; at the end there may be none.

        Those who are expected, since they were answered just now, are given a moment: one large batch takes less than
        two.
        """
        self._sleep_until(expected, PATIENCE)
        if not self._waiting:
            self._sleep_until(1)
            self._sleep_until(expected, PATIENCE)
        batch: list[Request] = []
        while self._waiting and len(batch) < most:
            request = self._waiting.popleft()
            if request is None:
                return batch, False
            batch.append(request)
        return batch, True

    def _is_enough(self, wanted: int) -> bool:
        return len(self._waiting) >= wanted or (len(self._waiting) > 0 and self._waiting[-1] is None)

    def _sleep_until(self, wanted: int, patience: float = -1) -> None:
        """Sleep until so many are waiting, but no longer than some seconds."""
        with self._lock:
            if self._is_enough(wanted):
                return
            self._wanted = wanted
        if not self._enough.acquire(timeout=patience):
            with self._lock:
                if not self._wanted:  # there were enough just now
                    self._enough.acquire()
                self._wanted = 0
