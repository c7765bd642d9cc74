"""Charts of a plan. `data_*` gives the table that a chart shows; `draw_*` only draws it."""

from typing import Any

import altair as alt
import polars as pl

from trueward.pages.styles import policy_color, policy_dash

PANELS = {
    "best": "chance to end on the best arm",
    "decides": "chance that the robust interval decides",
    "lost": "points lost, all participants together",
}
WIDTH, HEIGHT = 265, 220
FORMAT = ".3~r"


def data_chances(chances: pl.DataFrame, shown: str) -> pl.DataFrame:
    """Return one of the three, a row per policy and number of participants."""
    ends = {"value": shown, "low": f"{shown}_low", "high": f"{shown}_high"}
    return chances.select("policy", "participants", **{name: pl.col(column) for name, column in ends.items()})


def draw_chances(chances: pl.DataFrame, planned: int) -> Any:
    """Draw chances and losses against the number of participants, with bands of the simulation's error."""
    panels = [_panel(data_chances(chances, shown), shown, planned) for shown in PANELS]
    heading = ["Against the number of participants", "band: 95 % Monte-Carlo interval; dotted line: as planned"]
    title = alt.TitleParams(heading, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)
    return alt.hconcat(*panels, title=title, spacing=18)


def _panel(table: pl.DataFrame, shown: str, planned: int) -> Any:
    span = alt.Scale(domain=[0, 1]) if shown != "lost" else alt.Scale(zero=True)
    axis = alt.Axis(format="%" if shown != "lost" else "~s", tickCount=5)
    base = alt.Chart().encode(
        alt.X(
            "participants:Q", title="participants", axis=alt.Axis(grid=False, tickCount=5), scale=alt.Scale(zero=True)
        ),
        policy_color(table, legend=True),
    )
    y = alt.Y("value:Q", title=PANELS[shown], scale=span, axis=axis)
    words = {"value": shown, "low": "95 % from", "high": "95 % to"}
    tips = [alt.Tooltip("policy:N"), alt.Tooltip("participants:Q")]
    tips += [alt.Tooltip(f"{name}:Q", title=title, format=FORMAT) for name, title in words.items()]
    layers = [
        base.mark_area(opacity=0.18).encode(alt.Y("low:Q", title=PANELS[shown], scale=span), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=1.8).encode(y, strokeDash=policy_dash(table)),
        base.mark_point(size=18, filled=True, opacity=1).encode(y, tooltip=tips),
        alt.Chart(alt.InlineData(values=[{"planned": planned}]))
        .mark_rule(strokeDash=[2, 3], color="#666")
        .encode(alt.X("planned:Q")),
    ]
    return alt.layer(*layers, data=alt.InlineData(values=table.to_dicts())).properties(width=WIDTH, height=HEIGHT)
