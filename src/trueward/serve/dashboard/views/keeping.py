"""What was computed once is kept until the study has moved on: pages are looked at often, by many."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 200  # values kept, the oldest forgotten first


class Keeper:
    """Keeps a value for each key, with the number of the event it was computed after."""

    def __init__(self) -> None:
        self._values: dict[Hashable, tuple[int, float, Any]] = {}
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, seq: int, compute: Callable[[], T], *, patience: float = 0.0) -> T:
        """Return what was kept, or compute it: for each key once, whoever else is waiting for it.

        With `patience`, a value that is younger than so many seconds will do.
        """
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            kept = self._values.get(key)
            if kept is None or (kept[0] < seq and time.monotonic() - kept[1] >= patience):
                kept = seq, time.monotonic(), compute()
                self._keep(key, kept)
            value: T = kept[2]
            return value

    def _keep(self, key: Hashable, kept: tuple[int, float, Any]) -> None:
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = kept
            for old in list(self._values)[:-MOST]:
                del self._values[old]

    def forget(self, study: str) -> None:
        """Forget all of a study: somebody has just changed it, and wants to see that."""
        with self._lock:
            for key in [key for key in self._values if isinstance(key, tuple) and key[0] == study]:
                del self._values[key]
