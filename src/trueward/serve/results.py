"""The results of a study as plain values: counts, what is believed, and what may be concluded."""

from typing import TYPE_CHECKING, Any

from trueward.errors import TruewardError
from trueward.serve.calls import plain
from trueward.study.study import Study

if TYPE_CHECKING:
    from trueward.analysis.analyse import Analysis

NONE_YET = "there are no ratings to analyse yet"


def results_of(study: Study, epsilon: float) -> dict[str, Any]:
    """Return the results of a study when a share of each arm's participants is bad."""
    explanation, probabilities = study.explain(), study.probabilities()
    summary = study.summary()
    analysis, notes = _analysis(study, epsilon) if any(arm.rated for arm in summary) else (None, [NONE_YET])
    arms = []
    for counts in summary:
        known = {"estimate": explanation[counts.arm].estimate, "probability": probabilities.get(counts.arm)}
        interval = analysis.leaderboard[counts.arm] if analysis and counts.arm in analysis.leaderboard.arms else None
        bounds = {name: getattr(interval, name, None) for name in ("mean", "low", "high")}
        arms.append({**vars(counts), **{name: plain(value) for name, value in {**known, **bounds}.items()}})
    return {
        "study": study.name,
        "state": study.state,
        "epsilon": epsilon,
        "verdict": None if analysis is None else analysis.verdict,
        "break_even": None if analysis is None else plain(analysis.break_even.share),
        "arms": arms,
        "notes": notes,
        "remarks": list(explanation.remarks),
    }


def _analysis(study: Study, epsilon: float) -> "tuple[Analysis | None, list[str]]":
    """Return the analysis and its notes; or None, and why there is none yet."""
    from trueward.analysis.analyse import analyse  # it takes a second, and workers should start at once

    try:
        analysis = analyse(study, epsilon=epsilon)
    except TruewardError as error:
        return None, [str(error)]
    return analysis, list(analysis.notes)
