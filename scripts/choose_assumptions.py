"""Chooses the numbers that the default policy assumes (`Assumptions`), by playing worlds that nobody named.

    python scripts/choose_assumptions.py
    python scripts/choose_assumptions.py --vary trust=4,8,16 --vary owed=0.5,0.8,1.2

Each world is drawn at random: a scale, a number of arms, a family of laws (binomial, beta-binomial, normal and rounded,
with honest heaps at the low end), means and gaps; or a group of real lecturers or items, other ones than those of the
tables in the docs. So is what is done to it: nothing; nothing, but some arms have haters, who are honest; careless
people; a share of bad ratings of some kind; a burst.

All candidates play the same games. A candidate's score is the mean over what is done (clean, haters, careless, malice,
bursts: a fifth each) of the logarithm of its regret over that of the present numbers. Of all candidates that lose at
most 15 % more than plain Thompson sampling on the clean worlds, and at most 10 % more on the careless ones, the one
with the lowest score is chosen, unless it is within its standard error of the present numbers: then these stay.

Without `--vary`, the numbers that pull apart are tried in all combinations: how likely an attack is beforehand, and how
likely honest heaps are (`CROSSED`); then some others one by one, beside what that has chosen (`IN_TURN`).
"""

import argparse
import ast
import itertools
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy import stats

import trueward as tw
from trueward.engine.kernel import Bools, Floats
from trueward.lab.arena.scenario import A, I, W
from trueward.policies.wary_thompson.rating_model import Assumptions

HORIZON = 1000
LEAST = 0.01  # of uniform play's regret, added so that a world that is too easy says little
DONE = ("clean", "careless", "malice", "haters", "malice", "burst")
MALICE = [(rate, values) for rate in (0.05, 0.1, 0.2) for values in (A, W, I)]
MOST_HATERS = 0.3  # of the people who rate an arm
MOST_OVER_PLAIN = {"clean": 1.15, "careless": 1.1}
CROSSED: dict[str, list[Any]] = {"attacked": [0.02, 0.05, 0.1], "honest": [0.005, 0.03, 0.1]}
IN_TURN: dict[str, list[Any]] = {
    "placed": [((0.3, 1.1), (0.6, 0.6))],
    "hoped": [0, 4],
    "agreeing": [1, 3, 4],
    "owed": [0.3, 1.0],
}


class World(NamedTuple):
    """Arms, and what is done to their ratings."""

    arms: tw.Arms
    done: str
    adversary: Any


def distribution(family: str, ratings: int, mean: float, width: float, heap: float) -> Any:
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
        arms = tw.rating_groups(("lecturers", "items")[i // 3 % 2], 1, seed=int(rng.integers(1, 1 << 30)))[0]
    else:
        family = ("binomial", "overdispersed", "normal", "heaps")[int(rng.integers(4))]
        ratings, n_arms, width = int(rng.choice([5, 6, 7, 10, 11])), int(rng.integers(2, 9)), rng.uniform(0.1, 0.5)
        gaps = np.append(0.0, np.exp(rng.normal(np.log(0.08), 0.5, n_arms - 1)))
        means = np.clip(rng.uniform(0.45, 0.92) - gaps, 0.08, 0.95)
        heaps = rng.uniform(0.0, 0.12, n_arms) * (family == "heaps")
        rows = [distribution(family, ratings, mean, width, heap) for mean, heap in zip(means, heaps, strict=True)]
        arms = tw.CategoricalArms(values=np.arange(ratings), probabilities=[row / row.sum() for row in rows])
    if done == "haters":
        arms = with_haters(arms, rng.uniform(0.0, MOST_HATERS, arms.n_arms))
    rate, values = MALICE[int(rng.integers(len(MALICE)))]
    adversary = {
        "clean": tw.NoAdversary(),
        "haters": tw.NoAdversary(),
        "careless": tw.CarelessParticipants("university class"),
        "malice": tw.BernoulliAdversary(rate, values),
        "burst": (tw.FrontCluster(0.1, W), tw.Burst(201, 100, W), tw.FrontCluster(0.02, W, by="pulls"))[i // 18 % 3],
    }[done]
    return World(arms, done, adversary)


def with_haters(arms: tw.CategoricalArms, shares: Floats) -> tw.CategoricalArms:
    """Return arms to which these shares of all people honestly give the lowest rating."""
    lowest = np.eye(arms.probabilities.shape[1])[0]
    mixed = (1.0 - shares)[:, None] * arms.probabilities + shares[:, None] * lowest
    return tw.CategoricalArms(values=arms.scale, probabilities=mixed / mixed.sum(axis=1, keepdims=True))


def regret(policy: Callable[[tuple[float, float]], tw.Policy], where: World, games: int, seed: int) -> float:
    """Return the logarithm of the mean regret, as a share of uniform play's."""
    ends = float(where.arms.scale[0]), float(where.arms.scale[-1])  # type: ignore[index] # ratings
    played = tw.play(
        policy(ends),
        where.arms,
        where.adversary,
        horizon=HORIZON,
        trials=games,
        seed=seed,
        shuffle_arms=True,
        checkpoints=[HORIZON],
    )
    share = played.regret[:, -1].mean() / (HORIZON * where.arms.gaps.mean())
    return float(np.log(share + LEAST))


class Search:
    """The worlds, what candidates lost on them, and the table."""

    def __init__(self, *, worlds: int, games: int, seed: int, progress: Progress) -> None:
        self.worlds = [world(i, seed) for i in range(worlds)]
        self.games, self.seed, self.progress = games, seed, progress
        done = np.array([where.done for where in self.worlds])
        self.parts: dict[str, Bools] = {part: done == part for part in dict.fromkeys(DONE)}
        self.known: dict[Assumptions, Floats] = {}
        self.plain = self.played("plain Thompson", tw.BetaThompson)

    def played(self, name: str, policy: Callable[[tuple[float, float]], tw.Policy]) -> Floats:
        """Return the logarithm of the regret in each world."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda where: regret(policy, where, self.games, self.seed), self.worlds)
            return np.array(list(self.progress.track(found, total=len(self.worlds), description=name)))

    def logs(self, name: str, assumed: Assumptions) -> Floats:
        """Return the same of the default policy with these numbers; nobody plays twice."""
        if assumed not in self.known:
            self.known[assumed] = self.played(name, type("Variant", (tw.WaryThompson,), {"assumed": assumed}))
        return self.known[assumed]

    def score(self, logs: Floats, over: Floats) -> tuple[float, float]:
        """Return the mean over what is done of the log of one regret over another, and its standard error."""
        by_part = [(logs - over)[part] for part in self.parts.values()]
        error = np.sqrt(sum(x.var(ddof=1) / x.size for x in by_part)) / len(by_part)
        return float(np.mean([x.mean() for x in by_part])), float(error)

    def near_plain(self, logs: Floats) -> bool:
        """Return whether a candidate costs little enough among honest and careless people."""
        return all((logs - self.plain)[self.parts[p]].mean() <= np.log(most) for p, most in MOST_OVER_PLAIN.items())

    def choose(self, present: Assumptions, others: dict[str, Assumptions]) -> Assumptions:
        """Print the table of all candidates, and return the one that is chosen."""
        base = self.logs("present", present)
        say(
            f"{'regret over the present one':44}"
            + "".join(f"{part:>16}" for part in ("score", *self.parts, "over plain"))
        )
        self.row("plain Thompson", self.plain, base)
        self.row("present", base, base)
        best, words = present, "stay as they are"
        lowest = 0.0 if self.near_plain(base) else np.inf
        for name, assumed in others.items():
            logs = self.logs(name, assumed)
            score, error = self.score(logs, base)
            self.row(name, logs, base)
            if self.near_plain(logs) and score < lowest and (score < -error or np.isinf(lowest)):
                best, words, lowest = assumed, f"change to {name}", score
        say(f"The numbers {words}.\n")
        return best

    def row(self, name: str, logs: Floats, base: Floats) -> None:
        """Print regret over that of the present numbers, with standard errors; and over plain Thompson sampling's."""
        score, error = self.score(logs, base)
        ratios = [(logs - base)[part] for part in self.parts.values()]
        cells = [told(score, error), *(told(x.mean(), x.std(ddof=1) / np.sqrt(x.size)) for x in ratios)]
        over = " / ".join(f"{np.exp((logs - self.plain)[self.parts[part]].mean()):.2f}" for part in MOST_OVER_PLAIN)
        say(f"{name:44}" + "".join(f"{cell:>16}" for cell in [*cells, over]))


def told(log: float, error: float) -> str:
    """Return a ratio with its standard error."""
    return f"{np.exp(log):.3f} ± {np.exp(log) * error:.3f}"


def crossed(present: Assumptions, values: dict[str, list[Any]]) -> dict[str, Assumptions]:
    """Return all combinations."""
    found = {}
    for chosen in itertools.product(*values.values()):
        changed = dict(zip(values, chosen, strict=True))
        found[", ".join(f"{name}={value}" for name, value in changed.items())] = replace(present, **changed)
    return found


def in_turn(present: Assumptions, values: dict[str, list[Any]]) -> dict[str, Assumptions]:
    """Return the present numbers with one of them changed, each in turn."""
    return {f"{n}={value}": replace(present, **{n: value}) for n, each in values.items() for value in each}


def say(line: str) -> None:
    """Write a line of the table at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Play all candidates on all worlds, print their scores and choose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=VALUE,…")
    parser.add_argument("--worlds", type=int, default=144)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    entries = (entry.partition("=") for entry in options.vary)
    varied = {name: list(ast.literal_eval(f"[{values}]")) for name, _, values in entries}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        search = Search(worlds=options.worlds, games=options.games, seed=options.seed, progress=progress)
        chosen = Assumptions()
        if not varied:
            chosen = search.choose(chosen, crossed(chosen, CROSSED))
        search.choose(chosen, in_turn(chosen, varied or IN_TURN))


if __name__ == "__main__":
    main()
