"""Draw what cannot be had together with Wary: pairs of results that move in opposite directions with one assumption.

    python scripts/wary_frontier.py               # some ten minutes on two cores; prints the numbers too
    python scripts/wary_frontier.py --quick       # a look

The worlds, the rows and what they should reach are those of `default_policy_table.py`.
"""

import argparse
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import default_policy_table as measured
import polars as pl
import vl_convert
from PIL import Image
from rating_worlds import divided_worlds

import trueward as tw

FILE = Path(__file__).parents[1] / "docs" / "images" / "wary-frontier.png"
ZEROS, ONES = "12 % zeros on one arm", "stars, worst 15 % ones"
assert {ZEROS, ONES} <= set(divided_worlds())


class Sweep(NamedTuple):
    """The values of an assumption, and the rows that it moves: section, label, and the name in the picture."""

    values: tuple[float, ...]
    rows: tuple[tuple[str, str, str], ...]


SWEEPS = {
    "heap_odds": Sweep(
        (0.01, 0.03, 0.1, 0.3, 1.0),
        (
            ("paper", "W", "paper's arms, W"),
            ("divided", ZEROS, "honest zeros"),
            ("divided", ONES, "honest ones"),
        ),
    ),
    "longest_start": Sweep(
        (1.0, 10 / 7, 15 / 7, 19 / 7),
        (
            ("labelled-500", "front W, all sources", "labelled people, front W"),
            ("ratings", "lecturers, class", "lecturers, class"),
            ("ratings", "items, class", "items, class"),
        ),
    ),
    "power": Sweep(
        (1.0, 1.25, 1.5, 2.0),
        (
            ("labelled-500", "attentive, all sources", "labelled people, regret"),
            ("labelled-500", "attentive, games on a wrong arm", "labelled people, wrong arm"),
            ("paper", "clean", "paper's arms, clean"),
        ),
    ),
}


def policy_with(assumption: str, value: float) -> type[tw.Wary]:
    """Return Wary with another value of an assumption."""
    return type("Wary", (tw.Wary,), {"assumed": replace(tw.Wary.assumed, **{assumption: value})})


def data_frontier(**size: int) -> pl.DataFrame:
    """Return each row of each sweep: measured, its standard error, and what it should reach."""
    found = list[dict[str, Any]]()
    for assumption, (values, rows) in SWEEPS.items():
        names = {(section, label): name for section, label, name in rows}
        conditions = {(section, label.removesuffix(", all sources").split(", games")[0]) for section, label in names}
        todo = [
            match
            for match in measured.matches(sorted({section for section, _ in names}), [], **size)
            if match.key[:2] in conditions or (match.key[0] == "ratings" and match.key[1] == "class")
        ]
        for value in values:
            played = measured.play_all(policy_with(assumption, value), todo)
            found += [
                {"assumption": assumption, "value": value, "row": names[row.section, row.label]}
                | {"measured": row.value, "se": row.se, "reach": row.reach}
                for row in rows_of(played)
                if (row.section, row.label) in names
            ]
    return pl.DataFrame(found)


def rows_of(played: dict[measured.Key, measured.Played]) -> list[measured.Row]:
    """Return the rows of the table for what was played, where only some conditions of a section were."""
    rows = list[measured.Row]()
    for section, what in {key[:2] for key in played}:
        part = {key: games for key, games in played.items() if key[:2] == (section, what)}
        if section.startswith("labelled"):
            ratio = measured.exponential(measured.mean_of(list(measured.by_source(part, section, what).values())))
            reach = measured.LABELLED[int(section.split("-")[1])][what][0]
            rows.append(measured.Row(section, f"{what}, all sources", *ratio, reach))
            rows += [measured.wrong_arm_row(list(part.values()))] if what == "attentive" else []
        elif section == "ratings":
            ratios = measured.by_source(part, section, what)
            rows += [
                measured.Row(section, f"{source}, {what}", *measured.exponential(ratio), measured.RATINGS[what])
                for source, ratio in ratios.items()
            ]
        else:
            rows += measured.table_rows(part)
    return rows


def draw_frontier(table: pl.DataFrame) -> alt.HConcatChart:
    """Draw each row over what it should reach, a panel for each assumption; a thin line marks the value of Wary."""
    return alt.hconcat(*(draw_sweep(table.filter(assumption=name), name) for name in SWEEPS)).resolve_scale(
        color="independent", y="shared"
    )


def draw_sweep(table: pl.DataFrame, assumption: str) -> alt.LayerChart:
    """Draw one panel."""
    data = table.with_columns(
        relative=pl.col("measured") / pl.col("reach"),
        low=(pl.col("measured") - 2 * pl.col("se")) / pl.col("reach"),
        high=(pl.col("measured") + 2 * pl.col("se")) / pl.col("reach"),
    )
    base = alt.Chart(alt.InlineData(values=data.to_dicts())).encode(
        alt.X("value:Q", title=assumption, axis=alt.Axis(values=list(SWEEPS[assumption].values), format="~g")).scale(
            type="log", nice=False, padding=12
        ),
        alt.Y("relative:Q", title="measured over what it should reach").scale(type="log", nice=False, padding=8),
        alt.Color("row:N", title=None, legend=alt.Legend(orient="bottom", columns=1, labelLimit=300)),
    )
    bars = base.mark_rule().encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    lines = base.mark_line(point=True, strokeWidth=1.8)
    now = alt.Chart().mark_rule(strokeWidth=0.7, color="#777").encode(x=alt.datum(getattr(tw.Wary.assumed, assumption)))
    met = alt.Chart().mark_rule(strokeDash=[4, 3], color="#777").encode(y=alt.datum(1.0))
    return alt.layer(met, now, bars, lines).properties(width=230, height=230)


def main() -> None:
    """Play, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2 groups x 8 games")
    quick = parser.parse_args().quick
    size = {"groups": 2, "games": 8, "paper_games": 32} if quick else {"groups": 6, "games": 48, "paper_games": 500}
    table = data_frontier(**size)
    sys.stdout.write(table.write_csv(float_precision=3))
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_frontier(table).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)


if __name__ == "__main__":
    main()
