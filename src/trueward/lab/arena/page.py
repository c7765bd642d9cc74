"""What a tournament leaves behind: a page that opens without a network, images, and the numbers; and, in the terminal,
the standings.
"""

import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

import vl_convert
from rich import box, markup
from rich.table import Table

from trueward.lab.arena.heat_map import DARKEST, RAMP, data_heat_map, draw_heat_map, ink_on, shade
from trueward.lab.arena.standings import Estimate, Standings
from trueward.lab.arena.suite import GROUPS

PIXELS = 2  # of the PNG, per point of the chart
RANK = "mean rank"
WIDE_NAMES, WIDE_COLUMN = 48, 20  # characters of the terminal that names, and a number with its interval, take


def write_page(folder: Path, standings: Standings, settings: Mapping[str, object], command: str) -> Path:
    """Write `arena.html`, the heat map as PNG and PDF, and the tables as Parquet and CSV; return the page."""
    folder.mkdir(parents=True, exist_ok=True)
    policies = [standings.policies[place] for place in standings.best_first()]
    chart = draw_heat_map(data_heat_map(standings), policies).to_dict()
    (folder / "arena.png").write_bytes(vl_convert.vegalite_to_png(chart, scale=PIXELS))
    (folder / "arena.pdf").write_bytes(vl_convert.vegalite_to_pdf(chart))
    written = ["arena.png", "arena.pdf"]
    for name, table in {"shares": standings.share_table(), "standings": standings.table()}.items():
        table.write_parquet(folder / f"{name}.parquet")
        table.write_csv(folder / f"{name}.csv")
        written += [f"{name}.parquet", f"{name}.csv"]
    page = folder / "arena.html"
    page.write_text(_page(standings, settings, command, written), encoding="utf-8")
    return page


def standings_table(standings: Standings, *, width: int) -> Table:
    """Return the standings for a terminal of a width; where there is no room, without families and intervals."""
    columns = standings.columns
    wide = width >= WIDE_NAMES + WIDE_COLUMN * len(columns)
    title = "Regret as a share of uniform play; worst case by group"
    table = Table(title=title, box=box.HEAVY_HEAD if wide else box.SIMPLE_HEAD, padding=(0, 1 if wide else 0))
    table.add_column("policy", no_wrap=True)
    if wide:
        table.add_column("family", no_wrap=True)
    for name in columns:
        table.add_column(name if wide else name.removeprefix("worst: "), justify="right", no_wrap=wide)
    for place in standings.best_first():
        policy = standings.policies[place]
        numbers = (estimates[place] for estimates in columns.values())
        names = (markup.escape(policy), *([standings.families[policy]] if wide else []))
        table.add_row(*names, *(str(number) if wide else f"{number.value:.2f}" for number in numbers))
    return table


def _page(standings: Standings, settings: Mapping[str, object], command: str, written: list[str]) -> str:
    parts = {
        "verdicts": _verdicts(standings),
        "standings": _standings(standings),
        "filters": _filters(standings),
        "heat_map": _heat_map(standings),
        "ramp": ", ".join(RAMP),
        "darkest": f"{DARKEST:g}",
        "scenarios": _scenarios(standings),
        "settings": "".join(f"<dt>{escape(k)}</dt><dd>{escape(str(v))}</dd>" for k, v in settings.items()),
        "command": escape(command),
        "files": "".join(f'<li><a href="{name}">{name}</a></li>' for name in written),
    }
    template = (files("trueward.lab.arena") / "arena.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)  # one pass: what is put in stays as it is


def _verdicts(standings: Standings) -> str:
    return "".join(
        f"<tr><td>{escape(v.group)}</td><td><strong>{escape(v.first)}</strong> {v.worst}</td>"
        f"<td>{escape(v.second)} {v.next_worst}</td><td>{v.margin}</td>"
        f"<td>{'✓ clear' if v.clear else '≈ too close to call'}</td></tr>"
        for v in standings.verdicts()
    )


def _head(words: str, *, sort: str = "none", more: str = "") -> str:
    """Return the head of a column, a button that sorts by it."""
    return f'<th scope="col" aria-sort="{sort}"{more}><button type="button">{escape(words)}</button></th>'


def _cell(share: float, words: str, *, more: str = "") -> str:
    """Return a share on its colour."""
    color = shade(share)
    return f'<td data-value="{share:.6g}" style="background:{color};color:{ink_on(color)}"{more}>{words}</td>'


def _of_group(group: str, note: str) -> str:
    return f' data-group="{escape(group)}" title="{escape(note)}"'


def _with_interval(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} <small>{estimate.low:.2f}–{estimate.high:.2f}</small>"


def _name_cells(standings: Standings, policy: str) -> str:
    family = standings.families[policy]
    name = f'<th scope="row" data-value="{escape(policy)}">{escape(policy)}</th>'
    return f'{name}<td class="family" data-value="{escape(family)}">{escape(family)}</td>'


def _standings(standings: Standings) -> str:
    columns = standings.columns
    heads = [_head("policy"), _head("family")]
    heads += [_head(name, sort="ascending" if name == RANK else "none") for name in columns]
    rows = []
    for place in standings.best_first():
        cells = [_name_cells(standings, standings.policies[place])]
        for name, estimates in columns.items():
            words, value = _with_interval(estimates[place]), estimates[place].value
            cells.append(f'<td data-value="{value:.6g}">{words}</td>' if name == RANK else _cell(value, words))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody>"


def _heat_map(standings: Standings) -> str:
    spans = {group: sum(scenario.group == group for scenario in standings.scenarios) for group in standings.groups}
    over = "".join(
        f'<th scope="colgroup" colspan="{count}"{_of_group(group, GROUPS.get(group, ""))}>{escape(group)}</th>'
        for group, count in spans.items()
    )
    heads = [_head("policy"), _head("family"), _head(RANK, sort="ascending")]
    heads += [_head(s.label, more=f' class="upright"{_of_group(s.group, s.facts)}') for s in standings.scenarios]
    rows = []
    for place in standings.best_first():
        policy, rank = standings.policies[place], standings.ranks[place].value
        cells = [_name_cells(standings, policy), f'<td data-value="{rank:.6g}">{rank:.1f}</td>']
        for scenario, row in zip(standings.scenarios, standings.cells, strict=True):
            share, note = row[place], _of_group(scenario.group, f"{policy}, {scenario.name}: {row[place]}")
            cells.append(_cell(share.value, f"{share.value:.2f}", more=note))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = f'<tr class="groups"><td></td><td colspan="2"></td>{over}</tr><tr>{"".join(heads)}</tr>'
    return f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"


def _filters(standings: Standings) -> str:
    choices = [("", "all", ""), *((group, group, GROUPS.get(group, "")) for group in standings.groups)]
    return " ".join(
        f'<button type="button" data-show="{escape(group)}" aria-pressed="{"false" if group else "true"}" '
        f'title="{escape(note)}">{escape(words)}</button>'
        for group, words, note in choices
    )


def _scenarios(standings: Standings) -> str:
    return "".join(
        f"<tr><td>{escape(s.group)}</td><td>{escape(s.label)}</td><td>{escape(s.facts)}</td>"
        f"<td><code>{escape(repr(s.adversary))}</code></td></tr>"
        for s in standings.scenarios
    )
