"""A study elsewhere: the methods of `Study` over HTTP, for programs that only have an address and a key.

    study = Remote("https://study.example.org", "tw_sk_…")
    shown = study.ask(participant="p17");    study.tell(shown.number, 4)

What is sent may be sent again, since every request that does something has a name, by which the service knows it. So a
lost connection, a worker that was killed or a database that restarts is tried again, and nothing is done twice.
"""

import json
import os
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

import polars as pl

from trueward.analysis.exclusion import Rule, rule_from_plain
from trueward.errors import ParameterError
from trueward.live.bandit import Bandit
from trueward.live.evidence import Evidence
from trueward.live.explanation import ArmExplanation, Explanation, TrimmedRating
from trueward.policies.policy import Policy
from trueward.serve.signing import sign_participant
from trueward.serve.transport import Transport
from trueward.study.asking import Shown, number_of
from trueward.study.chain import Event, text_of
from trueward.study.checking import Verification, replay
from trueward.study.previewing import Belief, Preview
from trueward.study.reading import COLUMNS
from trueward.study.settings import Settings
from trueward.study.summary import ArmSummary

PAGE = 1000  # rows of a page
Between = tuple[datetime, datetime] | None


class Remote:
    """A study behind a service; to be shared by threads. `patience` is how many seconds to go on trying.

    `study` may be left out where the key is for one study.
    """

    def __init__(
        self, url: str, key: str, study: str | None = None, *, patience: float = 30.0, timeout: float = 60.0
    ) -> None:
        self._transport = Transport(url, key, patience, timeout)
        self._name = study

    @property
    def name(self) -> str:
        """The study: the one that was named, or the only one that the key may see."""
        if self._name is None:
            known = [each["name"] for each in json.loads(self._transport.call("GET", "/v1/studies"))["studies"]]
            if len(known) != 1:
                raise ParameterError(f"study must be named: the key is for {', '.join(map(repr, known)) or 'none'}")
            self._name = str(known[0])
        return self._name

    def ask(self, *, participant: str | None = None, occasion: str = "1", among: Iterable[str] | None = None) -> Shown:
        """Return what to show; the same again for the same participant and occasion."""
        body = {"participant": participant, "occasion": occasion, "among": None if among is None else list(among)}
        found = self._post("decisions", body)
        return Shown(found["number"], found["arm"], found["probability"], found["again"])

    def tell(self, number: int | Shown, reward: float, *, evidence: Evidence | None = None) -> None:
        """Tell the reward of a decision, and what came with it; the same reward again changes nothing."""
        body = {"value": reward, **({} if evidence is None else {"evidence": dict(evidence)})}
        self._call("PUT", f"decisions/{number_of(number)}/reward", body)

    def amend(self, number: int | Shown, reward: float, *, reason: str) -> None:
        """Replace a reward by another, which keeps its place in the order."""
        self._call("PATCH", f"decisions/{number_of(number)}/reward", {"value": reward, "reason": reason})

    def void(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
        reason: str,
        later_count: bool = False,
    ) -> tuple[int, ...]:
        """Let decisions not count, as `Study.void` says. Return which did before."""
        which = _which(number, participant, between, pseudonym)
        return tuple(self._post("voids", {**which, "reason": reason, "later_count": later_count})["numbers"])

    def restore(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
        reason: str,
    ) -> tuple[int, ...]:
        """Let void decisions count again, in their old places. Return which had been void."""
        which = _which(number, participant, between, pseudonym)
        return tuple(self._post("restorations", {**which, "reason": reason})["numbers"])

    def preview_void(
        self,
        *,
        number: int | Iterable[int] | None = None,
        participant: str | None = None,
        between: Between = None,
        pseudonym: str | None = None,
    ) -> Preview:
        """Return what `void` would change, and change nothing."""
        found = self._post("voids/preview", _which(number, participant, between, pseudonym))
        beliefs = [_belief(found[when]) for when in ("before", "after")]
        return Preview(tuple(found["numbers"]), found["ratings"], *beliefs)

    def add_arm(self, name: str, payload: Any = None) -> None:
        """Add an arm; what is edited is a new arm."""
        self._post("arms", {"name": name, "payload": payload})

    def retire_arm(self, name: str, *, reason: str = "") -> None:
        """Show an arm no more; its rewards still count, and are still taken."""
        self._post("retirements", {"name": name, "reason": reason})

    def pause(self, *, reason: str = "") -> None:
        """Make no new decisions for now."""
        self._post("transitions", {"to": "paused", "reason": reason})

    def resume(self, *, reason: str = "") -> None:
        """Go on after a pause."""
        self._post("transitions", {"to": "running", "reason": reason})

    def end(self, *, reason: str = "") -> None:
        """Make no new decisions any more; those made still take their rewards."""
        self._post("transitions", {"to": "ended", "reason": reason})

    def import_ratings(self, rows: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
        """Take over ratings of a pilot: all, or none."""
        return tuple(self._post("imports", {"rows": [dict(row) for row in rows]})["numbers"])

    def expire(self, *, now: datetime | None = None) -> tuple[int, ...]:
        """Write down which decisions have waited longer than the window, and return them."""
        return tuple(self._post("expirations", {} if now is None else {"now": _moment(now)})["numbers"])

    def erase(self, *, participant: str, reason: str = "") -> bool:
        """Forget whose pseudonym a participant's was, for good. Return whether there was one."""
        return bool(self._post("erasures", {"participant": participant, "reason": reason})["erased"])

    @property
    def arms(self) -> dict[str, Any]:
        """What is to be shown, by the name of the arm; retired ones too."""
        return dict(self._get("arms")["arms"])

    @property
    def state(self) -> str:
        """Whether it is running, paused or ended."""
        return str(self._get("")["state"])

    @property
    def head(self) -> str:
        """The hash of the last event: kept elsewhere, it shows that nothing was cut off or computed anew."""
        return str(self._get("")["head"])

    @property
    def policy(self) -> Policy:
        """The policy that plays there, made here anew; not one of the user's own, which has no name."""
        return self._settings().playing(None)

    @property
    def rules(self) -> tuple[Rule | str, ...]:
        """The rules that were written down when the study began."""
        return tuple(map(rule_from_plain, self._settings().rules))

    def _settings(self) -> Settings:
        (first,) = self.events(limit=1)
        return Settings(**first.body["settings"])

    def results(self, *, epsilon: float = 0.1) -> dict[str, Any]:
        """Return what may be concluded when a share of each arm's participants is bad: verdict, arms, notes."""
        return dict(self._get("results", epsilon=epsilon))

    def estimates(self) -> dict[str, float]:
        """Return the mean that the policy believes of each arm; NaN before the first reward."""
        return {arm["arm"]: _number(arm["estimate"]) for arm in self._get("results")["arms"]}

    def probabilities(self) -> dict[str, float]:
        """Return the probability of each arm at the next ask."""
        arms = self._get("results")["arms"]
        return {arm["arm"]: arm["probability"] for arm in arms if arm["probability"] is not None}

    def explain(self) -> Explanation:
        """Return what is believed of each arm, and which ratings do not count and why."""
        found = self._get("explanation")
        return Explanation(tuple(map(_explained, found["arms"])), tuple(found["remarks"]))

    def summary(self) -> tuple[ArmSummary, ...]:
        """Return, per arm, how many decisions were made, rated, are pending, missing or void."""
        names = ArmSummary.__dataclass_fields__
        return tuple(ArmSummary(**{name: arm[name] for name in names}) for arm in self._get("results")["arms"])

    def decisions(self, *, after: int = 0, limit: int | None = None) -> pl.DataFrame:
        """Return every decision with its reward, as a table; or so many behind one."""
        schema = {name: kind for name, (kind, _) in COLUMNS.items()}
        return pl.DataFrame(list(self._pages("decisions", after, limit)), schema=schema, orient="row")

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Return the log; or so many events behind one."""
        return tuple(
            Event(study=self.name, text=text_of(found["body"]), **found)
            for found in self._pages("events", after, limit)
        )

    def export(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the log (JSONL), the decisions (CSV, Parquet) and a codebook into a folder."""
        packed = zipfile.ZipFile(BytesIO(self._call("GET", "export")))
        return tuple(Path(packed.extract(name, folder)) for name in packed.namelist())

    def verify(self) -> Verification:
        """Check the chain of events, and compute every choice again; it is done there."""
        found = self._get("verification")
        problems, notes = tuple(found["problems"]), tuple(found["notes"])
        return Verification(found["events"], found["decisions"], found["head"], problems, notes)

    def replay(self, policy: Policy) -> Bandit:
        """Return a bandit with another policy that has learned the same ratings, in the same order; it is done here."""
        return replay(iter(self.events()), policy)

    def sign(self, participant: str) -> str:
        """Return the signature with which a browser shows that this program knows a participant."""
        return sign_participant(self._transport.key, self.name, participant)

    def close(self) -> None:
        """Close the connection of this thread; another is made when it is used again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(self, path: str, **query: Any) -> Any:
        return json.loads(self._call("GET", f"{path}?{urlencode(query)}" if query else path))

    def _post(self, path: str, body: Any) -> Any:
        return json.loads(self._call("POST", path, body))

    def _pages(self, path: str, after: int | None, limit: int | None) -> Iterator[dict[str, Any]]:
        left = sys.maxsize if limit is None else limit
        while after is not None and left > 0:
            page = self._get(path, after=after, limit=min(left, PAGE))
            yield from page[path]
            after, left = page["next"], left - PAGE

    def _call(self, method: str, path: str, body: Any = None) -> bytes:
        where = f"/v1/studies/{quote(self.name, safe='')}" + (f"/{path}" if path else "")
        return self._transport.call(method, where, body)


def _which(number: int | Iterable[int] | None, participant: str | None, between: Between, pseudonym: str | None) -> Any:
    several = sorted(number) if isinstance(number, Iterable) else number
    times = None if between is None else [_moment(end) for end in between]
    given = {"number": several, "participant": participant, "between": times, "pseudonym": pseudonym}
    return {name: value for name, value in given.items() if value is not None}


def _moment(time: datetime) -> str:
    """Return a time with its zone: that of this machine, where none is given."""
    return time.astimezone().isoformat()


def _explained(found: dict[str, Any]) -> ArmExplanation:
    trimmed = tuple(TrimmedRating(**each) for each in found["trimmed"])
    numbers = {name: _number(found[name]) for name in ("estimate", "mean")}
    return ArmExplanation(**{**found, **numbers, "trimmed": trimmed})


def _belief(found: dict[str, Any]) -> Belief:
    estimates = {arm: _number(value) for arm, value in found["estimates"].items()}
    return Belief(estimates, found["probabilities"], found["best"])


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
