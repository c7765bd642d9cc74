"""Charts of a plan. `data_*` gives the table that a chart shows; `draw_*` only draws it."""

from typing import Any

import altair as alt
import polars as pl

from trueward.arms.categorical import CategoricalArms
from trueward.planning.pilot import Tuned
from trueward.reporting.styles import policy_color, policy_colors, policy_dash

PANELS = {
    "best": "chance to end on the best arm",
    "decides": "chance that the robust interval decides",
    "lost": "points lost, all participants together",
}
WIDTH, HEIGHT = 265, 220
FORMAT = ".3~r"
ARM_TIPS = (alt.Tooltip("arm:N"), alt.Tooltip("rating:N"), alt.Tooltip("share:Q", format=".1%"))


def data_chances(chances: pl.DataFrame, shown: str) -> pl.DataFrame:
    """Return one of the three, a row per policy and number of participants."""
    ends = {"value": shown, "low": f"{shown}_low", "high": f"{shown}_high"}
    return chances.select("policy", "participants", **{name: pl.col(column) for name, column in ends.items()})


def draw_chances(chances: pl.DataFrame, planned: int) -> Any:
    """Draw chances and losses against the number of participants, with bands of the simulation's error."""
    panels = [_panel(data_chances(chances, shown), shown, planned) for shown in PANELS]
    heading = ["Against the number of participants", "band: 95 % Monte-Carlo interval; dotted line: as planned"]
    return alt.hconcat(*panels, title=_heading(heading), spacing=18)


def draw_rehearsal(rehearsal: pl.DataFrame) -> Any:
    """Draw the chance to end on the best arm under each attack, a dot per policy."""
    attacks = rehearsal["attack"].unique(maintain_order=True).to_list()
    policies = rehearsal["policy"].unique(maintain_order=True).to_list()
    table = rehearsal.select("attack", "words", "policy", "best", "best_low", "best_high", "lost")
    base = alt.Chart(alt.InlineData(values=table.to_dicts())).encode(
        alt.Y("attack:N", sort=attacks, title=None, axis=alt.Axis(labelLimit=160)),
        alt.YOffset("policy:N", sort=policies),
        policy_color(table),
    )
    x = alt.X("best:Q", title=PANELS["best"], scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5))
    tips = [alt.Tooltip(f"{name}:N") for name in ("attack", "words", "policy")]
    tips += [alt.Tooltip(f"{name}:Q", format=FORMAT) for name in ("best", "best_low", "best_high", "lost")]
    bars = base.mark_rule(strokeWidth=1.6).encode(alt.X("best_low:Q", title=PANELS["best"]), alt.X2("best_high:Q"))
    dots = base.mark_point(filled=True, size=46, opacity=1).encode(x, shape=_shape(policies), tooltip=tips)
    return alt.layer(bars, dots).properties(
        width=460, height=17 * table.height, title=_heading(["After as many as planned"])
    )


def draw_laws(arms: CategoricalArms, names: tuple[str, ...]) -> Any:
    """Draw how often each rating is given, a panel per arm."""
    rows = [
        {"arm": name, "rating": f"{value:g}", "share": float(p)}
        for name, distribution in zip(names, arms.probabilities, strict=True)
        for value, p in zip(arms.scale.tolist(), distribution, strict=True)
    ]
    ratings = [f"{value:g}" for value in arms.scale.tolist()]
    x = alt.X("rating:N", sort=ratings, title="rating", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("share:Q", title="share of ratings", axis=alt.Axis(format="%", tickCount=4))
    bars = alt.Chart().mark_bar(color=policy_colors(["tUCB"])["tUCB"]).encode(x, y, tooltip=[*ARM_TIPS])
    header = alt.Header(title=None, labelFontSize=13, labelFontWeight="bold")
    panels = alt.Facet("arm:N", sort=list(names), header=header)
    return bars.properties(width=170, height=110).facet(panels, columns=4, data=alt.InlineData(values=rows))


def data_tuning(tuned: Tuned) -> pl.DataFrame:
    """Return the worst of the replays for each pair."""
    worst = tuned.replays.group_by("alpha", "sigma", maintain_order=True).agg(worst=pl.col("against_best").max())
    chosen = (pl.col("alpha") == tuned.alpha) & (pl.col("sigma") == tuned.sigma)
    return worst.with_columns(pl.col("alpha", "sigma").round(3), chosen=chosen)


def draw_tuning(tuned: Tuned) -> Any:
    """Draw how every pair does in its worst replay: dark is bad."""
    table = data_tuning(tuned)
    base = alt.Chart(alt.InlineData(values=table.to_dicts())).encode(
        alt.X("alpha:O", title="alpha", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        alt.Y("sigma:O", title="sigma", sort="descending"),
    )
    legend = alt.Legend(title="times the best", format=".2~f")
    color = alt.Color("worst:Q", scale=alt.Scale(scheme="viridis", reverse=True), legend=legend)
    tips = [alt.Tooltip(f"{name}:Q", format=FORMAT) for name in ("alpha", "sigma", "worst")]
    boxes = base.mark_rect().encode(color, tooltip=tips)
    chosen = base.transform_filter("datum.chosen").mark_point(shape="cross", size=120, color="black", filled=True)
    return alt.layer(boxes, chosen).properties(
        width=alt.Step(52), height=28 * table["sigma"].n_unique(), title=_heading(["cross: chosen"])
    )


def _heading(lines: list[str]) -> alt.TitleParams:
    return alt.TitleParams(lines, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)


def _shape(policies: list[str]) -> alt.Shape:
    return alt.Shape("policy:N", scale=alt.Scale(domain=policies, range=["circle", "square", "diamond"]))


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
