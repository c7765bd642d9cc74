"""What an experiment found: tables with one column per swept value, and a chart."""

from typing import TYPE_CHECKING, Any

import polars as pl

from trueward.lab.experiment.specification import Experiment
from trueward.lab.experiment.tables import Z
from trueward.pages.labels import text

if TYPE_CHECKING:
    import altair as alt


class Result:
    """The tables of all cells of an experiment."""

    def __init__(self, experiment: Experiment, cells: list[dict[str, pl.DataFrame]]) -> None:
        self.experiment = experiment
        self._cells = cells

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
        differences = self.curves.filter(last).select(*keys, "difference", "difference_low", "difference_high")
        return finals.join(differences, on=keys, how="left", maintain_order="left", nulls_equal=True)

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd  # the user's own: trueward itself needs polars only

        return pd.DataFrame(self.table.to_dict(as_series=False))

    def plot(self) -> "alt.LayerChart | alt.FacetChart":
        """Return a chart of regret over time, a panel per cell."""
        from trueward.pages.charts import curves_chart

        return curves_chart(self)

    def _joined(self, name: str) -> pl.DataFrame:
        parts = []
        for cell, tables in zip(self.experiment.cells, self._cells, strict=True):
            columns = [pl.lit(self._value(key, value)).alias(key) for key, value in cell.point.items()]
            parts.append(tables[name].select(*columns, pl.all()))
        return pl.concat(parts)

    def _value(self, key: str, value: Any) -> float | str:
        """Return a swept value for a column: a number if all of the sweep are numbers, else text."""
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.experiment.sweep[key])
        return float(value) if numeric else text(value)
