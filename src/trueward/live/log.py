"""What happened in a study: every ask, every reward told, every correction, in order.

An event is a small dictionary for JSON. The log knows which asks are open, and what has been told; what is learned from
it is the bandit's affair.

    {"ask": 1, "arm": "video", "p": [0.5, 0.5], "among": ["video", "text"]}
    {"tell": 1, "reward": 7.0}, with "evidence" where some came with it,  {"retract": 1}
    {"void": [1, 2]},  {"restore": [1]},  {"amend": 1, "reward": 6.0},  {"close": [3]},  {"add": "song"}

A void reward does not count, and an amended or restored one keeps its place in the order. A closed ask is not waited
for any more; its reward is still taken, that of a void ask is not. To a policy that heeds missing rewards, an ask that
is closed without one is something to learn, in its place in the order, until a reward comes: which replaces it.
"""

import copy
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Bools, Floats
from trueward.errors import LogError, TicketError
from trueward.live.asks import Asked, Asks, Ratings
from trueward.live.evidence import Evidence, evidence_of
from trueward.live.labels import Label, available_of
from trueward.live.ticket import Ticket
from trueward.parameters import check_reward, is_integer

VERSION = 2  # of saved events


class Log:
    """The events of one study, and what follows from them at once."""

    def __init__(self, arms: Sequence[Label], *, learns_from_missing: bool = False, keeps_events: bool = True) -> None:
        self.arms = self.first_arms = tuple(arms)
        self.keeps_events = keeps_events  # a study has them in its database
        self.learns_from_missing = (
            learns_from_missing  # whether an ask that is closed without a reward is something to learn
        )
        self.events: list[dict[str, Any]] = []
        self.asks = Asks(len(self.arms))
        self.told: dict[int, float] = {}  # ticket number -> reward, in the order told, void ones too
        self.void: set[int] = set()  # tickets whose reward does not count, or will not be taken
        self.closed: set[int] = set()  # tickets whose reward is not waited for any more
        self.order: dict[int, None] = {}  # tickets that have a reward or are closed, in the order in which that came
        self.evidence: dict[int, Evidence] = {}  # ticket number -> what came with the reward, if anything did
        self._open: list[dict[int, None]] = [{} for _ in arms]  # for each arm its open tickets, oldest first

    def ask(self, asked: Asked) -> int:
        """Write down an ask, and return its number."""
        if self.keeps_events:
            self.events.append(self.event_of(asked))
        number = self.asks.append(asked)
        self._open[asked.arm][number] = None
        return number

    def event_of(self, asked: Asked) -> dict[str, Any]:
        """Return what the next ask writes down."""
        among = [*itertools.compress(self.arms, asked.available.tolist())]
        return {"ask": len(self.asks) + 1, "arm": self.arms[asked.arm], "p": asked.p.tolist(), "among": among}

    def tell(self, number: int, reward: float, evidence: Evidence) -> None:
        """Write down the reward of an ask, and what came with it."""
        self.told[number] = reward
        self._last(number)
        self._open[self.asks.arm_of(number)].pop(number, None)
        if not evidence:
            self._write({"tell": number, "reward": reward})
        else:
            self._write({"tell": number, "reward": reward, "evidence": dict(evidence)})
            self.evidence[number] = evidence

    def retract(self, number: int) -> None:
        """Write down that a reward was taken back: its ask is open again, in its old place."""
        del self.told[number]
        self._last(number)
        self.evidence.pop(number, None)
        self._reopen([number])
        self._write({"retract": number})

    def set_aside(self, numbers: Sequence[int]) -> None:
        """Write down that these asks do not count."""
        self.void.update(numbers)
        self._shut(numbers)
        self._write({"void": list(numbers)})

    def bring_back(self, numbers: Sequence[int]) -> None:
        """Write down that these asks count again."""
        self.void.difference_update(numbers)
        self._reopen(numbers)
        self._write({"restore": list(numbers)})

    def amend(self, number: int, reward: float) -> None:
        """Write down that a reward was another; it keeps its place."""
        self.told[number] = reward
        self._write({"amend": number, "reward": reward})

    def close(self, numbers: Sequence[int]) -> None:
        """Write down that the rewards of these asks are not waited for any more."""
        self.closed.update(numbers)
        self.order.update(dict.fromkeys(numbers))  # those that are in it keep their place
        self._shut(numbers)
        self._write({"close": list(numbers)})

    def add(self, label: Label) -> None:
        """Write down that there is an arm more; no ask before this one could have shown it."""
        self.arms = (*self.arms, label)
        self.asks.add_arm()
        self._open.append({})
        self._write({"add": label})

    def _write(self, event: dict[str, Any]) -> None:
        if self.keeps_events:
            self.events.append(event)

    def _last(self, number: int) -> None:
        """Move a ticket to the end of the order, or out of it if it is open again."""
        self.order.pop(number, None)
        if number in self.told or number in self.closed:
            self.order[number] = None

    def _shut(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._open[self.asks.arm_of(number)].pop(number, None)

    def _reopen(self, numbers: Sequence[int]) -> None:
        """Wait again for the rewards of those that have none, are not void and not closed: each in its old place."""
        waiting = [n for n in numbers if n not in self.told and n not in self.void and n not in self.closed]
        for arm in {self.asks.arm_of(number) for number in waiting}:
            back = [number for number in waiting if self.asks.arm_of(number) == arm]
            self._open[arm] = dict.fromkeys(sorted([*self._open[arm], *back]))

    def counted(self, *, after: int = 0) -> Ratings:
        """Return the ratings that count, in the order told; and what is missing, to a policy that heeds it.

        Those after the first so many.
        """
        numbers = self.order if self.learns_from_missing else self.told
        return self.rated([number for number in numbers if number not in self.void][after:])

    def lessons(self, event: Mapping[str, Any]) -> list[int]:
        """Return the asks of which an event, written down last, has something to teach that corrects nothing."""
        if "tell" in event:
            return [] if self.was_missing(event["tell"]) else [event["tell"]]
        if "close" in event and self.learns_from_missing:
            return [n for n in event["close"] if n not in self.told and n not in self.void]
        return []

    def rated(self, numbers: list[int]) -> Ratings:
        """Return asks with their rewards, and what came with them; the reward is NaN where it is missing."""
        evidence = {n: self.evidence[n] for n in numbers if n in self.evidence} if self.evidence else {}
        return self.asks.rated(numbers, [self.told.get(number, math.nan) for number in numbers], evidence)

    def is_corrected_by(self, event: Mapping[str, Any]) -> bool:
        """Return whether an event, written down last, changes what had been learned before."""
        if "tell" in event:
            return self.was_missing(event["tell"])
        if numbers := event.get("void", event.get("restore")):
            return any(number in self.told or self.was_missing(number) for number in numbers)
        return not {"retract", "amend", "add"}.isdisjoint(event)

    def was_missing(self, number: int) -> bool:
        """Return whether it has been learned that an ask has no reward."""
        return self.learns_from_missing and number in self.closed

    def as_it_is(self) -> "Log":
        """Return a copy whose ratings another thread can count, whatever happens to this log."""
        frozen = copy.copy(self)
        frozen.asks, frozen.told, frozen.closed = self.asks.copy(), self.told.copy(), self.closed.copy()
        frozen.void, frozen.evidence, frozen.order = self.void.copy(), self.evidence.copy(), self.order.copy()
        return frozen

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what is known of the asks, but for evidence, as arrays by name; `take_columns` takes them again."""
        arms, p, available = self.asks.columns()
        tickets = {name: np.fromiter(getattr(self, name), np.int64) for name in ("told", "void", "closed", "order")}
        rewards = np.fromiter(self.told.values(), np.float64)
        return {"arms": arms, "p": p, "available": available, "rewards": rewards, **tickets}

    def take_columns(self, arms: Sequence[Label], columns: Mapping[str, NDArray[Any]]) -> None:
        """Know of the asks what another log of these arms knew; of their evidence nothing yet."""
        self.arms = tuple(arms)
        self.asks = Asks.from_columns(columns["arms"], columns["p"], columns["available"])
        self.told = dict(zip(columns["told"].tolist(), columns["rewards"].tolist(), strict=True))
        self.void, self.closed = set(columns["void"].tolist()), set(columns["closed"].tolist())
        self.order = dict.fromkeys(columns["order"].tolist())
        self._open = [{} for _ in arms]
        self._reopen(range(1, len(self.asks) + 1))

    @property
    def open_tickets(self) -> tuple[int, ...]:
        """The numbers of the asks that have no reward yet, oldest first."""
        return tuple(sorted(number for tickets in self._open for number in tickets))

    def pending(self) -> list[int]:
        """Return how many asks of each arm have no reward yet."""
        return [len(tickets) for tickets in self._open]

    def label_of(self, number: int) -> Label:
        """Return the name of the arm that an ask has shown."""
        return self.arms[self.asks.arm_of(number)]

    def number_of(self, ticket: int | Ticket) -> int:
        """Return the number of a ticket that was given out, or refuse any other."""
        number, given = ticket.number if isinstance(ticket, Ticket) else ticket, len(self.asks)
        if not is_integer(number) or not 1 <= number <= given:
            raise TicketError(f"there is no ticket {number!r}; {given} have been given out")
        label = self.label_of(int(number))
        if isinstance(ticket, Ticket) and ticket.arm != label:
            raise TicketError(f"ticket {number} is for arm {label!r}, got {ticket.arm!r}")
        return int(number)

    def waiting_for(self, number: int, taken: Collection[int]) -> int:
        """Return a number whose reward may come; `taken` are about to have theirs."""
        if number in self.told or number in taken:
            raise TicketError(f"ticket {number} has a reward already; retract it first")
        if number in self.void:
            raise TicketError(f"ticket {number} is void: it takes no reward; restore it first")
        return number

    def open_of(self, arm: int) -> Iterator[int]:
        """Give the open asks of an arm, oldest first; where there are no more, say so."""
        yield from self._open[arm]
        raise TicketError(f"arm {self.arms[arm]!r} has no open ask that a reward could belong to")

    def append(self, event: Mapping[str, Any], position: int, version: int = VERSION) -> None:
        """Append a saved event, or say why it does not follow from those before it."""
        if "ask" in event and self._is_next(event["ask"]) and event.get("arm") in self.arms:
            arm = self.arms.index(event["arm"])
            self.ask(Asked(arm, *self._saved(event, arm, version)))
        elif "tell" in event and "reward" in event and self._takes_reward(event["tell"]):
            where = f"ticket {event['tell']}"
            self.tell(event["tell"], check_reward(event["reward"], where), evidence_of(event.get("evidence"), where))
        else:
            self._append_correction(event, position)

    def _append_correction(self, event: Mapping[str, Any], position: int) -> None:
        match event:
            case {"retract": int(number)} if number in self.told and number not in self.void:
                self.retract(number)
            case {"void": [*numbers]} if self._known(numbers) and not self.void & {*numbers}:
                self.set_aside(numbers)
            case {"restore": [*numbers]} if self.void >= {*numbers}:
                self.bring_back(numbers)
            case {"amend": int(number), "reward": reward} if number in self.told:
                self.amend(number, check_reward(reward, f"ticket {number}"))
            case {"close": [*numbers]} if self._known(numbers):
                self.close(numbers)
            case {"add": str() | int() as label} if label not in self.arms:
                self.add(label)
            case _:
                raise LogError(f"event {position} of the saved bandit does not follow from those before it: {event!r}")

    def _known(self, numbers: Sequence[object]) -> bool:
        return all(type(number) is int and 0 < number <= len(self.asks) for number in numbers)

    def _is_next(self, number: object) -> bool:
        return type(number) is int and number == len(self.asks) + 1

    def _takes_reward(self, number: object) -> bool:
        return self._known([number]) and number not in self.told and number not in self.void

    def _saved(self, event: Mapping[str, Any], arm: int, version: int) -> tuple[Floats, Bools]:
        """Return what a saved ask chose from; version 1 noted p of policies that sample, never what was available."""
        n_arms, number = len(self.arms), event["ask"]
        if version == 1 and "p" not in event:
            return np.eye(n_arms)[arm], available_of(None, self.arms)
        p = self._probabilities(event["p"], number)
        if p[arm] == 0.0:
            raise LogError(f"p of ask {number} must be the probabilities of its arms, got {event['p']!r}")
        if version == 1:
            return p, p > 0.0
        among = event.get("among", self.arms)  # once it was noted only where an ask was limited
        if [*among] == [*self.arms]:
            return p, available_of(None, self.arms)
        available = np.array([label in among for label in self.arms])
        if not available[arm] or (p[~available] > 0.0).any():
            raise LogError(f"ask {number} shows an arm that was not available: {event!r}")
        return p, available

    def _probabilities(self, given: Sequence[float], number: int) -> Floats:
        """Return saved probabilities; told from anything else by plain Python, as there are many short lists."""
        numbers = isinstance(given, list) and {*map(type, given)} <= {float, int}
        if not numbers or len(given) != len(self.arms) or min(given) < 0.0 or not abs(sum(given) - 1.0) <= 1e-9:
            raise LogError(f"p of ask {number} must be the probabilities of its arms, got {given!r}")
        return np.array(given, np.float64)
