"""From the chances to a recommendation: which policy, how many participants, and a sentence that says why."""

from dataclasses import dataclass

import polars as pl

from trueward.planning.field import DEFAULT, EQUAL
from trueward.planning.hidden import MOST, Hidden
from trueward.planning.outline import Outline
from trueward.reporting.labels import count

LEAST = 0.75  # of a rehearsed study's chance without an attack: below, the attack is named


@dataclass(frozen=True)
class Recommended:
    """The policy and the number; and whether the wanted chance is reached at all."""

    policy: str
    participants: int
    reached: bool


def recommended(chances: pl.DataFrame, planned: int, wanted: float) -> Recommended:
    """Return the policy that loses least of those that reach the wanted chance at the planned number.

    Where none does, the one with the best chance then; the default policy, where that may be a matter of luck.
    """
    then = chances.filter(pl.col("participants") == planned)
    enough = then.filter(pl.col("best") >= wanted)
    policy = _likeliest(then) if enough.is_empty() else str(enough.sort("lost")["policy"][0])
    number = _from_there_on(chances.filter(pl.col("policy") == policy), wanted)
    return Recommended(policy, number or planned, number is not None)


def _from_there_on(of_policy: pl.DataFrame, wanted: float) -> int | None:
    """Return the smallest number of participants from which on the chance is as wanted."""
    found = None
    for number, best in of_policy.sort("participants", descending=True).select("participants", "best").iter_rows():
        if best < wanted:
            break
        found = int(number)
    return found


def _likeliest(then: pl.DataFrame) -> str:
    first = then.sort("best", descending=True).row(0, named=True)
    default = then.filter(pl.col("policy") == DEFAULT)
    close = not default.is_empty() and default["best_high"][0] >= first["best"]
    return DEFAULT if close else str(first["policy"])


def sentence(outline: Outline, chances: pl.DataFrame, hidden: Hidden, found: Recommended, wanted: float) -> str:
    """Return the recommendation."""
    row = chances.filter((pl.col("policy") == found.policy) & (pl.col("participants") == found.participants))
    at = row.row(0, named=True)
    floor = f", {100 * outline.uniform_share:.3g} % of them shown any arm" if outline.uniform_share else ""
    share = ", all of them shown any arm" if found.policy == EQUAL else floor
    chance = f"{100 * at['best']:.0f} % (± {50 * (at['best_high'] - at['best_low']):.0f})"
    lost = f"{at['lost']:.3g} points lost against showing the best arm to all"
    advice = (
        f"Plan for {count(found.participants, 'participant')} with {found.policy}{share}: the study ends on the best "
        f"arm with a chance of {chance}, {lost}, and {_decides(hidden, at)}."
    )
    if found.reached:
        return advice
    most = int(chances["participants"].max())  # type: ignore[arg-type] # a number
    return f"A chance of {100 * wanted:.0f} % is not reached with up to {count(most, 'participant')}. {advice}"


def _decides(hidden: Hidden, at: dict[str, float]) -> str:
    if not hidden.decidable:
        return "no number of participants will let the robust interval decide"
    return f"the robust interval decides in {100 * at['decides']:.0f} % of such studies"


def what_hides(outline: Outline, hidden: Hidden) -> str:
    """Return in words what contamination hides, and what would decide if no number of participants does."""
    epsilon, gap = f"{100 * outline.epsilon:.3g} %", f"{outline.gap:.2g}"
    if hidden.decidable:
        many = f"more than {MOST:,}" if hidden.participants is None else f"about {_rounded(hidden.participants):,}"
        return (
            f"For the robust interval to decide a difference of {gap} points with {epsilon} of the participants bad, "
            f"it takes {many} participants, shown the arms evenly; with more than {100 * hidden.share:.2g} % bad, no "
            "number would do."
        )
    if hidden.share == 0.0:
        return f"No number of participants will decide a difference of {gap} points, not even if nobody is bad."
    ways = [f"if at most {100 * hidden.share:.2g} % are bad (checks, invitations, exclusion rules written down before)"]
    if hidden.difference is not None:
        ways.append(f"from a difference of {hidden.difference:.2g} points on")
    word = "" if hidden.tellable else ", by any method: contamination can make the two best arms look the same"
    return (
        f"No number of participants will decide a difference of {gap} points while {epsilon} may be bad{word}. "
        f"The interval would decide {', or '.join(ways)}. {_still(hidden)}"
    )


def _rounded(number: int) -> int:
    """Return two digits of a number: it is known no better."""
    return int(float(f"{number:.2g}"))


def _still(hidden: Hidden) -> str:
    known = "" if hidden.tellable else f"Some method could tell them apart up to {100 * hidden.tellable_share:.2g} %. "
    return f"{known}A policy can still end on the best arm, if bad people are bad on all arms alike: not for certain."


def weak_points(rehearsal: pl.DataFrame, policy: str) -> str:
    """Return which attacks the recommended study does not withstand."""
    rows = rehearsal.filter(pl.col("policy") == policy)
    clean = rows.filter(pl.col("attack") == "clean")["best"][0]
    weak = rows.filter((pl.col("attack") != "clean") & (pl.col("best") < LEAST * clean))
    if weak.is_empty():
        return f"In the rehearsal, {policy} keeps at least {100 * LEAST:.0f} % of its chance under every attack."
    named = "; ".join(
        f"{each['words'].partition(':')[0]} ({100 * each['best']:.0f} %)" for each in weak.iter_rows(named=True)
    )
    return (
        f"In the rehearsal, with {100 * clean:.0f} % when nobody is careless, {policy} falls far behind under: {named}."
    )
