"""The trace of played games: what was played, earned and contaminated, and three kinds of regret."""

import importlib
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats, Ints
from trueward.statistics.mean_interval import mean_interval, standard_deviation

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The games of one policy: arrays with one row per trial, and curves with one column per checkpoint.

    Three kinds of regret, named apart:

        regret            sum of the gaps of the arms played       Niss & Tewari's (2020): true means, no noise
        realised_regret   sum of r_best(t) - r_played(t)           the true rewards that were drawn
        observed_regret   sum of r_best(t) - x_played(t)           contamination counts as if it were earned

    The first two have the same mean. The third can be negative, and an adversary can make it anything.

    Examples
    --------
    >>> import trueward as tw
    >>> trace = tw.play(tw.UCB(sigma=0.5), tw.BernoulliArms([0.9, 0.1]), horizon=100, trials=3, seed=0, compiled=False)
    >>> trace.regret.shape, trace.pulls[:, -1].sum(axis=1).tolist()
    ((3, 100), [100, 100, 100])

    References
    ----------
    Niss & Tewari (2020), equations (1) and (2), for the first; Kapoor, Patel & Kar (2019) for the third.
    """

    checkpoints: Ints  # (checkpoints,) the rounds at which curves are kept
    gaps: Floats  # (arms,)
    pulls: NDArray[np.int32]  # (trials, checkpoints, arms) so far
    true_reward: Floats  # (trials, checkpoints) sum of true rewards of the arms played
    observed_reward: Floats  # (trials, checkpoints) sum of the rewards observed, counted when the arm is chosen
    best_reward: Floats  # (trials, checkpoints) sum of true rewards of the best arm
    touched: Ints  # (trials, arms) rewards the adversary contaminated
    changed: Ints  # (trials, arms) contaminated rewards that differ from the true ones
    refused: Ints  # (trials,) attempts past the adversary's budget; the true reward was shown
    first_violation: (
        Ints  # (trials,) round in which the constraint of Niss & Tewari (2020) was first violated; 0 for never
    )
    missing: Ints  # (trials, arms) ratings that were never given; NaN in `observed`
    outside: int  # number of rewards outside the range that the policy declares; they were clipped
    arms: Ints | None  # (trials, rounds) if history was kept
    observed: Floats | None  # (trials, rounds) if history was kept, by the round in which the arm was chosen

    @property
    def regret(self) -> Floats:
        """Uncontaminated regret, as in Niss & Tewari (2020): (trials, checkpoints)."""
        return np.asarray(self.pulls @ self.gaps)

    @property
    def realised_regret(self) -> Floats:
        """Regret in the true rewards drawn: (trials, checkpoints)."""
        return self.best_reward - self.true_reward

    @property
    def observed_regret(self) -> Floats:
        """Regret in the rewards observed (Kapoor et al.): (trials, checkpoints)."""
        return self.best_reward - self.observed_reward

    @property
    def contaminated_fraction(self) -> Floats:
        """The fraction of each arm's rewards that was contaminated: (trials, arms); NaN for an arm never pulled."""
        return self._fraction(self.touched)

    @property
    def changed_fraction(self) -> Floats:
        """The fraction of each arm's rewards whose value was really changed: (trials, arms)."""
        return self._fraction(self.changed)

    @property
    def missing_fraction(self) -> Floats:
        """The fraction of each arm's ratings that was never given: (trials, arms); NaN for an arm never pulled."""
        return self._fraction(self.missing)

    def table(self) -> "pl.DataFrame":
        """Return the curve of regret: a row per checkpoint with mean, 95 % interval, and spread over trials."""
        import polars as pl

        mean, low, high = mean_interval(self.regret)
        q10, median, q90 = np.quantile(self.regret, [0.1, 0.5, 0.9], axis=0)
        columns = {
            "round": self.checkpoints,
            "mean": mean,
            "low": low,
            "high": high,
            "sd": standard_deviation(self.regret),
        }
        return pl.DataFrame({**columns, "q10": q10, "median": median, "q90": q90})

    def plot(self) -> Any:
        """Return a chart of mean regret over time with its 95 % interval."""
        # by name: reporting imports this module
        return importlib.import_module("trueward.reporting.regret_charts").draw_curve(self.table())

    def __repr__(self) -> str:
        """Say in three lines what was played and what came of it."""
        trials, _, n_arms = self.pulls.shape
        mean, low, _ = mean_interval(self.regret[:, -1])
        sure = f" ± {mean - low:.1f} (95 % interval)" if trials > 1 else ""
        rounds = int(self.checkpoints[-1])
        percent = 100 / (trials * rounds)
        lost = f"; {percent * self.missing.sum():.1f} % never came" if self.missing.any() else ""
        return (
            f"Trace: {trials:,} {'trial' if trials == 1 else 'trials'} of {rounds:,} rounds, {n_arms} arms\n"
            f"regret after the last round: {mean:.1f}{sure}\n"
            f"best arm in {percent * self.pulls[:, -1, self.gaps == 0].sum():.1f} % of rounds; "
            f"{percent * self.touched.sum():.1f} % of rewards contaminated{lost}"
        )

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return "<br>".join(escape(repr(self)).splitlines())

    def _fraction(self, counts: Ints) -> Floats:
        pulls = self.pulls[:, -1]
        return np.where(pulls > 0, counts / np.maximum(pulls, 1), np.nan)


def join(traces: list[Trace]) -> Trace:
    """Return one trace of all trials, in order."""
    first = traces[0]
    outside = sum(trace.outside for trace in traces)
    whole: dict[str, object] = {"checkpoints": first.checkpoints, "gaps": first.gaps, "outside": outside}
    for name in (f.name for f in fields(Trace) if f.name not in whole):
        parts = [getattr(trace, name) for trace in traces]
        whole[name] = None if parts[0] is None else np.concatenate(parts)
    return Trace(**whole)  # type: ignore[arg-type] # the fields of traces are the fields of a trace
