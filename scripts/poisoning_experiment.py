"""Measure data poisoning of contextual bandits: print the tables of docs/contextual.md and draw its figures.

    python scripts/poisoning_experiment.py                 # about twenty minutes on one core
    python scripts/poisoning_experiment.py --instances 10  # a quick check

Five arms, ten features, a thousand logged rounds; coefficients and contexts uniform on the unit sphere, noise of 0.1.
The target is a context that is not in the log, and the arm that is truly the worst there.
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
from trueward.contextual import (
    ContextualCrUCB,
    ContextualLog,
    LinearArms,
    LinUCB,
    PoisoningAttack,
    Ridge,
    poison,
    side_effects,
)
from trueward.contextual.linear_learners import LinearLearner
from trueward.engine.kernel import Bools, Floats
from trueward.reporting import styles

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ROUNDS, NOISE, SCALE = 1000, 0.1, (-1.6, 1.6)  # six standard deviations beyond the largest mean
TENTH = 0.1
LEARNERS: dict[str, LinearLearner] = {
    "ridge": Ridge(),
    "LinUCB": LinUCB(sigma=NOISE),
    "ridge, Huber's loss": Ridge(tw.HuberMean(2 * NOISE)),
    "ridge, trimmed": Ridge(tw.TrimmedMean(0.15)),
    "contextual crUCB, Huber's loss": ContextualCrUCB(tw.HuberMean(2 * NOISE), sigma=NOISE),
    "contextual crUCB, trimmed": ContextualCrUCB(tw.TrimmedMean(0.15), sigma=NOISE),
}
ATTACKS = {  # name: (share of the rewards that the attacker controls, range of the poisoned rewards)
    "all rewards, any value": (1.0, None),
    "a tenth, any value": (TENTH, None),
    "a tenth, in the range": (TENTH, SCALE),
}
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


@dataclass(frozen=True)
class Instance:
    """A random log, and the target of an attack."""

    arms: LinearArms
    log: ContextualLog
    context: Floats
    target: int
    order: Floats  # the attacker controls the rewards with the smallest numbers

    def controlled(self, share: float) -> Bools:
        """Return the rewards that an attacker controls who has this share of them."""
        return np.asarray(self.order < round(share * len(self.log)))

    def attack(
        self, learner: LinearLearner, share: float, range: tuple[float, float] | None, **rest: Any
    ) -> PoisoningAttack:
        """Return the attack on a learner by an attacker who controls this share of the rewards."""
        controlled = self.controlled(share)
        return poison(
            self.log, learner, context=self.context, arm=self.target, range=range, controlled=controlled, **rest
        )


def instances(count: int) -> Iterator[Instance]:
    """Yield instances; each depends only on its number."""
    for seed in range(count):
        arms = LinearArms.random(noise=NOISE, seed=seed)
        context = arms.draw_contexts(1, seed=seed + 20_000)[0]
        order = np.random.default_rng(seed + 30_000).permutation(ROUNDS).astype(float)
        yield Instance(
            arms, arms.simulate_log(ROUNDS, seed=seed + 10_000), context, int(arms.means(context).argmin()), order
        )


def with_progress(count: int, description: str) -> Iterator[Instance]:
    """Yield instances with a progress bar."""
    yield from track(instances(count), description, total=count, console=Console(stderr=True))


def data_effort(count: int) -> pl.DataFrame:
    """Return the effort and the side effects of attacks on ridge regression and LinUCB, a row per instance."""
    rows = []
    for each in with_progress(count, "effort"):
        others = each.arms.draw_contexts(2000, seed=1)
        for name in ("ridge", "LinUCB"):
            learner = LEARNERS[name]
            attack = each.attack(learner, 1.0, None)
            effects = side_effects(each.log, attack, learner, context=each.context, arm=each.target, contexts=others)
            angles = dict(zip(("opposite", "away", "towards", "near"), effects.by_angle, strict=True))
            measures = {
                "feasible": attack.feasible,
                "succeeded": attack.succeeded,
                "relative effort": attack.relative_effort,
                "changed share": attack.changed_share,
            }
            rows.append(
                {"learner": name, **measures, "changed": effects.changed, "to target": effects.to_target, **angles}
            )
    return pl.DataFrame(rows)


def data_attacks(count: int) -> pl.DataFrame:
    """Return which attacks succeed, a row per instance, attack and learner.

    A transferred attack was made for plain regression; a tailored one for the learner itself.
    """
    rows = []
    for each in with_progress(count, "attacks"):
        for attack, (share, limits) in ATTACKS.items():
            on_plain = {name: each.attack(LEARNERS[name], share, limits) for name in ("ridge", "LinUCB")}
            for name, learner in LEARNERS.items():
                transferred = on_plain["ridge" if isinstance(learner, Ridge) else "LinUCB"]
                fit = learner.fit(each.log.with_rewards(transferred.rewards))
                succeeded = transferred.feasible and fit.choose(each.context)[0] == each.target
                tailored = transferred if learner.linear_in_rewards else each.attack(learner, share, limits)
                rows.append(
                    {
                        "attack": attack,
                        "learner": name,
                        "transferred": bool(succeeded),
                        "tailored": tailored.succeeded,
                        "relative effort": tailored.relative_effort,
                    }
                )
    return pl.DataFrame(rows)


def data_costs(count: int) -> pl.DataFrame:
    """Return the mean regret of each learner in new contexts, a row per instance, careless share and learner."""
    rows = []
    for each in with_progress(count, "costs"):
        contexts = each.arms.draw_contexts(2000, seed=2)
        for share in (0.0, TENTH):
            log = each.log.with_careless_rewards(share, range=SCALE, seed=3)
            for name, learner in LEARNERS.items():
                regret = each.arms.regret(contexts, learner.fit(log).choose(contexts))
                rows.append({"careless": share, "learner": name, "regret": regret})
    return pl.DataFrame(rows)


def data_shares(count: int) -> pl.DataFrame:
    """Return the share of attacks within the range that succeed, by the share of rewards that the attacker controls."""
    rows = []
    for each in with_progress(count, "shares"):
        for share in SHARES:
            for name, learner in LEARNERS.items():
                rows.append(
                    {"share": share, "learner": name, "succeeded": each.attack(learner, share, SCALE).succeeded}
                )
    return pl.DataFrame(rows).group_by("share", "learner", maintain_order=True).agg(pl.col("succeeded").mean())


def attacks_table(attacks: pl.DataFrame, costs: pl.DataFrame) -> str:
    """Return the table of the page: a row per learner."""
    head = ["", *ATTACKS, "regret, clean log", "regret, a tenth careless"]
    lines = [f"| {' | '.join(head)} |", f"|---|{'--:|' * (len(head) - 1)}"]
    for name in LEARNERS:
        cells = [name]
        for attack in ATTACKS:
            rows = attacks.filter(attack=attack, learner=name)
            transferred, tailored = (100 * float(rows[name].mean()) for name in ("transferred", "tailored"))  # type: ignore[arg-type]
            cells.append(f"{transferred:.0f} % · {tailored:.0f} %")
        for share in (0.0, TENTH):
            cells.append(f"{1000 * float(costs.filter(careless=share, learner=name)['regret'].mean()):.2f}")  # type: ignore[arg-type]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def effort_table(effort: pl.DataFrame) -> str:
    """Return the table of efforts and side effects: a row per learner."""
    names = ["relative effort", "changed share", "changed", "to target", "opposite", "away", "towards", "near"]
    lines = [f"| | feasible | succeeded | {' | '.join(names)} |", f"|---|{'--:|' * (len(names) + 2)}"]
    for name in effort["learner"].unique(maintain_order=True):
        rows = effort.filter(learner=name)
        shares = [f"{100 * float(rows[each].mean()):.0f} %" for each in ("feasible", "succeeded", *names)]  # type: ignore[arg-type]
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(lines)


def quantiles(effort: pl.DataFrame) -> str:
    """Return the quantiles of the relative effort against ridge regression, in one line."""
    relative = effort.filter(learner="ridge")["relative effort"]
    low, median, high = (relative.quantile(q, "linear") for q in (0.1, 0.5, 0.9))
    return (
        f"relative effort against ridge: 10 % {low:.3f}, median {median:.3f}, 90 % {high:.3f}, max {relative.max():.3f}"
    )


def draw_effort(effort: pl.DataFrame) -> alt.Chart:
    """Draw a histogram of the relative effort."""
    relative = effort.filter(learner="ridge").select("relative effort")
    bins = alt.X(
        "relative effort:Q", bin=alt.Bin(step=0.025), title="effort: length of the change / length of the rewards"
    )
    chart = alt.Chart(alt.InlineData(values=relative.to_dicts()))
    return (
        chart.mark_bar(color=styles.KNOWN["tUCB"][0])
        .encode(bins, alt.Y("count()", title="instances"))
        .properties(width=420, height=220)
    )


def draw_shares(table: pl.DataFrame) -> alt.LayerChart:
    """Draw the share of attacks that succeed, by the share of rewards that the attacker controls: a line per learner.

    Ridge regression with a robust loss is left out: its line is that of the contextual crUCB with the same loss.
    """
    names = [name for name in table["learner"].unique(maintain_order=True) if not name.startswith("ridge,")]
    kept = table.filter(pl.col("learner").is_in(names))
    axis = alt.Axis(values=[share for share in SHARES if share != 0.4], format="%", grid=False)
    legend = alt.Legend(orient="bottom", title=None, labelLimit=300, columns=2, symbolSize=80)
    colors = alt.Scale(domain=names, range=["#1A1A1A", "#E69F00", "#0072B2", "#D55E00"][: len(names)])
    shapes = alt.Scale(domain=names, range=["circle", "square", "triangle-up", "diamond"][: len(names)])
    base = alt.Chart(alt.InlineData(values=kept.to_dicts())).encode(
        alt.X("share:Q", title="share of the logged rewards that the attacker controls", axis=axis).scale(type="log"),
        alt.Y("succeeded:Q", title="share of instances hit", axis=alt.Axis(format="%")).scale(domain=[0, 1]),
        alt.Color("learner:N", scale=colors, legend=legend),
    )
    points = base.mark_point(filled=True, size=70, opacity=0.85).encode(
        alt.Shape("learner:N", scale=shapes, legend=legend)
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
    few = max(1, many // 5)  # for attacks on robust learners, which take many programs each
    efforts = data_effort(many)
    sys.stdout.write(f"{effort_table(efforts)}\n\n{quantiles(efforts)}\n\n")
    sys.stdout.flush()
    costs = data_costs(many)
    attacks = data_attacks(few)
    sys.stdout.write(f"{attacks_table(attacks, costs)}\n\n")
    by_learner = attacks.filter(pl.col("tailored")).group_by("attack", "learner", maintain_order=True)
    efforts_of_attacks = by_learner.agg(pl.col("relative effort").median())
    sys.stdout.write(f"{efforts_of_attacks.pivot('attack', index='learner', values='relative effort').write_csv()}\n")
    sys.stdout.flush()
    save("poisoning-effort", draw_effort(efforts))
    shares = data_shares(few)
    sys.stdout.write(f"{shares.pivot('share', index='learner', values='succeeded').write_csv()}\n")
    save("poisoning-shares", draw_shares(shares))
