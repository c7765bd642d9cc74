"""A plan: a study, played before anybody is asked; how many participants it takes, and with which policy."""

from dataclasses import dataclass, fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from trueward.planning.hidden import Hidden
from trueward.planning.outline import Outline
from trueward.planning.pilot import Pilot
from trueward.planning.recommending import Recommended, recommended, sentence, weak_points, what_hides
from trueward.planning.texts import assumptions, plain, python_text, study_settings, toml_text
from trueward.policies.policy import Policy
from trueward.serialization import to_plain


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A study, played before anybody is asked."""

    outline: Outline
    policies: dict[str, Policy]
    chances: pl.DataFrame  # a row per policy and number of participants
    rehearsal: pl.DataFrame | None  # a row per attack and policy
    hidden: Hidden
    wanted: float  # chance to end on the best arm
    games: int
    seed: int
    pilot: Pilot | None = None

    @cached_property
    def recommended(self) -> Recommended:
        """Which policy, and how many participants."""
        return recommended(self.chances, self.outline.participants, self.wanted)

    @property
    def recommendation(self) -> str:
        """What to do, in a sentence."""
        return sentence(self.outline, self.chances, self.hidden, self.recommended, self.wanted)

    @property
    def notes(self) -> tuple[str, ...]:
        """What contamination hides, what the rehearsal found, and what the pilot said."""
        attacked = [] if self.rehearsal is None else [weak_points(self.rehearsal, self.recommended.policy)]
        piloted = () if self.pilot is None else self.pilot.notes
        return (what_hides(self.outline, self.hidden), *attacked, *piloted)

    @property
    def settings(self) -> dict[str, Any]:
        """The recommended study, as keywords of `Study.create`."""
        found = self.recommended
        return study_settings(self.outline, self.policies[found.policy], found.participants, self.seed)

    @property
    def python(self) -> str:
        """The recommended study as a call to copy."""
        return python_text(self.settings)

    @property
    def toml(self) -> str:
        """The planned study as an experiment to copy: `trueward run study.toml` plays it."""
        return toml_text(self.outline, self.policies, self.recommended.participants, self.games, self.seed)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was assumed, beside what was told, in words."""
        return assumptions(self.outline, self.pilot is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        outline, rehearsal = self.outline, self.rehearsal
        told = {f.name: getattr(outline, f.name) for f in fields(outline) if f.name not in ("arms", "people", "delay")}
        parts = {
            "recommendation": self.recommendation,
            "notes": self.notes,
            "recommended": self.recommended,
            "outline": told | {"values": outline.arms.scale, "probabilities": outline.arms.probabilities},
            "people": to_plain(outline.people),
            "delay": to_plain(outline.delay),
            "policies": {name: to_plain(policy) for name, policy in self.policies.items()},
            "chances": self.chances.to_dicts(),
            "rehearsal": None if rehearsal is None else rehearsal.to_dicts(),
            "hidden": self.hidden,
            "pilot": self.pilot,
            "wanted": self.wanted,
            "games": self.games,
            "seed": self.seed,
            "settings": self.settings | {"policy": to_plain(self.settings["policy"])},
            "python": self.python,
            "toml": self.toml,
        }
        return {name: plain(part) for name, part in parts.items()}

    def write(self, folder: str | PathLike[str]) -> Path:
        """Write a page that opens without a network, with its figures and data, and return it."""
        from trueward.planning.page import write_plan

        return write_plan(Path(folder), self)

    def table(self) -> pl.DataFrame:
        """Return the chances, a row per policy and number of participants."""
        return self.chances

    def plot(self) -> Any:
        """Return the chances as a chart."""
        from trueward.planning.charts import draw_chances

        return draw_chances(self.chances, self.outline.participants)

    def __str__(self) -> str:
        return "\n".join([self.recommendation, *self.notes])

    def __repr__(self) -> str:
        arms, people = len(self.outline.names), self.outline.participants
        return f"Plan: {arms} arms, {people:,} participants, {self.games:,} studies played\n{self}"
