"""All that a page or a JSON file shows of an analysis: its parts, both courses, and every table by name."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from trueward import __version__
from trueward.analysis.analyse import Analysis, Source, analyse
from trueward.analysis.courses import Course, against_epsilon, over_time
from trueward.analysis.wealth import Bad
from trueward.parameters import Range

Told = Callable[[str], object]
STEPS = ("reading and judging", "against the assumed share", "over time")
ROUNDED = 6  # digits of the numbers that are written


@dataclass(frozen=True, eq=False)
class Findings:
    """An analysis, and its intervals against epsilon and over time."""

    analysis: Analysis
    against: Course
    course: Course

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return every table by the name of its file."""
        found = self.analysis
        named: dict[str, Any] = {
            "leaderboard": found.leaderboard,
            "break-even": found.break_even,
            "against-epsilon": self.against,
            "over-time": self.course,
            "contrasts": found.contrasts,
            "assignment": found.assignment,
            "missing": found.missing,
            "drift": found.drift,
            "raters": found.raters,
            "rules": found.exclusion,
            "leaderboard-without-rules": found.without_rules,
        }
        return {name: part.table() for name, part in named.items() if part is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for what is not known."""
        found, board = self.analysis, self.analysis.leaderboard
        whole = {
            "version": __version__,
            "verdict": found.verdict,
            "leader": board.leader,
            "decided": board.decided,
            "assumed": {"epsilon": board.epsilon, "bad": board.bad, "level": board.level, "scale": list(board.scale)},
            "first_only": found.decisions.first_only,
            "scale_declared": found.decisions.scale_declared,
            "break_even": asdict(found.break_even),
            "notes": list(found.notes),
            "assignment_p_value": found.assignment.p_value,
            "no_contrasts": found.no_contrasts,
            "rules_by_hand": [] if found.exclusion is None else list(found.exclusion.by_hand),
            "verdict_without_rules": None if found.without_rules is None else found.without_rules.verdict,
            "decisions_after_own_ratings": found.decisions.led,
            "verdict_of_first_decisions": None if found.of_firsts is None else found.of_firsts.verdict,
            "tables": {name: table.to_dicts() for name, table in self.tables().items()},
        }
        return dict(_plain(whole))

    def to_json(self) -> str:
        """Return the same as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def find(
    source: Source,
    *,
    epsilon: float = 0.1,
    bad: Bad = "careless",
    level: float = 0.95,
    scale: Range | None = None,
    rules: Any = None,
    first: bool = False,
    floor: float | None = None,
    told: Told = lambda _: None,
) -> Findings:
    """Analyse a source, and follow the intervals along epsilon and time; `told` hears what is being done."""
    told(STEPS[0])
    assumed: dict[str, Any] = {"epsilon": epsilon, "bad": bad, "level": level, "scale": scale, "floor": floor}
    analysis = analyse(source, **assumed, rules=rules, first=first)
    told(STEPS[1])
    against = against_epsilon(analysis.decisions, bad=bad, level=level, share=analysis.break_even.share)
    told(STEPS[2])
    return Findings(analysis, against, over_time(analysis.decisions, epsilon=epsilon, bad=bad, level=level))


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold, numbers with so many digits."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.{ROUNDED}g}")
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
