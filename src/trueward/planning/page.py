"""What a plan leaves behind: a page that opens without a network, its charts, its numbers, and what to copy."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from trueward import __version__
from trueward.planning.charts import draw_chances, draw_laws, draw_rehearsal, draw_tuning
from trueward.planning.pilot import Pilot
from trueward.planning.plan import Plan
from trueward.reporting.html_page import Figure, render, vega_bundle
from trueward.reporting.images import SUFFIXES, write_images
from trueward.reporting.labels import count

Table = dict[str, Any]


def write_plan(folder: Path, plan: Plan, *, command: str = "", seconds: float | None = None) -> Path:
    """Write `plan.html`, its figures, `plan.json`, tables as CSV, and the study as TOML and Python; return the page."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    figures = _figures(plan)
    for figure in figures.values():
        write_images(folder / "figures", figure.name, figure.chart)
    texts = {
        "plan.json": json.dumps(plan.as_dict(), indent=1) + "\n",
        "chances.csv": plan.chances.write_csv(),
        **({} if plan.rehearsal is None else {"rehearsal.csv": plan.rehearsal.write_csv()}),
        "study.toml": plan.toml,
        "create_study.py": plan.python,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    page = folder / "plan.html"
    words = render(
        "plan.html",
        title=f"A study of {count(len(plan.outline.names), 'arm')}, planned",
        plan=plan,
        figures=figures | {name: None for name in ("rehearsal", "tuning") if name not in figures},
        kinds=SUFFIXES,
        chances=_chances(plan.chances),
        rehearsal=None if plan.rehearsal is None else _rehearsal(plan.rehearsal),
        pilot=None if plan.pilot is None else _pilot(plan.pilot),
        assumed=plan.assumptions,
        settings=_settings(plan, seconds),
        command=command or "tw.plan(…)",
        files=list(texts),
        bundle=vega_bundle(),
    )
    page.write_text(words, encoding="utf-8")
    return page


def _figures(plan: Plan) -> dict[str, Figure]:
    planned, names = plan.outline.participants, plan.outline.names
    drawn = {
        "chances": (draw_chances(plan.chances, planned), "Chances and losses", "Bands: 95 % Monte-Carlo intervals."),
        "laws": (
            draw_laws(plan.outline.arms, names),
            "The arms as they were played",
            "How often each rating is given, by attentive people.",
        ),
    }
    if plan.rehearsal is not None:
        words = "Dots: how often the study ends on the best arm; bars: 95 % Monte-Carlo intervals."
        drawn["rehearsal"] = draw_rehearsal(plan.rehearsal), "Under attack", words
    if plan.pilot is not None and plan.pilot.tuned is not None:
        words = "Regret of each pair against the best pair's in the same replay, the worst of the replays."
        drawn["tuning"] = draw_tuning(plan.pilot.tuned), "crUCB's alpha and sigma", words
    return {name: Figure(name, title, caption, chart.to_dict()) for name, (chart, title, caption) in drawn.items()}


def _table(headers: list[str], rows: Iterable[list[str]], words: int) -> Table:
    """Return a table for the page, whose first columns are words."""
    numeric = [place >= words for place in range(len(headers))]
    return {"title": "", "headers": headers, "numeric": numeric, "rows": list(rows)}


HEADS = ["ends on the best arm", "points lost", "decides", "misleads"]


def _outcomes(row: dict[str, Any]) -> list[str]:
    chance = "{:.0f}\N{NO-BREAK SPACE}% [{:.0f},\N{NO-BREAK SPACE}{:.0f}]"
    percent = {
        name: chance.format(*(100 * row[f"{name}{end}"] for end in ("", "_low", "_high")))
        for name in ("best", "decides", "misleads")
    }
    lost = f"{row['lost']:.1f} [{row['lost_low']:.1f},\N{NO-BREAK SPACE}{row['lost_high']:.1f}]"
    return [percent["best"], lost, percent["decides"], percent["misleads"]]


def _chances(chances: pl.DataFrame) -> Table:
    ordered = chances.sort("participants", maintain_order=True).iter_rows(named=True)
    rows, last = [], 0
    for row in ordered:
        rows.append(["" if row["participants"] == last else f"{row['participants']:,}", row["policy"], *_outcomes(row)])
        last = row["participants"]
    return _table(["participants", "policy", *HEADS], rows, 2)


def _rehearsal(rehearsal: pl.DataFrame) -> Table:
    rows, last = [], ""
    for row in rehearsal.iter_rows(named=True):
        attack = "" if row["attack"] == last else f"{row['attack']}: {row['words']}"
        rows.append([attack, row["policy"], *_outcomes(row)])
        last = row["attack"]
    return _table(["attack", "policy", *HEADS], rows, 2)


def _pilot(pilot: Pilot) -> Table:
    alpha, spread = pilot.alpha, pilot.sigma
    bounds = [] if alpha is None else [["careless at most, 95 % (from checks)", f"{100 * alpha.bound:.1f} %"]]
    if alpha is not None and alpha.lowest < alpha.highest:
        ends = (("half", alpha.lowest), ("fifth", alpha.highest))
        bounds += [[f"the same, if checks find a {part}", f"{100 * bound:.1f} %"] for part, bound in ends]
    rows = [
        *bounds,
        ["bad ratings, as the mixture posterior believes", f"{100 * pilot.believed:.1f} %"],
        ["spread of honest ratings (main law)", f"{spread.main:.2f}"],
        ["plain standard deviation", f"{spread.plain:.2f}"],
        ["standard deviation of the middle", f"{spread.trimmed:.2f}"],
    ]
    if pilot.tuned is not None:
        rows += [["crUCB's alpha", f"{pilot.tuned.alpha:.2f}"], ["crUCB's sigma", f"{pilot.tuned.sigma:.2f}"]]
    return _table(["from the pilot", ""], rows, 1)


def _settings(plan: Plan, seconds: float | None) -> dict[str, object]:
    outline = plan.outline
    settings = {
        "arms": ", ".join(outline.names),
        "scale": f"{outline.scale[0]:g} to {outline.scale[1]:g}, {outline.arms.scale.size} values",
        "difference": "as in the pilot" if outline.difference is None else f"{outline.difference:g} points",
        "participants": f"{outline.participants:,}",
        "assumed bad": f"{100 * outline.epsilon:.3g} % ({outline.bad}), level {100 * outline.level:.4g} %",
        "uniform share": f"{outline.uniform_share:g}",
        "delay": repr(outline.delay),
        "games": f"{plan.games:,} for each policy",
        "seed": plan.seed,
        "version": __version__,
    }
    return settings if seconds is None else settings | {"run time": f"{seconds:.0f} s"}
