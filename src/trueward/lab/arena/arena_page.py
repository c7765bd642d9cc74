"""The output of a tournament: an offline page, images and tables; and the standings for the terminal."""

from collections.abc import Mapping
from pathlib import Path

from rich import box, markup
from rich.table import Table

from trueward.lab.arena.field import YOURS
from trueward.lab.arena.heat_map import DARKEST, RAMP, data_heat_map, draw_heat_map, ink_on, shade
from trueward.lab.arena.scenario import VALUE_LETTERS
from trueward.lab.arena.standings import MEAN_RANK, Standings
from trueward.lab.arena.suite import GROUPS
from trueward.reporting.html_page import render
from trueward.reporting.images import write_images

HIGHLIGHT = "bold reverse"  # the style of the user's own policies
WIDE_NAMES, WIDE_COLUMN = 48, 20  # characters for the names, and for a number with its interval


def write_page(folder: Path, standings: Standings, settings: Mapping[str, object], command: str) -> Path:
    """Write `arena.html`, the heat map as PNG and PDF, and the tables as Parquet and CSV; return the page."""
    folder.mkdir(parents=True, exist_ok=True)
    policies = [standings.policies[i] for i in standings.best_first()]
    chart = draw_heat_map(data_heat_map(standings), policies).to_dict()
    written = write_images(folder, "arena", chart)
    for name, table in {"shares": standings.share_table(), "standings": standings.table()}.items():
        table.write_parquet(folder / f"{name}.parquet")
        table.write_csv(folder / f"{name}.csv")
        written += [f"{name}.parquet", f"{name}.csv"]
    page = folder / "arena.html"
    html = render(
        "arena.html",
        title="The arena: bandits under contaminated feedback",
        standings=standings,
        best_first=standings.best_first(),
        groups=GROUPS,
        value_letters=VALUE_LETTERS,
        yours=YOURS,
        rank=MEAN_RANK,
        ramp=RAMP,
        darkest=f"{DARKEST:g}",
        shade=shade,
        ink_on=ink_on,
        settings=settings,
        command=command,
        files=written,
    )
    page.write_text(html, encoding="utf-8")
    return page


def standings_table(standings: Standings, *, width: int) -> Table:
    """Return the standings for the terminal; a narrow terminal gets neither families nor intervals."""
    columns = standings.columns
    wide = width >= WIDE_NAMES + WIDE_COLUMN * len(columns)
    title = "Regret as a share of uniform play; worst case by group"
    table = Table(title=title, box=box.HEAVY_HEAD if wide else box.SIMPLE_HEAD, padding=(0, 1 if wide else 0))
    table.add_column("policy", no_wrap=True)
    if wide:
        table.add_column("family", no_wrap=True)
    for name in columns:
        table.add_column(name if wide else name.removeprefix("worst: "), justify="right", no_wrap=wide)
    for i in standings.best_first():
        policy = standings.policies[i]
        family = standings.families[policy]
        mark = "▶ " if family == YOURS else ""  # visible without colours, too
        names = (markup.escape(mark + policy), *([family] if wide else []))
        estimates = (column[i] for column in columns.values())
        numbers = (markup.escape(str(estimate)) if wide else f"{estimate.value:.2f}" for estimate in estimates)
        table.add_row(*names, *numbers, style=HIGHLIGHT if family == YOURS else None)
    return table
