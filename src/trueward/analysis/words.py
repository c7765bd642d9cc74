"""An analysis in words and tables of text, for pages: nothing is computed here."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trueward.analysis.analyse import Analysis
from trueward.analysis.courses import Course
from trueward.reporting.labels import count

MOST_RATERS = 20


class Table(NamedTuple):
    """A table of text: the first columns are names, the others numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    names: int = 1


class Check(NamedTuple):
    """What a check found; `good` is None where it could not be made."""

    name: str
    good: bool | None
    found: str


def number(value: float, digits: int = 2) -> str:
    """Return a number as it is shown; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent."""
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def between(ends: tuple[float, float]) -> str:
    """Return an interval in words."""
    return f"{number(ends[0])} to {number(ends[1])}"


def facts(found: Analysis) -> list[tuple[str, str]]:
    """Return the few numbers that stand at the head, with what they are."""
    even, decisions = found.break_even, found.decisions
    ratings = int(decisions.counting["rating"].count())
    people = {each.participants for each in found.leaderboard.intervals}
    sized = f"{min(people):,}" if len(people) == 1 else f"{min(people):,} to {max(people):,}"
    return [
        (
            percent(even.share),
            "break-even share: of each arm's participants that may be bad before the verdict is undone",
        ),
        (f"{even.fewest:,}", "bad participants, placed anywhere, undo the verdict"),
        (percent(even.sample_share), f"break-even of the sample alone; {count(even.sample_fewest, 'participant')}"),
        (f"{ratings:,}", f"ratings of {count(len(decisions.arms), 'arm')}, {sized} participants each"),
    ]


def board(found: Analysis) -> Table:
    """Return the leaderboard, the highest mean first."""
    heads = ("arm", "participants", "answered", "mean", "interval", "by sampling alone", "without missing")
    rows = []
    for arm in found.table()["arm"]:
        each = found.leaderboard[arm]
        ends = [between(pair) for pair in (each.whole, each.sampling, each.contaminated)]
        rows.append((arm, f"{each.participants:,}", f"{each.answered:,}", number(each.mean), *ends))
    return Table(heads, rows)


def beside_rules(found: Analysis) -> Table | None:
    """Return means and intervals with the rules and without them; None where they leave out nobody."""
    other = found.without_rules
    if other is None:
        return None
    rows = [("verdict", found.verdict, other.verdict)]
    rows.append(("break-even share", percent(found.break_even.share), percent(other.break_even.share)))
    for arm in found.table()["arm"]:
        both = (found.leaderboard[arm], other.leaderboard[arm])
        with_rules, without = (
            f"{number(each.mean)}, {between(each.whole)}; {count(each.answered, 'participant')}" for each in both
        )
        rows.append((arm, with_rules, without))
    return Table(("", "with the rules", "without them"), rows, names=3)


def ahead(course: Course) -> Table:
    """Return who is certainly ahead at each assumed share."""
    seen = course.table().unique("epsilon", maintain_order=True).sort("epsilon")
    return Table(
        ("assumed bad", "certainly ahead"),
        [(percent(epsilon, 0), who or "nobody") for epsilon, who in seen.select("epsilon", "ahead").iter_rows()],
        names=2,
    )


def contrasts(found: Analysis) -> Table | None:
    """Return differences, then means of the period; None where there are none."""
    if found.contrasts is None:
        return None
    each = (*found.contrasts.differences, *found.contrasts.means)
    rows = [
        (
            f"{one.arm} − {one.minus}" if one.minus else one.arm,
            number(one.estimate, 3),
            between((one.low, one.high)),
            number(one.error, 3),
            f"{one.decisions:,}",
        )
        for one in each
    ]
    return Table(("difference, or mean", "estimate", "interval", "standard error", "decisions"), rows)


def checks(found: Analysis) -> list[Check]:
    """Return what every check found, in a sentence each."""
    assigned = found.assignment
    each = [
        ("Assignment", None if not assigned.decisions else not assigned.alarm, str(assigned)),
        ("Missing", not found.missing.differs, str(found.missing)),
        ("Drift", not found.drift.changed, str(found.drift)),
        ("Raters", not found.raters.flagged, str(found.raters)),
        ("Scale", found.decisions.scale_declared, _scale(found)),
        *([("Participants", found.of_firsts is None, found.whose)] if found.whose else []),
    ]
    return [Check(name, good, words.removeprefix(f"{name.lower()}: ")) for name, good, words in each]


def _scale(found: Analysis) -> str:
    low, high = found.decisions.scale
    how = (
        "declared"
        if found.decisions.scale_declared
        else "taken from the ratings: declare it, or intervals may be short"
    )
    return f"scale: {low:g} to {high:g}, {how}"


def missing(found: Analysis) -> Table:
    """Return who did not answer."""
    lost = found.missing
    rows = zip(lost.arms, lost.closed, lost.missing, lost.pending, lost.share, lost.low, lost.high, strict=True)
    return Table(
        ("arm", "decisions", "missing", "pending", "share missing", "interval"),
        [
            (arm, f"{closed:,}", f"{gone:,}", f"{pending:,}", percent(share), f"{percent(low)} to {percent(high)}")
            for arm, closed, gone, pending, share, low, high in rows
        ],
    )


def drift(found: Analysis) -> Table:
    """Return where each arm's ratings are most unlike before and after."""
    return Table(
        ("arm", "ratings", "change", "after decision", "mean before", "mean after", "z²", "bar"),
        [
            (
                one.arm,
                f"{one.ratings:,}",
                "CHANGED" if one.changed else "none",
                f"{one.after:,}" if one.changed else "–",
                number(one.mean_before) if one.changed else "–",
                number(one.mean_after) if one.changed else "–",
                number(one.z_squared, 1),
                number(one.bar, 1),
            )
            for one in found.drift.changes
        ],
    )


def raters(found: Analysis) -> Table:
    """Return the most suspicious raters."""
    heads = (
        "rater",
        "flags",
        "ratings",
        "longest run",
        "spread",
        "distance",
        "seconds",
        "checks failed",
        "lead without",
    )
    return Table(
        heads,
        [
            (
                one.participant,
                ", ".join(_flags(one.flags, one.duplicate_of)) or "none",
                f"{one.ratings:,}",
                f"{one.longest_run:,}",
                number(one.spread),
                number(one.distance),
                number(one.seconds, 1),
                f"{one.failed_checks:,}",
                number(math.nan if one.lead is None else one.lead, 3),
            )
            for one in found.raters.raters[:MOST_RATERS]
        ],
        names=2,
    )


def _flags(flags: Iterable[str], duplicate_of: str) -> list[str]:
    return [f"duplicate of {duplicate_of}" if flag == "duplicate" else flag for flag in flags]
