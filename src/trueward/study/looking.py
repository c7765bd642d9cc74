"""What a study shows of itself: its arms, what is believed of them, its decisions, and its log."""

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import polars as pl

from trueward.analysis.exclusion import Rule, rule_from_plain
from trueward.live.bandit import Bandit
from trueward.live.explanation import Explanation
from trueward.policies.policy import Policy
from trueward.study import checking, reading
from trueward.study.chain import Event
from trueward.study.checking import Verification
from trueward.study.database import Database
from trueward.study.desk import Desk
from trueward.study.lane import Lane
from trueward.study.log import events_after, row_of
from trueward.study.memory import Memory
from trueward.study.settings import name_of
from trueward.study.summary import ArmSummary, summary_of

Guard = Callable[[Desk, Callable[[Desk], Any]], Any]
"""What stands around a request at its desk, in its transaction: it may look, refuse, answer itself, or write too."""


class Looking:
    """A study that is there, to be looked at; what is done in it is in `Study`."""

    def __init__(self, database: Database, name: str, policy: Policy | None, actor: str, secret: str | None) -> None:
        self.name = name
        self.actor = name_of("actor", actor)
        self._database, self._policy, self._secret = database, policy, secret
        self._guard: Guard | None = None
        self._lane = Lane(database, name, policy, secret)

    def acting_as(self, actor: str, guard: Guard | None = None) -> Self:
        """Return the same study for another actor; with a guard, for what is written. To close one closes both."""
        other = copy.copy(self)
        other.actor, other._guard = name_of("actor", actor), guard
        return other

    @property
    def arms(self) -> dict[str, Any]:
        """What is to be shown, by the name of the arm; retired ones too."""
        with self._database.read() as connection:
            return reading.arms(connection, self.name)

    @property
    def state(self) -> str:
        """Whether it is running, paused or ended."""
        with self._database.read() as connection:
            return str(row_of(connection, self.name).state)

    @property
    def head(self) -> str:
        """The hash of the last event: kept elsewhere, it shows that nothing was cut off or computed anew."""
        with self._database.read() as connection:
            return str(row_of(connection, self.name).head)

    @property
    def policy(self) -> Policy:
        """The policy that plays, within the uniform share if there is one."""
        policy: Policy = self._do(lambda desk: desk.memory.policy)
        return policy

    @property
    def rules(self) -> tuple[Rule | str, ...]:
        """The rules that were written down when the study began."""
        return tuple(self._do(lambda desk: [rule_from_plain(kept) for kept in desk.memory.settings.rules]))

    def estimates(self) -> dict[str, float]:
        """Return the mean that the policy believes of each arm; NaN before the first reward."""
        return dict(self._look(lambda memory: memory.bandit.estimates()))

    def probabilities(self) -> dict[str, float]:
        """Return the probability of each arm at the next ask."""
        return dict(self._look(lambda memory: memory.bandit.probabilities(among=memory.arms)))

    def explain(self) -> Explanation:
        """Return what is believed of each arm, and which ratings do not count and why."""
        return self._look(lambda memory: memory.bandit.explain())  # type: ignore[no-any-return] # what it returns

    def summary(self) -> tuple[ArmSummary, ...]:
        """Return, per arm, how many decisions were made, rated, are pending, missing or void."""
        return tuple(self._do(lambda desk: summary_of(desk.memory)))

    def decisions(self, *, after: int = 0, limit: int | None = None) -> pl.DataFrame:
        """Return every decision with its reward, as a table; or so many behind one."""
        with self._database.read() as connection:
            return reading.decisions(connection, self.name, *reading.part(after, limit))

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Return the log; or so many events behind one."""
        with self._database.read() as connection:
            return tuple(events_after(connection, self.name, *reading.part(after, limit)))

    def export(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the log (JSONL), the decisions (CSV, Parquet) and a codebook into a folder."""
        with self._database.read() as connection:
            return tuple(reading.export(connection, self.name, Path(folder)))

    def verify(self) -> Verification:
        """Check the chain of events, and compute every choice again from the seed and the log."""
        with self._database.read() as connection:
            return checking.verify(connection, self.name, self._policy, self._secret)

    def replay(self, policy: Policy) -> Bandit:
        """Return a bandit with another policy that has learned the same ratings, in the same order."""
        with self._database.read() as connection:
            return checking.replay(events_after(connection, self.name), policy)

    @property
    def waiting(self) -> int:
        """How many requests wait in this process."""
        return self._lane.waiting

    def close(self) -> None:
        """Serve what is waiting, and close all connections; who goes on opens the study again."""
        self._lane.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(
        self,
        work: Callable[[Desk], Any],
        actor: str | None = None,
        participant: object = None,
        *,
        asks: bool = False,
    ) -> Any:
        guard = self._guard
        guarded = work if guard is None else lambda desk: guard(desk, work)
        by = self.actor if actor is None else name_of("actor", actor)
        return self._lane.do(guarded, by, participant, asks=asks)

    def _look(self, look: Callable[[Memory], Any]) -> Any:
        """Look at what is believed, once all corrections have been learned."""

        def work(desk: Desk) -> Any:
            desk.memory.wait_until_settled()
            return look(desk.memory)

        return self._lane.do(work, self.actor)
