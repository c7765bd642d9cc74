"""Plans under way: a study is played before it is created, beside everything else, one plan at a time.

The first plan of a kind compiles its games, which takes longer than to play them: a page asks again until it is done.
"""

import hashlib
import json
import time
from concurrent.futures import Future, ThreadPoolExecutor
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
        self._worker = ThreadPoolExecutor(1, "plans")
        self._made: dict[str, tuple[float, Future[Plan]]] = {}

    def begin(self, **wanted: Any) -> str:
        """Begin a plan, or find it, and return its key; `wanted` is as `plan` takes it."""
        key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
        if key not in self._made:
            for old in list(self._made)[: -MOST + 1]:
                self._made.pop(old)[1].cancel()
            self._made[key] = time.monotonic(), self._worker.submit(_make, wanted)
        return key

    def told(self, key: str) -> Told | None:
        """Return how far a plan is; None if there is no such."""
        if key not in self._made:
            return None
        begun, future = self._made[key]
        seconds = int(time.monotonic() - begun)
        if not future.done():
            return Told(seconds)
        try:
            return _told(future.result(), seconds)
        except TruewardError as error:
            return Told(seconds, problem=str(error))

    def close(self) -> None:
        """Make no more plans."""
        self._worker.shutdown(wait=False, cancel_futures=True)


def _make(wanted: dict[str, Any]) -> "Plan":
    from trueward.planning.make import plan  # with the laboratory behind it: only who plans waits for it

    return plan(**wanted, **HOW)


def _told(plan: "Plan", seconds: int) -> Told:
    policy, planned = plan.recommended.policy, plan.outline.participants
    rows = plan.table().filter(policy=policy).select("participants", "best", "decides").iter_rows()
    chances = tuple(Chance(n, best, decides, n == planned) for n, best, decides in rows)
    return Told(seconds, plan.recommendation, plan.notes, policy, chances)
