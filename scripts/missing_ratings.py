"""Draw docs/images/missing.png, the effect of counting missing ratings, and print the tables of docs/missing.md.

    python scripts/missing_ratings.py

Four policies play the group *missing* of the arena, in the same games: unwrapped, which is severity 0, and wrapped in
`MissingAs` with severity 0.5 and 1. Completed games are stored in results/missing and are not played again.
"""

import functools
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image
from rich.console import Console

import trueward as tw
from trueward.adversaries.dropout import Dropout
from trueward.arms.finite import FiniteArms
from trueward.lab.arena.field import FIELD, OURS, Competitor
from trueward.lab.arena.problem import Problem
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.suite import SUITE
from trueward.lab.arena.tournament import play_tournament

FILE = Path(__file__).parents[1] / "docs" / "images" / "missing.png"
STORE = Path("results") / "missing"
POLICIES = ("Wary", "tUCB", "UCB", "Beta Thompson")
SEVERITIES = (0.0, 0.5, 1.0)
GAMES = 256
SEPARATOR = "\u202f·\u202f"  # narrow no-break spaces keep the numbers on one line
GROUP = tuple(scenario for scenario in SUITE if scenario.group == "missing")
COMPARED = ("at random 30 %", "low raters of the others, close")  # scenarios to compare pooled with unpooled
KINDS = {  # start of a scenario's label -> panel label in two lines
    "low raters of the others": "low raters leave|the other arms",
    "low raters": "low raters leave|all arms",
    "at random, of the best": "at random,|the best arm more",
    "at random": "at random,|all arms alike",
}
ARMS = {  # end of a scenario's label -> colour of Okabe and Ito, shape
    "ratings": ("#0072B2", "circle"),
    "close": ("#D55E00", "square"),
    "clicks": ("#009E73", "triangle-up"),
    "stars": ("#CC79A7", "diamond"),
    "lecturers": ("#666666", "cross"),
}


def entry(policy: str, severity: float, pooled: bool, problem: Problem) -> tw.Policy:
    """Return a policy as the arena configures it, wrapped in `MissingAs` unless the severity is 0."""
    unwrapped = FIELD[policy].build(problem)
    assert isinstance(unwrapped, tw.Policy)
    return tw.MissingAs(unwrapped, severity=severity, low=problem.range[0], pooled=pooled) if severity else unwrapped


def name_of(policy: str, severity: float, pooled: bool = True) -> str:
    """Return the name of a policy with a severity, as in "UCB, 0.5"."""
    return f"{policy}, {severity:g}" + ("" if pooled else ", not pooled")


def field(severities: Sequence[float], *, pooled: bool = True) -> dict[str, Competitor]:
    """Return every policy with every severity, by name."""
    return {
        name_of(policy, severity, pooled): Competitor(OURS, functools.partial(entry, policy, severity, pooled))
        for policy in POLICIES
        for severity in severities
    }


def data_missing(players: dict[str, Competitor], scenarios: Sequence[Scenario], *, games: int = GAMES) -> pl.DataFrame:
    """Return regret relative to uniform play with its 95 % interval, a row per scenario and policy."""
    console = Console(stderr=True)
    return play_tournament(players, scenarios, trials=games, cache_folder=STORE, console=console).share_table()


def split_labels(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with policy, severity, kind of dropout and arms in separate columns."""
    label, player = pl.col("scenario"), pl.col("policy").str.split(", ")
    kind = pl.coalesce(
        pl.when(label.str.starts_with(start)).then(pl.lit(label_lines)) for start, label_lines in KINDS.items()
    )
    arms = pl.coalesce(pl.when(label.str.ends_with(name)).then(pl.lit(name)) for name in ARMS)
    return table.with_columns(
        player.list.get(0).alias("policy"),
        player.list.get(1).cast(pl.Float64).alias("severity"),
        kind.alias("kind"),
        arms.fill_null("ratings").alias("arms"),
    )


class DropoutEffect(NamedTuple):
    """The effect of dropout on a scenario, computed from its distributions."""

    true_gap: float  # between the best arm and the second best
    observed_gap: float  # the same in the ratings given
    severity: float  # that describes the missing ratings correctly, averaged over arms


def dropout_effect(scenario: Scenario) -> DropoutEffect:
    """Return the effect of dropout on a scenario."""
    arms, dropout = scenario.arms, scenario.adversary
    assert isinstance(arms, FiniteArms)
    assert isinstance(dropout, Dropout)
    losses = dropout.missing_probabilities(arms)
    given, missing = (
        distribution @ arms.scale / distribution.sum(axis=1)
        for distribution in (arms.probabilities * p for p in (1 - losses, losses))
    )
    gaps = (float(means[arms.best] - np.delete(means, arms.best).max()) for means in (arms.means, given))
    return DropoutEffect(*gaps, float(((given - missing) / (given - arms.scale[0])).mean()))


def markdown_table(table: pl.DataFrame) -> str:
    """Return the table as Markdown: a row per scenario, and for each policy the relative regret by severity."""
    lines = [
        f"| missing | true gap | observed gap | severity | {' | '.join(POLICIES)} |",
        f"|---|--:|--:|--:|{'---|' * len(POLICIES)}",
    ]
    for scenario in GROUP:
        rows = table.filter(pl.col("scenario") == scenario.label)
        cells = [rows.filter(pl.col("policy") == name).sort("severity")["share"].to_list() for name in POLICIES]
        shown = [SEPARATOR.join(f"{share:.2f}" for share in shares) for shares in cells]
        effect = " | ".join(f"{number:z.2f}" for number in dropout_effect(scenario))
        lines.append(f"| {scenario.label} | {effect} | {' | '.join(shown)} |")
    return "\n".join(lines)


def pooled_table(pooled: pl.DataFrame, unpooled: pl.DataFrame) -> str:
    """Return a table as Markdown: a row per scenario and severity, pooled and, in brackets, not pooled."""
    lines = [f"| missing | severity | {' | '.join(POLICIES)} |", f"|---|--:|{'---|' * len(POLICIES)}"]
    for label in COMPARED:
        for severity in SEVERITIES[1:]:
            rows = [each.filter(scenario=label, severity=severity) for each in (pooled, unpooled)]
            pairs = [[row.filter(policy=name)["share"].item() for row in rows] for name in POLICIES]
            lines.append(f"| {label} | {severity:g} | {' | '.join(f'{a:.2f} ({b:.2f})' for a, b in pairs)} |")
    return "\n".join(lines)


def draw_missing(table: pl.DataFrame) -> alt.FacetChart:
    """Draw regret by severity: a line per kind of arms, a column of panels per policy, a row per kind of dropout."""
    colors, shapes = ([style[i] for style in ARMS.values()] for i in range(2))
    legend = alt.Legend(title="arms", orient="bottom", symbolOpacity=1, columns=len(ARMS), symbolStrokeWidth=2)
    base = alt.Chart().encode(
        alt.X("severity:Q", title="severity", axis=alt.Axis(values=list(SEVERITIES), format="~g", labelFlush=False)),
        alt.Y("share:Q", title="regret / regret of uniform play").scale(domain=[0, 1.3]),
        alt.Color("arms:N", scale=alt.Scale(domain=list(ARMS), range=colors), legend=legend),
        alt.Detail("scenario:N"),
    )
    layers = (
        base.mark_line(strokeWidth=1.8),
        base.mark_rule(strokeWidth=1.2).encode(y="low:Q", y2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            alt.Shape("arms:N", scale=alt.Scale(domain=list(ARMS), range=shapes), legend=legend)
        ),
        alt.Chart().mark_rule(strokeDash=[4, 3], strokeWidth=0.8, color="#777").encode(y=alt.datum(1.0)),
    )
    header = alt.Header(title=None, labelFontSize=12)
    in_lines = alt.Header(title=None, labelFontSize=11, labelOrient="left", labelExpr="split(datum.label, '|')")
    return (
        alt.layer(*layers)
        .properties(width=150, height=130)
        .facet(
            column=alt.Column("policy:N", sort=list(POLICIES), header=header),
            row=alt.Row("kind:N", sort=list(KINDS.values()), header=in_lines),
            data=alt.InlineData(values=table.to_dicts()),
        )
    )


if __name__ == "__main__":
    shares = split_labels(data_missing(field(SEVERITIES), GROUP))
    few = [scenario for scenario in GROUP if scenario.label in COMPARED]
    unpooled = split_labels(data_missing(field(SEVERITIES[1:], pooled=False), few))
    sys.stdout.write(f"{markdown_table(shares)}\n\n{pooled_table(shares, unpooled)}\n\n")
    widest = shares.select(((pl.col("high") - pl.col("low")) / 2).max()).item()
    sys.stdout.write(f"half of the widest 95 % interval: {widest:.2f}\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_missing(shares).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
