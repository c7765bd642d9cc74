"""Show the effect of each practical constant of SAPO at a thousand rounds, one changed at a time.

    python scripts/sapo_constants.py              # two minutes
    python scripts/sapo_constants.py --trials 64  # a quick look

There are three stationary environments (the paper's five arms, two arms far apart, two arms close together) and one in
which the bad arm becomes the best after a quarter of the game. Regret is against the best arm in the observed rewards.
Prints the table of docs/best-of-both-worlds.md.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parent))

from best_of_both_worlds import RATES, ImprovingArm, change_round, observed_regret

import trueward as tw
from trueward.engine.kernel import Floats
from trueward.engine.states import Setting
from trueward.policies.sampling.sapo import PAPER, PRACTICAL, PRACTICAL_LOG_TERM, SapoConstants, SapoState

HORIZON, TRIALS = 1000, 640
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
APART, CLOSE = tw.BernoulliArms(RATES), tw.BernoulliArms([0.6, 0.5])
LABELS = {
    "log_term": "b",
    "margin": "margin, in radii",
    "width": "width of R",
    "phase": "length of a phase",
    "errors": "errors allowed, in log2 T",
    "regret": "regret allowed",
}
ALTERNATIVES = {
    "log_term": (0.005, 0.08),
    "margin": (1.5, 6.0, PAPER.margin),
    "width": (PAPER.width, 5.0, 40.0),
    "phase": (0.25, 4.0, PAPER.phase),
    "errors": (0.3, PAPER.errors),
    "regret": (5.0, 40.0, PAPER.regret),
}


@dataclass(frozen=True, kw_only=True)
class TunedSAPO(tw.SAPO):
    """SAPO with arbitrary constants."""

    constants: SapoConstants = PRACTICAL

    def state(self, setting: Setting) -> SapoState:
        """Return the state with these constants."""
        state, constants = super().state(setting), self.constants
        limits = {
            "max_regret": constants.regret * float(np.sqrt(setting.n_arms * state.horizon * state.log_term)),
            "max_errors": constants.errors * float(np.log2(state.horizon)),
        }
        return state._replace(margin=constants.margin, width=constants.width, phase=constants.phase, **limits)


def variants() -> dict[str, dict[str, Any]]:
    """Return the parameters of every row by its label: the two presets, then one constant changed at a time."""
    practical = {"constants": PRACTICAL, "log_term": PRACTICAL_LOG_TERM}
    rows: dict[str, dict[str, Any]] = {"paper": {"constants": PAPER, "log_term": None}, "practical": practical}
    for name, values in ALTERNATIVES.items():
        default = PRACTICAL_LOG_TERM if name == "log_term" else getattr(PRACTICAL, name)
        for value in values:
            changed = {"log_term": value} if name == "log_term" else {"constants": PRACTICAL._replace(**{name: value})}
            rows[f"{LABELS[name]}: {value:g} instead of {default:g}"] = {**practical, **changed}
    return rows


def regrets(range: tuple[float, float], arms: tw.Arms, attack: tw.Adversary | None, trials: int) -> dict[str, Floats]:
    """Return the regret of every trial, by the label of the row."""
    policies = {name: TunedSAPO(range, **parameters) for name, parameters in variants().items()}
    checkpoints = [change_round(HORIZON), HORIZON]
    games = tw.play(policies, arms, attack, horizon=HORIZON, trials=trials, checkpoints=checkpoints)
    if attack is None:
        return {name: trace.regret[:, -1] for name, trace in games.items()}
    return {name: observed_regret(trace, changed=True) for name, trace in games.items()}


def data_constants(trials: int) -> pl.DataFrame:
    """Return the mean regret with its standard error, a row per variant and environment."""
    environments = {
        "five arms": regrets((0, 10), LIKERT, None, trials),
        "two arms, far apart": regrets((0, 1), APART, None, trials),
        "two arms, close": regrets((0, 1), CLOSE, None, trials),
        "the bad arm becomes the best": regrets((0, 1), APART, ImprovingArm(), trials),
    }
    return pl.DataFrame(
        {
            "constants": name,
            "environment": environment,
            "regret": regret.mean(),
            "error": regret.std(ddof=1) / np.sqrt(trials),
        }
        for environment, by_name in environments.items()
        for name, regret in by_name.items()
    )


def constants_table(table: pl.DataFrame) -> str:
    """Return the table as Markdown: a row per variant, a column per environment."""
    environments = table["environment"].unique(maintain_order=True).to_list()
    lines = [f"| constants | {' | '.join(environments)} |", f"|---|{'--:|' * len(environments)}"]
    for name in table["constants"].unique(maintain_order=True):
        rows = table.filter(constants=name)
        cells = [f"{row['regret']:.0f} ± {row['error']:.0f}" for row in rows.iter_rows(named=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=TRIALS)
    sys.stdout.write(f"{constants_table(data_constants(options.parse_args().trials))}\n")
