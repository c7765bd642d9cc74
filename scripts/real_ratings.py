"""Measure policies on ratings that people really gave, and on arms for which doubt and trust cost most.

    python scripts/real_ratings.py --policies WaryThompson BetaThompson "MixtureThompson(range)" "UCB(sigma=arms.sd)"

A policy is a name, which is built with the range of the ratings, or an expression of `arms`, `range` and public names.
The tables are: regret divided by that of plain Thompson sampling in the same games, on groups of five lecturers and of
five items; regret on synthetic arms as a share of that of uniform play; regret on the paper's arms; and the robust
estimates from 300 clean ratings of each lecturer. `--tables ratios fit` prints only these two.

To see what one of the default policy's assumptions costs, compare with the default policy in the same games:

    python scripts/real_ratings.py --tables ratios --over WaryThompson --games 16 --policies "assuming(owed_if_odd=0.0)"
"""

import argparse
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

import trueward as tw
from trueward.arms.ratings import SOURCES
from trueward.engine.compiling import Compilable
from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import Ask, Observation, make_ask, update
from trueward.lab.arena.real_rating_scenarios import OVERDISPERSED, STARS, ZEROS
from trueward.lab.arena.scenario import A, B, I, U, W
from trueward.lab.arena.suite import CLOSE, PAPER
from trueward.policies.wary_thompson.rating_model import Assumptions

Make = Callable[[tw.Arms], tw.Policy]

RATINGS = 300  # clean ratings of each lecturer

ATTACKS = {
    "clean": tw.NoAdversary(),
    "careless class": tw.CarelessParticipants("university class"),
    "a tenth A": tw.BernoulliAdversary(0.1, A),
    "a tenth W": tw.BernoulliAdversary(0.1, W),
    "front cluster W": tw.FrontCluster(0.1, W),
}
ON_THE_PAPERS_ARMS = {
    "clean": tw.NoAdversary(),
    **{letter: tw.BernoulliAdversary(0.1, values) for letter, values in zip("ABWUI", (A, B, W, U, I), strict=True)},
    "front A": tw.FrontCluster(0.1, A),
    "front W": tw.FrontCluster(0.1, W),
    "burst": tw.Burst(201, 100, W),
    "prefix": tw.PrefixBudget(0.1, W),
    "first pulls": tw.FrontCluster(0.1, W, by="pulls"),
    "a fifth W": tw.BernoulliAdversary(0.2, W),
}
WORLDS: dict[str, tuple[tw.Arms, str, int]] = {
    "honest zeros": (ZEROS, "clean", 1000),
    "stars": (STARS, "clean", 1500),
    "overdispersed, W": (OVERDISPERSED, "a tenth W", 1000),
    "close means, W": (CLOSE, "a tenth W", 3000),
}


def assuming(**changed: Any) -> type[tw.Policy]:
    """Return the default policy with other `Assumptions`."""
    return type("Assuming", (tw.WaryThompson,), {"assumed": replace(Assumptions(), **changed)})


def maker(expression: str) -> Make:
    """Return a function that builds the policy of a command-line argument for some arms."""

    def make(arms: tw.Arms) -> tw.Policy:
        known = {name: getattr(tw, name) for name in tw.__all__ if name in expression}  # imports no others
        policy = eval(expression, {**known, "tw": tw, "assuming": assuming, "arms": arms, "range": arms.bounds})
        return policy if isinstance(policy, tw.Policy) else policy(arms.bounds)

    return make


def regret(make: Make, arms: tw.Arms, attack: tw.Adversary, *, games: int, seed: int = 0, horizon: int = 1000) -> float:
    """Return the mean regret of a policy; with the same seed, all policies play the same games."""
    played = tw.play(
        make(arms), arms, attack, horizon=horizon, trials=games, seed=seed, checkpoints=[horizon], shuffle_arms=True
    )
    return float(played.regret[:, -1].mean())


def ratios(
    make: Make, over: Make, source: str, attack: str, *, groups: int = 12, games: int = 64, seed: int = 0
) -> tuple[float, float, float]:
    """Return regret over that of another policy, the geometric mean over groups with its 90 % interval."""

    def log_ratio(i: int, arms: tw.Arms) -> float:
        lost, other = (regret(who, arms, ATTACKS[attack], games=games, seed=seed + i) for who in (make, over))
        sys.stderr.write(f"{source}, {attack}, group {i + 1}: {lost:.1f} over {other:.1f} = {lost / other:.2f}\n")
        return float(np.log(lost / other))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        logs = list(pool.map(log_ratio, range(groups), tw.rating_groups(source, groups, seed=seed)))
    reach = stats.t.ppf(0.95, groups - 1) * np.std(logs, ddof=1) / np.sqrt(groups) if groups > 1 else np.nan
    middle = np.mean(logs)
    return float(np.exp(middle)), float(np.exp(middle - reach)), float(np.exp(middle + reach))


@Compilable
def tell_all(state: State, ratings: Floats, ask: Ask, rng: np.random.Generator) -> None:
    """Tell a policy a (rounds, arms) table of ratings, row by row."""
    for t in range(ratings.shape[0]):
        for arm in range(ratings.shape[1]):
            number = t * ratings.shape[1] + arm + 1
            seen = Observation(number, arm, ratings[t, arm], ask.p, ask.available, ask.p[:0])
            update(state, seen, rng)


def believed(make: Make, arms: tw.Arms, rng: np.random.Generator) -> tuple[Floats, Any]:
    """Return the share believed bad of clean ratings of each arm, and whether its 95 % interval has the true mean."""
    policy: Any = make(arms)
    state = policy.start(arms.n_arms, horizon=RATINGS * arms.n_arms, capacity=RATINGS * arms.n_arms, scale=arms.scale)
    tell_all.compiled(state)(state, arms.draw(RATINGS, rng), make_ask(1, arms.n_arms), rng)
    if hasattr(policy, "intervals"):
        low, high = policy.intervals(state, 0.95)
    else:
        mean, sd = policy.posterior(state)
        low, high = mean - 1.96 * sd, mean + 1.96 * sd
    return policy.contamination(state), (low <= arms.means) & (arms.means <= high)


def fit(make: Make, *, together: int, seed: int = 0) -> tuple[float, float, float]:
    """Return median and 95 % quantile of the share believed bad of each lecturer, and how many intervals are right."""
    rated, rng = tw.ratings("lecturers"), np.random.default_rng(seed)
    order = rng.permutation(len(rated.names))
    bad, right = np.zeros(order.size), np.zeros(order.size, bool)
    for first in range(0, order.size, together):
        group = np.roll(order, -first)[:together]  # the last group is filled up with lecturers of the first
        arms = tw.CategoricalArms(values=rated.values, counts=rated.counts[group])
        bad[group], right[group] = believed(make, arms, rng)
    return float(np.median(bad)), float(np.quantile(bad, 0.95)), float(right.mean())


def show_ratios(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print regret over that of plain Thompson sampling, or of the policy that is asked for."""
    show(f"regret over {options.over}'s [90 %]", *options.attacks)
    size = {"groups": options.groups, "games": options.games, "seed": options.seed}
    for name, make in makers.items():
        for source in SOURCES:
            found = [ratios(make, maker(options.over), source, attack, **size) for attack in options.attacks]
            show(f"{name}, {source}", *("{:.2f} [{:.2f}, {:.2f}]".format(*ratio) for ratio in found))


def show_worlds(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print regret as a share of that of uniform play."""
    show("share of uniform play's regret", *WORLDS)
    for name, make in makers.items():
        shares = []
        for arms, attack, horizon in WORLDS.values():
            lost = regret(make, arms, ATTACKS[attack], games=options.games, seed=options.seed, horizon=horizon)
            shares.append(lost / (horizon * arms.gaps.mean()))
        show(name, *(f"{share:.2f}" for share in shares))


def show_paper(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print regret on the paper's arms."""
    show("regret on the paper's arms", *ON_THE_PAPERS_ARMS)
    for name, make in makers.items():
        lost = [regret(make, PAPER, a, games=options.games, seed=options.seed) for a in ON_THE_PAPERS_ARMS.values()]
        show(name, *(f"{mean:.0f}" for mean in lost))


def show_fit(makers: dict[str, Make], options: argparse.Namespace) -> None:
    """Print what is believed of clean ratings, by the policies that say it."""
    show(f"{RATINGS} clean ratings of each lecturer", "bad: median", "95 % quantile", "intervals right")
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


def options() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", nargs="+", default=["WaryThompson"])
    parser.add_argument("--over", default="BetaThompson")  # which trusts every rating
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
