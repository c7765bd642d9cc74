"""Plan a study: play it before anybody is asked, and say how many participants it takes, with which policy.

>>> quick = plan(scale=(1, 5), arms=["video", "text"], difference=1, participants=8, games=4, compiled=False,
...              rehearse=False, progress=False)
>>> quick.table().height  # three policies, seven numbers of participants
21
>>> print(quick.python.splitlines()[2])
study = tw.Study.create(
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import polars as pl
from rich.console import Console

from trueward.adversaries.base import Adversary
from trueward.analysis.wealth import Bad
from trueward.engine.kernel import Floats
from trueward.engine.parameters import Positive, Range, Share, above, at_least, below, checked
from trueward.game.delays import Delay, as_delay
from trueward.lab.experiment.progress import progress_bar
from trueward.planning.chances import chances_table
from trueward.planning.field import EQUAL, field_of
from trueward.planning.games import Played, Report, play_study
from trueward.planning.hidden import Hidden, hidden
from trueward.planning.outline import Outline, described_arms, names_of, values_of
from trueward.planning.people import Careless, raters
from trueward.planning.recommending import Recommended, recommended, sentence, weak_points, what_hides
from trueward.planning.rehearsal import ATTACKS, rehearsal_table
from trueward.planning.texts import python_text, study_settings, toml_text
from trueward.policies.base import Policy

GAMES, REHEARSALS = 256, 0.5  # studies for the chances of each policy; as a part of them, for each attack
MOST_ALPHA = 0.45  # that tUCB is told


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
        """What contamination hides, and what the rehearsal found."""
        attacked = [] if self.rehearsal is None else [weak_points(self.rehearsal, self.recommended.policy)]
        return (what_hides(self.outline, self.hidden), *attacked)

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


@checked
def plan(
    *,
    scale: Range,
    arms: int | Sequence[str],
    difference: Positive,
    participants: Annotated[int, at_least(4)] = 300,
    careless: Careless = 0.1,
    delay: Delay | int = 0,
    uniform_share: Share = 0.1,
    mean: float | None = None,
    sd: Positive | None = None,
    ratings: int | None = None,
    bad: Bad = "careless",
    level: Annotated[float, above(0), below(1)] = 0.95,
    wanted: Annotated[float, above(0), below(1)] = 0.9,
    games: Annotated[int, at_least(1)] = GAMES,
    seed: int = 0,
    policies: Sequence[str] | None = None,
    rehearse: bool = True,
    compiled: bool | None = None,
    progress: bool = True,
) -> Plan:
    """Return a plan for a study: on a scale, with so many arms, or arms of these names, and so many participants.

    It is played with one arm that is better than all others by the `difference`, the smallest that matters; these have
    a `mean` and a standard deviation `sd`, usual ones if left out. `careless` is a share of the participants, the name
    of a profile of `People`, or a profile; they answer after a `delay`, counted in participants asked meanwhile. The
    chance `wanted` to end on the best arm decides how many participants are recommended; `bad` and `level` are the
    interval's. `games` studies are played with each of the `policies`, half of that under each attack of the rehearsal.
    """
    values, names = values_of(scale, ratings), names_of(arms)

    def arms_at(wider: float) -> Floats:
        return described_arms(values, len(names), difference=wider, mean=mean, sd=sd, give_way=True).probabilities

    people = raters(careless)
    outline = Outline(
        names=names,
        arms=described_arms(values, len(names), difference=difference, mean=mean, sd=sd),
        people=people,
        participants=participants,
        delay=as_delay(delay),
        uniform_share=uniform_share,
        epsilon=people.constraint,
        bad=bad,
        level=level,
        difference=difference,
    )
    field = field_of(outline, alpha=min(people.constraint, MOST_ALPHA), sigma=outline.arms.sd, only=policies)
    how = {"games": games, "seed": seed, "compiled": compiled}
    return _played(outline, field, arms_at, wanted, rehearse=rehearse, progress=progress, **how)  # type: ignore[arg-type]


def _played(
    outline: Outline,
    policies: dict[str, Policy],
    arms_at: Callable[[float], Floats] | None,
    wanted: float,
    *,
    games: int,
    seed: int,
    compiled: bool | None,
    rehearse: bool,
    progress: bool,
) -> Plan:
    rehearsed = max(1, round(REHEARSALS * games))
    total = len(policies) * (games + (rehearsed * len(ATTACKS) if rehearse else 0))
    attacked: dict[str, dict[str, Played]] = {}

    def all_of_it(report: Report) -> dict[str, Played]:
        def at(adversary: Adversary, numbers: Any, n: int, label: str) -> dict[str, Played]:
            how = {"games": n, "seed": seed, "compiled": compiled, "label": label, "report": report}
            return play_study(outline, policies, adversary, numbers, **how)  # type: ignore[arg-type] # as named

        usual = at(outline.people, outline.numbers, games, "the study")
        if rehearse:
            last = outline.numbers[outline.numbers == outline.participants]
            attacked.update({group: at(each.adversary, last, rehearsed, group) for group, each in ATTACKS.items()})
        return usual

    if progress:
        with progress_bar(Console(stderr=True), total) as report:
            usual = all_of_it(report)
    else:
        usual = all_of_it(lambda *_: None)
    seen = usual.get(EQUAL, next(iter(usual.values()))).counts.sum(axis=0)
    return Plan(
        outline,
        policies,
        chances_table(usual),
        rehearsal_table(attacked) if rehearse else None,
        hidden(outline, seen / seen.sum(axis=1, keepdims=True), arms_at),
        wanted,
        games,
        seed,
    )
