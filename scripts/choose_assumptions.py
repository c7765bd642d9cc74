"""Chooses the numbers that the default policy assumes (`Assumptions`), by playing worlds that nobody named.

    python scripts/choose_assumptions.py --vary trust=4,8,16 --vary owed=0.5,0.8,1.2

Each world is drawn at random: a scale, a number of arms, a family of laws (binomial, beta-binomial, normal and rounded,
with honest heaps at the low end), means and gaps; or a group of real lecturers or items. So is what is done to it:
nothing, careless people, a share of bad ratings of some kind, a burst. Candidates play the same games. A candidate's
score is the geometric mean over worlds of its regret, over that of the present numbers; it is shown for all worlds and
by what is done to them, with its standard error. A number is changed where the score falls by two standard errors, and
no part of the table rises by two of its own.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import trueward as tw
from trueward.lab.arena.scenario import A, I, W
from trueward.policies.wary_thompson.rating_model import Assumptions

HORIZON = 1000
LEAST = 0.01  # of uniform play's regret, added so that a world that is too easy says little
DONE = ("clean", "class", "malice", "clean", "malice", "burst")
MALICE = [(rate, values) for rate in (0.05, 0.1, 0.2) for values in (A, W, I)]


class World(NamedTuple):
    """Arms, and what is done to their ratings."""

    arms: tw.Arms
    done: str
    adversary: Any


def law(family: str, ratings: int, mean: float, width: float, heap: float) -> Any:
    """Return the probabilities of the ratings of an arm."""
    n = ratings - 1
    if family == "binomial":
        return stats.binom.pmf(np.arange(ratings), n, mean)
    if family == "overdispersed":
        total = 1.0 / width**2 - 1.0
        return stats.betabinom.pmf(np.arange(ratings), n, mean * total, (1.0 - mean) * total)
    edges = (np.arange(n) + 0.5) / n
    rounded = np.diff(stats.norm.cdf((edges - mean) / width), prepend=0.0, append=1.0)
    return (1.0 - heap) * rounded + heap * np.eye(ratings)[0]


def world(i: int, seed: int) -> World:
    """Return a world: every third of real ratings."""
    rng = np.random.default_rng([seed, i])
    done = DONE[i // 3 % len(DONE)]
    if i % 3 == 0:
        arms = tw.rating_groups(("lecturers", "items")[i // 3 % 2], 1, seed=int(rng.integers(1 << 30)))[0]
    else:
        family = ("binomial", "overdispersed", "normal", "heaps")[int(rng.integers(4))]
        ratings, n_arms, width = int(rng.choice([5, 6, 7, 10, 11])), int(rng.integers(2, 9)), rng.uniform(0.1, 0.5)
        gaps = np.append(0.0, np.exp(rng.normal(np.log(0.08), 0.5, n_arms - 1)))
        means = np.clip(rng.uniform(0.45, 0.92) - gaps, 0.08, 0.95)
        heaps = rng.uniform(0.0, 0.12, n_arms) * (family == "heaps")
        rows = [law(family, ratings, mean, width, heap) for mean, heap in zip(means, heaps, strict=True)]
        arms = tw.CategoricalArms(values=np.arange(ratings), probabilities=[row / row.sum() for row in rows])
    rate, values = MALICE[int(rng.integers(len(MALICE)))]
    adversary = {
        "clean": tw.NoAdversary(),
        "class": tw.People("university class"),
        "malice": tw.BernoulliAdversary(rate, values),
        "burst": (tw.FrontCluster(0.1, W), tw.Burst(201, 100, W), tw.FrontCluster(0.02, W, by="pulls"))[i // 18 % 3],
    }[done]
    return World(arms, done, adversary)


def regret(policy: type[tw.Policy], where: World, games: int, seed: int) -> float:
    """Return the logarithm of the mean regret, as a share of uniform play's."""
    ends = float(where.arms.scale[0]), float(where.arms.scale[-1])  # type: ignore[index] # ratings
    played = tw.play(
        policy(ends), where.arms, where.adversary, horizon=HORIZON, trials=games, seed=seed, shuffle_arms=True
    )
    share = played.regret[:, -1].mean() / (HORIZON * where.arms.gaps.mean())
    return float(np.log(share + LEAST))


def candidates(varied: list[str]) -> dict[str, Assumptions]:
    """Return the present numbers, and each of the others in turn."""
    found = {"present": Assumptions()}
    for entry in varied:
        name, _, values = entry.partition("=")
        for value in values.split(","):
            found[f"{name} {value}"] = replace(Assumptions(), **{name: float(value)})
    return found


def say(line: str) -> None:
    """Write a line of the table at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Play all candidates on all worlds, and print their scores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=VALUE,…")
    parser.add_argument("--worlds", type=int, default=108)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    worlds = [world(i, options.seed) for i in range(options.worlds)]
    done = np.array([where.done for where in worlds])
    parts = {"all": done != "", **{part: done == part for part in dict.fromkeys(DONE)}}
    say(f"{'regret over the present one':28}" + "".join(f"{part:>16}" for part in parts))
    base = None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, assumed in candidates(options.vary).items():
            variant = type("Variant", (tw.WaryThompson,), {"assumed": assumed})
            logs = np.empty(len(worlds))
            jobs = [pool.submit(regret, variant, where, options.games, options.seed) for where in worlds]
            for i, job in enumerate(jobs):
                logs[i] = job.result()
                sys.stderr.write(f"\r{name}: {i + 1} of {len(worlds)} worlds ")
            base = logs if base is None else base
            scores = [(logs - base)[where] for where in parts.values()]
            cells = [f"{np.exp(x.mean()):.3f} ± {x.std() / np.sqrt(max(1, x.size)):.3f}" for x in scores]
            shares = f"{np.exp(logs.mean()):.3f}" if name == "present" else ""
            sys.stderr.write("\r")
            say(f"{name:28}" + "".join(f"{cell:>16}" for cell in cells) + f"  {shares}")


if __name__ == "__main__":
    main()
