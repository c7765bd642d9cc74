"""Plans under way: a study is played before it is created, beside everything else, one plan at a time.

The first plan of a kind compiles its games, which takes longer than to play them: a page asks again until it is done.
"""

import hashlib
import json
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueward.errors import TruewardError

if TYPE_CHECKING:
    from trueward.planning.plan import Plan

HOW: dict[str, Any] = {
    "games": 64,
    "rehearse": False,
    "progress": False,
}  # so many studies tell chances to some percent
MOST = 20  # plans that are remembered


@dataclass(frozen=True)
class Chance:
    """What a number of participants would do."""

    participants: int
    best: float  # chance to end on the best arm
    decides: float  # chance that the robust interval decides
    planned: bool


@dataclass(frozen=True)
class Told:
    """What a plan says; or that it is under way, or what is wrong with it."""

    seconds: int
    sentence: str = ""
    notes: tuple[str, ...] = ()
    policy: str = ""
    chances: tuple[Chance, ...] = ()
    problem: str = ""

    @property
    def done(self) -> bool:
        """Whether there is nothing to wait for."""
        return bool(self.sentence or self.problem)


class Plans:
    """Makes plans, and remembers the last ones."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[float, Future[Plan]]] = {}
        self._lock, self._one_at_a_time = threading.Lock(), threading.Lock()

    def begin(self, **wanted: Any) -> str:
        """Begin a plan, or find it, and return its key; `wanted` is as `plan` takes it."""
        key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
        with self._lock:
            if key not in self._made:
                for old in list(self._made)[: -MOST + 1]:
                    self._made.pop(old)[1].cancel()
                future: Future[Plan] = Future()
                self._made[key] = time.monotonic(), future
                threading.Thread(target=self._run, args=[future, wanted], name="a plan", daemon=True).start()
        return key

    def _run(self, future: "Future[Plan]", wanted: dict[str, Any]) -> None:
        """Make a plan when it is its turn; a service that stops does not wait for it."""
        with self._one_at_a_time:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(_make(wanted))
            except BaseException as error:  # told to whoever asks
                future.set_exception(error)

    def told(self, key: str) -> Told | None:
        """Return how far a plan is; None if there is no such."""
        if (made := self._made.get(key)) is None:
            return None
        begun, future = made
        seconds = int(time.monotonic() - begun)
        if not future.done():
            return Told(seconds)
        try:
            return _told(future.result(), seconds)
        except TruewardError as error:
            return Told(seconds, problem=str(error))


def _make(wanted: dict[str, Any]) -> "Plan":
    from trueward.planning.make import plan  # with the laboratory behind it: only who plans waits for it

    return plan(**wanted, **HOW)


def _told(plan: "Plan", seconds: int) -> Told:
    policy, planned = plan.recommended.policy, plan.outline.participants
    rows = plan.table().filter(policy=policy).select("participants", "best", "decides").iter_rows()
    chances = tuple(Chance(n, best, decides, n == planned) for n, best, decides in rows)
    return Told(seconds, plan.recommendation, plan.notes, policy, chances)
