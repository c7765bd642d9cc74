"""Check that arms were drawn with the logged probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.engine.kernel import Bools, Floats

ALPHA = 0.001
STAKES = np.geomspace(0.01, 0.9, 10)
BOTH_WAYS = np.concatenate([-STAKES, STAKES])


@dataclass(frozen=True)
class Assignment:
    """The number of times each arm was shown, and the number expected from the logged probabilities.

    Parameters
    ----------
    arms : tuple of str
        Names of the arms.
    shown : tuple of int
        How often each arm was shown.
    expected : tuple of float
        Sum of the logged probabilities of each arm.
    p_value : float
        Valid at any time; NaN if the probabilities are unknown.
    suspect : str
        Arm with the most evidence against its probabilities.
    decisions : int
        Number of decisions with known probabilities of all arms.
    """

    arms: tuple[str, ...]
    shown: tuple[int, ...]
    expected: tuple[float, ...]
    p_value: float
    suspect: str
    decisions: int

    @property
    def alarm(self) -> bool:
        """Whether arms were not drawn with the logged probabilities, at level 0.001."""
        return self.p_value <= ALPHA

    def __str__(self) -> str:
        if not self.decisions:
            return "assignment: not checked, the probabilities of all arms are not known"
        place = self.arms.index(self.suspect)
        counts = f"{self.suspect} was shown {self.shown[place]} times, {self.expected[place]:.1f} were expected"
        return f"assignment: {'NOT as logged' if self.alarm else 'as logged'} (p = {self.p_value:.2g}); {counts}"

    def table(self) -> pl.DataFrame:
        """Return a row per arm."""
        return pl.DataFrame({"arm": self.arms, "shown": self.shown, "expected": self.expected})

    def plot(self) -> Any:
        """Return a chart of how often arms were shown, and should have been."""
        from trueward.analysis.analysis_charts import draw_assignment

        return draw_assignment(self.table(), self.p_value)


def assignment(decisions: Decisions) -> Assignment:
    """Test whether arms were drawn with the logged probabilities; the test is valid at every moment.

    Under the logged probabilities the sum of 1{A_t = a} - e_t(a) is a martingale, whatever the policy learned. The test
    bets on it at fixed stakes l. Its wealth, the product of 1 + l (1{A_t = a} - e_t(a)) averaged over stakes of both
    signs and over all arms, ever exceeds 1 / alpha with probability at most alpha. Half of the bets change sign where
    e_t(a) is below 1 / K: they detect probabilities that are mixed up although the totals are right. (A test against
    fixed probabilities would raise an alarm in every adaptive study.) Excluded decisions were drawn too, so they count.

    References
    ----------
    Ville's inequality; Lindon & Malek (2022), Anytime-valid inference for multinomial count data, for the idea.
    """
    n_arms = len(decisions.arms)
    p = np.full(decisions.available.shape, np.nan) if decisions.probabilities is None else decisions.probabilities
    rows = np.flatnonzero(~np.isnan(p).any(1))
    p, shown = p[rows], np.eye(n_arms)[decisions.table["arm"].to_numpy()[rows]]
    logs = np.stack([_log_wealth(shown[:, a] - p[:, a], p[:, a] < 1.0 / n_arms) for a in range(n_arms)])
    most = float(np.logaddexp.reduce(logs, axis=0).max()) - np.log(n_arms)  # over (arms, decisions + 1)
    return Assignment(
        decisions.arms,
        tuple(shown.sum(0).astype(int).tolist()),
        tuple(p.sum(0).tolist()),
        float(np.exp(-max(most, 0.0))) if len(p) else float("nan"),
        decisions.arms[int(logs.max(1).argmax())],
        len(p),
    )


def _log_wealth(surprise: Floats, unlikely: Bools) -> Floats:
    """Return the log of the mean wealth over the stakes, before the first decision and after each."""
    both = np.stack([surprise, np.where(unlikely, -surprise, surprise)])
    logs = np.log1p(BOTH_WAYS[:, None, None] * both).cumsum(-1).reshape(2 * BOTH_WAYS.size, surprise.size)
    return np.append(0.0, np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)))
