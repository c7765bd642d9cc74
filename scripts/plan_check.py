"""Holds a plan's predictions against studies that were really run, on ratings that the plan did not see.

    python scripts/plan_check.py --studies 300 --participants 150

The ratings that people gave, which come with the package, are dealt into two halves, arm by arm. A plan takes the first
half for a pilot, and predicts the chance to end on the best arm. Then studies are run through `tw.Study`, in a
database, a participant at a time: each is shown what the study asks for, and gives a rating of the *second* half, or,
if careless, another one. A study ends on the arm of which it then believes the most; the best arm is the one with the
highest mean in the second half. Prints the table of the documentation.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

import trueward as tw
from trueward.analysis import Decisions
from trueward.engine.kernel import Floats
from trueward.engine.protocol import plan_attack
from trueward.planning.people import raters

SOURCES = ("lecturers", "items")
GROUPS, SIZE, CARELESS, SEED = 3, 4, 0.1, 0  # groups of each source, arms in a group, share of careless participants
AHEAD = 0.04  # by which the best of a group leads, as a share of the width of the scale


class Group(NamedTuple):
    """Some arms, and their ratings in two halves."""

    source: str
    names: list[str]
    values: Floats
    seen: list[Floats]  # (arms) by the plan
    unseen: list[Floats]


class Row(NamedTuple):
    """What was predicted and what was realised for a group."""

    group: Group
    predicted: tuple[float, float, float]  # with its Monte-Carlo interval
    right: int
    studies: int

    @property
    def realised(self) -> tuple[float, float, float]:
        """How often studies ended on the best arm, with Wilson's interval."""
        low, high = binomtest(self.right, self.studies).proportion_ci(0.95, "wilson")
        return self.right / self.studies, float(low), float(high)


def groups_of(source: str, n: int = GROUPS, *, seed: int = SEED) -> list[Group]:
    """Return groups of arms whose best is ahead in all ratings together, each with its ratings dealt into halves."""
    table, rng = tw.ratings(source), np.random.default_rng(seed)
    found: list[Group] = []
    while len(found) < n:
        places = rng.choice(len(table.names), SIZE, replace=False)
        means = np.sort(table.counts[places] @ table.values / table.counts[places].sum(axis=1))
        if means[-1] - means[-2] >= AHEAD * np.ptp(table.values):
            rows = [rng.permutation(np.repeat(table.values, table.counts[place])) for place in places]
            halves = [np.array_split(each, 2) for each in rows]
            names = [str(table.names[place]) for place in places]
            found.append(Group(source, names, table.values, [a for a, _ in halves], [b for _, b in halves]))
    return found


def planned(group: Group, participants: int, *, games: int = 256, compiled: bool | None = None) -> tw.Plan:
    """Return the plan that the first half makes."""
    arm = [name for name, ratings in zip(group.names, group.seen, strict=True) for _ in ratings]
    pilot = Decisions.from_columns(
        arm=arm, rating=np.concatenate(group.seen), scale=(group.values[0], group.values[-1])
    )
    return tw.plan(
        pilot=pilot,
        participants=participants,
        careless=CARELESS,
        policies=["Wary"],
        rehearse=False,
        games=games,
        compiled=compiled,
        progress=False,
    )


def ends_right(plan: tw.Plan, group: Group, url: str, number: int) -> bool:
    """Run one study, and return whether it ended on the best arm."""
    rng, n = np.random.default_rng([SEED, number]), plan.outline.participants
    truth = np.stack([rng.choice(ratings, n) for ratings in group.unseen], axis=1)  # (participants, arms)
    arms = tw.CategoricalArms(values=group.values, counts=[_counts(group, each) for each in group.unseen])
    shown, attack = np.empty_like(truth), raters(CARELESS).start(arms, n)
    plan_attack(attack, truth, shown, rng)
    given = np.where(np.isnan(shown), truth, shown)  # UNTOUCHED is NaN
    settings = plan.settings | {"horizon": n, "seed": number, "arms": group.names}
    with tw.Study.create(url, f"study {number}", **settings) as study:
        for participant in range(n):
            asked = study.ask(participant=f"p{participant}")
            arm = group.names.index(asked.arm)
            study.tell(asked.number, float(given[participant, arm]))
        believed = study.estimates()
    return max(believed, key=believed.__getitem__) == group.names[int(arms.best)]


def _counts(group: Group, ratings: Floats) -> Floats:
    return np.array([(ratings == value).sum() for value in group.values], np.float64)


def check(group: Group, participants: int, studies: int, folder: Path, **how: object) -> Row:
    """Return prediction and reality for a group."""
    plan = planned(group, participants, **how)  # type: ignore[arg-type] # games and compiled
    at = plan.table().filter(participants=participants).row(0, named=True)
    url = f"sqlite:///{folder}/{'-'.join(group.names)}.db"
    right = sum(ends_right(plan, group, url, number) for number in range(studies))
    return Row(group, (at["best"], at["best_low"], at["best_high"]), right, studies)


def main() -> None:
    """Check every group, and print the table as it stands in the documentation."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--studies", type=int, default=300, help="in all")
    parser.add_argument("--participants", type=int, default=150)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    asked = parser.parse_args()
    groups = [group for source in SOURCES for group in groups_of(source)]
    sys.stdout.write("| ratings | lead in the pilot | in the studies | predicted | realised |\n|---|---|---|---|---|\n")
    rows = []
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(asked.workers) as pool:
        how = [(group, asked.participants, asked.studies // len(groups), Path(folder)) for group in groups]
        for number, row in enumerate(pool.map(check, *zip(*how, strict=True))):
            rows.append(row)
            sys.stdout.write(_line(f"{row.group.source} {number % GROUPS + 1}", row))
            sys.stdout.flush()
    right, n = sum(row.right for row in rows), sum(row.studies for row in rows)
    low, high = binomtest(right, n).proportion_ci(0.95, "wilson")
    predicted = float(np.mean([row.predicted[0] for row in rows]))
    realised = percent((right / n, float(low), float(high)))
    sys.stdout.write(f"| all {n} studies | | | {100 * predicted:.0f} % | {realised} |\n")


def _line(name: str, row: Row) -> str:
    leads = " | ".join(f"{lead:.2f}" for lead in leads_of(row.group))
    return f"| {name} | {leads} | {percent(row.predicted)} | {percent(row.realised)} |\n"


def leads_of(group: Group) -> tuple[float, float]:
    """Return the lead of the arm that is best in the second half: in the first half, and in its own."""
    seen, unseen = (np.array([ratings.mean() for ratings in half]) for half in (group.seen, group.unseen))
    best = int(np.argmax(unseen))
    return float(seen[best] - np.delete(seen, best).max()), float(unseen[best] - np.delete(unseen, best).max())


def percent(found: tuple[float, float, float]) -> str:
    """Return a chance and its interval."""
    return "{:.0f} % [{:.0f}, {:.0f}]".format(*(100 * each for each in found))


if __name__ == "__main__":
    main()
