"""Write the page of an analysis, which opens without a network, with its JSON, CSV files and figures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from trueward import __version__
from trueward.analysis import text
from trueward.analysis.text import STEPS, AnalysisReport, OnStep
from trueward.reporting.html_page import render, vega_bundle
from trueward.reporting.images import SUFFIXES, write_images

FIGURES = ("leaderboard", "against-epsilon", "over-time", "differences", "missing", "raters")
FULL_WIDTH = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
PAGE, JSON = "analysis.html", "analysis.json"


class PageChart(NamedTuple):
    """A chart of the page, and the name of its files."""

    name: str
    chart: dict[str, Any]

    @property
    def on_page(self) -> dict[str, Any]:
        """The chart as wide as the page and without a title: the page has its own."""
        return {key: part for key, part in self.chart.items() if key != "title"} | FULL_WIDTH


def count_steps() -> int:
    """Return how often `make_report` and `write_page` together call `on_step`."""
    return len(STEPS) + len(FIGURES) + 1


def write_page(
    folder: Path, report: AnalysisReport, *, name: str, command: str, on_step: OnStep = lambda _: None
) -> Path:
    """Write the page, its numbers and its figures into a folder, and return the page."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figures = {figure.name: figure for figure in draw_charts(report)}
    for figure in figures.values():
        on_step(f"drawing {figure.name}")
        write_images(folder / "figures", figure.name, figure.chart)
    on_step("writing the page")
    files = write_numbers(folder, report)
    page = folder / PAGE
    page.write_text(render_page(report, figures, name=name, command=command, files=files), encoding="utf-8")
    return page


def draw_charts(report: AnalysisReport) -> list[PageChart]:
    """Return the charts of the parts that the analysis has."""
    analysis = report.analysis
    raters = analysis.raters if analysis.raters.raters else None
    intervals = (analysis.leaderboard, report.by_epsilon, report.over_time)
    parts: tuple[Any, ...] = (*intervals, analysis.differences, analysis.missing, raters)
    return [
        PageChart(name, part.plot().to_dict()) for name, part in zip(FIGURES, parts, strict=True) if part is not None
    ]


def write_numbers(folder: Path, report: AnalysisReport) -> list[str]:
    """Write everything as JSON, and every table as CSV; return the names of the files."""
    (folder / JSON).write_text(report.to_json(), encoding="utf-8")
    tables = {f"{name}.csv": table for name, table in report.tables().items()}
    for file, table in tables.items():
        table.with_columns(pl.col(pl.Float64).fill_nan(None)).write_csv(folder / file)
    return [JSON, *tables]


def render_page(
    report: AnalysisReport, figures: Mapping[str, PageChart], *, name: str, command: str, files: list[str]
) -> str:
    analysis = report.analysis
    return render(
        "analysis.html",
        title=f"What may be concluded: {name}",
        analysis=analysis,
        key_numbers=text.key_numbers(analysis),
        leaderboard=text.leaderboard_table(analysis),
        rules=text.rules_table(analysis),
        ahead=text.ahead_table(report.by_epsilon),
        differences=text.differences_table(analysis),
        checks=text.check_results(analysis),
        missing=text.missing_table(analysis),
        drift=text.drift_table(analysis),
        raters=text.raters_table(analysis),
        figures=figures,
        kinds=SUFFIXES,
        settings={"source": name, "assumed": analysis.leaderboard.assumption, "version": __version__},
        command=command,
        files=files,
        bundle=vega_bundle(),
    )
