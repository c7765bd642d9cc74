"""Results of the paper's experiments whose numbers are made up, and the ledger of them."""

import numpy as np
import polars as pl

from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.result import Result
from trueward.lab.paper.judge import judge

TRIALS = 16
CENTRED = np.linspace(-1, 1, TRIALS)  # the noise of every made-up game: its mean is 0
LIKE_THE_PAPER = {"tUCB": 100, "sUCB": 110, "RUCB-MAB": 90, "UCB": 200, "EXP3": 700, "EXP3++": 710, "Tsallis-INF": 400}


def made_up(name, regret, *, violation=1, slope=None, noise=0.0):
    """Return a result whose mean regret is `regret(policy, point)`; noise differs in sign between policies."""
    experiment = lab.load(example_file(name), trials=TRIALS)
    cells = []
    for cell in experiment.cells:
        trials, curves = [], []
        for index, policy in enumerate(cell.policies):
            values = regret(policy, cell.point) + noise * (-1) ** index * CENTRED
            trials.append(
                pl.DataFrame(
                    {
                        "policy": [policy] * TRIALS,
                        "trial": np.arange(TRIALS),
                        "regret": values,
                        "first_violation": np.full(TRIALS, violation),
                    }
                )
            )
            rounds = np.arange(100, 1001, 100)
            mean = np.array([slope(policy, t) if slope else 0.0 for t in rounds], dtype=np.float64)
            curves.append(pl.DataFrame({"policy": [policy] * rounds.size, "round": rounds, "mean": mean}))
        cells.append({"trials": pl.concat(trials), "curves": pl.concat(curves)})
    return Result(experiment, cells)


def like_the_paper(policy, point):
    name = "UCB" if policy.startswith("UCB1") else policy.split(" (")[0]
    return float(LIKE_THE_PAPER[name] * (1 + point.get("epsilon", 0)))


def judged(*results):
    """Return the entries of the ledger by name."""
    ledger = judge({result.experiment.name: result for result in results})
    return {entry.name: entry for entry in ledger.entries}
