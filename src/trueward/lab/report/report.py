"""The report: one page that opens without a network, with what was run, the ledger and the figures."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import vl_convert

from trueward import __version__
from trueward.lab.experiment.examples import example_names
from trueward.lab.experiment.result import Result
from trueward.lab.paper.figures import FIGURES
from trueward.lab.paper.ledger import Check, Entry, Ledger, verdict_words
from trueward.pages.charts import curves_chart

SIGNS = {"holds": "✓", "does not hold": "✗", "depends": "◐"}  # a verdict is never told by colour alone
DATA = ("*.json", "*.csv", "*.parquet", "data/*")
PIXELS = 2  # of a PNG, per point of the chart


@dataclass(frozen=True)
class Drawn:
    """A figure of the page, and the name of its files."""

    name: str
    title: str
    caption: str
    chart: dict[str, Any]


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
        _write_images(folder / "figures", figure)
    page = folder / "report.html"
    page.write_text(_page(folder, results, ledger, settings, figures, paper=paper), encoding="utf-8")
    return page


def draw_figures(results: Mapping[str, Result], *, paper: bool = False) -> list[Drawn]:
    """Return the paper's figures that can be drawn; where there is none, a chart of each experiment.

    Beside the paper's figures, other experiments only feed the ledger.
    """
    ours = {number: figure for number, figure in FIGURES.items() if figure.experiment in results}
    if ours:
        return [
            Drawn(
                f"figure{number}",
                f"Figure {number}. {figure.title}",
                _paper_caption(results[figure.experiment]) if paper else figure.caption,
                figure.chart(results[figure.experiment], paper=paper).to_dict(),
            )
            for number, figure in ours.items()
        ]
    return [_generic(name, result, paper=paper) for name, result in results.items()]


def _generic(name: str, result: Result, *, paper: bool) -> Drawn:
    chart = curves_chart(result, band="sd" if paper else "ci")
    reference = result.experiment.cells[0].reference
    caption = f"Mean regret over time. The tables hold the paired differences to {reference} and the 10–90 % ranges."
    return Drawn(re.sub(r"[^\w.-]+", "-", name), result.experiment.title or name, caption, chart.to_dict())


def _paper_caption(result: Result) -> str:
    trials = result.experiment.cells[0].trials
    return f"As in the paper: mean over {trials} trials, with bars of one standard deviation."


def _write_images(folder: Path, figure: Drawn) -> None:
    (folder / f"{figure.name}.png").write_bytes(vl_convert.vegalite_to_png(figure.chart, scale=PIXELS))
    (folder / f"{figure.name}.pdf").write_bytes(vl_convert.vegalite_to_pdf(figure.chart))


def _page(
    folder: Path,
    results: Mapping[str, Result],
    ledger: Ledger,
    settings: Mapping[str, object],
    figures: list[Drawn],
    *,
    paper: bool,
) -> str:
    sections = [("run", "What was run"), *([("claims", "Claims")] if ledger.entries else [])]
    sections += [("figures", "Figures"), ("reproduce", "Run it again")]
    parts = {
        "title": escape(_title(results, ledger)),
        "summary": f"<p>{escape(_summary(results, ledger))}</p>",
        "contents": "".join(f'<a href="#{anchor}">{words}</a>' for anchor, words in sections),
        "settings": _pairs({"version": __version__, **settings}),
        "experiments": _experiments(results),
        "ledger": _ledger(ledger),
        "figures": _figures(figures),
        "reproduce": _reproduce(folder, results, paper=paper),
        "bundle": vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script"),
    }
    template = (files("trueward.lab.report") / "report.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)  # one pass: what is put in stays as it is


def _title(results: Mapping[str, Result], ledger: Ledger) -> str:
    if ledger.entries or any(figure.experiment in results for figure in FIGURES.values()):
        return "Bandits under contaminated feedback: the paper's claims and figures, played again"
    return "; ".join(result.experiment.title or name for name, result in results.items())


def _summary(results: Mapping[str, Result], ledger: Ledger) -> str:
    games = sum(cell.games for result in results.values() for cell in result.experiment.cells)
    played = f"{games:,} games were played in {_count(len(results), 'experiment')}. "
    how = "Regret is what the best arm would have earned in true reward, less what was earned, in expectation."
    if not ledger.entries:
        return played + how
    verdicts = Counter(entry.verdict for entry in ledger.entries)
    claims = (
        f"Of the paper's {_count(len(ledger.entries), 'claim')} judged here, {verdicts['holds']} hold under every "
        f"reading of what the paper leaves open, {verdicts['depends']} depend on the reading, and "
        f"{verdicts['does not hold']} hold under none. "
    )
    return played + claims + how


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pairs(values: Mapping[str, object]) -> str:
    rows = (f"<dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd>" for name, value in values.items())
    return f"<dl>{''.join(rows)}</dl>"


def _experiments(results: Mapping[str, Result]) -> str:
    return "".join(_experiment(name, result) for name, result in results.items())


def _experiment(name: str, result: Result) -> str:
    cell = result.experiment.cells[0]
    words = f"{name}: {result.experiment.title}" if result.experiment.title else name
    facts = f"{cell.horizon:,} rounds, {cell.trials:,} trials, seed {cell.seed}; {', '.join(cell.policies)}"
    told = {**cell.described, "sweep": result.experiment.sweep}
    told.pop("rounds", None)
    given = escape(json.dumps(told, indent=1, default=str))
    return f"<details><summary>{escape(words)} ({escape(facts)})</summary><pre>{given}</pre></details>"


def _ledger(ledger: Ledger) -> str:
    if not ledger.entries:
        return ""
    verdicts = Counter(str(entry.verdict) for entry in ledger.entries)
    choices = [("", f"all ({len(ledger.entries)})"), *((v, f"{sign} {v} ({verdicts[v]})") for v, sign in SIGNS.items())]
    buttons = " ".join(
        f'<button type="button" data-verdict="{v}" aria-pressed="{"false" if v else "true"}">{words}</button>'
        for v, words in choices
    )
    head = "".join(f"<th>{words}</th>" for words in ("Verdict", "Claim", "Where", "Measured, as stated [95 % CI]"))
    rows = "".join(map(_entry, ledger.entries))
    return (
        f'<section id="claims"><h2>The paper\'s claims</h2><p class="note screen">{buttons}</p>'
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></section>'
    )


def _entry(entry: Entry) -> str:
    verdict = entry.verdict
    told = verdict_words(entry).removeprefix(verdict).removeprefix(": ")
    details = f"<p>{escape(entry.statistic)}. Holds when: {escape(entry.criterion)}.</p>{_checks(entry)}"
    comment = f"<p>{escape(entry.comment)}</p>" if entry.comment else ""
    return (
        f'<tr data-verdict="{verdict}"><td><span class="verdict {verdict.replace(" ", "-")}">{SIGNS[verdict]} {verdict}'
        f'</span><br><span class="note">{escape(told)}</span></td>'
        f"<td><strong>{escape(entry.name)}</strong><br>{escape(entry.says)}{comment}"
        f"<details><summary>{_count(len(entry.checks), 'reading')}</summary>{details}</details></td>"
        f'<td>{escape(entry.where)}</td><td class="number">{_measured(entry.checks[0])}</td></tr>'
    )


def _checks(entry: Entry) -> str:
    rows = (
        f'<tr><td>{escape(check.choice)}</td><td class="number">{_measured(check)}</td>'
        f"<td>{'✓ holds' if check.holds else '✗ does not hold'}</td></tr>"
        for check in entry.checks
    )
    return f"<table><tr><th>Reading</th><th>Statistic [95 % CI]</th><th>Outcome</th></tr>{''.join(rows)}</table>"


def _measured(check: Check) -> str:
    return f"{check.statistic:.4g} [{check.low:.4g}, {check.high:.4g}]".replace("-", "−")


def _figures(figures: Iterable[Drawn]) -> str:
    hint = "Point at a curve for its values. Click a policy in the legend to isolate it, and again to undo that."
    drawn = "".join(map(_figure, figures))
    return f'<section id="figures"><h2>Figures</h2><p class="note screen">{hint}</p>{drawn}</section>'


def _figure(figure: Drawn) -> str:
    spec = json.dumps(figure.chart, separators=(",", ":")).replace("<", "\\u003c")
    title = escape(figure.title)
    links = " · ".join(f'<a href="figures/{figure.name}.{kind}">{kind.upper()}</a>' for kind in ("png", "pdf"))
    return (
        f"<figure><h3>{title}</h3>"
        f'<div class="chart" id="{figure.name}" data-spec="spec-{figure.name}" role="img" aria-label="{title}">'
        f"</div><figcaption>{escape(figure.caption)} {links}</figcaption>"
        f'<script type="application/json" id="spec-{figure.name}">{spec}</script></figure>'
    )


def _reproduce(folder: Path, results: Mapping[str, Result], *, paper: bool) -> str:
    lines = "\n".join(f"trueward {command}" for command in _commands(results, paper=paper))
    found = sorted({file for pattern in DATA for file in folder.glob(pattern) if file.is_file()})
    links = "".join(_link(file.relative_to(folder).as_posix()) for file in found)
    return f"<p>The same seed gives the same numbers, to the bit.</p><pre>{escape(lines)}</pre><ul>{links}</ul>"


def _commands(results: Mapping[str, Result], *, paper: bool) -> list[str]:
    """Return what to type for the same numbers again."""
    cells = {name: result.experiment.cells[0] for name, result in results.items()}
    ours = [number for number, figure in FIGURES.items() if figure.experiment in results]
    if not ours:
        known = example_names()
        given = {name: name if name in known else f"{name}.toml" for name in cells}
        return [f"run {given[name]} --trials {cell.trials} --seed {cell.seed}" for name, cell in cells.items()]
    cell = cells[FIGURES[ours[0]].experiment]
    which = f" --figure {ours[0]}" if len(results) == 1 else ""
    return [f"reproduce{which} {'--paper' if paper else f'--trials {cell.trials}'} --seed {cell.seed}"]


def _link(path: str) -> str:
    return f'<li><a href="{escape(path)}">{escape(path)}</a></li>'
