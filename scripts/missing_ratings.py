"""Draws docs/images/missing.png, what counting missing answers earns and costs, and prints the tables of its page.

    python scripts/missing_ratings.py

Four policies play the group *missing* of the arena as they are, which is severity 0, and within `MissingAs` with
severity 0.5 and 1, in the same games. What has been played is kept in results/missing, and not played again.
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
KEPT = Path("results") / "missing"
POLICIES = ("Wary Thompson", "tUCB", "UCB", "Beta Thompson")
SEVERITIES = (0.0, 0.5, 1.0)
GAMES = 256
TOGETHER = "\u202f·\u202f"  # between numbers that no line may part
GROUP = tuple(scenario for scenario in SUITE if scenario.group == "missing")
POOLED_OR_NOT = ("at random 30 %", "low raters of the others, close")  # where one way is shown beside the other
KINDS = {  # by how a label begins: in two lines
    "low raters of the others": "low raters leave|the other arms",
    "low raters": "low raters leave|all arms",
    "at random, of the best": "at random,|the best arm more",
    "at random": "at random,|all arms alike",
}
ARMS = {  # after the comma of a label: colour of Okabe and Ito, shape
    "ratings": ("#0072B2", "circle"),
    "close": ("#D55E00", "square"),
    "clicks": ("#009E73", "triangle-up"),
    "stars": ("#CC79A7", "diamond"),
    "lecturers": ("#666666", "cross"),
}


def entry(policy: str, severity: float, pooled: bool, problem: Problem) -> tw.Policy:
    """Return a policy as the arena sets it up; with a severity, one that counts missing answers."""
    plain = FIELD[policy].build(problem)
    assert isinstance(plain, tw.Policy)
    return tw.MissingAs(plain, severity=severity, low=problem.range[0], pooled=pooled) if severity else plain


def name_of(policy: str, severity: float, pooled: bool = True) -> str:
    """Return the name of a player."""
    return f"{policy}, {severity:g}" + ("" if pooled else ", not pooled")


def field(severities: Sequence[float], *, pooled: bool = True) -> dict[str, Competitor]:
    """Return every policy with every severity."""
    return {
        name_of(policy, severity, pooled): Competitor(OURS, functools.partial(entry, policy, severity, pooled))
        for policy in POLICIES
        for severity in severities
    }


def data_missing(players: dict[str, Competitor], scenarios: Sequence[Scenario], *, games: int = GAMES) -> pl.DataFrame:
    """Return regret over that of uniform play, a row per scenario and player, with its 95 % interval."""
    console = Console(stderr=True)
    return play_tournament(players, scenarios, trials=games, cache_folder=KEPT, console=console).share_table()


def in_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with policy, severity, kind of dropout and arms in columns of their own."""
    label, player = pl.col("scenario"), pl.col("policy").str.split(", ")
    kind = pl.coalesce(pl.when(label.str.starts_with(start)).then(pl.lit(words)) for start, words in KINDS.items())
    arms = pl.coalesce(pl.when(label.str.ends_with(name)).then(pl.lit(name)) for name in ARMS)
    return table.with_columns(
        player.list.get(0).alias("policy"),
        player.list.get(1).cast(pl.Float64).alias("severity"),
        kind.alias("kind"),
        arms.fill_null("ratings").alias("arms"),
    )


class Facts(NamedTuple):
    """What dropout does to a scenario, by its laws alone."""

    ahead: float  # by how much the best arm is ahead of the next
    seems_ahead: float  # and in the ratings that come
    severity: float  # with which the missing would have been told right, the mean over arms


def facts_of(scenario: Scenario) -> Facts:
    """Return what dropout does to a scenario."""
    arms, dropout = scenario.arms, scenario.adversary
    assert isinstance(arms, FiniteArms)
    assert isinstance(dropout, Dropout)
    losses = dropout.missing_probabilities(arms)
    come, lost = (
        distribution @ arms.scale / distribution.sum(axis=1)
        for distribution in (arms.probabilities * p for p in (1 - losses, losses))
    )
    ahead, seems = (float(each[arms.best] - np.delete(each, arms.best).max()) for each in (arms.means, come))
    return Facts(ahead, seems, float(((come - lost) / (come - arms.scale[0])).mean()))


def pages_table(table: pl.DataFrame) -> str:
    """Return the table of the page: a row per scenario, for each policy the shares with each severity."""
    lines = [
        f"| missing | ahead | seems | severity | {' | '.join(POLICIES)} |",
        f"|---|--:|--:|--:|{'---|' * len(POLICIES)}",
    ]
    for scenario in GROUP:
        rows = table.filter(pl.col("scenario") == scenario.label)
        cells = [rows.filter(pl.col("policy") == name).sort("severity")["share"].to_list() for name in POLICIES]
        shown = [TOGETHER.join(f"{share:.2f}" for share in shares) for shares in cells]
        facts = " | ".join(f"{fact:z.2f}" for fact in facts_of(scenario))
        lines.append(f"| {scenario.label} | {facts} | {' | '.join(shown)} |")
    return "\n".join(lines)


def pooled_table(pooled: pl.DataFrame, alone: pl.DataFrame) -> str:
    """Return the table of both ways to count: a row per scenario and severity, pooled and in brackets not."""
    lines = [f"| missing | severity | {' | '.join(POLICIES)} |", f"|---|--:|{'---|' * len(POLICIES)}"]
    for label in POOLED_OR_NOT:
        for severity in SEVERITIES[1:]:
            rows = [each.filter(scenario=label, severity=severity) for each in (pooled, alone)]
            pairs = [[row.filter(policy=name)["share"].item() for row in rows] for name in POLICIES]
            lines.append(f"| {label} | {severity:g} | {' | '.join(f'{a:.2f} ({b:.2f})' for a, b in pairs)} |")
    return "\n".join(lines)


def draw_missing(table: pl.DataFrame) -> alt.FacetChart:
    """Draw regret against the severity: a line per kind of arms, a column of panels per policy, a row per dropout."""
    colors, shapes = ([style[i] for style in ARMS.values()] for i in range(2))
    legend = alt.Legend(title="arms", orient="bottom", symbolOpacity=1, columns=len(ARMS), symbolStrokeWidth=2)
    base = alt.Chart().encode(
        alt.X("severity:Q", title="severity", axis=alt.Axis(values=list(SEVERITIES), format="~g", labelFlush=False)),
        alt.Y("share:Q", title="regret / uniform play's").scale(domain=[0, 1.3]),
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
    shares = in_columns(data_missing(field(SEVERITIES), GROUP))
    few = [scenario for scenario in GROUP if scenario.label in POOLED_OR_NOT]
    unpooled = in_columns(data_missing(field(SEVERITIES[1:], pooled=False), few))
    sys.stdout.write(f"{pages_table(shares)}\n\n{pooled_table(shares, unpooled)}\n\n")
    widest = shares.select(((pl.col("high") - pl.col("low")) / 2).max()).item()
    sys.stdout.write(f"half of the widest 95 % interval: {widest:.2f}\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_missing(shares).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
