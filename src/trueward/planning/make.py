"""Make a plan: from a description, or from a pilot.

>>> quick = plan(scale=(1, 5), arms=["video", "text"], difference=1, participants=8, games=4, compiled=False,
...              rehearse=False, progress=False)
>>> quick.table().height  # three policies, seven numbers of participants
21
>>> print(quick.python.splitlines()[2])
study = tw.Study.create(
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Annotated, Any

from rich.console import Console

from trueward.adversaries.adversary import Adversary
from trueward.analysis.analyse import Source
from trueward.analysis.betting import Bad
from trueward.analysis.decisions import Decisions
from trueward.arms.categorical import CategoricalArms
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.game.delays import Delay, as_delay
from trueward.game.play import FEW_ROUNDS
from trueward.lab.experiment.progress import progress_bar
from trueward.parameters import Positive, Range, Share, above, at_least, below, checked
from trueward.planning.chances import chances_table
from trueward.planning.field import PAPERS, field_of
from trueward.planning.games import Played, Report, play_study
from trueward.planning.hidden import hidden
from trueward.planning.outline import Outline, described_arms, names_of, piloted_arms, values_of
from trueward.planning.people import Careless, raters, share_of_bad
from trueward.planning.pilot import Pilot, Sensitivity, read_pilot
from trueward.planning.plan import Plan
from trueward.planning.rehearsal import ATTACKS, rehearsal_table
from trueward.planning.tuning import MOST_SHARE, replays_of, tune
from trueward.planning.warming import make_ready
from trueward.reporting.labels import count

GAMES, REHEARSALS = 256, 0.5  # studies for the chances of each policy; as a part of them, for each attack
USUAL_CARELESS = 0.1


@checked
def plan(
    *,
    scale: Range | None = None,
    arms: int | Sequence[str] | None = None,
    difference: Positive | None = None,
    participants: Annotated[int, at_least(4)] = 300,
    careless: Careless | None = None,
    delay: Delay | int = 0,
    uniform_share: Share = 0.1,
    mean: float | None = None,
    sd: Positive | None = None,
    ratings: int | None = None,
    pilot: Source | None = None,
    sensitivity: Sensitivity = None,
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
    a `mean` and a standard deviation `sd`, usual ones if left out. With a `pilot` (a CSV file, or anything that can be
    analysed), scale, arms, spread and carelessness come from it; `sensitivity` is the share of the careless that its
    check finds. `careless` is a share of the participants, a tenth if nothing is known, the name of a profile of
    `CarelessParticipants`, or a profile; they answer after a `delay`, counted in participants asked meanwhile. The
    chance `wanted` to end on the best arm decides how many participants are recommended; `bad` and `level` are the
    interval's. `games` studies are played with each of the `policies`, half of that under each attack of the rehearsal.
    """
    given = {"scale": scale, "arms": arms, "difference": difference, "mean": mean, "sd": sd, "ratings": ratings}
    if pilot is None:
        basis = _from_description(**given, sensitivity=sensitivity)
    else:
        basis = _from_pilot(**given, pilot=pilot, sensitivity=sensitivity, compiled=compiled)
    people = raters(basis.careless if careless is None else careless)
    outline = Outline(
        names=basis.names,
        arms=basis.arms,
        people=people,
        participants=participants,
        delay=as_delay(delay),
        uniform_share=uniform_share,
        epsilon=share_of_bad(people),
        bad=bad,
        level=level,
        difference=difference,
    )
    return _played(basis, outline, policies, wanted, _How(games, seed, compiled, rehearse, progress))


@dataclass(frozen=True)
class _Basis:
    """What a plan is made from."""

    names: tuple[str, ...]
    arms: CategoricalArms
    careless: float
    arms_at: Callable[[float], Floats] | None  # the laws of the arms at another difference
    pilot: Pilot | None = None


@dataclass(frozen=True)
class _How:
    """How it is played."""

    games: int
    seed: int
    compiled: bool | None
    rehearse: bool
    progress: bool

    @property
    def rehearsals(self) -> int:
        return max(1, round(REHEARSALS * self.games))


def _from_description(
    *, scale: Any, arms: Any, difference: Any, mean: Any, sd: Any, ratings: Any, sensitivity: Any
) -> _Basis:
    given = {"scale": scale, "arms": arms, "difference": difference}
    missing = [name for name, value in given.items() if value is None]
    if missing or sensitivity is not None:
        raise ParameterError(f"without a pilot, give {', '.join(missing) or 'no sensitivity'}")
    values, names = values_of(scale, ratings), names_of(arms)

    def arms_at(wider: float) -> Floats:
        return described_arms(values, len(names), difference=wider, mean=mean, sd=sd, give_way=True).probabilities

    described = described_arms(values, len(names), difference=difference, mean=mean, sd=sd)
    return _Basis(names, described, USUAL_CARELESS, arms_at)


def _from_pilot(
    *,
    scale: Any,
    arms: Any,
    difference: Any,
    mean: Any,
    sd: Any,
    ratings: Any,
    pilot: Source,
    sensitivity: Sensitivity,
    compiled: bool | None,
) -> _Basis:
    if arms is not None or mean is not None or sd is not None:
        raise ParameterError("with a pilot, give no arms, mean or sd: the pilot says what they are")
    decisions = Decisions.from_source(pilot, scale=scale)
    values = values_of(decisions.scale, ratings)
    found = read_pilot(decisions, values, sensitivity, compiled=compiled)

    def arms_at(wider: float) -> Floats:
        return piloted_arms(values, found.counts, difference=wider).probabilities

    played = piloted_arms(values, found.counts, difference=difference)
    careless = min(found.careless, MOST_SHARE)
    return _Basis(found.arms, played, careless, None if difference is None else arms_at, found)


def _played(basis: _Basis, outline: Outline, only: Sequence[str] | None, wanted: float, how: _How) -> Plan:
    told = {"alpha": min(outline.epsilon, MOST_SHARE), "sigma": outline.arms.sd}
    field = field_of(outline, **told, only=only)
    attacks = ATTACKS if how.rehearse else {}
    tuned = basis.pilot is not None and PAPERS in field
    total = len(field) * (how.games + how.rehearsals * len(attacks))
    total += how.rehearsals * len(replays_of(0.0)) if tuned else 0
    quiet: Report = lambda *_: None  # noqa: E731 - a name for what says nothing
    with progress_bar(Console(stderr=True), total) if how.progress else nullcontext(quiet) as report:
        if how.compiled is not False and how.games * int(outline.numbers[-1]) > FEW_ROUNDS:
            make_ready(outline, field, [outline.people, *(each.adversary for each in attacks.values())], report)
        pilot = basis.pilot
        if pilot is not None and tuned:
            pilot = _tuned(pilot, outline, how, report)
            field = field_of(outline, alpha=pilot.tuned.alpha, sigma=pilot.tuned.sigma, only=only)  # type: ignore[union-attr] # it is there now

        def at(adversary: Adversary, numbers: Ints, games: int, label: str) -> dict[str, Played]:
            given = {"games": games, "seed": how.seed, "compiled": how.compiled, "label": label, "report": report}
            return play_study(outline, field, adversary, numbers, **given)  # type: ignore[arg-type] # as named

        usual = at(outline.people, outline.numbers, how.games, "the study")
        planned = outline.numbers[outline.numbers == outline.participants]
        attacked = {group: at(each.adversary, planned, how.rehearsals, group) for group, each in attacks.items()}
    return Plan(
        outline,
        field,
        chances_table(usual),
        rehearsal_table(attacked) if attacked else None,
        hidden(outline, basis.arms_at),
        wanted,
        how.games,
        how.seed,
        pilot,
    )


def _tuned(pilot: Pilot, outline: Outline, how: _How, report: Report) -> Pilot:
    given = {"games": how.rehearsals, "seed": how.seed, "compiled": how.compiled, "report": report}
    return replace(pilot, tuned=tune(outline, outline.epsilon, pilot.sigma, **given))  # type: ignore[arg-type] # as named


def warm_up(console: Console) -> None:
    """Compile what a plan of any study plays, as long as answers come at once and some decisions are uniform."""
    basis = _from_description(
        scale=(1.0, 5.0), arms=2, difference=0.5, mean=None, sd=None, ratings=None, sensitivity=None
    )
    people = raters(basis.careless)
    outline = Outline(basis.names, basis.arms, people, 4, as_delay(0), 0.1, basis.careless, "careless", 0.95, 0.5)
    attacks = [people, *(each.adversary for each in ATTACKS.values())]
    with progress_bar(console, len(attacks)) as report:
        compiled = make_ready(outline, field_of(outline, alpha=0.1, sigma=1.0), attacks, report)
    console.print(f"plan: ready; {count(compiled, 'kind')} of games had to be compiled", highlight=False)
