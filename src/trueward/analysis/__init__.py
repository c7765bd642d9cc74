"""What may be concluded from a study whose ratings are partly bad: robust intervals, break-even, contrasts, checks.

analysis = tw.analysis.analyse(study, epsilon=0.1)          # or a bandit, a CSV file, decisions from arrays
print(analysis.verdict);    analysis.table();    analysis.plot()
"""

from trueward.analysis.analyse import Analysis, analyse, decisions_of
from trueward.analysis.assignment import Assignment, assignment
from trueward.analysis.break_even import BreakEven, break_even
from trueward.analysis.contrasts import Contrast, Contrasts, contrasts
from trueward.analysis.courses import Course, against_epsilon, over_time
from trueward.analysis.decisions import Decisions
from trueward.analysis.drift import Change, Drift, drift
from trueward.analysis.exclusion import Exclusion, exclude
from trueward.analysis.intervals import Interval, interval
from trueward.analysis.leaderboard import Leaderboard, leaderboard
from trueward.analysis.missing import Missing, missing
from trueward.analysis.raters import Rater, Raters, raters

__all__ = [
    "Analysis",
    "Assignment",
    "BreakEven",
    "Change",
    "Contrast",
    "Contrasts",
    "Course",
    "Decisions",
    "Drift",
    "Exclusion",
    "Interval",
    "Leaderboard",
    "Missing",
    "Rater",
    "Raters",
    "against_epsilon",
    "analyse",
    "assignment",
    "break_even",
    "contrasts",
    "decisions_of",
    "drift",
    "exclude",
    "interval",
    "leaderboard",
    "missing",
    "over_time",
    "raters",
]
