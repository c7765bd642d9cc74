"""Measures policies on ratings that people really gave, and on worlds in which doubt and trust cost most.

    python scripts/real_ratings.py --policies Champion BetaThompson "MixtureThompson(range)" "UCB(sigma=arms.sd)"

A policy is a name, which is built with the range of ratings, or an expression of `arms`, `range` and the public names.
The tables: regret over that of plain Thompson sampling in the same games, on groups of five lecturers and of five
items; regret in synthetic worlds as a share of that of uniform play; regret on the paper's arms; and what is believed
of 300 clean ratings of each lecturer. `--tables ratios fit` prints these two only.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import trueward as tw
from trueward.engine.compiling import TwoSpeeds
from trueward.engine.kernel import Floats, State
from trueward.engine.stages import Ask, Observation, ask_at, update

Make = Callable[[tw.Arms], tw.Policy]

FOLDER = Path("/work/shared/ratings")
SOURCES = {"lecturers": "lecturers.csv", "items": "likert_items.csv"}
LEAD = 0.02  # by which the best of a group is ahead, of the width of the scale
TOLD = 300  # clean ratings of each lecturer

A, B, W, U = tw.RandomMalicious(), tw.ContinuousMalicious(), tw.WorstBounded(), tw.Unbounded()
ATTACKS = {
    "clean": tw.NoAdversary(),
    "careless class": tw.People("university class"),
    "a tenth A": tw.BernoulliAdversary(0.1, A),
    "a tenth W": tw.BernoulliAdversary(0.1, W),
    "front cluster W": tw.FrontCluster(0.1, W),
}
ON_THE_PAPERS_ARMS = {
    "clean": tw.NoAdversary(),
    "A": tw.BernoulliAdversary(0.1, A),
    "B": tw.BernoulliAdversary(0.1, B),
    "W": tw.BernoulliAdversary(0.1, W),
    "U": tw.BernoulliAdversary(0.1, U),
    "I": tw.BernoulliAdversary(0.1, tw.Inlier()),
    "front A": tw.FrontCluster(0.1, A),
    "front W": tw.FrontCluster(0.1, W),
    "burst": tw.Burst(201, 100, W),
    "prefix": tw.PrefixBudget(0.1, W),
    "first pulls": tw.FrontCluster(0.1, W, by="pulls"),
    "a fifth W": tw.BernoulliAdversary(0.2, W),
}
PAPER = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])


def beta_binomial(means: Sequence[float], *, rho: float) -> tw.CategoricalArms:
    """Return ratings from 0 to 10 that scatter more than binomial ones: `rho` is the correlation of their points."""
    points = [stats.betabinom(10, m / 10 * (1 / rho - 1), (1 - m / 10) * (1 / rho - 1)) for m in means]
    return tw.CategoricalArms(values=range(11), probabilities=[law.pmf(np.arange(11)) for law in points])


HATED = [0.20, 0.02, 0.01, 0.01, 0.01, 0.02, 0.03, 0.10, 0.15, 0.15, 0.30]
LIKED = [0.04, 0.01, 0.01, 0.01, 0.02, 0.03, 0.05, 0.13, 0.20, 0.20, 0.30]
STARS = [[0.08, 0.05, 0.12, 0.30, 0.45], [0, 0.02, 0.13, 0.50, 0.35], [0.1, 0.1, 0.2, 0.35, 0.25]]
WORLDS: dict[str, tuple[tw.Arms, str, int]] = {
    "honest zeros": (tw.CategoricalArms(values=range(11), probabilities=[LIKED, HATED, HATED]), "clean", 1000),
    "stars": (tw.CategoricalArms(values=range(1, 6), probabilities=STARS), "clean", 1500),
    "beta-binomial, W": (beta_binomial([8, 7, 7, 7, 7], rho=0.2), "a tenth W", 1000),
    "close means, W": (tw.BinomialArms(n=10, p=[0.83, 0.8, 0.8, 0.8, 0.8]), "a tenth W", 3000),
}


def laws_of(source: str) -> tuple[Floats, Floats]:
    """Return the scale of a source, and the share of each rating, one row per arm."""
    with (FOLDER / SOURCES[source]).open() as file:
        head, *rows = csv.reader(file)
    counts = np.array([row[1:] for row in rows], float)
    return np.array([float(column[1:]) for column in head[1:]]), counts / counts.sum(axis=1, keepdims=True)


def groups_of(source: str, n: int = 12, *, seed: int = 0, size: int = 5) -> list[tw.CategoricalArms]:
    """Return different groups of arms, each of them with one that is clearly the best."""
    values, laws = laws_of(source)
    means, rng, found = laws @ values, np.random.default_rng(seed), dict[frozenset[int], list[int]]()
    while len(found) < n:
        group = rng.choice(len(laws), size, replace=False).tolist()
        second, best = np.sort(means[group])[-2:]
        if best - second >= LEAD * (values[-1] - values[0]):
            found.setdefault(frozenset(group), group)
    return [tw.CategoricalArms(values=values, probabilities=laws[group]) for group in found.values()]


def maker(words: str) -> Make:
    """Return what builds the policy of the command line for some arms."""

    def make(arms: tw.Arms) -> tw.Policy:
        known = {name: getattr(tw, name) for name in tw.__all__ if name in words}
        policy = eval(words, {**known, "tw": tw, "arms": arms, "range": arms.bounds})
        return policy if isinstance(policy, tw.Policy) else policy(arms.bounds)

    return make


def plain(arms: tw.Arms) -> tw.Policy:
    """Return plain Thompson sampling, which trusts every rating."""
    return tw.BetaThompson(arms.bounds)


def regret(make: Make, arms: tw.Arms, attack: tw.Adversary, *, games: int, seed: int = 0, horizon: int = 1000) -> float:
    """Return the mean regret of a policy; with the same seed, all policies play the same games."""
    played = tw.play(
        make(arms), arms, attack, horizon=horizon, trials=games, seed=seed, checkpoints=[horizon], shuffle_arms=True
    )
    return float(played.regret[:, -1].mean())


def ratios(
    make: Make, source: str, attack: str, *, groups: int = 12, games: int = 64, seed: int = 0
) -> tuple[float, float, float]:
    """Return regret over that of plain Thompson sampling, the geometric mean over groups with its 90 % interval."""
    logs = []
    for i, arms in enumerate(groups_of(source, groups, seed=seed)):
        both = [regret(who, arms, ATTACKS[attack], games=games, seed=seed + i) for who in (make, plain)]
        logs.append(np.log(both[0] / both[1]))
        say(f"{source}, {attack}, group {i + 1}: {both[0]:.1f} over {both[1]:.1f} = {both[0] / both[1]:.2f}")
    reach = stats.t.ppf(0.95, groups - 1) * np.std(logs, ddof=1) / np.sqrt(groups) if groups > 1 else np.nan
    middle = np.mean(logs)
    return float(np.exp(middle)), float(np.exp(middle - reach)), float(np.exp(middle + reach))


@TwoSpeeds
def tell_all(state: State, ratings: Floats, ask: Ask, rng: np.random.Generator) -> None:
    """Tell a policy a (rounds, arms) table of ratings, row by row."""
    for t in range(ratings.shape[0]):
        for arm in range(ratings.shape[1]):
            seen = Observation(t * ratings.shape[1] + arm + 1, arm, ratings[t, arm], ask.p, ask.available)
            update(state, seen, rng)


def believed(make: Make, arms: tw.Arms, rng: np.random.Generator) -> tuple[Floats, Any]:
    """Return the share believed bad of clean ratings of each arm, and whether its 95 % interval has the true mean."""
    policy: Any = make(arms)
    state = policy.start(arms.n_arms, horizon=TOLD * arms.n_arms, capacity=TOLD * arms.n_arms, scale=arms.scale)
    tell_all.compiled(state)(state, arms.draw(TOLD, rng), ask_at(1, arms.n_arms), rng)
    if hasattr(policy, "intervals"):
        low, high = policy.intervals(state, 0.95)
    else:
        mean, sd = policy.posterior(state)
        low, high = mean - 1.96 * sd, mean + 1.96 * sd
    return policy.contamination(state), (low <= arms.means) & (arms.means <= high)


def fit(make: Make, *, together: int, seed: int = 0) -> tuple[float, float, float]:
    """Return median and 95 % quantile of the share believed bad of each lecturer, and how many intervals are right."""
    values, laws = laws_of("lecturers")
    rng = np.random.default_rng(seed)
    order, bad, right = rng.permutation(len(laws)), np.zeros(len(laws)), np.zeros(len(laws), bool)
    for first in range(0, len(order), together):
        group = np.roll(order, -first)[:together]  # the last group is filled up with lecturers of the first
        arms = tw.CategoricalArms(values=values, probabilities=laws[group])
        bad[group], right[group] = believed(make, arms, rng)
    return float(np.median(bad)), float(np.quantile(bad, 0.95)), float(right.mean())


def show_ratios(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print the first table."""
    show("regret over BetaThompson's [90 %]", *options.attacks)
    size = {"groups": options.groups, "games": options.games, "seed": options.seed}
    for name, make in makers.items():
        for source in SOURCES:
            found = [ratios(make, source, attack, **size) for attack in options.attacks]
            show(f"{name}, {source}", *("{:.2f} [{:.2f}, {:.2f}]".format(*ratio) for ratio in found))


def show_worlds(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print the second table."""
    show("share of uniform play's regret", *WORLDS)
    for name, make in makers.items():
        shares = []
        for arms, attack, horizon in WORLDS.values():
            lost = regret(make, arms, ATTACKS[attack], games=options.games, seed=options.seed, horizon=horizon)
            shares.append(lost / (horizon * arms.gaps.mean()))
        show(name, *(f"{share:.2f}" for share in shares))


def show_paper(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print the third table."""
    show("regret on the paper's arms", *ON_THE_PAPERS_ARMS)
    for name, make in makers.items():
        lost = [regret(make, PAPER, a, games=options.games, seed=options.seed) for a in ON_THE_PAPERS_ARMS.values()]
        show(name, *(f"{mean:.0f}" for mean in lost))


def show_fit(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print the fourth table, of the policies that say what they believe bad."""
    show(f"{TOLD} clean ratings of each lecturer", "bad: median", "95 % quantile", "intervals right")
    for name, make in makers.items():
        if hasattr(make(PAPER), "contamination"):
            for words, together in {"alone": 1, "one of five": 5}.items():
                found = fit(make, together=together, seed=options.seed)
                show(f"{name}, {words}", *(f"{share:.2f}" for share in found))


TABLES = {"ratios": show_ratios, "worlds": show_worlds, "paper": show_paper, "fit": show_fit}


def show(*cells: str) -> None:
    """Print a row."""
    sys.stdout.write(f"{cells[0]:44}" + "".join(f" | {cell:18}" for cell in cells[1:]) + "\n")
    sys.stdout.flush()


def say(words: str) -> None:
    """Say how far we are."""
    sys.stderr.write(words + "\n")


def options() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", nargs="+", default=["Champion"])
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=TABLES)
    parser.add_argument("--attacks", nargs="+", default=list(ATTACKS), choices=ATTACKS)
    parser.add_argument("--groups", type=int, default=12)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    asked = options()
    for table in asked.tables:
        TABLES[table]({words: maker(words) for words in asked.policies}, asked)
        show("")
