"""A process forks only while no lane is at work: a lock that a thread holds at that moment stays held in the child.

Web servers fork workers, and whoever does may have a study that serves others just then. Threads that serve a study say
when they are at work; a fork waits until none is, and meanwhile none begins.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 5.0  # seconds that a fork waits: one that never came would be worse than one that may hang


class Gate:
    """Lets threads work side by side, or one thread fork."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew, in a process of which no other thread is left."""
        self._changed = threading.Condition()
        self._at_work: set[int] = set()  # threads, by their ids
        self._forking = False

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep others from forking; not the thread itself."""
        me = threading.get_ident()
        with self._changed:
            while self._forking:
                self._changed.wait()
            self._at_work.add(me)
        try:
            yield
        finally:
            with self._changed:
                self._at_work.discard(me)
                if self._forking:
                    self._changed.notify_all()

    def close(self) -> None:
        """Wait until nobody else is at work, and let nobody begin."""
        me = {threading.get_ident()}
        with self._changed:
            self._changed.wait_for(lambda: not self._forking, LONGEST)
            self._forking = True
            self._changed.wait_for(lambda: self._at_work <= me, LONGEST)

    def open(self) -> None:
        """Let them go on."""
        with self._changed:
            self._forking = False
            self._changed.notify_all()


gate = Gate()
if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(before=gate.close, after_in_parent=gate.open, after_in_child=gate.forget)
