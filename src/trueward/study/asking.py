"""Asking and telling: what participants do. Each function serves one request at a desk."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from trueward.errors import ConflictError, ParameterError, StudyError
from trueward.live.evidence import Evidence, evidence_of
from trueward.live.labels import available_of
from trueward.study.desk import Desk
from trueward.study.learning import NotYet
from trueward.study.memory import RUNNING, Made, Memory
from trueward.study.settings import name_of
from trueward.study.times import moment


@dataclass(frozen=True)
class Shown:
    """A decision: its number, the arm to show, the probability that it had, and whether it had been made before."""

    number: int
    arm: str
    probability: float
    again: bool = False


def number_of(given: int | Shown) -> int:
    """Return the number of a decision, which stands for it as well."""
    return given.number if isinstance(given, Shown) else given


def ask(desk: Desk, participant: str | None, occasion: str, among: Iterable[str] | None) -> Shown:
    """Return the decision for a participant's occasion; made now, if there is none yet."""
    memory = desk.memory
    pseudonym = None
    if participant is not None:
        name_of("participant", participant)
        pseudonym = desk.pseudonym_of(participant)
    before = memory.by_occasion.get((pseudonym or "", name_of("occasion", occasion)))
    if before is not None:
        return _shown(before, again=True)
    memory.refuse_unless(RUNNING)
    available = _available(memory, pseudonym, among)
    if participant is not None and pseudonym is None:
        pseudonym = desk.new_pseudonym(participant)
    expire(desk)
    return _decide(desk, pseudonym, occasion, available)


def _decide(desk: Desk, pseudonym: str | None, occasion: str, available: list[str]) -> Shown:
    memory = desk.memory
    memory.teach()
    chosen = memory.bandit.next_ask(among=None if len(available) == len(memory.bandit.arms) else available)
    about = {
        "arms": list(memory.bandit.arms),
        "participant": pseudonym,
        "occasion": occasion,
        "kind": memory.kind_of_next(),
        "learned": memory.last_seq,
        "corrections": memory.known.corrections,
    }
    desk.append("ask", chosen | about)
    if pseudonym in memory.shut_out:
        desk.append("void", {"void": [chosen["ask"]], "reason": "made after all of the participant's were void"})
    return _shown(memory.made[-1])


def _shown(made: Made, *, again: bool = False) -> Shown:
    return Shown(made.number, made.arm, made.probability, again)


def _available(memory: Memory, pseudonym: str | None, among: Iterable[str] | None) -> list[str]:
    """Return the arms that may be shown: not retired, wanted, and where asked for new to the participant."""
    settings = memory.settings
    if settings.stop_at_horizon and len(memory.made) >= (settings.horizon or 0):
        raise StudyError(f"study {memory.study!r} has reached its horizon of {settings.horizon} decisions")
    arms = memory.arms
    if among is not None:
        wanted = dict(zip(memory.bandit.arms, available_of(among, memory.bandit.arms), strict=True))
        arms = [arm for arm in arms if wanted[arm]]
    if not arms:
        raise ParameterError("among must name at least one arm that is not retired, got none")
    seen = memory.seen.get(pseudonym, []) if pseudonym is not None else []
    if settings.distinct:
        arms = [arm for arm in arms if arm not in seen] or arms
    if settings.one_arm:
        arms = [arm for arm in arms if arm in seen[-1:]] or arms
    known = arms if memory.settled else [arm for arm in arms if memory.is_known(arm)]
    if not known:
        raise NotYet
    return known


def tell(desk: Desk, number: int, reward: float, evidence: Evidence | None) -> None:
    """Take the reward of a decision; the same again changes nothing."""
    memory = desk.memory
    number = memory.decision(number).number
    log = memory.bandit.log
    if number in log.void:
        raise ConflictError(f"decision {number} is void: it takes no reward")
    value = memory.bandit.acceptable(number, reward)
    given = evidence_of(evidence, f"decision {number}")
    if number not in log.told:
        desk.append("tell", {"tell": number, "reward": value, "evidence": given})
    elif log.told[number] != value:
        raise ConflictError(f"decision {number} has the reward {log.told[number]:g}, got {value:g}; use amend")


def expire(desk: Desk, at: datetime | None = None) -> list[int]:
    """Write down which decisions have waited longer than the window, and return them; they are missing from now on."""
    memory = desk.memory
    if memory.settings.window is None:
        return []
    time = at or datetime.fromisoformat(desk.at)
    try:
        last = moment(time - timedelta(seconds=memory.settings.window))
    except OverflowError:  # before the year 1
        return []
    waiting = memory.bandit.open_tickets
    late = [number for number in waiting if memory.made[number - 1].asked_at <= last]
    if late:
        desk.append("close", {"close": late, "window": memory.settings.window})
    return late
