"""Corrections and the conduct of a study: what researchers do. Each function serves one request at a desk."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trueward.errors import ConflictError, ParameterError, StudyError, UnknownArmError
from trueward.live.labels import index_of
from trueward.study.desk import Desk
from trueward.study.memory import ENDED, PAUSED, RUNNING
from trueward.study.participants import forget, id_hash
from trueward.study.settings import as_seen, name_of, shallow
from trueward.study.times import moment


@dataclass(frozen=True)
class Which:
    """Some decisions: by number, of a participant, or asked from one time until before another.

    Who looks at the log knows a participant by the pseudonym only.
    """

    number: int | Iterable[int] | None = None
    participant: str | None = None
    between: tuple[datetime, datetime] | None = None
    pseudonym: str | None = None

    def __post_init__(self) -> None:
        given = [part for part in (self.number, self.participant, self.between, self.pseudonym) if part is not None]
        if len(given) != 1:
            ways = "number, participant, between and pseudonym"
            raise ParameterError(f"exactly one of {ways} must be given, got {len(given)}")
        if self.between is not None:
            ends = tuple(self.between)
            if len(ends) != 2 or not all(isinstance(e, datetime) and e.tzinfo for e in ends) or ends[0] >= ends[1]:
                raise ParameterError(f"between must be two times with a time zone, in order, got {self.between!r}")

    def whose(self, desk: Desk) -> str | None:
        """Return the pseudonym of the participant, if one was named."""
        if self.pseudonym is not None:
            if all(made.participant != self.pseudonym for made in desk.memory.made):
                raise StudyError(f"study {desk.memory.study!r} has no pseudonym {self.pseudonym!r}")
            return self.pseudonym
        if self.participant is None:
            return None
        found = desk.pseudonym_of(self.participant)
        if found is None:
            raise StudyError(f"study {desk.memory.study!r} has no participant {self.participant!r}")
        return found

    def numbers(self, desk: Desk) -> list[int]:
        """Return the numbers of the decisions, in order."""
        if self.number is not None:
            several = self.number if isinstance(self.number, Iterable) else [self.number]
            return sorted({desk.memory.decision(number).number for number in several})
        if self.between is not None:
            start, end = map(moment, self.between)
            return [made.number for made in desk.memory.made if start <= made.asked_at < end]
        pseudonym = self.whose(desk)
        return [made.number for made in desk.memory.made if made.participant == pseudonym]


def amend(desk: Desk, number: int, reward: float, reason: str) -> None:
    """Replace a reward; it keeps its place in the order."""
    memory = desk.memory
    number = memory.decision(number).number
    if number not in memory.bandit.log.told:
        raise ConflictError(f"decision {number} has no reward to amend")
    if number in memory.bandit.log.void:
        raise ConflictError(f"decision {number} is void; restore it first")
    value = memory.bandit.acceptable(number, reward)
    if value != memory.bandit.log.told[number]:
        desk.append("amend", {"amend": number, "reward": value, "reason": _reason(reason)})


def void(desk: Desk, which: Which, reason: str, later_count: bool) -> list[int]:
    """Let decisions not count, and return those that did before."""
    numbers = [number for number in which.numbers(desk) if number not in desk.memory.bandit.log.void]
    pseudonym = which.whose(desk)
    body: dict[str, Any] = {"void": numbers, "reason": _reason(reason), "by": _by(which, pseudonym)}
    shut_out = not later_count and pseudonym is not None and pseudonym not in desk.memory.shut_out
    if shut_out:
        body["shut_out"] = pseudonym
    if numbers or shut_out:
        desk.append("void", body)
    return numbers


def restore(desk: Desk, which: Which, reason: str) -> list[int]:
    """Let decisions count again, and return those that had not."""
    numbers = [number for number in which.numbers(desk) if number in desk.memory.bandit.log.void]
    pseudonym = which.whose(desk)
    body: dict[str, Any] = {"restore": numbers, "reason": _reason(reason), "by": _by(which, pseudonym)}
    let_in = pseudonym in desk.memory.shut_out
    if let_in:
        body["let_in"] = pseudonym
    if numbers or let_in:
        desk.append("restore", body)
    return numbers


def _by(which: Which, pseudonym: str | None) -> dict[str, Any]:
    if which.between is not None:
        return {"between": [moment(end) for end in which.between]}
    return {"participant": pseudonym} if pseudonym else {"number": True}


def _reason(reason: str) -> str:
    if not isinstance(reason, str) or not reason.strip():
        raise ParameterError(f"reason must say why, in words, got {reason!r}")
    return reason


def add_arm(desk: Desk, name: str, payload: Any) -> None:
    """Add an arm."""
    desk.memory.refuse_unless(RUNNING, PAUSED)
    name_of("arm", name)
    if as_seen(name) in {as_seen(str(arm)) for arm in desk.memory.bandit.arms}:
        raise ConflictError(f"study {desk.memory.study!r} has an arm {name!r} already; what is edited is a new arm")
    desk.memory.bandit.check_arm(name)
    desk.append("add", {"add": name, "payload": shallow("payload", payload)})


def retire_arm(desk: Desk, name: str, reason: str) -> None:
    """Show an arm no more."""
    memory = desk.memory
    memory.refuse_unless(RUNNING, PAUSED)
    index_of(name, memory.bandit.arms)
    if name in memory.retired:
        raise UnknownArmError(f"arm {name!r} is retired already")
    if memory.arms == [name]:
        raise ConflictError(f"arm {name!r} is the last one of study {memory.study!r}; end the study instead")
    desk.append("retire", {"retire": name, "reason": reason})


def erase(desk: Desk, participant: str, reason: str) -> bool:
    """Forget whose pseudonym a participant's was, and write down that one was erased; what happened stays."""
    whose = name_of("participant", participant)
    pseudonym = desk.pseudonym_of(whose)
    if pseudonym is not None:
        forget(desk.connection, desk.memory.study, id_hash(desk.key, whose))
        desk.ledger.forget(whose)
        desk.append("erase", {"erase": pseudonym, "reason": reason})
    return pseudonym is not None


def turn(desk: Desk, kind: str, reason: str) -> None:
    """Pause, resume or end a study; what it is already changes nothing."""
    allowed = {"pause": (RUNNING,), "resume": (PAUSED,), "end": (RUNNING, PAUSED)}
    already = {"pause": PAUSED, "resume": RUNNING, "end": ENDED}
    if desk.memory.state != already[kind]:
        desk.memory.refuse_unless(*allowed[kind])
        desk.append(kind, {"reason": reason})
