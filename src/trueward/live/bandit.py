"""A bandit in a live study: ask which arm to show, tell what it was rated, look, explain, save, resume.

    bandit = Bandit(CrUCB(TrimmedMean(0.1), sigma=1.3), arms=["video", "text"])
    arm = bandit.ask();   bandit.tell(arm, 7);   bandit.explain();   Bandit.from_dict(bandit.to_dict())

Rewards may come late, in any order, or never. What is learned is a function of the rewards in the order in which they
were told; asking changes nothing. Each ask and each reward has random numbers of its own. So a retracted reward leaves
no trace, and a resumed bandit makes the very next choice unchanged. A bandit may be shared by threads.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from trueward.engine.kernel import Bools, Floats, State
from trueward.engine.protocol import Ask
from trueward.engine.states import arrays_of
from trueward.errors import ParameterError, TicketError, UnknownArmError
from trueward.live import saving
from trueward.live.asks import Asked
from trueward.live.evidence import Evidence, evidence_of
from trueward.live.explanation import Explanation, explain
from trueward.live.labels import Label, available_of, index_of, labels_of
from trueward.live.learner import ASK, Learner, spread
from trueward.live.locking import alone
from trueward.live.log import Log
from trueward.live.ticket import Ticket, Told
from trueward.parameters import check_integer, check_reward
from trueward.policies.declared_range import check_in_ranges
from trueward.policies.policy import Policy
from trueward.serialization import damaged_log_error, policy_from_saved

if TYPE_CHECKING:
    import polars as pl


class Bandit:
    """One policy, in a live study with named arms.

    A rating outside of the range that the policy declares is refused, unless the policy says `outside="clip"`. Whoever
    keeps the events elsewhere, as a study does in its database, says `keep_events=False`: it cannot be saved then.
    """

    def __init__(
        self,
        policy: Policy,
        arms: Sequence[Label] | int,
        *,
        seed: int = 0,
        horizon: int | None = None,
        keep_events: bool = True,
    ) -> None:
        if not isinstance(policy, Policy):
            raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {policy!r}")
        self.policy = policy
        self.seed = check_integer("seed", seed)
        self.horizon = None if horizon is None else check_integer("horizon", horizon, at_least=1)
        self._lock = threading.RLock()
        self._log = Log(labels_of(arms), learns_from_missing=policy.learns_from_missing, keeps_events=keep_events)
        self._learner = self.new_learner()
        self._stale, self._taught = False, False  # has to learn anew before anybody looks; is taught by another
        if not list(arrays_of(self._state)):
            raise ParameterError(f"policy must keep what it learns in arrays, to be copied and resumed; got {policy!r}")

    @property
    def arms(self) -> tuple[Label, ...]:
        """The names of the arms, in the order in which they were added."""
        return self._log.arms

    @property
    def log(self) -> Log:
        """What happened: every ask, and what became of it. To be looked at, not changed."""
        return self._log

    @alone
    def ask(self, *, among: Iterable[Label] | None = None, ticket: bool = False) -> Any:
        """Return the arm to show next, or with `ticket=True` a ticket for it; `among` limits it to available arms."""
        asked = self._choose(available_of(among, self.arms))
        number = self._log.ask(asked)
        label = self.arms[asked.arm]
        return Ticket(number, label, float(asked.p[asked.arm])) if ticket else label

    @alone
    def tell(
        self,
        arm: Label | Ticket | None = None,
        reward: float = np.nan,
        *,
        ticket: int | Ticket | None = None,
        evidence: Evidence | None = None,
    ) -> int:
        """Learn a reward of an arm or a ticket, and return the number of the ask it belongs to.

        The number of a ticket is enough, as in `tell(ticket=7, reward=4)`; an arm beside it must be the one shown.
        `evidence` is what came with it, such as {"check": False, "seconds": 1.7}; see `Signal`.
        """
        if ticket is not None:
            number = ticket.number if isinstance(ticket, Ticket) else ticket
            shown = self._log.label_of(self._log.number_of(ticket)) if arm is None else arm
            arm = shown if isinstance(shown, Ticket) else Ticket(number, shown, None)
        if arm is None:
            raise UnknownArmError("there is no arm None, and no ticket either")
        return self._tell([(arm, reward, evidence)])[0]

    @alone
    def tell_many(self, rewards: Iterable[Told]) -> list[int]:
        """Learn many rewards, in the order given, with evidence or without: all, or none if one is refused."""
        return self._tell(rewards)

    def _tell(self, rewards: Iterable[Told]) -> list[int]:
        told: dict[int, tuple[float, Evidence]] = {}
        waiting: dict[int, Iterator[int]] = {}  # for each arm, the open asks not yet passed
        for arm, reward, *given in rewards:
            number = self._belongs_to(arm, told, waiting)
            where = self._where(number)
            told[number] = self._accepted(reward, where), evidence_of(given[0] if given else None, where)
        for number, (value, evidence) in told.items():
            self._log.tell(number, value, evidence)
        if not self._taught:
            self._heed([*told], corrected=any(map(self._log.was_missing, told)))
        return [*told]

    @alone
    def retract(self, ticket: int | Ticket) -> None:
        """Take back a reward already told: the state is exactly as if it had never come, and its ask is open again."""
        number = self._log.number_of(ticket)
        if number not in self._log.told or number in self._log.void:
            raise TicketError(f"ticket {number} has no reward to retract")
        self.apply({"retract": number})

    @alone
    def void(self, tickets: Iterable[int | Ticket]) -> None:
        """Let these asks not count: exactly as if their rewards had never come, nor will any more. See `restore`."""
        numbers = [n for n in dict.fromkeys(map(self._log.number_of, tickets)) if n not in self._log.void]
        self.apply({"void": numbers})

    @alone
    def restore(self, tickets: Iterable[int | Ticket]) -> None:
        """Let asks that are void count again; their rewards are back in their places in the order."""
        numbers = [n for n in dict.fromkeys(map(self._log.number_of, tickets)) if n in self._log.void]
        self.apply({"restore": numbers})

    @alone
    def amend(self, ticket: int | Ticket, reward: float) -> None:
        """Replace a reward already told by another; it keeps its place in the order."""
        number = self._log.number_of(ticket)
        if number not in self._log.told:
            raise TicketError(f"ticket {number} has no reward to amend")
        self.apply({"amend": number, "reward": self.acceptable(number, reward)})

    @alone
    def close(self, tickets: Iterable[int | Ticket]) -> None:
        """Wait no more for the rewards of these asks; one that comes all the same is taken. See `MissingAs`."""
        done = {*self._log.told, *self._log.closed}
        self.apply({"close": [n for n in dict.fromkeys(map(self._log.number_of, tickets)) if n not in done]})

    @alone
    def add_arm(self, label: Label) -> None:
        """Add an arm, and learn anew with it."""
        self.check_arm(label)
        self.apply({"add": label})

    @alone
    def check_arm(self, label: Label) -> None:
        """Refuse an arm that could not be added."""
        labels_of([*self.arms, label])
        self._learner.empty_state(len(self.arms) + 1)

    @alone
    def next_ask(self, *, among: Iterable[Label] | None = None) -> dict[str, Any]:
        """Return what the next ask would log, and change nothing: `apply` makes it the next ask."""
        return self._log.event_of(self._choose(available_of(among, self.arms)))

    def stream_of_next_ask(self) -> np.random.Generator:
        """Return the random numbers that the next ask will use, from their beginning."""
        return self._learner.stream(len(self._log.asks) + 1, ASK)

    @alone
    def apply(self, event: Mapping[str, Any], position: int | None = None) -> None:
        """Take over an event of a log, as in `to_dict()["events"]`; it is learned, now or when somebody looks."""
        self._log.append(event, len(self._log.events) if position is None else position)
        if not self._taught:
            self._heed(self._log.lessons(event), corrected=self._log.is_corrected_by(event))

    def _heed(self, lessons: list[int], *, corrected: bool) -> None:
        """Learn the rewards of these asks; all anew, when somebody looks, if there is a correction among them."""
        self._stale |= corrected
        if lessons and not self._stale:
            self._learner.learn(self._log.rated(lessons))

    def new_learner(self) -> Learner:
        """Return a learner of all arms that has learned nothing yet."""
        return Learner(self.policy, len(self.arms), seed=self.seed, horizon=self.horizon)

    @alone
    def answer_from(self, learner: Learner) -> None:
        """Answer from a learner that another teaches from now on; what is applied is written down, and not learned."""
        self._learner, self._stale, self._taught = learner, False, True

    @alone
    def estimates(self) -> dict[Label, float]:
        """Return the mean it believes of each arm; NaN before the first reward."""
        return self._by_arm(self.policy.estimates(self._state))

    @alone
    def indices(self) -> dict[Label, float]:
        """Return the index of each arm in the next round, for policies that have one."""
        return self._by_arm(self.policy.indices(self._state, self._at_hand(available_of(None, self.arms))[1]))

    @alone
    def probabilities(self, *, among: Iterable[Label] | None = None) -> dict[Label, float]:
        """Return the probability of each arm at the next ask."""
        available = available_of(among, self.arms)
        state, ask = self._at_hand(available)
        return self._by_arm(spread(self.policy.probabilities(state, ask), available))

    @alone
    def explain(self) -> Explanation:
        """Return, per arm, how many ratings there are, which do not count and why, and the plain mean."""
        return explain(self.policy, self._state, self._log)

    @alone
    def decisions(self) -> "pl.DataFrame":
        """Return every decision with its reward, as a table with the columns of `Study.decisions`.

        A bandit has no clock: `asked_at` and `told_at` are places in its log of events. It knows no participants.
        """
        from trueward.live.decision_table import decision_table  # here, because a bandit alone does not need Polars

        return decision_table(self._log)

    @property
    def open_tickets(self) -> tuple[int, ...]:
        """The numbers of the asks that have no reward yet, oldest first."""
        with self._lock:
            return self._log.open_tickets

    @alone
    def to_dict(self) -> dict[str, Any]:
        """Return the bandit as a dictionary for JSON: its settings and the log of events."""
        return saving.saved(self.policy, self._log, seed=self.seed, horizon=self.horizon)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], *, policy: Policy | None = None) -> Self:
        """Return the bandit that was saved; a policy of the user's own, which has no name, must be given."""
        version = saving.version_of(saved)
        chosen = policy_from_saved(saved, policy)
        try:
            bandit = cls(chosen, saved["arms"], seed=saved["seed"], horizon=saved["horizon"])
            for position, event in enumerate(saved["events"]):
                bandit._log.append(event, position, version)
            for number, reward in bandit._log.told.items():
                bandit.acceptable(number, reward)
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise damaged_log_error(error) from None
        bandit._stale = True
        return bandit

    def _learned(self) -> Learner:
        """Return the learner, after all rewards that count."""
        if self._stale:
            self._learner.learn_anew(len(self.arms), self._log.counted())
            self._stale = False
        return self._learner

    @property
    def _state(self) -> State:
        return self._learned().state

    def _at_hand(self, available: Bools) -> tuple[State, Ask]:
        return self._learned().at_hand(len(self._log.asks) + 1, available, self._log.pending())

    def _choose(self, available: Bools) -> Asked:
        return self._learned().choose(len(self._log.asks) + 1, available, self._log.pending())

    @alone
    def acceptable(self, number: int, reward: float) -> float:
        """Return a reward that the policy may see, or say why not."""
        return self._accepted(reward, self._where(number))

    def _accepted(self, reward: float, where: str) -> float:
        value = check_reward(reward, where)
        check_in_ranges(self._learner.ranges, value, where)
        return value

    def _where(self, number: int) -> str:
        return f"arm {self._log.label_of(number)!r} in round {number}"

    def _belongs_to(self, arm: Label | Ticket, taken: Mapping[int, object], waiting: dict[int, Iterator[int]]) -> int:
        """Return the number of the ask that a reward belongs to: of its ticket, or the oldest open one of its arm."""
        if not isinstance(arm, Ticket):
            index = index_of(arm, self.arms)
            open_asks = waiting.setdefault(index, self._log.open_of(index))
            return next(number for number in open_asks if number not in taken)
        return self._log.waiting_for(self._log.number_of(arm), taken)

    def _by_arm(self, values: Floats) -> dict[Label, float]:
        return dict(zip(self.arms, values.tolist(), strict=True))
