"""Print what the default policy costs and gains on people, divided opinions and attacks, and what it should reach.

    python scripts/default_policy_table.py                        # some twenty minutes on two cores
    python scripts/default_policy_table.py --quick                # a look
    python scripts/default_policy_table.py --folder ../labelled   # with more sources of labelled people
    python scripts/default_policy_table.py --rows paper divided --policy MixtureThompson

A ratio is the policy's regret over that of plain Thompson sampling (`BetaThompson`) in the same games; it is the
geometric mean over groups of five arms, and then over sources. Points are regret itself. The standard error is that of
the games within the groups (by the delta method), and a row holds if it is met within two standard errors.

Labelled people: six groups of each source, 48 games in each. The best arm of a group leads by at least 2 % of the
scale. Careless people rate in the source's own share, and the truth is what attentive people say. A game ends on a
wrong arm if the most played arm of its last fifth is not the best. Nothing here serves to choose a constant.

A file in `--folder` has the header `arm,people,1,2,3,…` and, for each arm, the counts of attentive and of careless
people; or one column per rater, with careless ones named outlier1, outlier2 and so on.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rating_worlds import (
    BIMODAL,
    LOW_BEST,
    ON_PAPER,
    SIZE,
    World,
    divided_worlds,
    labelled_sources,
    labelled_worlds,
    rating_worlds,
)
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

import trueward as tw
from trueward.arms.ratings import SOURCES
from trueward.engine.kernel import Floats
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.lab.arena.suite import PAPER
from trueward.policies import POLICIES

SECTIONS = ("labelled-500", "labelled-150", "ratings", "divided", "polarised", "paper")
LABELLED = {  # number of rounds: what to reach with each condition, over all sources and on the worst
    500: {"attentive": (1.0, 1.2), "careless": (1.0, 1.15), "W .1": (0.55, None), "front W": (0.5, None)},
    150: {"attentive": (1.0, None), "careless": (1.0, None), "W .1": (0.75, None), "front W": (0.65, None)},
}
WRONG_ARM, LAST_FIFTH = 1.1, 0.8
RATINGS = {"clean": 1.1, "class": 1.2}
DIVIDED, OTHER_DIVIDED, POLARISED = {BIMODAL: 4.0, LOW_BEST: 1.3}, 3.0, 1.0
ON_PAPER_POINTS = {"clean": 40, "A": 90, "W": 130, "I": 120, "front W": 170, "burst": 100, "class": 120}
ROUNDS, DIVIDED_ROUNDS = 1000, 500

Key = tuple[str, ...]


class Match(NamedTuple):
    """Games of the policy and of plain Thompson sampling in one world."""

    key: Key  # section, then what distinguishes it within the section
    world: World
    horizon: int
    games: int
    seed: int
    polarised: bool = False


class Played(NamedTuple):
    """Results of a match, one number per game."""

    regret: Floats
    plain_regret: Floats
    wrong: Floats  # 1 if the most played arm of the last fifth is not the best
    plain_wrong: Floats


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    section: str
    label: str
    value: float
    se: float
    reach: float | None
    note: str = ""

    @property
    def verdict(self) -> str:
        """The word in the column "holds": reached, reached within two standard errors, or not."""
        if self.reach is None:
            return ""
        if self.value <= self.reach:
            return "yes"
        return "within 2 se" if self.value - 2 * self.se <= self.reach else "NO"


class Estimate(NamedTuple):
    """A number and its standard error."""

    value: float
    se: float


def matches(sections: list[str], folders: list[Path], *, groups: int, games: int, paper_games: int) -> list[Match]:
    """Return all matches of some sections."""
    found = list[Match]()
    sources = labelled_sources(folders) if any(s.startswith("labelled") for s in sections) else {}
    for name, people in sources.items():
        if len(people.names) < SIZE:
            sys.stderr.write(f"{name} is left out: it has fewer than {SIZE} arms that both kinds of people rated\n")
            continue
        for group, worlds in enumerate(labelled_worlds(people, groups), 1):
            for horizon in (h for h in LABELLED if f"labelled-{h}" in sections):
                keys = {what: (f"labelled-{horizon}", what, name, str(group)) for what in worlds}
                found += [Match(keys[what], world, horizon, games, group) for what, world in worlds.items()]
    for source in SOURCES if "ratings" in sections else ():
        for group, worlds in enumerate(rating_worlds(source, groups), 1):
            found += [Match(("ratings", w, source, str(group)), worlds[w], ROUNDS, games, group) for w in worlds]
    for name, world in divided_worlds().items():
        if "divided" in sections:
            found.append(Match(("divided", name), world, DIVIDED_ROUNDS, groups * games, 0))
        if "polarised" in sections and name != BIMODAL:
            found.append(Match(("polarised", name), world, DIVIDED_ROUNDS, groups * games, 0, polarised=True))
    for name in ON_PAPER if "paper" in sections else ():
        found.append(Match(("paper", name), World(PAPER, PAPER.gaps, ON_PAPER[name]), ROUNDS, paper_games, 0))
    return found


def build(policy_class: type[tw.Policy], match: Match) -> tw.Policy:
    """Return the policy for a match; parameters without a default are derived from the match as in the arena."""
    given = {"polarised": True} if match.polarised else {}
    return configure_policy(policy_class, Problem(match.world.arms, match.horizon, None), **given)


def play(policy_class: type[tw.Policy], match: Match) -> Played:
    """Play a match; groups are drawn in random order, and the arms of other worlds are shuffled."""
    arms, gaps, adversary = match.world
    traces = tw.play(
        {"policy": build(policy_class, match), "plain": tw.BetaThompson(arms.bounds)},
        arms,
        adversary,
        horizon=match.horizon,
        trials=match.games,
        seed=match.seed,
        checkpoints=[round(LAST_FIFTH * match.horizon), match.horizon],
        shuffle_arms=match.key[0] in ("divided", "polarised", "paper"),
    )
    regret, wrong = {}, {}
    for name, trace in traces.items():
        regret[name] = trace.pulls[:, -1] @ gaps
        late = trace.pulls[:, -1] - trace.pulls[:, 0]
        wrong[name] = (late[:, gaps == 0].max(axis=1) < late.max(axis=1)).astype(float)
    return Played(regret["policy"], regret["plain"], wrong["policy"], wrong["plain"])


def play_all(
    policy_class: type[tw.Policy], todo: list[Match], done: Callable[[], None] = lambda: None
) -> dict[Key, Played]:
    """Play matches, as many at a time as there are cores."""

    def play_one(match: Match) -> Played:
        played = play(policy_class, match)
        done()
        return played

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip((match.key for match in todo), pool.map(play_one, todo), strict=True))


def log_ratio(played: Played) -> Estimate:
    """Return the logarithm of the regret over plain Thompson sampling's in one group, paired by game."""
    ours, plain = played.regret.mean(), played.plain_regret.mean()
    return Estimate(float(np.log(ours / plain)), standard_error(played.regret / ours - played.plain_regret / plain))


def standard_error(values: Floats) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")


def mean_of(logs: list[Estimate]) -> Estimate:
    """Return the mean of independent estimates."""
    values, ses = (np.array(column) for column in zip(*logs, strict=True))
    return Estimate(float(values.mean()), float(np.sqrt((ses**2).sum()) / ses.size))


def exponential(log: Estimate) -> Estimate:
    """Return a ratio from its logarithm."""
    return Estimate(float(np.exp(log.value)), float(np.exp(log.value) * log.se))


def by_source(played: dict[Key, Played], section: str, what: str) -> dict[str, Estimate]:
    """Return the mean logarithm of the ratios of each source's groups."""
    logs: dict[str, list[Estimate]] = {}
    for key, games in played.items():
        if key[:2] == (section, what):
            logs.setdefault(key[2], []).append(log_ratio(games))
    return {source: mean_of(groups) for source, groups in logs.items()}


def labelled_rows(played: dict[Key, Played], horizon: int) -> list[Row]:
    """Return the rows of labelled people: the mean over sources, the worst source, and who ends on a wrong arm."""
    section, rows = f"labelled-{horizon}", list[Row]()
    for what, (reach, worst_reach) in LABELLED[horizon].items():
        sources = by_source(played, section, what)
        over_all = exponential(mean_of(list(sources.values())))
        rows.append(Row(section, f"{what}, all sources", *over_all, reach, f"{len(sources)} sources"))
        if worst_reach is not None:
            worst = max(sources, key=lambda source: sources[source].value)
            rows.append(Row(section, f"{what}, worst source", *exponential(sources[worst]), worst_reach, worst))
    if horizon == 500:
        rows.append(wrong_arm_row([games for key, games in played.items() if key[:2] == (section, "attentive")]))
    return rows


def wrong_arm_row(played: list[Played]) -> Row:
    """Return the share of games that end on a wrong arm over plain Thompson sampling's, over all groups."""
    ours, plain = (np.concatenate(column) for column in ([p.wrong for p in played], [p.plain_wrong for p in played]))
    label, shares = "attentive, games on a wrong arm", f"{ours.mean():.1%} over {plain.mean():.1%} of games"
    if not plain.any() or not ours.any():
        return Row("labelled-500", label, 0.0 if not ours.any() else float("nan"), 0.0, WRONG_ARM, shares)
    ratio = ours.mean() / plain.mean()
    se = ratio * standard_error(ours / ours.mean() - plain / plain.mean())
    return Row("labelled-500", label, float(ratio), float(se), WRONG_ARM, shares)


def table_rows(played: dict[Key, Played]) -> list[Row]:
    """Return all rows of the sections that were played."""
    sections, rows = {key[0] for key in played}, list[Row]()
    for horizon in LABELLED:
        if f"labelled-{horizon}" in sections:
            rows += labelled_rows(played, horizon)
    if "ratings" in sections:
        for what, reach in RATINGS.items():
            sources = by_source(played, "ratings", what)
            rows += [Row("ratings", f"{source}, {what}", *exponential(sources[source]), reach) for source in sources]
    for key, games in played.items():
        if key[0] == "divided":
            reach = DIVIDED.get(key[1], OTHER_DIVIDED)
            rows.append(Row("divided", key[1], *exponential(log_ratio(games)), reach))
        elif key[0] == "polarised":
            rows.append(Row("polarised", key[1], *exponential(log_ratio(games)), POLARISED))
        elif key[0] == "paper":
            plain = f"plain: {games.plain_regret.mean():.0f}"
            points = float(games.regret.mean()), standard_error(games.regret)
            rows.append(Row("paper", key[1], *points, ON_PAPER_POINTS[key[1]], plain))
    return rows


TITLES = {
    "labelled-500": "labelled people, T = 500",
    "labelled-150": "labelled people, T = 150",
    "ratings": "lecturers and items, T = 1,000",
    "divided": "divided opinions, T = 500",
    "polarised": "divided opinions, T = 500, polarised=True",
    "paper": "the paper's arms, T = 1,000 (points)",
}


def show(rows: list[Row], played: dict[Key, Played], console: Console) -> None:
    """Print the table, and the ratios of each source of labelled people."""
    table = Table("", "measured", "± se", "to reach", "holds", "", title="regret over plain Thompson sampling's")
    for section, title in TITLES.items():
        chosen = [row for row in rows if row.section == section]
        if chosen:
            table.add_section()
            table.add_row(f"[bold]{title}")
        for row in chosen:
            digits = "{:.0f}" if section == "paper" else "{:.2f}"
            reach = "" if row.reach is None else f"{row.reach:g}"
            table.add_row(row.label, digits.format(row.value), digits.format(row.se), reach, row.verdict, row.note)
    console.print(table)
    for horizon, conditions in LABELLED.items():
        found = {what: by_source(played, f"labelled-{horizon}", what) for what in conditions}
        if found["attentive"]:
            table = Table("source", *found, title=f"each source of labelled people, T = {horizon} (± se)")
            for source in found["attentive"]:
                ratios = [exponential(found[what][source]) for what in found]
                table.add_row(source, *(f"{ratio.value:.2f} ± {ratio.se:.2f}" for ratio in ratios))
            console.print(table)


def as_json(policy: str, rows: list[Row], played: dict[Key, Played]) -> dict[str, Any]:
    """Return rows, and the ratio of every match, as plain data."""
    ratios = {" | ".join(key): exponential(log_ratio(games))._asdict() for key, games in played.items()}
    return {"policy": policy, "rows": [{**asdict(row), "holds": row.verdict} for row in rows], "matches": ratios}


def policy_named(name: str) -> type[tw.Policy]:
    """Return a policy class by its name in the package or in the registry."""
    found = POLICIES[name] if name in POLICIES else getattr(tw, name, None)
    if not (isinstance(found, type) and issubclass(found, tw.Policy)):
        raise SystemExit(f"--policy must be the name of a policy, such as BetaThompson or beta-thompson, got {name}")
    return found


def options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="Wary", help="a policy's name in the package or in the registry")
    parser.add_argument("--folder", type=Path, nargs="+", default=[], help="folders with more labelled people")
    parser.add_argument("--rows", nargs="+", default=list(SECTIONS), choices=SECTIONS)
    parser.add_argument("--groups", type=int, default=6, help="groups of arms of each source")
    parser.add_argument("--games", type=int, default=48, help="games in each group; divided worlds: groups x games")
    parser.add_argument("--paper-games", type=int, default=1000, help="games on the paper's arms")
    parser.add_argument("--quick", action="store_true", help="2 groups x 8 games, 32 games on the paper's arms")
    parser.add_argument("--json", type=Path, help="a file for the same numbers")
    asked = parser.parse_args()
    if asked.quick:
        asked.groups, asked.games, asked.paper_games = 2, 8, 32
    return asked


def main() -> None:
    """Play and print what was asked for."""
    asked = options()
    policy_class = policy_named(asked.policy)
    sections = [s for s in SECTIONS if s in asked.rows]
    if "polarised" in sections and "polarised" not in policy_class.__dataclass_fields__:
        sys.stderr.write(f"{asked.policy} has no parameter polarised: these rows are left out\n")
        sections.remove("polarised")
    size = {"groups": asked.groups, "games": asked.games, "paper_games": asked.paper_games}
    todo = matches(sections, asked.folder, **size)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("matches", total=len(todo))
        played = play_all(policy_class, todo, lambda: bar.advance(task))
    rows = table_rows(played)
    show(rows, played, Console(width=None if sys.stdout.isatty() else 120))
    if asked.json:
        asked.json.write_text(json.dumps(as_json(asked.policy, rows, played), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
