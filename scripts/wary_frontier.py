"""Draws docs/images/wary-frontier.png: what each number that the default policy assumes gains under malice, and costs.

    python scripts/wary_frontier.py              # some fifteen minutes on two cores
    python scripts/wary_frontier.py --games 4    # a look

Along a curve one number changes and all others stay as they are. Across is the regret over plain Thompson sampling's
where nothing is bad, upwards the same with a tenth of the ratings bad; both in the same games, on groups of lecturers
and of items that were not drawn for the tables in the docs. A dotted line is what is lost by the policy if somebody
takes all bad ratings away; plain Thompson sampling still sees them. The numbers are printed too.

Then it prints what is lost by the policy if it is told what A does, and how often; and, for the numbers that say which
arm is played, what is lost on the paper's arms: on average, in the middle, and in how many games more than half of what
uniform play loses.
"""

import argparse
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image
from real_ratings import ATTACKS, ON_THE_PAPERS_ARMS, assuming, maker, ratios, regret

import trueward as tw
from trueward.engine.states import read_only
from trueward.lab.arena.suite import PAPER
from trueward.policies.wary_thompson.playing import WaryThompsonState
from trueward.policies.wary_thompson.rating_model import Assumptions
from trueward.reporting import styles
from trueward.statistics.mean_interval import Z

ROUNDS = 1000
FILE = Path(__file__).parents[1] / "docs" / "images" / "wary-frontier.png"
SEED = 1  # of the groups
SERIES: dict[str, list[float]] = {
    "attacked": [0.0, 0.02, 0.05, 0.1, 0.2, 0.5],
    "trust": [3.0, 12.0, 48.0],
    "most": [0.1, 0.2, 0.35, 0.45],
    "agreeing": [1, 2, 3, 4],
    "owed": [0.3, 0.6, 1.0, 1.5],
}
RULE = ["agreeing", "owed"]  # which arm is played; the others say what is believed
ROWS = {"what is believed": [name for name in SERIES if name not in RULE], "which arm is played": RULE}
WORDS = {
    "attacked": "attacked: how likely an attack on the best arm is",
    "trust": "trust: how likely hardly any bad ratings are",
    "most": "most: the largest share of bad ratings",
    "agreeing": "agreeing: how many draws of an arm have to agree",
    "owed": "owed: how many looks each arm is owed",
}
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"]  # of Okabe and Ito
CHOSEN, BAR = "#D55E00", "#777777"
REMOVED = tw.Dropout(0.1, slope=0.0)  # a tenth of all ratings, whichever they are, is never seen
MALICE = {"a tenth A": "a tenth bad, wrong side (A)", "a tenth W": "a tenth bad, worst (W)"}
BARS = {"clean": 1.15, "a tenth A": 0.9, "a tenth W": 0.85}  # what was aimed at
ACROSS, UP = [0.85, 1.5], [0.2, 1.2]  # ends of the axes, the same for all panels
SOURCES = {"lecturers": "lecturers, 1 to 5", "items": "items, 1 to 6"}


def data_frontier(*, groups: int = 12, games: int = 32) -> pl.DataFrame:
    """Return the regret over plain Thompson sampling's of every setting, clean and under malice."""
    present, rows, known = Assumptions(), list[dict[str, Any]](), dict[tuple[Assumptions, str], dict[str, float]]()
    for name, values in SERIES.items():
        for value in sorted({*values, getattr(present, name)}):
            assumed = replace(present, **{name: value})
            for source in SOURCES:
                if (assumed, source) not in known:
                    known[assumed, source] = over_plain(name, value, source, groups=groups, games=games)
                found = known[assumed, source]
                setting = {"series": name, "value": value, "source": source, "chosen": assumed == present}
                rows += [{**setting, "attack": a, "clean": found["clean"], "malice": found[a]} for a in MALICE]
    return pl.DataFrame(rows)


def over_plain(name: str, value: float, source: str, *, groups: int, games: int) -> dict[str, float]:
    """Return the regret of the policy with one number changed over plain Thompson sampling's, by attack."""
    size = {"groups": groups, "games": games, "seed": SEED}

    def changed(arms: tw.Arms) -> tw.Policy:
        if name == "most":
            return tw.WaryThompson(arms.bounds, most=value)
        policy: Any = assuming(**{name: value})
        made: tw.Policy = policy(arms.bounds)
        return made

    return {attack: ratios(changed, maker("BetaThompson"), source, attack, **size)[0] for attack in BARS}


def data_removed(*, groups: int = 12, games: int = 32) -> pl.DataFrame:
    """Return the regret of the policy if the bad tenth is taken away, over plain Thompson sampling's, who sees it.

    And in how many groups it makes another arm look the best.
    """
    rows = list[dict[str, Any]]()
    for source in SOURCES:
        studies = list(enumerate(tw.rating_groups(source, groups, seed=SEED), SEED))
        free = [regret(maker("WaryThompson"), arms, REMOVED, games=games, seed=seed) for seed, arms in studies]
        for attack in MALICE:
            plain = [regret(maker("BetaThompson"), a, ATTACKS[attack], games=games, seed=seed) for seed, a in studies]
            ratio = float(np.exp(np.mean(np.log(free) - np.log(plain))))
            found = {"series": "removed", "source": source, "attack": attack, "malice": ratio}
            rows.append({**found, "misled": sum(misled(arms, ATTACKS[attack]) for _, arms in studies)})
    return pl.DataFrame(rows)


def misled(arms: tw.Arms, attack: Any) -> bool:
    """Return whether another arm than the best has the highest mean of all ratings that are seen, bad ones included."""
    low, high, _ = attack.values.start(arms)
    seen = arms.means + attack.epsilon * ((low + high) / 2.0 - arms.means)
    return bool(seen.argmax() != arms.means.argmax())


class Told(tw.WaryThompson):
    """The policy told what A does, and how often: attacks lie on one side of the scale, not at its end; one in two."""

    assumed = Assumptions(attacked=0.5, placed=((0.1 / Assumptions().most, 1.0),))

    def state(self, setting: Any) -> WaryThompsonState:
        """Return the prior, with other bad ratings in the groups of an attack."""
        state = super().state(setting)
        model, bad = state.model, state.model.bad.copy()
        scale = np.linspace(0.0, 1.0, len(bad))
        for part, side in ((-2, scale > 0.5), (-1, scale < 0.7)):  # of the arms that are lifted; that is pushed down
            bad[:, model.groups[part].argmax()] = 0.1 * side / side.sum()
        likely = model.clean[:, None, None] * model.laws[:, None] + (model.heap + bad)[:, :, None, None]
        logs = np.log(np.maximum(likely, np.finfo(float).tiny))
        return state._replace(model=model._replace(bad=read_only(bad), logs=read_only(logs)))


def data_told(*, groups: int = 12, games: int = 32) -> pl.DataFrame:
    """Return the regret of the policy that is told what A does over plain Thompson sampling's."""
    size, rows = {"groups": groups, "games": games, "seed": SEED}, list[dict[str, Any]]()
    for source in SOURCES:
        for attack in ("clean", "a tenth A"):
            policies = (lambda arms: Told(arms.bounds)), maker("BetaThompson")
            middle, low, high = ratios(*policies, source, attack, **size)
            rows.append(
                {"series": "told", "source": source, "attack": attack, "ratio": middle, "low": low, "high": high}
            )
    return pl.DataFrame(rows)


def data_rule(*, games: int = 256) -> pl.DataFrame:
    """Return what is lost on the paper's arms, by the numbers that say which arm is played."""
    rows = list[dict[str, Any]]()
    for name, value in [(each, value) for each in RULE for value in SERIES[each]]:
        policy: Any = assuming(**{name: value})
        for attack in ("clean", "A", "W", "I"):
            game: Any = tw.play(
                policy(PAPER.bounds),
                PAPER,
                ON_THE_PAPERS_ARMS[attack],
                horizon=ROUNDS,
                trials=games,
                seed=SEED,
                checkpoints=[ROUNDS],
                shuffle_arms=True,
            )
            lost = game.regret[:, -1]
            found = {"mean": lost.mean(), "half": Z * lost.std() / games**0.5, "median": np.median(lost)}
            share = (lost > 0.5 * ROUNDS * PAPER.gaps.mean()).mean()
            rows.append({"series": name, "value": float(value), "attack": attack, **found, "lost games": share})
    return pl.DataFrame(rows)


def draw_frontier(table: pl.DataFrame, removed: pl.DataFrame) -> alt.VConcatChart:
    """Draw a curve for each number, a panel for each source and attack; dashed lines are what was aimed at."""
    rows = [
        [panel(table.filter(pl.col("series").is_in(names)), removed, source, attack, words) for source in SOURCES]
        for attack in MALICE
        for words, names in ROWS.items()
    ]
    return alt.vconcat(*(alt.hconcat(*row) for row in rows)).configure_concat(spacing=14)


def panel(table: pl.DataFrame, removed: pl.DataFrame, source: str, attack: str, words: str) -> alt.LayerChart:
    """Draw one source under one attack, and some of the numbers."""
    here = pl.col("source") == source, pl.col("attack") == attack
    shown = table.filter(*here).sort("series", "value")
    colors = alt.Scale(domain=list(WORDS), range=COLORS)
    legend = alt.Legend(title=None, orient="bottom", columns=1, labelLimit=400, symbolType="stroke", symbolSize=400)
    names = " : ".join(f"datum.value == '{name}' ? '{words}'" for name, words in WORDS.items())
    legend.labelExpr = f"{names} : datum.value"
    x = alt.X("clean:Q", title="nothing bad: regret over plain Thompson's", scale=axis(ACROSS))
    y = alt.Y("malice:Q", title="a tenth bad: regret over plain Thompson's", scale=axis(UP))
    points = alt.Chart(alt.InlineData(values=shown.to_dicts())).encode(x, y)
    curves = points.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=26, filled=True)).encode(
        alt.Color("series:N", scale=colors, legend=legend), alt.Order("value:Q")
    )
    labels = (
        points.transform_filter("!datum.chosen")
        .mark_text(dx=5, dy=-7, fontSize=9, align="left")
        .encode(alt.Text("value:Q", format="~g"), alt.Color("series:N", scale=colors))
    )
    chosen = points.transform_filter(alt.datum.chosen).mark_point(
        shape="diamond", size=150, color=CHOSEN, filled=False, strokeWidth=2
    )
    dash = {"strokeDash": styles.LONG, "color": BAR, "strokeWidth": 1}
    aims = alt.Chart(alt.InlineData(values=[{"clean": BARS["clean"], "malice": BARS[attack]}])).mark_rule(**dash)
    across, up = aims.encode(x), aims.encode(y)
    without = alt.Chart(alt.InlineData(values=removed.filter(*here).to_dicts())).encode(y)
    line = without.mark_rule(strokeDash=styles.DOTS, strokeWidth=1.6)
    name = without.mark_text(text="the bad ratings taken away", x=4, dy=-8, align="left", fontSize=10)
    title = alt.TitleParams(f"{SOURCES[source]}; {MALICE[attack]}", subtitle=words)
    return alt.layer(across, up, line, name, curves, labels, chosen).properties(width=300, height=200, title=title)


def axis(ends: list[float]) -> alt.Scale:
    """Return an axis that is the same for all panels."""
    return alt.Scale(domain=ends, zero=False, nice=False, clamp=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=12)
    parser.add_argument("--games", type=int, default=32)
    asked = vars(parser.parse_args())
    found, removed = data_frontier(**asked), data_removed(**asked)
    for shown in (found, removed, data_told(**asked), data_rule(games=16 * asked["games"])):
        sys.stdout.write(f"{shown.write_csv(float_precision=3)}\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_frontier(found, removed).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
