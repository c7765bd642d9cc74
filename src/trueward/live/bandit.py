"""ask / tell: one policy in a live study.

    bandit = Bandit(CrUCB(TrimmedMean(0.1), sigma=1.3), arms=["video", "text"], seed=0)
    arm = bandit.ask()
    bandit.tell(arm, 7)

Rewards may come late, in any order, or never. A reward belongs to its ticket, or else to the oldest open ask of its
arm, and counts with the probabilities of *that* ask. The log of asks, rewards and retractions is all there is to save:
what the bandit has learned is a function of the rewards told, in their order, and each ask and each reward has random
numbers of its own. So a retracted reward leaves no trace, and a resumed bandit makes the very next choice unchanged.
"""

import copy
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, reset, update
from trueward.errors import LogError, ParameterError, TicketError, UnknownArmError
from trueward.estimators import Mean
from trueward.game.descriptions import damaged, describe_policy, saved_policy
from trueward.live.explanation import ArmExplanation, Explanation, TrimmedRating
from trueward.policies import Policy
from trueward.policies.base import arrays_of, restrict
from trueward.policies.declared_range import refuse_outside

Label = str | int

FORMAT, VERSION = "trueward.live.bandit", 1
ASK, TELL = range(2)  # the roles of a ticket's random streams
FIRST_CAPACITY = 64  # rewards per arm; doubled when an arm has more


@dataclass(frozen=True)
class Ticket:
    """One ask: its number, the arm to show, and the probability that it had."""

    number: int
    arm: Label
    probability: float | None  # None for a ticket made by hand


@dataclass(frozen=True)
class _Ask:
    arm: int
    p: Floats | None  # (arms,) the probabilities of this ask; only policies that sample from them need them


class Bandit:
    """One policy, in a live study with named arms."""

    def __init__(
        self, policy: Policy, arms: Sequence[Label] | int, *, seed: int = 0, horizon: int | None = None
    ) -> None:
        if not isinstance(policy, Policy):
            raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {policy!r}")
        self.policy = policy
        self.arms = _labels(arms)
        self.seed = checks.whole("seed", seed)
        self.horizon = None if horizon is None else checks.whole("horizon", horizon, at_least=1)
        self._asks: list[_Ask] = []
        self._told: dict[int, float] = {}  # ticket number -> reward, in the order told
        self._events: list[dict[str, Any]] = []
        self._state = self._learned()
        if not list(arrays_of(self._state)):
            raise ParameterError(f"policy must keep what it learns in arrays, to be copied and resumed; got {policy!r}")

    def ask(self, *, among: Iterable[Label] | None = None, ticket: bool = False) -> Any:
        """Return the arm to show next, or with `ticket=True` a ticket for it; `among` limits it to available arms."""
        open_arms = self._open_arms(among)
        number = len(self._asks) + 1
        arm, p = self._choose(open_arms, number)
        given = Ticket(number, self.arms[arm], self._probability(arm, p, open_arms) if ticket else None)
        self._asks.append(_Ask(arm, p))
        noted = {"p": p.tolist()} if p is not None else {"probability": given.probability} if ticket else {}
        self._events.append({"ask": number, "arm": self.arms[arm], **noted})
        return given if ticket else given.arm

    def tell(self, arm: Label | Ticket, reward: float, *, ticket: int | Ticket | None = None) -> int:
        """Learn a reward of an arm, and return the number of the ask it belongs to."""
        if ticket is not None:
            arm = Ticket(ticket.number if isinstance(ticket, Ticket) else ticket, arm, None)  # type: ignore[arg-type] # checked there
        return self.tell_many([(arm, reward)])[0]

    def tell_many(self, rewards: Iterable[tuple[Label | Ticket, float]]) -> list[int]:
        """Learn many rewards, in the order given: all of them, or none if one is refused."""
        told: list[int] = []
        values: list[float] = []
        for arm, reward in rewards:
            told.append(self._belongs_to(arm, taken=told))
            values.append(self._acceptable(told[-1], reward))
        for number, value in zip(told, values, strict=True):
            self._learn(number, value)
            self._told[number] = value
            self._events.append({"tell": number, "reward": value})
        return told

    def retract(self, ticket: int | Ticket) -> None:
        """Take back a reward already told: the state is exactly as if it had never come, and its ask is open again."""
        number = self._number(ticket)
        if number not in self._told:
            raise TicketError(f"ticket {number} has no reward to retract")
        del self._told[number]
        self._events.append({"retract": number})
        self._state = self._learned()

    def estimates(self) -> dict[Label, float]:
        """Return the mean it believes of each arm; NaN before the first reward."""
        return self._by_arm(self.policy.estimates(self._state))

    def indices(self) -> dict[Label, float]:
        """Return the index of each arm in the next round, for policies that have one."""
        return self._by_arm(self.policy.indices(self._state, len(self._asks) + 1))

    def probabilities(self, *, among: Iterable[Label] | None = None) -> dict[Label, float]:
        """Return the probability of each arm at the next ask."""
        return self._by_arm(self._probabilities(self._open_arms(among)))

    def explain(self) -> Explanation:
        """Return, per arm, how many ratings there are, which were trimmed and why, and the plain mean."""
        estimates = self.policy.estimates(self._state).tolist()
        arms = tuple(self._explain_arm(arm, estimate) for arm, estimate in enumerate(estimates))
        return Explanation(arms, tuple(self.policy.account(self._state, self.arms)))

    @property
    def open_tickets(self) -> tuple[int, ...]:
        """The numbers of the asks that have no reward yet, oldest first."""
        return tuple(number for number in range(1, len(self._asks) + 1) if number not in self._told)

    def to_dict(self) -> dict[str, Any]:
        """Return the bandit as a dictionary for JSON: its settings and the log of events."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "policy": describe_policy(self.policy),
            "arms": list(self.arms),
            "seed": self.seed,
            "horizon": self.horizon,
            "events": copy.deepcopy(self._events),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], *, policy: Policy | None = None) -> Self:
        """Return the bandit that was saved; a policy of the user's own, which has no name, must be given."""
        if not isinstance(saved, Mapping) or (saved.get("format"), saved.get("version")) != (FORMAT, VERSION):
            found = {key: saved.get(key) for key in ("format", "version")} if isinstance(saved, Mapping) else saved
            raise LogError(f"the saved bandit must be of format {FORMAT!r} version {VERSION}, got {found!r}")
        chosen = saved_policy(saved, policy)
        try:
            bandit = cls(chosen, saved["arms"], seed=saved["seed"], horizon=saved["horizon"])
            for position, event in enumerate(saved["events"]):
                bandit._restore(copy.deepcopy(event), position)
        except (LookupError, TypeError, ValueError) as error:
            raise damaged(error) from None
        bandit._state = bandit._learned()
        return bandit

    def _restore(self, event: dict[str, Any], position: int) -> None:
        match event:
            case {"ask": int(number), "arm": label} if number == len(self._asks) + 1:
                arm = self._index(label)
                self._asks.append(_Ask(arm, self._saved_probabilities(event, arm)))
            case {"tell": int(number), "reward": reward} if 0 < number <= len(self._asks) and number not in self._told:
                self._told[number] = self._acceptable(number, reward)
            case {"retract": int(number)} if number in self._told:
                del self._told[number]
            case _:
                raise LogError(f"event {position} of the saved bandit does not follow from those before it: {event!r}")
        self._events.append(event)

    def _saved_probabilities(self, event: dict[str, Any], arm: int) -> Floats | None:
        if ("p" in event) != hasattr(self._state, "p"):
            raise LogError(f"ask {event['ask']} was not made by {type(self.policy).__name__}: {event!r}")
        if "p" not in event:
            return None
        p = checks.array("p", event["p"], at_least=0)
        if p.size != len(self.arms) or p[arm] == 0.0 or abs(p.sum() - 1.0) > 1e-9:
            raise LogError(f"p of ask {event['ask']} must be the probabilities of its arms, got {event['p']!r}")
        return p

    def _stream(self, number: int, role: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, role)))

    def _choose(self, open_arms: Ints, number: int) -> tuple[int, Floats | None]:
        state = restrict(self._state, open_arms)  # a copy: to ask is not to learn
        arm = int(open_arms[choose(state, number, self._stream(number, ASK))])
        if not hasattr(state, "p"):
            return arm, None
        p = np.zeros(len(self.arms))
        p[open_arms] = state.p
        return arm, p

    def _probability(self, arm: int, p: Floats | None, open_arms: Ints) -> float:
        """Return the probability that the next ask gives an arm."""
        return float(p[arm]) if p is not None else float(self._probabilities(open_arms)[arm])

    def _probabilities(self, open_arms: Ints) -> Floats:
        p = np.zeros(len(self.arms))
        p[open_arms] = self.policy.probabilities(restrict(self._state, open_arms), len(self._asks) + 1)
        return p

    def _learn(self, number: int, reward: float) -> None:
        ask = self._asks[number - 1]
        self._make_room(ask.arm)
        if ask.p is not None:
            self._state.p[:] = ask.p
        update(self._state, number, ask.arm, reward, self._stream(number, TELL))

    def _learned(self) -> State:
        """Return the state after all rewards told, from scratch."""
        self._capacity = FIRST_CAPACITY
        self._pulls = np.zeros(len(self.arms), np.int64)
        self._state = self._empty_state()
        for number, reward in self._told.items():
            self._learn(number, reward)
        return self._state

    def _empty_state(self) -> State:
        state = self.policy.start(len(self.arms), horizon=self.horizon, capacity=self._capacity)
        reset(state)
        return state

    def _make_room(self, arm: int) -> None:
        """Count a reward of an arm, and double the memory if it would not fit."""
        self._pulls[arm] += 1
        if self._pulls[arm] > self._capacity:
            self._capacity *= 2
            old, self._state = self._state, self._empty_state()
            for small, large in zip(arrays_of(old), arrays_of(self._state), strict=True):
                large[tuple(map(slice, small.shape))] = small

    def _number(self, ticket: int | Ticket) -> int:
        """Return the number of a ticket that was given out."""
        number = ticket.number if isinstance(ticket, Ticket) else ticket
        if isinstance(number, bool) or not isinstance(number, numbers.Integral) or not 1 <= number <= len(self._asks):
            raise TicketError(f"there is no ticket {number!r}; {len(self._asks)} have been given out")
        label = self.arms[self._asks[int(number) - 1].arm]
        if isinstance(ticket, Ticket) and ticket.arm != label:
            raise TicketError(f"ticket {number} is for arm {label!r}, got {ticket.arm!r}")
        return int(number)

    def _acceptable(self, number: int, reward: float) -> float:
        """Return a reward that the policy may see, or say why not."""
        where = f"arm {self.arms[self._asks[number - 1].arm]!r} in round {number}"
        value = checks.reward(reward, where)
        refuse_outside(self._state, value, where)
        return value

    def _belongs_to(self, arm: Label | Ticket, taken: list[int]) -> int:
        """Return the number of the ask that a reward belongs to."""
        if isinstance(arm, Ticket):
            number = self._number(arm)
            if number in self._told or number in taken:
                raise TicketError(f"ticket {number} has a reward already; retract it first")
            return number
        wanted = self._index(arm)
        for number in self.open_tickets:
            if self._asks[number - 1].arm == wanted and number not in taken:
                return number
        raise TicketError(f"arm {arm!r} has no open ask that a reward could belong to")

    def _open_arms(self, among: Iterable[Label] | None) -> Ints:
        if among is None:
            return np.arange(len(self.arms))
        if isinstance(among, str) or not isinstance(among, Iterable):
            raise ParameterError(f"among must be a list of arms, got {among!r}")
        chosen = np.array(sorted({self._index(label) for label in among}), dtype=np.int64)
        if chosen.size == 0:
            raise ParameterError("among must name at least one arm, got none")
        return chosen

    def _index(self, label: Label) -> int:
        if isinstance(label, bool) or label not in self.arms:
            raise UnknownArmError(f"there is no arm {label!r}; the arms are {', '.join(map(repr, self.arms))}")
        return self.arms.index(label)

    def _by_arm(self, values: Floats) -> dict[Label, float]:
        return dict(zip(self.arms, values.tolist(), strict=True))

    def _explain_arm(self, arm: int, estimate: float) -> ArmExplanation:
        ratings = {n: reward for n, reward in self._told.items() if self._asks[n - 1].arm == arm}
        if not ratings:
            return ArmExplanation(self.arms[arm], 0, estimate, float("nan"), ())
        seen = list(ratings.values())
        reasons = self.policy.why_aside(self._state, arm, seen)
        trimmed = tuple(
            TrimmedRating(number, reward, reason)
            for (number, reward), reason in zip(ratings.items(), reasons, strict=True)
            if reason
        )
        return ArmExplanation(self.arms[arm], len(seen), estimate, float(Mean()(seen)), trimmed)


def _labels(arms: Sequence[Label] | int) -> tuple[Label, ...]:
    if isinstance(arms, numbers.Integral) and not isinstance(arms, bool):
        return tuple(range(checks.whole("arms", arms, at_least=1)))
    if isinstance(arms, str | set | frozenset) or not isinstance(arms, Iterable):  # a set has no order
        raise ParameterError(f"arms must be a list of names, or how many there are, got {arms!r}")
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in arms)
    if not labels:
        raise ParameterError("arms must have at least one arm, got none")
    if not all(type(label) in (str, int) for label in labels) or len(set(labels)) != len(labels):
        raise ParameterError(f"arms must be different names or whole numbers, got {arms!r}")
    return labels
