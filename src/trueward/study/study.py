"""A study that lasts for weeks, in a database: processes come and go, and nothing that was answered is lost.

    study = Study.create("sqlite:///ratings.db", "explanations", arms=["video", "text"], policy=Wary((1, 5)))
    study = Study.open("sqlite:///ratings.db", "explanations")          # or postgresql+psycopg://…
    shown = study.ask(participant="p17");    study.tell(shown.number, 4)

The log of events in the database is the only truth. What was learned is a function of it, so that every choice can be
computed again: see `verify`.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Self

from trueward.errors import StorageError
from trueward.live.bandit import Bandit
from trueward.live.evidence import Evidence
from trueward.policies.policy import Policy
from trueward.study import asking, correcting, importing, opening
from trueward.study.asking import Shown
from trueward.study.correcting import Which
from trueward.study.database import Database
from trueward.study.desk import Desk
from trueward.study.lane import load
from trueward.study.log import row_of
from trueward.study.looking import Looking
from trueward.study.opening import Listed
from trueward.study.previewing import Preview, preview_void
from trueward.study.settings import name_of, secret_of, settings_of

Between = tuple[datetime, datetime] | None


class Study(Looking):
    """One study in a database; to be shared by threads, and opened by as many processes as there are.

    Make one with `Study.create` or `Study.open`. `actor` is who does things, for the log.
    """

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        arms: Sequence[str] | Mapping[str, Any],
        *,
        policy: Policy,
        horizon: int | None = None,
        uniform_share: float = 0.0,
        window: str | float | None = None,
        rules: Sequence[Any] = (),
        distinct: bool = False,
        one_arm: bool = False,
        stop_at_horizon: bool = False,
        seed: int = 0,
        test: bool = False,
        actor: str = "library",
        secret: str | None = None,
    ) -> Self:
        """Begin a study, in a database that is made if there is none.

        `arms` are names, or what to show by name. `uniform_share` of the decisions are drawn uniformly. A decision
        without a reward is missing after `window`, such as "48h". With `distinct`, a participant is shown an arm twice
        only when there is no other; with `one_arm`, a participant keeps the first arm as long as it can be shown, and
        own ratings lead to nothing. `rules`, of exclusion or in other words, are written down; a `test` study can be
        deleted.
        With a `secret`, or TRUEWARD_SECRET in the environment, nobody without it can compute the log's hashes anew.
        """
        key = secret_of(secret)
        how = {"distinct": distinct, "one_arm": one_arm, "stop_at_horizon": stop_at_horizon, "test": test}
        how |= {"keyed": key is not None}
        numbers = {"horizon": horizon, "seed": seed, "uniform_share": uniform_share, "window": window}
        settings = settings_of(arms, policy, rules=rules, **how, **numbers)  # type: ignore[arg-type] # checked there
        opening.create(url, name, settings, policy, name_of("actor", actor), key)
        return cls(Database(url), name, policy, actor, key)

    @classmethod
    def from_bandit(
        cls, url: str, name: str, bandit: Bandit, *, actor: str = "library", secret: str | None = None, **settings: Any
    ) -> Self:
        """Begin a study with all that a bandit was asked and told; `settings` are as in `create`.

        It has learned the same, in the same order, and goes on with the same seed.
        """
        arms, key = [str(label) for label in bandit.arms], secret_of(secret)
        known = {"horizon": bandit.horizon, "seed": bandit.seed, "keyed": key is not None}
        begin = partial(importing.import_bandit, bandit=bandit)
        chosen = settings_of(arms, bandit.policy, **(known | settings))
        opening.create(url, name, chosen, bandit.policy, name_of("actor", actor), key, begin)
        return cls(Database(url), name, bandit.policy, actor, key)

    @classmethod
    def open(
        cls, url: str, name: str, *, policy: Policy | None = None, actor: str = "library", secret: str | None = None
    ) -> Self:
        """Return a study that is there; a policy of the user's own, which has no name, must be given."""
        key = opening.find(url, name, secret_of(secret))
        return cls(Database(url), name, policy, actor, key)

    @staticmethod
    def list(url: str) -> tuple[Listed, ...]:
        """Return the studies of a database."""
        return opening.list_studies(url)

    @staticmethod
    def delete(url: str, name: str) -> None:
        """Delete a test study; any other is kept."""
        opening.delete(url, name)

    def ask(self, *, participant: str | None = None, occasion: str = "1", among: Iterable[str] | None = None) -> Shown:
        """Return what to show; the same again for the same participant and occasion."""
        shown, horizon = self._do(
            lambda desk: (asking.ask(desk, participant, occasion, among), desk.memory.settings.horizon),
            participant=participant,
            asks=True,
        )
        if not shown.again and shown.number == (horizon or 0) + 1 > 1:
            warnings.warn(f"study {self.name!r} has passed its horizon of {horizon} decisions", stacklevel=2)
        return shown  # type: ignore[no-any-return] # what asking returns

    def tell(
        self, number: int | Shown, reward: float, *, evidence: Evidence | None = None, actor: str | None = None
    ) -> None:
        """Tell the reward of a decision, and what came with it; the same reward again changes nothing."""
        self._do(lambda desk: asking.tell(desk, asking.number_of(number), reward, evidence), actor)

    def amend(self, number: int | Shown, reward: float, *, reason: str, actor: str | None = None) -> None:
        """Replace a reward by another, which keeps its place in the order."""
        self._correct(lambda desk: correcting.amend(desk, asking.number_of(number), reward, reason), actor)

    def void(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
        reason: str,
        later_count: bool = False,
        actor: str | None = None,
    ) -> tuple[int, ...]:
        """Let decisions not count: by number, of a participant, or asked between two times. Return which did before.

        A void decision takes no reward. Of a participant, later ones do not count either, unless `later_count`.
        Whoever knows a participant from the log only says `pseudonym`.
        """
        which = Which(number, participant, between, pseudonym)
        return tuple(self._correct(lambda desk: correcting.void(desk, which, reason, later_count), actor))

    def restore(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
        reason: str,
        actor: str | None = None,
    ) -> tuple[int, ...]:
        """Let void decisions count again, in their old places. Return which had been void."""
        which = Which(number, participant, between, pseudonym)
        return tuple(self._correct(lambda desk: correcting.restore(desk, which, reason), actor))

    def preview_void(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
    ) -> Preview:
        """Return what `void` would change, and change nothing; nobody waits for it."""
        which = Which(number, participant, between, pseudonym)
        with self._database.read() as connection:
            memory = load(connection, self.name, self._policy, self._secret)
            return preview_void(connection, memory, row_of(connection, self.name).key, which)

    def add_arm(self, name: str, payload: Any = None, *, actor: str | None = None) -> None:
        """Add an arm; what is edited is a new arm."""
        self._correct(lambda desk: correcting.add_arm(desk, name, payload), actor)

    def retire_arm(self, name: str, *, reason: str = "", actor: str | None = None) -> None:
        """Show an arm no more; its rewards still count, and are still taken."""
        self._do(lambda desk: correcting.retire_arm(desk, name, reason), actor)

    def pause(self, *, reason: str = "", actor: str | None = None) -> None:
        """Make no new decisions for now; those made are still returned, and still take their rewards."""
        self._do(lambda desk: correcting.turn(desk, "pause", reason), actor)

    def resume(self, *, reason: str = "", actor: str | None = None) -> None:
        """Go on after a pause."""
        self._do(lambda desk: correcting.turn(desk, "resume", reason), actor)

    def end(self, *, reason: str = "", actor: str | None = None) -> None:
        """Make no new decisions any more; those made still take their rewards."""
        self._do(lambda desk: correcting.turn(desk, "end", reason), actor)

    def import_ratings(self, rows: Iterable[Mapping[str, Any]], *, actor: str | None = None) -> tuple[int, ...]:
        """Take over ratings of a pilot: rows with arm and reward, perhaps participant, occasion and evidence.

        Each of the arms is taken to have had the same probability. All rows are taken, or none if one is refused.
        """
        return tuple(self._do(lambda desk: importing.import_ratings(desk, rows), actor))

    def expire(self, *, now: datetime | None = None) -> tuple[int, ...]:
        """Write down which decisions have waited longer than the window, and return them; each new ask does so too."""
        return tuple(self._do(lambda desk: asking.expire(desk, now)))

    def erase(self, *, participant: str, reason: str = "", actor: str | None = None) -> bool:
        """Forget whose pseudonym a participant's was, for good; what happened stays. Return whether there was one.

        The log says that a pseudonym was erased, and by whom. Whoever comes with the same id later is somebody new.
        """
        return bool(self._do(lambda desk: correcting.erase(desk, participant, reason), actor))

    def _correct(self, work: Callable[[Desk], Any], actor: str | None) -> Any:
        """Do something after which there is more to learn, and wait until it has been learned; nobody else waits."""
        answer = self._do(work, actor)
        with suppress(StorageError):  # it is done, whether or not it can be waited for
            self._look(lambda _: None)
        return answer
