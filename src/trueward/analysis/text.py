"""An analysis as text: tables and sentences for a page, JSON and files."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import polars as pl

from trueward import __version__
from trueward.analysis.analyse import Analysis, Source, analyse
from trueward.analysis.betting import Bad
from trueward.analysis.sensitivity import IntervalCurves, against_epsilon, over_time
from trueward.parameters import Range
from trueward.reporting.labels import count

OnStep = Callable[[str], object]
"""A function that is called with a description of each step before it begins."""

STEPS = ("analysing", "intervals by assumed share", "intervals over time")
DIGITS = 6  # of the numbers in JSON
MAX_RATERS = 20  # in the table of raters


@dataclass(frozen=True, eq=False)
class AnalysisReport:
    """An analysis with its intervals by epsilon and over time, for the HTML page and JSON."""

    analysis: Analysis
    by_epsilon: IntervalCurves
    over_time: IntervalCurves

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return every table by the name of its file."""
        analysis = self.analysis
        named: dict[str, Any] = {
            "leaderboard": analysis.leaderboard,
            "break-even": analysis.break_even,
            "against-epsilon": self.by_epsilon,
            "over-time": self.over_time,
            "differences": analysis.differences,
            "assignment": analysis.assignment,
            "missing": analysis.missing,
            "drift": analysis.drift,
            "raters": analysis.raters,
            "rules": analysis.exclusion,
            "leaderboard-without-rules": analysis.without_rules,
        }
        return {name: part.table() for name, part in named.items() if part is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for unknown numbers."""
        analysis, board = self.analysis, self.analysis.leaderboard
        report = {
            "version": __version__,
            "verdict": analysis.verdict,
            "leader": board.leader,
            "decided": board.decided,
            "assumed": {"epsilon": board.epsilon, "bad": board.bad, "level": board.level, "scale": list(board.scale)},
            "first_only": analysis.decisions.first_only,
            "scale_declared": analysis.decisions.scale_declared,
            "break_even": asdict(analysis.break_even),
            "notes": list(analysis.notes),
            "assignment_p_value": analysis.assignment.p_value,
            "no_differences": analysis.no_differences,
            "manual_rules": [] if analysis.exclusion is None else list(analysis.exclusion.manual),
            "verdict_without_rules": None if analysis.without_rules is None else analysis.without_rules.verdict,
            "decisions_after_own_ratings": analysis.decisions.after_own_ratings,
            "verdict_of_first_decisions": None
            if analysis.of_first_decisions is None
            else analysis.of_first_decisions.verdict,
            "tables": {name: table.to_dicts() for name, table in self.tables().items()},
        }
        return dict(_plain(report))

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def make_report(
    source: Source,
    *,
    epsilon: float = 0.1,
    bad: Bad = "careless",
    level: float = 0.95,
    scale: Range | None = None,
    rules: Any = None,
    first: bool = False,
    floor: float | None = None,
    on_step: OnStep = lambda _: None,
) -> AnalysisReport:
    """Analyse a source as `analyse` does, and compute the intervals by epsilon and over time."""
    on_step(STEPS[0])
    options: dict[str, Any] = {"epsilon": epsilon, "bad": bad, "level": level, "scale": scale, "floor": floor}
    analysis = analyse(source, **options, rules=rules, first=first)
    on_step(STEPS[1])
    by_epsilon = against_epsilon(analysis.decisions, bad=bad, level=level, share=analysis.break_even.share)
    on_step(STEPS[2])
    intervals_over_time = over_time(analysis.decisions, epsilon=epsilon, bad=bad, level=level)
    return AnalysisReport(analysis, by_epsilon, intervals_over_time)


def _plain(value: Any) -> Any:
    """Return a value for JSON, with rounded numbers and None for NaN."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


class TextTable(NamedTuple):
    """A table of text: the first columns contain names, the others numbers."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    name_columns: int = 1


class CheckResult(NamedTuple):
    """The result of a check; `passed` is None if it could not be run."""

    name: str
    passed: bool | None
    text: str


def number(value: float, digits: int = 2) -> str:
    """Return a number as text, and a dash for NaN."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def percent(share: float, digits: int = 1) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def interval_text(bounds: tuple[float, float]) -> str:
    return f"{number(bounds[0])} to {number(bounds[1])}"


def key_numbers(analysis: Analysis) -> list[tuple[str, str]]:
    """Return the numbers at the top of the page, each with its description."""
    break_even, decisions = analysis.break_even, analysis.decisions
    ratings = int(decisions.included["rating"].count())
    counts = {each.participants for each in analysis.leaderboard.intervals}
    size = f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    return [
        (
            percent(break_even.share),
            "break-even share: bad participants per arm that the verdict tolerates",
        ),
        (f"{break_even.fewest:,}", "bad participants, in any arms, that would overturn the verdict"),
        (
            percent(break_even.sample_share),
            f"break-even share ignoring sampling error; {count(break_even.sample_fewest, 'participant')}",
        ),
        (f"{ratings:,}", f"ratings of {count(len(decisions.arms), 'arm')}, {size} participants each"),
    ]


def leaderboard_table(analysis: Analysis) -> TextTable:
    """Return the leaderboard, the highest mean first."""
    header = ("arm", "participants", "answered", "mean", "interval", "sampling error only", "ignoring missing ratings")
    rows = []
    for arm in analysis.table()["arm"]:
        each = analysis.leaderboard[arm]
        intervals = [interval_text(pair) for pair in (each.whole, each.sampling, each.contaminated)]
        rows.append((arm, f"{each.participants:,}", f"{each.answered:,}", number(each.mean), *intervals))
    return TextTable(header, rows)


def rules_table(analysis: Analysis) -> TextTable | None:
    """Return the results with the rules and without them; None if the rules exclude nobody."""
    other = analysis.without_rules
    if other is None:
        return None
    rows = [("verdict", analysis.verdict, other.verdict)]
    rows.append(("break-even share", percent(analysis.break_even.share), percent(other.break_even.share)))
    for arm in analysis.table()["arm"]:
        both = (analysis.leaderboard[arm], other.leaderboard[arm])
        with_rules, without = (
            f"{number(each.mean)}, {interval_text(each.whole)}; {count(each.answered, 'participant')}" for each in both
        )
        rows.append((arm, with_rules, without))
    return TextTable(("", "with the rules", "without them"), rows, name_columns=3)


def ahead_table(by_epsilon: IntervalCurves) -> TextTable:
    """Return the arm that is certainly ahead at each assumed share."""
    shares = by_epsilon.table().unique("epsilon", maintain_order=True).sort("epsilon")
    return TextTable(
        ("assumed bad", "certainly ahead"),
        [(percent(epsilon, 0), arm or "nobody") for epsilon, arm in shares.select("epsilon", "ahead").iter_rows()],
        name_columns=2,
    )


def differences_table(analysis: Analysis) -> TextTable | None:
    """Return the differences, then the means; None if they were not estimated."""
    if analysis.differences is None:
        return None
    estimates = (*analysis.differences.pairs, *analysis.differences.means)
    rows = [
        (
            f"{one.arm} − {one.minus}" if one.minus else one.arm,
            number(one.estimate, 3),
            interval_text((one.low, one.high)),
            number(one.standard_error, 3),
            f"{one.decisions:,}",
        )
        for one in estimates
    ]
    return TextTable(("difference, or mean", "estimate", "interval", "standard error", "decisions"), rows)


def check_results(analysis: Analysis) -> list[CheckResult]:
    """Return the result of every check, each in a sentence."""
    assignment = analysis.assignment
    results = [
        ("Assignment", None if not assignment.decisions else not assignment.alarm, str(assignment)),
        ("Missing", not analysis.missing.unequal_pairs, str(analysis.missing)),
        ("Drift", not analysis.drift.changed, str(analysis.drift)),
        ("Raters", not analysis.raters.flagged, str(analysis.raters)),
        ("Scale", analysis.decisions.scale_declared, _scale_text(analysis)),
        *(
            [("Participants", analysis.of_first_decisions is None, note)]
            if (note := analysis.participants_note)
            else []
        ),
    ]
    return [CheckResult(name, passed, text.removeprefix(f"{name.lower()}: ")) for name, passed, text in results]


def _scale_text(analysis: Analysis) -> str:
    low, high = analysis.decisions.scale
    how = (
        "declared"
        if analysis.decisions.scale_declared
        else "taken from the ratings: declare it, or intervals may be too short"
    )
    return f"scale: {low:g} to {high:g}, {how}"


def missing_table(analysis: Analysis) -> TextTable:
    missing = analysis.missing
    rows = zip(
        missing.arms,
        missing.closed,
        missing.missing,
        missing.pending,
        missing.share,
        missing.low,
        missing.high,
        strict=True,
    )
    return TextTable(
        ("arm", "decisions", "missing", "pending", "share missing", "interval"),
        [
            (arm, f"{closed:,}", f"{n_missing:,}", f"{pending:,}", percent(share), f"{percent(low)} to {percent(high)}")
            for arm, closed, n_missing, pending, share, low, high in rows
        ],
    )


def drift_table(analysis: Analysis) -> TextTable:
    return TextTable(
        ("arm", "ratings", "change", "after decision", "mean before", "mean after", "z²", "threshold"),
        [
            (
                one.arm,
                f"{one.ratings:,}",
                "CHANGED" if one.changed else "none",
                f"{one.after:,}" if one.changed else "–",
                number(one.mean_before) if one.changed else "–",
                number(one.mean_after) if one.changed else "–",
                number(one.z_squared, 1),
                number(one.threshold, 1),
            )
            for one in analysis.drift.changes
        ],
    )


def raters_table(analysis: Analysis) -> TextTable:
    header = (
        "rater",
        "flags",
        "ratings",
        "longest run",
        "SD",
        "distance",
        "seconds",
        "checks failed",
        "lead without rater",
    )
    return TextTable(
        header,
        [
            (
                one.participant,
                ", ".join(_flags(one.flags, one.duplicate_of)) or "none",
                f"{one.ratings:,}",
                f"{one.longest_run:,}",
                number(one.sd),
                number(one.distance),
                number(one.seconds, 1),
                f"{one.failed_checks:,}",
                number(math.nan if one.lead is None else one.lead, 3),
            )
            for one in analysis.raters.raters[:MAX_RATERS]
        ],
        name_columns=2,
    )


def _flags(flags: Iterable[str], duplicate_of: str) -> list[str]:
    return [f"duplicate of {duplicate_of}" if flag == "duplicate" else flag for flag in flags]
