"""A bandit in a live study: ask which arm to show, tell what it was rated, look, explain, save, resume.

    bandit = Bandit(CrUCB(TrimmedMean(0.1), sigma=1.3), arms=["video", "text"])
    arm = bandit.ask();   bandit.tell(arm, 7);   bandit.explain();   Bandit.from_dict(bandit.to_dict())

Rewards may come late, in any order, or never. What is learned is a function of the rewards in the order in which they
were told; asking changes nothing. Each ask and each reward has random numbers of its own. So a retracted reward leaves
no trace, and a resumed bandit makes the very next choice unchanged. A bandit may be shared by threads.
"""

import copy
import functools
import math
import numbers
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Bools, Floats, State
from trueward.engine.stages import Ask, Observation, choose, update
from trueward.engine.states import arrays_of, hand_over, restrict
from trueward.errors import LogError, ParameterError, TicketError
from trueward.estimators.mean import Mean
from trueward.game.descriptions import damaged, describe_policy, saved_policy
from trueward.live.evidence import Evidence, evidence_of, in_columns, unused
from trueward.live.explanation import ArmExplanation, Explanation, TrimmedRating
from trueward.live.labels import Label, index_of, labels_of
from trueward.live.log import Asked, Log
from trueward.live.ticket import Ticket, Told
from trueward.policies.base import Policy
from trueward.policies.declared_range import clipped, refuse_outside

FORMAT, VERSION = "trueward.bandit", 2
ASK, TELL = range(2)  # the roles of a ticket's random streams
FIRST_CAPACITY = 64  # rewards per arm; doubled when an arm has more

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def alone(
    method: Callable[Concatenate["Bandit", Given], Returned],
) -> Callable[Concatenate["Bandit", Given], Returned]:
    """Let one thread at a time into a bandit."""

    @functools.wraps(method)
    def locked(self: "Bandit", *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked  # type: ignore[return-value] # the same method, behind a lock


class Bandit:
    """One policy, in a live study with named arms.

    A rating outside of the range that the policy declares is refused, unless the policy says `outside="clip"`.
    """

    def __init__(
        self,
        policy: Policy,
        arms: Sequence[Label] | int,
        *,
        seed: int = 0,
        horizon: int | None = None,
    ) -> None:
        if not isinstance(policy, Policy):
            raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {policy!r}")
        self.policy = policy
        self.arms = labels_of(arms)
        self.seed = checks.whole("seed", seed)
        self.horizon = None if horizon is None else checks.whole("horizon", horizon, at_least=1)
        self._signals = tuple(signal.name for signal in policy.signals)
        self._lock = threading.RLock()
        self._log = Log(self.arms)
        self._state = self._learned()
        if not list(arrays_of(self._state)):
            raise ParameterError(f"policy must keep what it learns in arrays, to be copied and resumed; got {policy!r}")

    @alone
    def ask(self, *, among: Iterable[Label] | None = None, ticket: bool = False) -> Any:
        """Return the arm to show next, or with `ticket=True` a ticket for it; `among` limits it to available arms."""
        asked = self._choose(self._available(among))
        number = self._log.ask(asked)
        label = self.arms[asked.arm]
        return Ticket(number, label, float(asked.p[asked.arm])) if ticket else label

    @alone
    def tell(
        self,
        arm: Label | Ticket,
        reward: float,
        *,
        ticket: int | Ticket | None = None,
        evidence: Evidence | None = None,
    ) -> int:
        """Learn a reward of an arm, and return the number of the ask it belongs to.

        `evidence` is what came with it, such as {"check": False, "seconds": 1.7}; see `Signal`.
        """
        if ticket is not None:
            number = ticket.number if isinstance(ticket, Ticket) else ticket
            arm = arm if isinstance(arm, Ticket) else Ticket(number, arm, None)
        return self.tell_many([(arm, reward, evidence)])[0]

    @alone
    def tell_many(self, rewards: Iterable[Told]) -> list[int]:
        """Learn many rewards, in the order given, with evidence or without: all, or none if one is refused."""
        told: dict[int, tuple[float, Evidence]] = {}
        waiting: dict[int, Iterator[int]] = {}  # for each arm, the open asks not yet passed
        for arm, reward, *given in rewards:
            number = self._belongs_to(arm, told, waiting)
            (evidence,) = given or [None]
            told[number] = self._acceptable(number, reward), evidence_of(evidence, self._where(number))
        for number, learned in told.items():
            self._learn(number, *learned)
            self._log.tell(number, *learned)
        return list(told)

    @alone
    def retract(self, ticket: int | Ticket) -> None:
        """Take back a reward already told: the state is exactly as if it had never come, and its ask is open again."""
        number = self._number(ticket)
        if number not in self._log.told:
            raise TicketError(f"ticket {number} has no reward to retract")
        self._log.retract(number)
        self._state = self._learned()

    @alone
    def estimates(self) -> dict[Label, float]:
        """Return the mean it believes of each arm; NaN before the first reward."""
        return self._by_arm(self.policy.estimates(self._state))

    @alone
    def indices(self) -> dict[Label, float]:
        """Return the index of each arm in the next round, for policies that have one."""
        return self._by_arm(self.policy.indices(self._state, self._next_ask(self._available(None))))

    @alone
    def probabilities(self, *, among: Iterable[Label] | None = None) -> dict[Label, float]:
        """Return the probability of each arm at the next ask."""
        available = self._available(among)
        state, ask = self._at_hand(available)
        return self._by_arm(_spread(self.policy.probabilities(state, ask), available))

    @alone
    def explain(self) -> Explanation:
        """Return, per arm, how many ratings there are, which do not count and why, and the plain mean."""
        estimates = self.policy.estimates(self._state).tolist()
        arms = tuple(self._explain_arm(arm, estimate) for arm, estimate in enumerate(estimates))
        notes = unused(self._log.evidence.values(), self._signals, type(self.policy).__name__)
        return Explanation(arms, (*self.policy.account(self._state, self.arms), *notes))

    @property
    def open_tickets(self) -> tuple[int, ...]:
        """The numbers of the asks that have no reward yet, oldest first."""
        with self._lock:
            return self._log.open_tickets

    @alone
    def to_dict(self) -> dict[str, Any]:
        """Return the bandit as a dictionary for JSON: its settings and the log of events."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "policy": describe_policy(self.policy),
            "arms": list(self.arms),
            "seed": self.seed,
            "horizon": self.horizon,
            "events": copy.deepcopy(self._log.events),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], *, policy: Policy | None = None) -> Self:
        """Return the bandit that was saved; a policy of the user's own, which has no name, must be given."""
        version = saved.get("version") if isinstance(saved, Mapping) else None
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT or version not in (1, VERSION):
            found = {key: saved.get(key) for key in ("format", "version")} if isinstance(saved, Mapping) else saved
            raise LogError(f"the saved bandit must be of format {FORMAT!r} version {VERSION}, got {found!r}")
        chosen = saved_policy(saved, policy)
        try:
            bandit = cls(chosen, saved["arms"], seed=saved["seed"], horizon=saved["horizon"])
            for position, event in enumerate(saved["events"]):
                bandit._log.restore(event, position, version)
            for number, reward in bandit._log.told.items():
                bandit._acceptable(number, reward)
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise damaged(error) from None
        bandit._state = bandit._learned()
        return bandit

    def _stream(self, number: int, role: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, role)))

    def _next_ask(self, available: Bools) -> Ask:
        """Return what the policy looks at when it is asked next, as if there were only the available arms."""
        n_open = int(available.sum())
        pending = np.array(self._log.pending(), dtype=np.int64)[available]
        return Ask(len(self._log.asks) + 1, np.ones(n_open, np.bool_), pending, np.full(n_open, 1.0 / n_open))

    def _at_hand(self, available: Bools) -> tuple[State, Ask]:
        """Return a copy of the state with the available arms alone, and the next ask: to ask is not to learn."""
        return restrict(self._state, np.flatnonzero(available)), self._next_ask(available)

    def _choose(self, available: Bools) -> Asked:
        state, ask = self._at_hand(available)
        p = None if self.policy.samples else self.policy.probabilities(state, ask)
        arm = choose(state, ask, self._stream(ask.t, ASK))
        return Asked(int(np.flatnonzero(available)[arm]), _spread(ask.p if p is None else p, available), available)

    def _learn(self, number: int, reward: float, evidence: Evidence) -> None:
        arm, p, available = self._log.asks[number - 1]
        self._make_room(arm)
        seen = Observation(number, arm, reward, p, available, in_columns(evidence, self._signals))
        update(self._state, seen, self._stream(number, TELL))

    def _learned(self) -> State:
        """Return the state after all rewards told, from scratch."""
        self._capacity = FIRST_CAPACITY
        self._pulls = np.zeros(len(self.arms), np.int64)
        self._state = self._empty_state()
        for number, reward in self._log.told.items():
            self._learn(number, reward, self._log.evidence.get(number, {}))
        return self._state

    def _empty_state(self) -> State:
        horizon, capacity = self.horizon, self._capacity
        return self.policy.start(len(self.arms), horizon=horizon, capacity=capacity, signals=self._signals)

    def _make_room(self, arm: int) -> None:
        """Count a reward of an arm, and double the memory if it would not fit."""
        self._pulls[arm] += 1
        if self._pulls[arm] > self._capacity:
            self._capacity *= 2
            old, self._state = self._state, self._empty_state()
            hand_over(old, self._state)

    def _number(self, ticket: int | Ticket) -> int:
        """Return the number of a ticket that was given out."""
        number, given = ticket.number if isinstance(ticket, Ticket) else ticket, len(self._log.asks)
        if isinstance(number, bool) or not isinstance(number, numbers.Integral) or not 1 <= number <= given:
            raise TicketError(f"there is no ticket {number!r}; {given} have been given out")
        label = self.arms[self._log.asks[int(number) - 1].arm]
        if isinstance(ticket, Ticket) and ticket.arm != label:
            raise TicketError(f"ticket {number} is for arm {label!r}, got {ticket.arm!r}")
        return int(number)

    def _acceptable(self, number: int, reward: float) -> float:
        """Return a reward that the policy may see, or say why not."""
        value = checks.reward(reward, self._where(number))
        refuse_outside(self._state, value, self._where(number))
        return value

    def _where(self, number: int) -> str:
        return f"arm {self.arms[self._log.asks[number - 1].arm]!r} in round {number}"

    def _belongs_to(self, arm: Label | Ticket, taken: Mapping[int, object], waiting: dict[int, Iterator[int]]) -> int:
        """Return the number of the ask that a reward belongs to: of its ticket, or the oldest open one of its arm."""
        if not isinstance(arm, Ticket):
            index = index_of(arm, self.arms)
            open_asks = waiting.setdefault(index, self._log.open_of(index))
            return next(number for number in open_asks if number not in taken)
        number = self._number(arm)
        if number in self._log.told or number in taken:
            raise TicketError(f"ticket {number} has a reward already; retract it first")
        return number

    def _available(self, among: Iterable[Label] | None) -> Bools:
        if isinstance(among, str) or not (among is None or isinstance(among, Iterable)):
            raise ParameterError(f"among must be a list of arms, got {among!r}")
        available = np.full(len(self.arms), among is None)
        available[[index_of(label, self.arms) for label in among or ()]] = True
        if not available.any():
            raise ParameterError("among must name at least one arm, got none")
        return available

    def _by_arm(self, values: Floats) -> dict[Label, float]:
        return dict(zip(self.arms, values.tolist(), strict=True))

    def _explain_arm(self, arm: int, estimate: float) -> ArmExplanation:
        ratings = {n: reward for n, reward in self._log.told.items() if self._log.asks[n - 1].arm == arm}
        seen = [clipped(self._state, reward) for reward in ratings.values()]
        reasons = self.policy.why_aside(self._state, arm, seen) if seen else []
        told = zip(ratings.items(), reasons, strict=True)
        aside = tuple(TrimmedRating(number, reward, reason) for (number, reward), reason in told if reason)
        return ArmExplanation(self.arms[arm], len(seen), estimate, float(Mean()(seen)) if seen else math.nan, aside)


def _spread(values: Floats, available: Bools) -> Floats:
    """Return the values of the available arms in their places, and 0 for the others."""
    everywhere = np.zeros(available.size)
    everywhere[available] = values
    return everywhere
