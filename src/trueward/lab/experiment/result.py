"""The result of an experiment: tables with one column per swept value, and a chart."""

from dataclasses import astuple, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from trueward.lab.experiment.game_tables import DIFFERENCE
from trueward.lab.experiment.specification import Experiment
from trueward.reporting.labels import count, text
from trueward.reporting.number_table import NumberTable
from trueward.statistics.mean_interval import Z

if TYPE_CHECKING:
    import altair as alt

MAX_LINES = 12  # of `repr(result)`


@dataclass(frozen=True)
class Timing:
    """The cells that a run played and those that it loaded, with the seconds that each kind took to play."""

    played: int = 0
    seconds: float = 0.0
    loaded: int = 0
    loaded_seconds: float = 0.0

    def __add__(self, other: "Timing") -> "Timing":
        return Timing(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        parts = [f"{self.played} of {self.played + self.loaded} cells played in {self.seconds:.1f} s"]
        parts += [f"{self.loaded} loaded, played earlier in {self.loaded_seconds:.1f} s"] if self.loaded else []
        return "; ".join(parts)


class Result:
    """The result of an experiment, as `lab.run` returns it.

    All tables are polars data frames with one column per name of the sweep. All policies of a cell play the same
    trials, so that their differences are paired. Intervals are 95 % confidence intervals of the mean over the trials.

    - `table`: one row per cell and policy. `regret` after the last round, its interval `low` to `high`, its standard
      deviation `sd` and quantiles `q10`, `median`, `q90` over the trials; `best_arm_share` and `contaminated_share`
      of the rounds; the paired `difference` to the reference policy with its interval.
    - `trials`: one row per cell, policy and trial, after the last round.
    - `curves`: one row per cell, policy and checkpoint, as in `table`, over time.

    Parameters
    ----------
    experiment : Experiment
        The experiment that was played.
    cells : list of dict
        The tables "trials" and "curves" of each cell.
    timing : Timing, optional
        How many cells were played and how many were loaded, and how long they took.

    Examples
    --------
    >>> from trueward import lab
    >>> coin = {"arms": {"name": "bernoulli", "p": [0.4, 0.6]}, "policies": {"uniform": "uniform"}}
    >>> lab.run(coin, horizon=50, trials=20, progress=False)
    experiment: 20 trials of 50 rounds; regret after the last round
      uniform: 4.8 ± 0.3
    """

    def __init__(
        self, experiment: Experiment, cells: list[dict[str, pl.DataFrame]], timing: Timing | None = None
    ) -> None:
        self.experiment = experiment
        self.timing = timing or Timing()
        self._cells = cells

    def __repr__(self) -> str:
        cell = self.experiment.cells[0]
        head = f"{self.title}: {count(cell.trials, 'trial')} of {cell.horizon:,} rounds; regret after the last round"
        rows = [_line(row, self.sweep) for row in self.table.head(MAX_LINES).iter_rows(named=True)]
        rest = self.table.height - len(rows)
        return "\n".join([head, *rows, *([f"… and {rest} more rows in .table"] if rest else [])])

    def _repr_html_(self) -> str:
        table = self.table.select(*self.sweep, "policy", "regret", "low", "high", *DIFFERENCE)
        with pl.Config(tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True, tbl_rows=100):
            shown = table.with_columns(cs.float().round_sig_figs(4))._repr_html_()
        return f"<p>{escape(repr(self).splitlines()[0])}</p>{shown}"

    @property
    def title(self) -> str:
        """The title of the experiment, or its name if it has no title."""
        return self.experiment.title or self.experiment.name

    @property
    def sweep(self) -> list[str]:
        """The names of the sweep."""
        return list(self.experiment.sweep)

    @property
    def trials(self) -> pl.DataFrame:
        """One row per cell, policy and trial, after the last round."""
        return self._concatenate("trials")

    @property
    def curves(self) -> pl.DataFrame:
        """One row per cell, policy and checkpoint."""
        return self._concatenate("curves")

    @property
    def table(self) -> pl.DataFrame:
        """One row per cell and policy: the regret after the last round, and its paired difference to the reference."""
        keys = [*self.experiment.sweep, "policy"]
        regret = pl.col("regret")
        half = Z * regret.std() / regret.len().sqrt()
        finals = self.trials.group_by(keys, maintain_order=True).agg(
            regret.len().alias("trials"),
            regret.mean().alias("regret"),
            (regret.mean() - half).alias("low"),
            (regret.mean() + half).alias("high"),
            regret.std().alias("sd"),
            regret.quantile(0.1, "linear").alias("q10"),
            regret.median().alias("median"),
            regret.quantile(0.9, "linear").alias("q90"),
            pl.col("best_arm_share").mean(),
            pl.col("contaminated_share").mean(),
        )
        last = pl.col("round") == pl.col("round").max().over(keys)
        differences = self.curves.filter(last).select(*keys, *DIFFERENCE)
        table = finals.join(differences, on=keys, how="left", maintain_order="left", nulls_equal=True)
        has_interval = pl.col("trials") > 1
        return table.with_columns(pl.when(has_interval).then(pl.col(DIFFERENCE[1:])))

    def to_pandas(self) -> Any:
        """Return `table` as a pandas data frame; pandas must be installed."""
        import pandas as pd  # the user's own: trueward itself needs polars only

        return pd.DataFrame(self.table.to_dict(as_series=False))

    def plot(self) -> "alt.LayerChart | alt.FacetChart":
        """Return an Altair chart of the regret over time, with one panel per cell."""
        from trueward.reporting.regret_charts import curves_chart

        return curves_chart(self)

    def _concatenate(self, name: str) -> pl.DataFrame:
        parts = []
        for cell, tables in zip(self.experiment.cells, self._cells, strict=True):
            columns = [pl.lit(value).alias(key) for key, value in cell.point.items()]
            parts.append(tables[name].select(*columns, pl.all()))
        return pl.concat(parts)


def _line(row: dict[str, Any], swept: list[str]) -> str:
    point = "".join(f"{name} = {text(row[name])}, " for name in swept)
    half_width = "" if row["low"] is None else f" ± {row['regret'] - row['low']:.1f}"
    return f"  {point}{row['policy']}: {row['regret']:.1f}{half_width}"


def result_table(result: Result) -> NumberTable:
    """Return regret, its interval, its spread and the paired difference, one row per cell and policy."""
    reference = result.experiment.cells[0].reference
    columns = [*result.sweep, "policy"]
    return NumberTable(
        f"{result.title}: uncontaminated regret",
        [*columns, "mean", "95 % CI", "10-90 % range", f"difference to {reference}"],
        [
            [
                *(text(row[name]) for name in columns),
                f"{row['regret']:.1f}",
                _interval(row["low"], row["high"], ".1f"),
                _interval(row["q10"], row["q90"], ".0f"),
                _difference(row),
            ]
            for row in result.table.iter_rows(named=True)
        ],
        text_columns=len(columns),
    )


def _interval(low: float | None, high: float | None, digits: str) -> str:
    """Return an interval as text; a dash where there is none, as for the mean of a single trial."""
    return "–" if low is None or high is None else f"{low:{digits}} … {high:{digits}}"


def _difference(row: dict[str, Any]) -> str:
    has_interval = row["difference_low"] is not None
    return f"{row['difference']:+.1f}" + (
        f" [{row['difference_low']:+.1f}, {row['difference_high']:+.1f}]" if has_interval else ""
    )
