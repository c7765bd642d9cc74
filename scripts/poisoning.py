"""Measures poisoned contextual bandits: prints the tables of docs/contextual.md and draws its figures.

    python scripts/poisoning.py                 # some twenty minutes on one core
    python scripts/poisoning.py --instances 10  # a look

Five arms, ten features, a thousand logged rounds; coefficients and contexts anywhere on the unit sphere, noise of 0.1.
The target is a context that nobody has seen and the arm that is truly the worst there.
"""

import argparse
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image
from rich.console import Console
from rich.progress import track

import trueward as tw
from trueward.contextual import ContextualCrUCB, History, LinearArms, LinUCB, Poisoning, Ridge, poison, side_effects
from trueward.contextual.learners import Learner
from trueward.engine.kernel import Bools, Floats
from trueward.reporting import styles

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ROUNDS, NOISE, SCALE = 1000, 0.1, (-1.6, 1.6)  # six standard deviations past the longest mean
TENTH = 0.1
LEARNERS: dict[str, Learner] = {
    "ridge": Ridge(),
    "LinUCB": LinUCB(sigma=NOISE),
    "ridge, Huber's loss": Ridge(tw.HuberMean(2 * NOISE)),
    "ridge, trimmed": Ridge(tw.TrimmedMean(0.15)),
    "contextual crUCB, Huber's loss": ContextualCrUCB(tw.HuberMean(2 * NOISE), sigma=NOISE),
    "contextual crUCB, trimmed": ContextualCrUCB(tw.TrimmedMean(0.15), sigma=NOISE),
}
ATTACKS = {  # which share of the rewards the attacker controls, and in which range they stay
    "all rewards, any value": (1.0, None),
    "a tenth, any value": (TENTH, None),
    "a tenth, in the range": (TENTH, SCALE),
}
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


@dataclass(frozen=True)
class Instance:
    """A log, and what an attacker wants."""

    arms: LinearArms
    log: History
    context: Floats
    target: int
    order: Floats  # the first rewards of it are those that an attacker controls first

    def controls(self, share: float) -> Bools:
        """Return which rewards the attacker controls."""
        return np.asarray(self.order < round(share * len(self.log)))

    def attack(self, learner: Learner, share: float, range: tuple[float, float] | None, **rest: Any) -> Poisoning:
        """Return the attack on a learner."""
        controls = self.controls(share)
        return poison(self.log, learner, context=self.context, arm=self.target, range=range, controls=controls, **rest)


def instances(count: int) -> Iterator[Instance]:
    """Give so many, each the same whenever it is asked for."""
    for seed in range(count):
        arms = LinearArms.random(noise=NOISE, seed=seed)
        context = arms.contexts(1, seed=seed + 20_000)[0]
        order = np.random.default_rng(seed + 30_000).permutation(ROUNDS).astype(float)
        yield Instance(
            arms, arms.history(ROUNDS, seed=seed + 10_000), context, int(arms.means(context).argmin()), order
        )


def shown(count: int, words: str) -> Iterator[Instance]:
    """Give so many, with a progress bar."""
    yield from track(instances(count), words, total=count, console=Console(stderr=True))


def data_effort(count: int) -> pl.DataFrame:
    """Return the effort of the attack on ridge regression and LinUCB, and its side effects: a row per instance."""
    rows = []
    for each in shown(count, "effort"):
        others = each.arms.contexts(2000, seed=1)
        for name in ("ridge", "LinUCB"):
            learner = LEARNERS[name]
            attack = each.attack(learner, 1.0, None)
            effects = side_effects(each.log, attack, learner, context=each.context, arm=each.target, contexts=others)
            angles = dict(zip(("opposite", "away", "towards", "near"), effects.by_angle, strict=True))
            found = {"feasible": attack.feasible, "hit": attack.hit, "ratio": attack.ratio, "touched": attack.touched}
            rows.append(
                {"learner": name, **found, "changed": effects.changed, "to target": effects.to_target, **angles}
            )
    return pl.DataFrame(rows)


def data_hits(count: int) -> pl.DataFrame:
    """Return who is hit, a row per instance, attack and learner: by the attack on plain regression, and by its own."""
    rows = []
    for each in shown(count, "attacks"):
        for attack, (share, ends) in ATTACKS.items():
            plain = {name: each.attack(LEARNERS[name], share, ends) for name in ("ridge", "LinUCB")}
            for name, learner in LEARNERS.items():
                made = plain["ridge" if isinstance(learner, Ridge) else "LinUCB"]
                fit = learner.fit(each.log.with_rewards(made.rewards))
                followed = made.feasible and fit.choose(each.context)[0] == each.target
                own = made if learner.linear else each.attack(learner, share, ends)
                rows.append(
                    {"attack": attack, "learner": name, "plain": bool(followed), "own": own.hit, "ratio": own.ratio}
                )
    return pl.DataFrame(rows)


def data_costs(count: int) -> pl.DataFrame:
    """Return what each learner loses on average in fresh contexts, a row per instance, careless share and learner."""
    rows = []
    for each in shown(count, "costs"):
        contexts = each.arms.contexts(2000, seed=2)
        for share in (0.0, TENTH):
            log = each.log.with_careless(share, range=SCALE, seed=3)
            for name, learner in LEARNERS.items():
                lost = each.arms.regret(contexts, learner.fit(log).choose(contexts))
                rows.append({"careless": share, "learner": name, "regret": lost})
    return pl.DataFrame(rows)


def data_shares(count: int) -> pl.DataFrame:
    """Return the share of instances hit, by the share of rewards that an attacker controls, all in the range."""
    rows = []
    for each in shown(count, "shares"):
        for share in SHARES:
            for name, learner in LEARNERS.items():
                rows.append({"share": share, "policy": name, "hit": each.attack(learner, share, SCALE).hit})
    return pl.DataFrame(rows).group_by("share", "policy", maintain_order=True).agg(pl.col("hit").mean())


def hits_table(hits: pl.DataFrame, costs: pl.DataFrame) -> str:
    """Return the table of the page: a row per learner."""
    head = ["", *ATTACKS, "regret, nothing bad", "regret, a tenth careless"]
    lines = [f"| {' | '.join(head)} |", f"|---|{'--:|' * (len(head) - 1)}"]
    for name in LEARNERS:
        cells = [name]
        for attack in ATTACKS:
            rows = hits.filter(attack=attack, learner=name)
            followed, own = (100 * float(rows[column].mean()) for column in ("plain", "own"))  # type: ignore[arg-type]
            cells.append(f"{followed:.0f} % · {own:.0f} %")
        for share in (0.0, TENTH):
            cells.append(f"{1000 * float(costs.filter(careless=share, learner=name)['regret'].mean()):.2f}")  # type: ignore[arg-type]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def effort_table(effort: pl.DataFrame) -> str:
    """Return the table of efforts and side effects: a row per learner."""
    names = ["ratio", "touched", "changed", "to target", "opposite", "away", "towards", "near"]
    lines = [f"| | feasible | hit | {' | '.join(names)} |", f"|---|{'--:|' * (len(names) + 2)}"]
    for name in effort["learner"].unique(maintain_order=True):
        rows = effort.filter(learner=name)
        shares = [f"{100 * float(rows[each].mean()):.0f} %" for each in ("feasible", "hit", *names)]  # type: ignore[arg-type]
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(lines)


def quantiles(effort: pl.DataFrame) -> str:
    """Return in a line how the effort against ridge regression is spread."""
    ratio = effort.filter(learner="ridge")["ratio"]
    low, middle, high = (ratio.quantile(q, "linear") for q in (0.1, 0.5, 0.9))
    return f"effort ratio against ridge: 10 % {low:.3f}, median {middle:.3f}, 90 % {high:.3f}, most {ratio.max():.3f}"


def draw_effort(effort: pl.DataFrame) -> alt.Chart:
    """Draw how many instances take which effort."""
    ratios = effort.filter(learner="ridge").select("ratio")
    bins = alt.X("ratio:Q", bin=alt.Bin(step=0.025), title="effort: length of the change / length of the rewards")
    chart = alt.Chart(alt.InlineData(values=ratios.to_dicts()))
    return (
        chart.mark_bar(color=styles.KNOWN["tUCB"][0])
        .encode(bins, alt.Y("count()", title="instances"))
        .properties(width=420, height=220)
    )


def draw_shares(table: pl.DataFrame) -> alt.LayerChart:
    """Draw a line per learner: how many are hit, by the share of rewards that the attacker controls.

    Ridge regression with a robust loss, whose line is that of the contextual crUCB with the same loss, is left out.
    """
    names = [name for name in table["policy"].unique(maintain_order=True) if not name.startswith("ridge,")]
    kept = table.filter(pl.col("policy").is_in(names))
    axis = alt.Axis(values=[share for share in SHARES if share != 0.4], format="%", grid=False)
    legend = alt.Legend(orient="bottom", title=None, labelLimit=300, columns=2, symbolSize=80)
    colors = alt.Scale(domain=names, range=["#1A1A1A", "#E69F00", "#0072B2", "#D55E00"][: len(names)])
    shapes = alt.Scale(domain=names, range=["circle", "square", "triangle-up", "diamond"][: len(names)])
    base = alt.Chart(alt.InlineData(values=kept.to_dicts())).encode(
        alt.X("share:Q", title="share of the logged rewards that the attacker controls", axis=axis).scale(type="log"),
        alt.Y("hit:Q", title="share of instances hit", axis=alt.Axis(format="%")).scale(domain=[0, 1]),
        alt.Color("policy:N", scale=colors, legend=legend),
    )
    points = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        alt.Shape("policy:N", scale=shapes, legend=legend)
    )
    return alt.layer(base.mark_line(strokeWidth=1.8), points).properties(width=460, height=260)


def save(name: str, chart: alt.Chart | alt.LayerChart) -> None:
    """Write a chart as a small PNG."""
    picture = io.BytesIO(vl_convert.vegalite_to_png(chart.to_dict(), scale=2))
    Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--instances", type=int, default=200)
    many = options.parse_args().instances
    few = max(1, many // 5)  # of what attacks robust learners again and again
    efforts = data_effort(many)
    sys.stdout.write(f"{effort_table(efforts)}\n\n{quantiles(efforts)}\n\n")
    sys.stdout.flush()
    costs_all = data_costs(many)
    hits_all = data_hits(few)
    sys.stdout.write(f"{hits_table(hits_all, costs_all)}\n\n")
    own = (
        hits_all.filter(pl.col("own")).group_by("attack", "learner", maintain_order=True).agg(pl.col("ratio").median())
    )
    sys.stdout.write(f"{own.pivot('attack', index='learner', values='ratio').write_csv()}\n")
    sys.stdout.flush()
    save("poisoning-effort", draw_effort(efforts))
    shares = data_shares(few)
    sys.stdout.write(f"{shares.pivot('share', index='policy', values='hit').write_csv()}\n")
    save("poisoning-shares", draw_shares(shares))
