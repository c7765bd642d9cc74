"""Draws docs/images/wary-thompson-game.png: what the default policy believes in one game with a burst, round by round.

The library plays the game; its ratings are then learned once more, one by one, to look on.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image
from rich.progress import track

import trueward as tw
from trueward.engine.protocol import make_observation, update
from trueward.policies.wary_thompson.hypotheses import BURST, EARLIER, FIRST_RATINGS, HYPOTHESES, NOTHING, ONE_ARM
from trueward.policies.wary_thompson.playing import WaryThompsonState
from trueward.reporting import panels, styles

FILE = Path(__file__).parents[1] / "docs" / "images" / "wary-thompson-game.png"
ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
FIRST, LAST, HORIZON, SEED = 201, 300, 1000, 0
POLICY = tw.WaryThompson((0, 10))

UNDER_WAY = "a burst is under way"
WORDS = {
    NOTHING: "all ratings count",
    BURST: "a burst came and went",
    EARLIER: "all was bad at first",
    ONE_ARM: "a burst on one arm",
    FIRST_RATINGS: "each arm's first ratings were bad",
}
HELD = {  # the colours of Okabe and Ito
    WORDS[NOTHING]: "#BBBBBB",
    UNDER_WAY: "#D55E00",
    WORDS[BURST]: "#56B4E9",
    WORDS[EARLIER]: "#F0E442",
    WORDS[ONE_ARM]: "#CC79A7",
    WORDS[FIRST_RATINGS]: "#009E73",
}
BELIEVED = {
    "best arm": "#0072B2",
    "arm 2": "#E69F00",
    "arm 3": "#009E73",
    "arm 4": "#CC79A7",
    "arm 5": "#56B4E9",
}
PLAIN = "plain mean of the best arm"
TRUE = "true means"
MEANS = {**BELIEVED, PLAIN: "#1A1A1A", TRUE: "#777777"}
DASHES = {**dict.fromkeys(BELIEVED, styles.SOLID), PLAIN: styles.DOTS, TRUE: styles.LONG}
LEAST_SHOWN = 0.01  # of a hypothesis's weight
WIDTH, PIXELS = 560, 2


def data_game() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the weight of each kind of hypothesis, and the mean believed of each arm, in each round."""
    weights, means = [], []
    for t, (state, plain) in enumerate(learning(), 1):
        weights += [{"round": t, "hypothesis": word, "weight": w} for word, w in by_word(state).items()]
        believed = [*zip(BELIEVED, POLICY.estimates(state).tolist(), strict=True), (PLAIN, plain)]
        means += [{"round": t, "mean of": name, "mean": mean} for name, mean in believed if mean == mean]
    return pl.DataFrame(weights), pl.DataFrame(means)


def learning() -> Iterator[tuple[WaryThompsonState, float]]:
    """Play a game, and give after each of its ratings the policy's state, and the plain mean of the best arm."""
    attack = tw.Burst(FIRST, LAST - FIRST + 1, tw.WorstBounded())
    game = tw.play(POLICY, ARMS, attack, horizon=HORIZON, seed=SEED, keep_history=True)
    assert game.arms is not None
    assert game.observed is not None
    state, rng = POLICY.start(ARMS.n_arms, horizon=HORIZON, capacity=HORIZON), np.random.default_rng(0)
    of_best: list[float] = []
    rounds = list(zip(game.arms[0].tolist(), game.observed[0].tolist(), strict=True))
    for t, (arm, rating) in enumerate(track(rounds, "Learning the ratings", transient=True), 1):
        update(state, make_observation(arm, rating, n_arms=ARMS.n_arms, t=t), rng)
        of_best += [rating] if arm == ARMS.best else []
        yield state, float(np.mean(of_best)) if of_best else np.nan


def by_word(state: WaryThompsonState) -> dict[str, float]:
    """Return the weight of each kind of hypothesis."""
    labels, standing = state.labels, state.standing
    weights = dict.fromkeys(HELD, 0.0)
    for hypothesis in range(standing.counts[HYPOTHESES]):
        kind = int(labels.kind[hypothesis])
        word = UNDER_WAY if kind == BURST and labels.open[:, hypothesis].any() else WORDS[kind]
        weights[word] += float(standing.weights[hypothesis])
    return weights


def draw_game(weights: pl.DataFrame, means: pl.DataFrame) -> alt.VConcatChart:
    """Draw the hypotheses as a stack, and below it the means; thin lines mark the burst."""
    burst = drawn(pl.DataFrame({"round": [FIRST, LAST]}), alt.MarkDef("rule", strokeWidth=0.7), time_axis())
    title = f"One game: in rounds {FIRST} to {LAST}, between the thin lines, all ratings are bad"
    return alt.vconcat(
        alt.layer(draw_hypotheses(weights), burst).properties(width=WIDTH, height=140),
        alt.layer(draw_means(means), burst).properties(width=WIDTH, height=230),
        title=alt.TitleParams(title, anchor="start"),
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(color="independent", strokeDash="independent")),
    )


def draw_hypotheses(weights: pl.DataFrame) -> alt.Chart:
    """Draw how far each kind of hypothesis is believed, of those that ever are."""
    told = weights.filter(pl.col("weight").max().over("hypothesis") >= LEAST_SHOWN)
    colors = {word: color for word, color in HELD.items() if word in told["hypothesis"]}
    y = alt.Y("weight:Q", title="weight of the hypothesis", stack="zero", scale=alt.Scale(domain=[0, 1]))
    color = alt.Color("hypothesis:N", scale=alt.Scale(domain=list(colors), range=list(colors.values())))
    return drawn(told, alt.MarkDef("area"), time_axis(), y, color)


def draw_means(means: pl.DataFrame) -> panels.Panels:
    """Draw what is believed of each arm, the plain mean of the best one, and the true means."""
    dashes = [list(dash) for dash in DASHES.values()]
    channels = (
        alt.Y("mean:Q", title="mean (rating points)", scale=alt.Scale(zero=False)),
        alt.Color("mean of:N", scale=alt.Scale(domain=list(MEANS), range=list(MEANS.values()))),
        alt.StrokeDash("mean of:N", scale=alt.Scale(domain=list(MEANS), range=dashes)),
    )
    true = pl.DataFrame([{"mean": mean, "mean of": TRUE} for mean in sorted(set(ARMS.means.tolist()))])
    return alt.layer(
        drawn(true, alt.MarkDef("rule", strokeWidth=1.5), *channels),
        drawn(means, alt.MarkDef("line", strokeWidth=1.8), time_axis(), *channels),
    )


def drawn(table: pl.DataFrame, mark: alt.MarkDef, *channels: Any) -> alt.Chart:
    """Return a table drawn with a kind of mark."""
    chart: alt.Chart = alt.Chart(alt.InlineData(values=table.to_dicts()), mark=mark).encode(*channels)
    return chart


def time_axis() -> alt.X:
    """Return the rounds."""
    return alt.X("round:Q", title="time (rounds)", axis=alt.Axis(grid=False), scale=alt.Scale(domain=[0, HORIZON]))


if __name__ == "__main__":
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_game(*data_game()).to_dict(), scale=PIXELS))
    Image.open(picture).save(FILE, optimize=True)
