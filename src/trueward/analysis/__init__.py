"""Analysis of a study in which some ratings are bad: robust intervals, break-even share, differences, checks.

analysis = tw.analysis.analyse(study, epsilon=0.1)          # or a bandit, a CSV file, Decisions from lists
print(analysis.verdict);    analysis.table();    analysis.plot()
"""

from trueward.analysis.analyse import Analysis, analyse
from trueward.analysis.assignment import Assignment, assignment
from trueward.analysis.break_even import BreakEven, break_even
from trueward.analysis.decisions import Decisions
from trueward.analysis.differences import Difference, Differences, differences
from trueward.analysis.drift import Change, Drift, drift
from trueward.analysis.exclusion import Exclusion, exclude
from trueward.analysis.intervals import Interval, interval
from trueward.analysis.leaderboard import Leaderboard, leaderboard
from trueward.analysis.missing import Missing, missing
from trueward.analysis.raters import Rater, Raters, raters
from trueward.analysis.sensitivity import IntervalCurves, against_epsilon, over_time

__all__ = [
    "Analysis",
    "Assignment",
    "BreakEven",
    "Change",
    "Decisions",
    "Difference",
    "Differences",
    "Drift",
    "Exclusion",
    "Interval",
    "IntervalCurves",
    "Leaderboard",
    "Missing",
    "Rater",
    "Raters",
    "against_epsilon",
    "analyse",
    "assignment",
    "break_even",
    "differences",
    "drift",
    "exclude",
    "interval",
    "leaderboard",
    "missing",
    "over_time",
    "raters",
]
