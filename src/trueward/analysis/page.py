"""The page of an analysis: it opens without a network; beside it lie the same as JSON and CSV, and its figures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from trueward import __version__
from trueward.analysis import words
from trueward.analysis.findings import STEPS, Findings, Told
from trueward.reporting.html_page import render, vega_bundle
from trueward.reporting.images import KINDS, write_images

FIGURES = ("leaderboard", "against-epsilon", "over-time", "contrasts", "missing", "raters")
FLUID = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
PAGE, JSON = "analysis.html", "analysis.json"


class Figure(NamedTuple):
    """A chart of the page, and the name of its files."""

    name: str
    chart: dict[str, Any]

    @property
    def on_page(self) -> dict[str, Any]:
        """The chart as wide as the page has room, and without its title, which the page says."""
        return {key: part for key, part in self.chart.items() if key != "title"} | FLUID


def steps() -> int:
    """Return how often a page's writing tells what it does, with the analysis before it."""
    return len(STEPS) + len(FIGURES) + 1


def write_page(folder: Path, findings: Findings, *, name: str, command: str, told: Told = lambda _: None) -> Path:
    """Write the page, its numbers and its figures into a folder, and return the page."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figures = {figure.name: figure for figure in draw(findings)}
    for figure in figures.values():
        told(f"drawing {figure.name}")
        write_images(folder / "figures", figure.name, figure.chart)
    told("writing the page")
    files = write_numbers(folder, findings)
    page = folder / PAGE
    page.write_text(page_of(findings, figures, name=name, command=command, files=files), encoding="utf-8")
    return page


def draw(findings: Findings) -> list[Figure]:
    """Return the figures that there are."""
    found = findings.analysis
    flagged = found.raters if found.raters.raters else None
    first = (found.leaderboard, findings.against, findings.course)
    parts: tuple[Any, ...] = (*first, found.contrasts, found.missing, flagged)
    return [Figure(name, part.plot().to_dict()) for name, part in zip(FIGURES, parts, strict=True) if part is not None]


def write_numbers(folder: Path, findings: Findings) -> list[str]:
    """Write everything as JSON, and every table as CSV; return the names of the files."""
    (folder / JSON).write_text(findings.to_json(), encoding="utf-8")
    tables = {f"{name}.csv": table for name, table in findings.tables().items()}
    for file, table in tables.items():
        table.with_columns(pl.col(pl.Float64).fill_nan(None)).write_csv(folder / file)
    return [JSON, *tables]


def page_of(findings: Findings, figures: Mapping[str, Figure], *, name: str, command: str, files: list[str]) -> str:
    """Return the page."""
    found = findings.analysis
    return render(
        "analysis.html",
        title=f"What may be concluded: {name}",
        found=found,
        facts=words.facts(found),
        board=words.board(found),
        beside_rules=words.beside_rules(found),
        ahead=words.ahead(findings.against),
        contrasts=words.contrasts(found),
        checks=words.checks(found),
        missing=words.missing(found),
        drift=words.drift(found),
        raters=words.raters(found),
        figures=figures,
        kinds=KINDS,
        settings={"source": name, "assumed": found.leaderboard.assumption, "version": __version__},
        command=command,
        files=files,
        bundle=vega_bundle(),
    )
