"""Computing a study again from its seed and its log: is every choice the one that was shown?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from trueward.errors import TruewardError
from trueward.live.bandit import Bandit
from trueward.policies.policy import Policy
from trueward.reporting.labels import count
from trueward.study.chain import Event, broken_links
from trueward.study.learning import Known, learned_anew
from trueward.study.log import events_after, row_of
from trueward.study.memory import FORCED, Memory
from trueward.study.reading import decisions
from trueward.study.settings import Settings, origin

MOST_NAMED = 20  # problems that are told one by one


@dataclass(frozen=True)
class Verification:
    """What was found: problems, each of which names its event, and notes, which explain some of them."""

    events: int
    decisions: int
    head: str
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there was no problem."""
        return not self.problems

    def __str__(self) -> str:
        found = "verified" if self.ok else f"{len(self.problems)} problems"
        computed = f"{count(self.events, 'event')}, {count(self.decisions, 'decision')} computed again"
        head = f"{found}: {computed}, head {self.head}"
        return "\n".join([head, *self.problems[:MOST_NAMED], *self.notes])


def verify(connection: sa.Connection, study: str, policy: Policy | None, secret: str | None) -> Verification:
    """Check the chain of a study's events, compute every choice again, and compare the other tables with the log."""
    row = row_of(connection, study)
    events = list(events_after(connection, study))
    problems = list(broken_links(events, row.last_seq, row.head, secret))
    if problems:
        return Verification(len(events), 0, row.head, tuple(problems))
    memory, differing, notes = _computed_again(events, policy)
    problems = [*differing, *_projections(connection, study, memory)]
    return Verification(len(events), len(memory.made), row.head, tuple(problems), tuple(notes))


def _computed_again(events: list[Event], policy: Policy | None) -> tuple[Memory, list[str], list[str]]:
    """Play a log again, and say which choices come out otherwise."""
    memory, problems, codes = Memory(events[0], policy), [], {events[0].body["code"]}
    known, early = KnownThen(memory, events), 0
    for event in events[1:]:
        try:
            if event.kind == "ask" and event.body["kind"] != FORCED:
                early += event.body["corrections"] < memory.last_correction
                if not _same_choice(memory, event.body, known.at(event)):
                    problems.append(
                        f"event {event.seq} (decision {event.body['ask']}) is not the choice that the log leads to"
                    )
            memory.apply(event)
            known.follow(event)
        except TruewardError as error:
            return memory, [*problems, f"event {event.seq} ({event.kind}) does not follow: {error}"], []
        codes.add(memory.code)
    return memory, problems, _notes(codes, early)


def _notes(codes: set[str], early: int) -> list[str]:
    notes = []
    if codes - {origin()["code"]}:
        notes.append("some choices were made by another version of the code, which may compute them otherwise")
    if early:
        notes.append(f"{early} decisions were made while a correction was still being learned, and computed as such")
    return notes


def _same_choice(memory: Memory, body: dict[str, Any], known: Known | None) -> bool:
    if known is None:
        return False
    memory.answer_from(known)  # it was taught all
    if body["learned"] != memory.last_seq or not all(map(memory.is_known, body["among"])):
        return False
    expected = memory.bandit.next_ask(among=body["among"])
    return memory.kind_of_next() == body["kind"] and all(expected[key] == body[key] for key in ("ask", "arm", "p"))


class KnownThen:
    """What was known after each correction that a decision was made with: kept as long as any is still to come."""

    def __init__(self, memory: Memory, events: list[Event]) -> None:
        self._memory = memory
        self._last_use = {event.body["corrections"]: event.seq for event in events if event.kind == "ask"}
        self._known = {0: memory.known}

    def at(self, event: Event) -> Known | None:
        """Return what was known to a decision; None where it names no correction before it."""
        return self._known.get(event.body["corrections"])

    def follow(self, event: Event) -> None:
        """Learn what a correction left, and forget what no decision names any more."""
        if self._memory.last_correction == event.seq and event.seq in self._last_use:
            self._known[event.seq] = learned_anew(self._memory.bandit, event.seq)
        self._known = {seq: known for seq, known in self._known.items() if self._last_use.get(seq, 0) > event.seq}
        self._memory.pupils = list(self._known.values())


def _projections(connection: sa.Connection, study: str, memory: Memory) -> list[str]:
    """Say which decisions stand in the tables otherwise than the log says."""
    told, problems = memory.bandit.log.told, []
    table = decisions(connection, study).select("number", "participant", "occasion", "arm", "reward", "status").rows()
    if len(table) != len(memory.made):
        return [f"the table of decisions has {len(table)} rows, and the log {len(memory.made)} decisions"]
    for made, row in zip(memory.made, table, strict=True):
        status = memory.status(made.number)
        if row != (made.number, made.participant, made.occasion, made.arm, told.get(made.number), status):
            problems.append(f"decision {made.number} stands otherwise in the tables than in the log")
    return problems


def replay(events: Iterator[Event], policy: Policy) -> Bandit:
    """Return a bandit with any policy that has learned what a log says, from the same ratings in order."""
    settings = Settings(**next(events).body["settings"])
    bandit = Bandit(policy, list(settings.arms), seed=settings.seed, horizon=settings.horizon)
    for event in events:
        if event.kind in ("ask", "tell", "amend", "void", "restore", "close", "add"):
            bandit.apply(event.body)
    return bandit
