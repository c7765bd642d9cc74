"""What happened in a study: every ask, every reward told, every reward retracted, in order.

An event is a small dictionary for JSON. The log knows which asks are open, and what has been told; what is learned from
it is the bandit's affair.

    {"ask": 1, "arm": "video", "p": [0.5, 0.5]}, with "among" where not every arm was available
    {"tell": 1, "reward": 7.0}, with "evidence" where some came with it,  {"retract": 1}
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Bools, Floats
from trueward.errors import LogError, TicketError
from trueward.live.evidence import Evidence, evidence_of
from trueward.live.labels import Label


class Asked(NamedTuple):
    """One ask: the arm that was shown, and what it was chosen from."""

    arm: int
    p: Floats  # (arms,) the probabilities
    available: Bools  # (arms,)


class Log:
    """The events of one study, and what follows from them at once."""

    def __init__(self, arms: Sequence[Label]) -> None:
        self.arms = tuple(arms)
        self.events: list[dict[str, Any]] = []
        self.asks: list[Asked] = []
        self.told: dict[int, float] = {}  # ticket number -> reward, in the order told
        self.evidence: dict[int, Evidence] = {}  # ticket number -> what came with the reward, if anything did
        self._open: list[dict[int, None]] = [{} for _ in arms]  # for each arm its open tickets, oldest first

    def ask(self, asked: Asked) -> int:
        """Write down an ask, and return its number."""
        self.asks.append(asked)
        number = len(self.asks)
        self._open[asked.arm][number] = None
        limited = {} if asked.available.all() else {"among": [self.arms[a] for a in np.flatnonzero(asked.available)]}
        self.events.append({"ask": number, "arm": self.arms[asked.arm], "p": asked.p.tolist(), **limited})
        return number

    def tell(self, number: int, reward: float, evidence: Evidence) -> None:
        """Write down the reward of an ask, and what came with it."""
        self.told[number] = reward
        del self._open[self.asks[number - 1].arm][number]
        self.events.append({"tell": number, "reward": reward})
        if evidence:
            self.evidence[number] = evidence
            self.events[-1]["evidence"] = dict(evidence)

    def retract(self, number: int) -> None:
        """Write down that a reward was taken back: its ask is open again, in its old place."""
        del self.told[number]
        self.evidence.pop(number, None)
        arm = self.asks[number - 1].arm
        self._open[arm] = dict.fromkeys(sorted([*self._open[arm], number]))
        self.events.append({"retract": number})

    @property
    def open_tickets(self) -> tuple[int, ...]:
        """The numbers of the asks that have no reward yet, oldest first."""
        return tuple(sorted(number for tickets in self._open for number in tickets))

    def pending(self) -> list[int]:
        """Return how many asks of each arm have no reward yet."""
        return [len(tickets) for tickets in self._open]

    def open_of(self, arm: int) -> Iterator[int]:
        """Give the open asks of an arm, oldest first; where there are no more, say so."""
        yield from self._open[arm]
        raise TicketError(f"arm {self.arms[arm]!r} has no open ask that a reward could belong to")

    def restore(self, event: dict[str, Any], position: int, version: int) -> None:
        """Append a saved event, or say why it does not follow from those before it."""
        match event:
            case {"ask": int(number), "arm": label} if number == len(self.asks) + 1 and label in self.arms:
                self.ask(self._asked(event, self.arms.index(label), version))
            case {"tell": int(number), "reward": reward} if 0 < number <= len(self.asks) and number not in self.told:
                where = f"ticket {number}"
                self.tell(number, checks.reward(reward, where), evidence_of(event.get("evidence"), where))
            case {"retract": int(number)} if number in self.told:
                self.retract(number)
            case _:
                raise LogError(f"event {position} of the saved bandit does not follow from those before it: {event!r}")

    def _asked(self, event: dict[str, Any], arm: int, version: int) -> Asked:
        """Return a saved ask; version 1 noted probabilities of policies that sample, and never what was available."""
        n_arms, number = len(self.arms), event["ask"]
        if version == 1 and "p" not in event:
            return Asked(arm, np.eye(n_arms)[arm], np.ones(n_arms, np.bool_))
        p = checks.array("p", copy.deepcopy(event["p"]), at_least=0)
        if p.size != n_arms or p[arm] == 0.0 or abs(p.sum() - 1.0) > 1e-9:
            raise LogError(f"p of ask {number} must be the probabilities of its arms, got {event['p']!r}")
        if version == 1:
            return Asked(arm, p, p > 0.0)
        among = event.get("among", self.arms)
        available = np.array([label in among for label in self.arms])
        if not available[arm] or (p[~available] > 0.0).any():
            raise LogError(f"ask {number} shows an arm that was not available: {event!r}")
        return Asked(arm, p, available)
