"""Draw the pictures of docs/careless-people.md and print its numbers: what people known to be careless really do.

    python scripts/careless_people.py              # some minutes on two cores
    python scripts/careless_people.py --games 16   # a look

Finished games are stored in results/careless-people, and loaded in the next run.
"""

import argparse
import io
import sys
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image
from rich.console import Console

import trueward as tw
from trueward.adversaries.labelled_people import LABELLED_SOURCES
from trueward.engine.kernel import Floats
from trueward.lab.arena import SUITE, play_tournament
from trueward.lab.arena.field import field_of

IMAGES = Path(__file__).parents[1] / "docs" / "images"
RESULTS = Path("results") / "careless-people"
GROUP = "labelled people"  # of the arena
RANDOM_GROUPS, SEED = 1000, 20
SHARES = np.linspace(0, 1, 101)
QUESTIONNAIRES = {  # by the prefix of an item's name; colours of Okabe and Ito
    "7u": ("mania (7 Up), 0 to 3", "#D55E00", "circle"),
    "7d": ("depression (7 Down), 0 to 3", "#CC79A7", "square"),
    "gad7": ("anxiety (GAD-7), 0 to 3", "#E69F00", "triangle-up"),
    "shaps": ("anhedonia (SHAPS), 0 to 3", "#0072B2", "diamond"),
    "pswq": ("worry (PSWQ), 0 to 4", "#000000", "cross"),
    "bis": ("inhibition (BIS), 1 to 4", "#56B4E9", "triangle-down"),
    "bas": ("approach (BAS), 1 to 4", "#009E73", "triangle-right"),
}
CLIPS = ("video clips, 1 to 5 (scrambled scores)", "#999999", "circle")
SOURCES = {
    "symptoms_0_3": ("symptoms, 0 to 3", "#D55E00"),
    "symptoms_0_4": ("symptoms, 0 to 4", "#0072B2"),
    "video_quality": ("video quality (scrambled scores)", "#666666"),
}
KINDS = {"attentive": ("attentive people alone", "#56B4E9"), "careless": ("and the careless of the study", "#D55E00")}
FONT = 13


def means(people: tw.LabelledPeople) -> tuple[Floats, Floats]:
    """Return the mean rating of each arm by attentive and by careless people, as a share of the scale from 0 to 1."""
    low, width = people.values[0], np.ptp(people.values)
    attentive, careless = (
        counts @ people.values / counts.sum(axis=1) for counts in (people.attentive, people.careless)
    )
    return (attentive - low) / width, (careless - low) / width


def careless_error(source: str) -> float:
    """Return the standard error of an arm's mean by careless people, as a share of the scale, on average over arms."""
    people = tw.labelled_people(source)
    arms = tw.CategoricalArms(values=people.values, counts=people.careless)
    return float((arms.sds / np.sqrt(people.careless.sum(axis=1))).mean() / np.ptp(people.values))


def data_arms() -> pl.DataFrame:
    """Return a row per arm: its mean by attentive and by careless people."""
    rows = []
    for source in LABELLED_SOURCES:
        people = tw.labelled_people(source)
        for name, attentive, careless in zip(people.names, *means(people), strict=True):
            kind = QUESTIONNAIRES.get(name.split("_")[0], CLIPS)[0]
            rows.append((source, kind, name, attentive, careless))
    return pl.DataFrame(rows, schema=["source", "kind", "arm", "attentive", "careless"], orient="row")


def data_kinds(arms: pl.DataFrame) -> pl.DataFrame:
    """Return a row per questionnaire: the mean over its arms, and the slope and correlation over its arms."""
    slope = pl.cov("attentive", "careless") / pl.col("attentive").var()
    return arms.group_by("kind", maintain_order=True).agg(
        pl.len().alias("arms"),
        pl.col("attentive").mean(),
        pl.col("careless").mean(),
        slope.alias("slope"),
        pl.corr("attentive", "careless").alias("correlation"),
    )


def data_best_arms(n_groups: int = RANDOM_GROUPS) -> pl.DataFrame:
    """Return, by source and share of careless people, how many groups of five have another best arm, and what it costs.

    The cost is how much lower attentive people rate that arm, as a share of the scale, where it is another one.
    """
    rows = []
    for source in LABELLED_SOURCES:
        people = tw.labelled_people(source)
        attentive, careless = means(people)
        groups = np.array(people.groups(n_groups, seed=SEED))
        for share in sorted({*SHARES.tolist(), people.share}):
            shown = (1 - share) * attentive[groups] + share * careless[groups]
            picked = np.take_along_axis(attentive[groups], shown.argmax(axis=1)[:, None], axis=1)[:, 0]
            lost = attentive[groups].max(axis=1) - picked
            cost = float(lost[lost > 0].mean()) if lost.any() else 0.0
            rows.append((source, share, share == people.share, len(groups), int((lost > 0).sum()), cost))
    columns = ["source", "share", "own", "groups", "changed", "cost"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def data_changes(source: str, n_groups: int = RANDOM_GROUPS) -> pl.DataFrame:
    """Return how often an arm of one questionnaire takes the place of the best one of another, in a source's groups."""
    people = tw.labelled_people(source)
    kinds = dict(data_arms().filter(pl.col("source") == source).select("arm", "kind").rows())
    pairs = [(g[people.arms(g).best], g[people.shown_arms(g).best]) for g in people.groups(n_groups, seed=SEED)]
    names = [(kinds[people.names[best]], kinds[people.names[shown]]) for best, shown in pairs if best != shown]
    counted = pl.DataFrame(names, schema=["best", "shown"], orient="row").group_by("best", "shown").len("groups")
    return counted.sort("groups", "shown", descending=True)


def data_policies(games: int) -> pl.DataFrame:
    """Return the regret of every policy as a share of uniform play's, by kind of people, with its standard error."""
    scenarios = [scenario for scenario in SUITE if scenario.group == GROUP]
    standings = play_tournament(
        field_of("quick"), scenarios, trials=games, cache_folder=RESULTS, console=Console(stderr=True)
    )
    rows = []
    for kind in KINDS:
        chosen = [i for i, scenario in enumerate(scenarios) if scenario.label.startswith(kind)]
        shares = standings.shares[chosen].mean(axis=0)  # (policies, trials): every group counts the same
        ses = shares.std(axis=1, ddof=1) / np.sqrt(games)
        rows += [
            (policy, kind, float(s.mean()), float(e))
            for policy, s, e in zip(standings.policies, shares, ses, strict=True)
        ]
    return pl.DataFrame(rows, schema=["policy", "kind", "share", "se"], orient="row")


def data_trimming(games: int) -> pl.DataFrame:
    """Return tUCB's regret as a share of uniform play's, by how much it trims, with and without careless people."""
    regrets: dict[tuple[str, str], list[float]] = {}
    for scenario in (scenario for scenario in SUITE if scenario.group == GROUP):
        kind, name = scenario.label.split(", ")
        shares = {"nothing": 0.0, "a tenth": 0.1, "the careless share": tw.labelled_people(name.split()[0]).share}
        policies = {trims: tw.CrUCB(tw.TrimmedMean(a), sigma=scenario.arms.sd) for trims, a in shares.items()}
        size = {"horizon": scenario.horizon, "trials": games, "checkpoints": [scenario.horizon], "shuffle_arms": True}
        for trims, trace in tw.play(policies, scenario.arms, scenario.adversary, **size).items():
            lost = float(trace.regret[:, -1].mean()) / scenario.uniform_regret
            regrets.setdefault((trims, kind), []).append(lost)
    rows = [(trims, kind, float(np.mean(lost))) for (trims, kind), lost in regrets.items()]
    return pl.DataFrame(rows, schema=["trims", "kind", "share"], orient="row").pivot(
        "kind", index="trims", values="share"
    )


def draw_arms(arms: pl.DataFrame) -> alt.LayerChart:
    """Draw each arm's mean by careless people against that by attentive people."""
    styles = [*QUESTIONNAIRES.values(), CLIPS]
    names, colors, shapes = ([style[i] for style in styles] for i in range(3))
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=300, title=None, symbolOpacity=1, symbolSize=110)
    points = (
        alt.Chart(alt.InlineData(values=arms.to_dicts()))
        .mark_point(filled=True, size=55, opacity=0.85)
        .encode(
            alt.X("attentive:Q", title="mean of attentive people (share of the scale)").scale(domain=[0, 1]),
            alt.Y("careless:Q", title="mean of careless people (share of the scale)").scale(domain=[0, 1]),
            alt.Color("kind:N", scale=alt.Scale(domain=names, range=colors), legend=legend),
            alt.Shape("kind:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
        )
    )
    ends = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    same = ends.mark_line(color="#555", strokeDash=[5, 4]).encode(x="x:Q", y="y:Q")
    label = alt.Chart(alt.InlineData(values=[{"x": 0.99, "y": 0.03, "text": "dashed: the same mean"}]))
    text = label.mark_text(align="right", fontSize=FONT, color="#555").encode(x="x:Q", y="y:Q", text="text:N")
    return alt.layer(same, points, text).properties(width=430, height=400)


def draw_best_arms(table: pl.DataFrame) -> alt.LayerChart:
    """Draw in how many groups another arm looks best, by the share of careless people."""
    shown = table.with_columns(
        pl.col("source").replace_strict({name: words for name, (words, _) in SOURCES.items()}),
        percent=100 * pl.col("changed") / pl.col("groups"),
        people=100 * pl.col("share"),
    )
    domain, colors = ([style[i] for style in SOURCES.values()] for i in range(2))
    legend = alt.Legend(orient="top", columns=1, labelLimit=320, title=None, symbolType="stroke", symbolSize=700)
    base = alt.Chart(alt.InlineData(values=shown.to_dicts())).encode(
        alt.X("people:Q", title="careless people (% of all)"),
        alt.Y("percent:Q", title="groups with another best arm (%)").scale(domain=[0, 100]),
        alt.Color("source:N", scale=alt.Scale(domain=domain, range=colors), legend=legend),
    )
    dashes = alt.StrokeDash("source:N", scale=alt.Scale(domain=domain, range=[[1, 0], [8, 4], [2, 3]]), legend=legend)
    own = base.transform_filter("datum.own")
    dots = own.mark_point(filled=True, size=120, opacity=1)
    words = {"align": "left", "dx": 9, "dy": -11, "fontSize": FONT}
    percent = alt.Text("percent:Q", format=".1f")
    behind = own.mark_text(**words, stroke="white", strokeWidth=5).encode(text=percent, color=alt.value("white"))
    texts = own.mark_text(**words, fontWeight="bold").encode(text=percent)
    return alt.layer(base.mark_line(strokeWidth=2.2).encode(dashes), dots, behind, texts).properties(
        width=430, height=300
    )


def draw_policies(table: pl.DataFrame) -> alt.LayerChart:
    """Draw the regret of every policy with attentive people alone and with the careless, lowest first."""
    order = table.filter(pl.col("kind") == "careless").sort("share")["policy"].to_list()
    wide = table.pivot("kind", index="policy", values="share")
    shown = table.with_columns(pl.col("kind").replace_strict({kind: words for kind, (words, _) in KINDS.items()}))
    domain, colors = ([style[i] for style in KINDS.values()] for i in range(2))
    legend = alt.Legend(orient="top", title=None, labelLimit=300, symbolOpacity=1, symbolSize=110, columns=1)
    y = alt.Y("policy:N", sort=order, title=None, axis=alt.Axis(labelLimit=220, grid=True, gridColor="#eee"))
    title = "regret after 500 rounds (share of uniform play's)"
    lines = alt.Chart(alt.InlineData(values=wide.to_dicts())).mark_rule(color="#aaa", strokeWidth=2)
    points = alt.Chart(alt.InlineData(values=shown.to_dicts())).mark_point(filled=True, size=70, opacity=1)
    kind = alt.Color("kind:N", scale=alt.Scale(domain=domain, range=colors), legend=legend)
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=domain, range=["circle", "diamond"]), legend=legend)
    return alt.layer(
        lines.encode(y, alt.X("attentive:Q", title=title), alt.X2("careless:Q")),
        points.encode(y, alt.X("share:Q", title=title).scale(domain=[0, 1.05]), kind, shape),
    ).properties(width=330, height=alt.Step(18))


def save(chart: alt.LayerChart, name: str) -> None:
    """Write a picture that can be read at the width of a phone."""
    large = chart.configure_axis(
        labelFlush=False, labelFontSize=FONT, titleFontSize=FONT, titleFontWeight="normal"
    ).configure_legend(labelFontSize=FONT)
    picture = io.BytesIO(vl_convert.vegalite_to_png(large.configure_view(stroke=None).to_dict(), scale=2))
    Image.open(picture).save(IMAGES / f"careless-people-{name}.png", optimize=True)


def print_numbers(arms: pl.DataFrame, best: pl.DataFrame, policies: pl.DataFrame, trimming: pl.DataFrame) -> None:
    """Print the tables of the page."""
    out = sys.stdout.write
    out("| arms | number | attentive | careless | slope | correlation |\n|---|--:|--:|--:|--:|--:|\n")
    for kind, number, attentive, careless, slope, correlation in data_kinds(arms).rows():
        out(f"| {kind} | {number} | {attentive:.2f} | {careless:.2f} | {slope:.2f} | {correlation:.2f} |\n")
    heads = "source", "careless people", "groups with another best arm", "how much lower it is", "if all were careless"
    out(f"\n| {' | '.join(heads)} |\n|---|--:|--:|--:|--:|\n")
    alone = dict(best.filter(pl.col("share") == 1).select("source", "changed").rows())
    for source, share, _, groups, changed, cost in best.filter("own").rows():
        own = f"{share:.0%} | {changed} of {groups:,} | {cost:.1%} of the scale"
        out(f"| {SOURCES[source][0]} | {own} | {alone[source]} of {groups:,} |\n")
    out("\n")
    for old, new, groups in data_changes("symptoms_0_3").rows():
        out(f"{groups} groups: {new}, takes the place of {old}\n")
    for source in LABELLED_SOURCES:
        out(f"standard error of a careless mean, {SOURCES[source][0]}: {careless_error(source):.1%} of the scale\n")
    out("\n| policy | attentive | and the careless | ratio |\n|---|--:|--:|--:|\n")
    wide = policies.pivot("kind", index="policy", values=["share", "se"]).sort("share_careless")
    for row in wide.to_dicts():
        pair = [f"{row[f'share_{kind}']:.3f} ± {row[f'se_{kind}']:.3f}" for kind in KINDS]
        out(f"| {row['policy']} | {' | '.join(pair)} | {row['share_careless'] / row['share_attentive']:.2f} |\n")
    out("\n| tUCB trims at either end | attentive | and the careless |\n|---|--:|--:|\n")
    for trims, attentive, careless in trimming.rows():
        out(f"| {trims} | {attentive:.2f} | {careless:.2f} |\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=128, help="games of each policy in each group of arms")
    asked = parser.parse_args()
    measured = data_arms(), data_best_arms(), data_policies(asked.games)
    for name, draw, table in zip(
        ("arms", "best", "policies"), (draw_arms, draw_best_arms, draw_policies), measured, strict=True
    ):
        save(draw(table), name)
    print_numbers(*measured, data_trimming(asked.games))
