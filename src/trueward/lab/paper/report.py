"""The report: one page that needs no network, with figures, regrets, ledger and settings."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from trueward import __version__
from trueward.lab.experiment.example_files import example_names
from trueward.lab.experiment.result import Result, result_table
from trueward.lab.paper.figures import FIGURES
from trueward.lab.paper.ledger import SIGNS, Ledger
from trueward.lab.paper.regret_tables import regret_tables
from trueward.reporting.html_page import Figure, render, vega_bundle
from trueward.reporting.images import SUFFIXES, write_images
from trueward.reporting.labels import count
from trueward.reporting.regret_charts import curves_chart

DATA = ("*.json", "*.csv", "*.parquet", "data/*")
REGRET = "Regret is the expected true reward of the best arm minus that of the arms played, summed over rounds."


def write_report(
    folder: Path,
    results: Mapping[str, Result],
    ledger: Ledger,
    settings: Mapping[str, object],
    *,
    paper: bool = False,
) -> Path:
    """Write `report.html` into a folder, and each figure as PNG and PDF into `figures`; return the page."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figures = draw_figures(results, paper=paper)
    for figure in figures:
        write_images(folder / "figures", figure.name, figure.chart)
    files = sorted({file for pattern in DATA for file in folder.glob(pattern) if file.is_file()})
    page = folder / "report.html"
    html = render(
        "report.html",
        title=_title(results, ledger),
        summary=_summary(results, ledger),
        figures=figures,
        kinds=SUFFIXES,
        tables=regret_tables(results) or [result_table(result) for result in results.values()],
        ledger=ledger,
        signs=SIGNS,
        count=count,
        settings={"version": __version__, **settings},
        experiments=list(_experiments(results)),
        command="\n".join(f"trueward {command}" for command in _commands(results, paper=paper)),
        files=[file.relative_to(folder).as_posix() for file in files],
        bundle=vega_bundle(),
    )
    page.write_text(html, encoding="utf-8")
    return page


def draw_figures(results: Mapping[str, Result], *, paper: bool = False) -> list[Figure]:
    """Return the paper's figures that can be drawn; where there is none, a chart of each experiment.

    Beside the paper's figures, other experiments only feed the ledger.
    """
    ours = {number: figure for number, figure in FIGURES.items() if figure.experiment in results}
    if ours:
        return [
            Figure(
                f"figure{number}",
                f"Figure {number}. {figure.title}",
                _paper_caption(results[figure.experiment]) if paper else figure.caption,
                figure.chart(results[figure.experiment], paper=paper).to_dict(),
            )
            for number, figure in ours.items()
        ]
    return [_generic(name, result, paper=paper) for name, result in results.items()]


def _generic(name: str, result: Result, *, paper: bool) -> Figure:
    chart = curves_chart(result, band="sd" if paper else "ci")
    return Figure(re.sub(r"[^\w.-]+", "-", name), result.title, "Mean regret over time.", chart.to_dict())


def _paper_caption(result: Result) -> str:
    trials = count(result.experiment.cells[0].trials, "trial")
    return f"As in the paper: mean over {trials}, with bars of one standard deviation."


def _title(results: Mapping[str, Result], ledger: Ledger) -> str:
    if ledger.entries or any(figure.experiment in results for figure in FIGURES.values()):
        return "Bandits under contaminated feedback: the paper's claims and figures, replicated"
    return "; ".join(result.title for result in results.values())


def _summary(results: Mapping[str, Result], ledger: Ledger) -> str:
    games = sum(cell.games for result in results.values() for cell in result.experiment.cells)
    played = f"{count(games, 'game')} in {count(len(results), 'experiment')}."
    return " ".join(part for part in (played, ledger.summary, REGRET) if part)


def _experiments(results: Mapping[str, Result]) -> Iterator[dict[str, str]]:
    """Give a summary line and the complete settings of each experiment."""
    for name, result in results.items():
        cell = result.experiment.cells[0]
        heading = f"{name}: {result.experiment.title}" if result.experiment.title else name
        played = f"{count(cell.horizon, 'round')}, {count(cell.trials, 'trial')}, seed {cell.seed}"
        settings = {**cell.settings, "sweep": result.experiment.sweep}
        settings.pop("checkpoints", None)
        summary = f"{heading} ({played}; {', '.join(cell.policies)})"
        yield {"summary": summary, "settings": json.dumps(settings, indent=1, default=str)}


def _commands(results: Mapping[str, Result], *, paper: bool) -> list[str]:
    """Return the commands that give the same numbers again."""
    cells = {name: result.experiment.cells[0] for name, result in results.items()}
    ours = [number for number, figure in FIGURES.items() if figure.experiment in results]
    if not ours:
        known = example_names()
        given = {name: name if name in known else f"{name}.toml" for name in cells}
        return [f"run {given[name]} --trials {cell.trials} --seed {cell.seed}" for name, cell in cells.items()]
    cell = cells[FIGURES[ours[0]].experiment]
    which = f" --figure {ours[0]}" if len(results) == 1 else ""
    return [f"reproduce{which} {'--paper' if paper else f'--trials {cell.trials}'} --seed {cell.seed}"]
