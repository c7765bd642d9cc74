"""What an experiment found: tables with one column per swept value, and a chart."""

from dataclasses import astuple, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from trueward.lab.experiment.specification import Experiment
from trueward.lab.experiment.tables import DIFFERENCE
from trueward.reporting.labels import count, text
from trueward.statistics.mean_interval import Z

if TYPE_CHECKING:
    import altair as alt

LINES = 12  # of a result in words


@dataclass(frozen=True)
class Effort:
    """How many cells were played now, and how many were found ready, with the seconds that each kind took to play."""

    played: int = 0
    seconds: float = 0.0
    ready: int = 0
    ready_seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        words = [f"{self.played} of {self.played + self.ready} cells played in {self.seconds:.1f} s"]
        words += [f"{self.ready} found ready, played earlier in {self.ready_seconds:.1f} s"] if self.ready else []
        return "; ".join(words)


class Result:
    """The tables of all cells of an experiment, and what it took to play them."""

    def __init__(
        self, experiment: Experiment, cells: list[dict[str, pl.DataFrame]], effort: Effort | None = None
    ) -> None:
        self.experiment = experiment
        self.effort = effort or Effort()
        self._cells = cells

    def __repr__(self) -> str:
        """Say what was played, and what came of it, a line per cell and policy."""
        cell = self.experiment.cells[0]
        head = f"{self.title}: {count(cell.trials, 'trial')} of {cell.horizon:,} rounds; regret after the last round"
        rows = [_line(row, self.sweep) for row in self.table.head(LINES).iter_rows(named=True)]
        rest = self.table.height - len(rows)
        return "\n".join([head, *rows, *([f"… and {rest} more rows in .table"] if rest else [])])

    def _repr_html_(self) -> str:
        """Show title and the main columns of the table in a notebook."""
        table = self.table.select(*self.sweep, "policy", "regret", "low", "high", *DIFFERENCE)
        with pl.Config(tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True, tbl_rows=100):
            shown = table.with_columns(cs.float().round_sig_figs(4))._repr_html_()
        return f"<p>{escape(repr(self).splitlines()[0])}</p>{shown}"

    @property
    def title(self) -> str:
        """What was asked, or the name of the experiment."""
        return self.experiment.title or self.experiment.name

    @property
    def sweep(self) -> list[str]:
        """The names of what was swept."""
        return list(self.experiment.sweep)

    @property
    def trials(self) -> pl.DataFrame:
        """One row per cell, policy and trial, after the last round."""
        return self._joined("trials")

    @property
    def curves(self) -> pl.DataFrame:
        """One row per cell, policy and checkpoint."""
        return self._joined("curves")

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
        return table.with_columns(pl.when(pl.col("trials") > 1).then(pl.col(DIFFERENCE[1:])))  # one has no interval

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd  # the user's own: trueward itself needs polars only

        return pd.DataFrame(self.table.to_dict(as_series=False))

    def plot(self) -> "alt.LayerChart | alt.FacetChart":
        """Return a chart of regret over time, a panel per cell."""
        from trueward.reporting.charts import curves_chart

        return curves_chart(self)

    def _joined(self, name: str) -> pl.DataFrame:
        parts = []
        for cell, tables in zip(self.experiment.cells, self._cells, strict=True):
            columns = [pl.lit(value).alias(key) for key, value in cell.point.items()]
            parts.append(tables[name].select(*columns, pl.all()))
        return pl.concat(parts)


def _line(row: dict[str, Any], swept: list[str]) -> str:
    point = "".join(f"{name} = {text(row[name])}, " for name in swept)
    sure = "" if row["low"] is None else f" ± {row['regret'] - row['low']:.1f}"
    return f"  {point}{row['policy']}: {row['regret']:.1f}{sure}"
