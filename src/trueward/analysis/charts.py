"""Charts of an analysis. `data_*` gives the table that a chart shows; `draw_*` only draws it."""

from collections.abc import Sequence

import altair as alt
import polars as pl

from trueward.pages.styles import color_of

PARTS = {"sampling": "#0072B2", "contamination": "#56B4E9", "missing": "#E69F00"}  # of Okabe and Ito
COLUMNS = {"sampling": "sampling", "contamination": "contaminated", "missing": ""}
WIDTH, ROW = 420, 34
FORMAT = ".4~r"

Drawn = alt.LayerChart | alt.FacetChart  # what altair's `layer` is typed to return


def data_parts(leaderboard: pl.DataFrame) -> pl.DataFrame:
    """Return the segments of every arm's interval: sampling in the middle, what the other parts add on both sides."""
    rows = []
    for arm in leaderboard.iter_rows(named=True):
        inner = (arm["mean"], arm["mean"])
        for part, prefix in COLUMNS.items():
            low, high = (arm[f"{prefix}_{end}" if prefix else end] for end in ("low", "high"))
            ends = [(low, high)] if part == "sampling" else [(low, inner[0]), (inner[1], high)]
            rows += [{"arm": arm["arm"], "part": part, "from": a, "to": b} for a, b in ends if b > a]
            inner = (low, high)
    return pl.DataFrame(rows)


def draw_leaderboard(leaderboard: pl.DataFrame, scale: tuple[float, float], assumption: str) -> Drawn:
    """Draw every arm's mean and its interval in three parts."""
    order = leaderboard["arm"].to_list()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labelLimit=200))
    x = alt.X("from:Q", title="true mean (units of rating)", scale=alt.Scale(domain=list(scale), nice=False))
    legend = alt.Legend(title="uncertainty by", orient="top")
    color = alt.Color("part:N", scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())), legend=legend)
    shown = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("part:N"),
        *(alt.Tooltip(f"{e}:Q", format=FORMAT) for e in ("from", "to")),
    ]
    bars = alt.Chart(alt.InlineData(values=data_parts(leaderboard).to_dicts())).mark_bar(height=12)
    means = alt.Chart(alt.InlineData(values=leaderboard.drop_nans("mean").select("arm", "mean", "answered").to_dicts()))
    means = means.mark_tick(color="white", thickness=3, height=12).encode(
        alt.X("mean:Q"), y, tooltip=[alt.Tooltip("arm:N"), alt.Tooltip("mean:Q", format=FORMAT), "answered:Q"]
    )
    chart = alt.layer(bars.encode(x, alt.X2("to:Q"), y, color, tooltip=shown), means)
    return _titled(chart, ["Robust intervals (white: mean of those who answered)", assumption], ROW * len(order))


def draw_course(
    rows: pl.DataFrame, along: str, assumption: str, scale: tuple[float, float], arms: Sequence[str]
) -> Drawn:
    """Draw a band per arm along epsilon, or along the decisions made so far."""
    words = {"epsilon": "share of each arm assumed bad (ε)", "decisions": "time (decisions)"}
    colors = color_of(arms)
    base = alt.Chart().encode(
        alt.X(f"{along}:Q", title=words[along], scale=alt.Scale(nice=False), axis=alt.Axis(grid=False)),
        alt.Color(
            "arm:N",
            scale=alt.Scale(domain=list(colors), range=list(colors.values())),
            legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=2.5, symbolOpacity=1),
        ),
    )
    title, span = "true mean (units of rating)", alt.Scale(domain=list(scale), nice=False)
    ends = [
        base.mark_line(strokeWidth=1.2).encode(alt.Y(f"{end}:Q", title=title, scale=span)) for end in ("low", "high")
    ]
    names = {"low": "from", "high": "to"}
    shown = [
        alt.Tooltip("arm:N"),
        *(alt.Tooltip(f"{c}:Q", title=names.get(c, c), format=FORMAT) for c in (along, "mean", *names)),
    ]
    layers = [
        base.mark_area(opacity=0.18).encode(alt.Y("low:Q", title=title, scale=span), alt.Y2("high:Q")),
        *ends,
        base.mark_line(strokeWidth=2, strokeDash=[4, 3]).encode(alt.Y("mean:Q")),
        base.mark_point(size=70, opacity=0).encode(alt.Y("mean:Q"), tooltip=shown),
    ]
    heading = ["Robust intervals (dashed: mean of those who answered)", assumption]
    return _titled(alt.layer(*layers, data=alt.InlineData(values=_numbers(rows))), heading, 240)


def draw_contrasts(table: pl.DataFrame, level: float) -> Drawn:
    """Draw the differences of all pairs with their intervals."""
    pairs = table.filter(pl.col("minus") != "").with_columns(pl.format("{} − {}", "arm", "minus").alias("pair"))
    y = alt.Y("pair:N", sort=pairs["pair"].to_list(), title=None, axis=alt.Axis(labelLimit=240))
    base = alt.Chart().encode(y)
    title = "difference in true means (units of rating)"
    shown = [
        alt.Tooltip("pair:N"),
        *(alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("estimate", "low", "high", "error")),
    ]
    layers = [
        alt.Chart().mark_rule(color="#888").encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=2.5, color=PARTS["sampling"]).encode(alt.X("low:Q", title=title), alt.X2("high:Q")),
        base.mark_point(filled=True, size=60, opacity=1, color=PARTS["sampling"]).encode(
            alt.X("estimate:Q"), tooltip=shown
        ),
    ]
    heading = [
        f"Differences (bars: {100 * level:.4g} % confidence at a fixed end)",
        "weighted AIPW; assumes no bad ratings",
    ]
    data = alt.InlineData(values=_numbers(pairs.drop("arm", "minus")))
    return _titled(alt.layer(*layers, data=data), heading, ROW * max(1, pairs.height))


def draw_raters(table: pl.DataFrame, leader: str, lead: float) -> Drawn:
    """Draw the leader's lead without each of the most suspicious raters, beside the lead with all of them."""
    rows = table.with_columns(pl.when(pl.col("flags") == "").then(pl.lit("none")).otherwise("flags").alias("flags"))
    y = alt.Y("participant:N", sort=rows["participant"].to_list(), title=None, axis=alt.Axis(labelLimit=160))
    shown = [alt.Tooltip(f"{c}:N") for c in ("participant", "flags", "ratings", "longest_run", "failed_checks")]
    shown += [alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("lead", "distance", "spread")]
    x = alt.X("lead:Q", title=f"lead of {leader} without this rater (units of rating)", scale=alt.Scale(zero=False))
    points = alt.Chart(alt.InlineData(values=_numbers(rows))).encode(x, y)
    layers = [
        alt.Chart(alt.InlineData(values=[{"lead": lead}]))
        .mark_rule(color="#888", strokeDash=[4, 3])
        .encode(x="lead:Q"),
        points.mark_point(filled=True, size=60, opacity=1, color=PARTS["sampling"]).encode(tooltip=shown),
        points.mark_text(align="left", dx=8, fontSize=10, color="#444").encode(text="flags:N"),
    ]
    heading = ["The most suspicious raters, and their flags", "dashed: the lead with all raters"]
    return _titled(alt.layer(*layers), heading, 18 * max(1, rows.height))


def _titled(chart: Drawn, title: list[str], height: int) -> Drawn:
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)
    return chart.properties(width=WIDTH, height=height, title=heading)


def _numbers(table: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows without what is not known."""
    return [{k: v for k, v in row.items() if v is not None and v == v} for row in table.to_dicts()]
