"""Shows why SAPO's practical constants are what they are: each changed by itself, at a thousand rounds.

    python scripts/sapo_constants.py              # two minutes
    python scripts/sapo_constants.py --trials 64  # a look

Three worlds that stay as they are, the paper's five arms, two arms far apart and two close together, and one in which
the bad arm becomes the best after a quarter of the game. Regret is against the best arm in the rewards seen. Prints the
table of docs/best-of-both-worlds.md.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parent))

from best_of_both_worlds import RATES, Turn, regret_seen, turn_of

import trueward as tw
from trueward.engine.kernel import Floats
from trueward.engine.states import Setting
from trueward.policies.sampling.sapo import PRACTICAL, PRACTICAL_LOG_TERM, PRINTED, Constants, SapoState

HORIZON, TRIALS = 1000, 640
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
APART, CLOSE = tw.BernoulliArms(RATES), tw.BernoulliArms([0.6, 0.5])
WORDS = {"margin": "radii to be eliminated", "doubt": "how wide R is", "phase": "length of a phase"}
WORDS |= {"errors": "errors, in log2 T", "regret": "what may be lost", "log_term": "b"}
OTHERS = {
    "log_term": (0.005, 0.08),
    "margin": (1.5, 6.0, PRINTED.margin),
    "doubt": (PRINTED.doubt, 5.0, 40.0),
    "phase": (0.25, 4.0, PRINTED.phase),
    "errors": (0.3, PRINTED.errors),
    "regret": (5.0, 40.0, PRINTED.regret),
}


@dataclass(frozen=True, kw_only=True)
class Tuned(tw.SAPO):
    """SAPO with constants of any kind."""

    constants: Constants = PRACTICAL

    def state(self, setting: Setting) -> SapoState:
        """Return the state with these constants."""
        state, given = super().state(setting), self.constants
        scales = {
            "most_lost": given.regret * float(np.sqrt(setting.n_arms * state.horizon * state.log_term)),
            "most_errors": given.errors * float(np.log2(state.horizon)),
        }
        return state._replace(margin=given.margin, doubt=given.doubt, phase=given.phase, **scales)


def variants() -> dict[str, dict[str, Any]]:
    """Return the parameters of every row, by its name: the two presets, then one constant at a time."""
    own = {"constants": PRACTICAL, "log_term": PRACTICAL_LOG_TERM}
    rows: dict[str, dict[str, Any]] = {"as printed": {"constants": PRINTED, "log_term": None}, "practical": own}
    for name, values in OTHERS.items():
        before = PRACTICAL_LOG_TERM if name == "log_term" else getattr(PRACTICAL, name)
        for value in values:
            changed = {"log_term": value} if name == "log_term" else {"constants": PRACTICAL._replace(**{name: value})}
            rows[f"{WORDS[name]}: {value:g} for {before:g}"] = {**own, **changed}
    return rows


def regrets(range: tuple[float, float], arms: tw.Arms, attack: tw.Adversary | None, trials: int) -> dict[str, Floats]:
    """Return the regret of every trial, by row."""
    policies = {name: Tuned(range, **given) for name, given in variants().items()}
    marks = [turn_of(HORIZON), HORIZON]
    games = tw.play(policies, arms, attack, horizon=HORIZON, trials=trials, checkpoints=marks)
    if attack is None:
        return {name: trace.regret[:, -1] for name, trace in games.items()}
    return {name: regret_seen(trace, turned=True) for name, trace in games.items()}


def data_constants(trials: int) -> pl.DataFrame:
    """Return the mean regret in every world with its standard error, a row per variant and world."""
    worlds = {
        "five arms": regrets((0, 10), LIKERT, None, trials),
        "two arms, far apart": regrets((0, 1), APART, None, trials),
        "two arms, close": regrets((0, 1), CLOSE, None, trials),
        "the bad arm becomes the best": regrets((0, 1), APART, Turn(), trials),
    }
    return pl.DataFrame(
        {"constants": name, "world": world, "regret": each.mean(), "error": each.std(ddof=1) / np.sqrt(trials)}
        for world, found in worlds.items()
        for name, each in found.items()
    )


def constants_table(table: pl.DataFrame) -> str:
    """Return the table of the page: a row per variant, a column per world."""
    worlds = table["world"].unique(maintain_order=True).to_list()
    lines = [f"| constants | {' | '.join(worlds)} |", f"|---|{'--:|' * len(worlds)}"]
    for name in table["constants"].unique(maintain_order=True):
        rows = table.filter(constants=name)
        cells = [f"{row['regret']:.0f} ± {row['error']:.0f}" for row in rows.iter_rows(named=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=TRIALS)
    sys.stdout.write(f"{constants_table(data_constants(options.parse_args().trials))}\n")
