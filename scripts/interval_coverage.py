"""Shows by simulation that robust intervals cover the truth at every moment, and that the plain mean's do not.

    python scripts/interval_coverage.py --keep rows.md    # some twenty minutes on one core; may be stopped and resumed

Policies play against what is done to the ratings; a stream is missed when at any moment any end of any arm's interval
is past the arm's true mean. At a level of 95 % at most 5 % of the streams may be. The same streams are judged by the
plain mean of all ratings with a t interval, for all arms at once as well: at some moment with ten ratings of the arm or
more, and at the end. Prints the table of the documentation.
"""

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).parent))

from participant_models import BudgetedContamination, OneArmPerParticipant, ParticipantModel

import trueward as tw
from trueward.analysis.betting import Bad, ruled_out
from trueward.engine.kernel import Bools, Floats, Ints

LEVEL, HORIZON, STREAMS, SEED = 0.95, 300, 2000, 0
FEWEST = 10  # ratings of an arm before a t interval is judged
CHUNK = 10_000  # rows of counts at once


def _binomial(p: float) -> Floats:
    return np.asarray(stats.binom.pmf(np.arange(11), 10, p))


SCALES = {
    "binomial, 0 to 10": tw.CategoricalArms(
        values=np.arange(11), probabilities=[_binomial(p) / _binomial(p).sum() for p in (0.9, 0.8, 0.8)]
    ),
    "five stars": tw.CategoricalArms(
        values=[1, 2, 3, 4, 5],
        probabilities=[[0.05, 0.05, 0.1, 0.3, 0.5], [0.1, 0.1, 0.2, 0.3, 0.3], [0.2, 0.2, 0.2, 0.2, 0.2]],
    ),
    "clicks": tw.CategoricalArms(values=[0, 1], probabilities=[[0.85, 0.15], [0.92, 0.08], [0.95, 0.05]]),
}
POLICIES: dict[str, Callable[[tw.Arms], tw.Policy]] = {
    "WaryThompson": lambda arms: tw.WaryThompson(arms.bounds),
    "tUCB": lambda arms: tw.CrUCB(tw.TrimmedMean(0.15), sigma=arms.sd),
    "uniform": lambda _: tw.Uniform(),
}


class Case(NamedTuple):
    """What is done to the ratings, and what is told to the analysis."""

    adversary: tw.Adversary
    bad: Bad
    epsilon: float
    session: int = 1  # ratings of a participant, one after the other
    people: int = 0  # or so many come again and again, in turn
    first: bool = False  # only the first rating of each participant counts
    delay: int = 0  # rounds until a rating is told: one less than a session, where all of it is asked for before
    one_arm: bool = False  # a participant keeps the first arm

    def participants(self, rounds: Ints) -> Ints:
        """Return who rates in each round."""
        return np.asarray(rounds % self.people if self.people else rounds // self.session)

    def counting(self, shown: Bools) -> Bools:
        """Return the rounds that count, of those in which an arm was shown."""
        return shown & (np.arange(shown.size) % self.session == 0) if self.first else shown


CASES = {
    "clean": Case(tw.NoAdversary(), "careless", 0.0),
    "15 % careless, singly": Case(ParticipantModel("careless", epsilon=0.15), "careless", 0.15),
    "15 % careless, sessions of 5": Case(ParticipantModel("careless", epsilon=0.15, session=5), "careless", 0.15, 5),
    "10 % capped, random times": Case(BudgetedContamination("random", epsilon=0.1), "capped", 0.1),
    "10 % chosen, lowest to the top": Case(BudgetedContamination("lowest", epsilon=0.1), "chosen", 0.1),
    "10 % chosen, highest to the bottom": Case(BudgetedContamination("highest", epsilon=0.1), "chosen", 0.1),
    "30 % drop out, by the rating": Case(ParticipantModel("dropout", epsilon=0.3), "careless", 0.0),
    "person effect, 5 ratings each": Case(ParticipantModel("person effect", session=5), "careless", 0.0, 5),
    "person effect, the first of 5 alone": Case(
        ParticipantModel("person effect", session=5), "careless", 0.0, 5, first=True
    ),
    "person effect, asked for 5 before rating": Case(
        ParticipantModel("person effect", session=5), "careless", 0.0, 5, delay=4
    ),
    "person effect, one arm for all 5": Case(
        ParticipantModel("person effect", session=5), "careless", 0.0, 5, one_arm=True
    ),
    "person effect, 20 come back": Case(ParticipantModel("person effect", people=20), "careless", 0.0, people=20),
}


class Missed(NamedTuple):
    """Shares of streams in which an interval was past the truth."""

    robust: float
    t_ever: float
    t_end: float


def missed(case: Case, arms: tw.Arms, policy: tw.Policy, **played: Any) -> Missed:
    """Play streams, and return how many the intervals miss."""
    plays = OneArmPerParticipant(policy, session=case.session) if case.one_arm else policy
    settings = {"checkpoints": [played["horizon"]], "keep_history": True, "delay": case.delay, **played}
    trace = tw.play(plays, arms, case.adversary, **settings)
    low, high = arms.bounds
    shares = (trace.observed - low) / (high - low)
    wrong, t_wrong = np.zeros((2, len(shares)), np.bool_)
    t_end = np.zeros(len(shares), np.bool_)
    for arm, mean in enumerate((arms.means - low) / (high - low)):
        wrong |= ever_past(trace.arms == arm, shares, mean, case, arms.n_arms)
        wrong |= ever_past(trace.arms == arm, 1.0 - shares, 1.0 - mean, case, arms.n_arms)
        ever, end = t_past(trace.arms == arm, shares, mean, arms.n_arms)
        t_wrong, t_end = t_wrong | ever, t_end | end
    return Missed(*(float(each.mean()) for each in (wrong, t_wrong, t_end)))


def ever_past(shown: Bools, shares: Floats, mean: float, case: Case, n_arms: int) -> Bools:
    """Return in which streams the lower end of an arm was ever above its mean: the true mean was then ruled out."""
    streams, units = [], []
    for stream, here in enumerate(shown):
        rounds = np.flatnonzero(case.counting(here))
        now, before = running_means(np.nan_to_num(shares[stream, rounds]), case.participants(rounds))
        streams.append(np.full(rounds.size, stream))
        units.append(np.stack([now, before]))
    which, changes = np.concatenate(streams), np.concatenate(units, axis=1)
    values, places = np.unique(np.append(np.nan_to_num(changes).ravel(), 0.0), return_inverse=True)
    now, before = places[:-1].reshape(2, -1)
    threshold = np.log(2 * n_arms / (1.0 - LEVEL))
    past = np.zeros(len(shown), np.bool_)
    for rows in chunks(which):
        counts = counts_over_time(now[rows], before[rows], ~np.isnan(changes[1, rows]), which[rows], values.size)
        now_past = ruled_out(values, counts, mean, epsilon=case.epsilon, bad=case.bad, threshold=threshold)
        past[which[rows][now_past]] = True
    return past


def running_means(ratings: Floats, participants: Ints) -> tuple[Floats, Floats]:
    """Return the mean of each rating's participant with it, and the one before it, NaN if it is the first.

    What is missing counts as 0.
    """
    together = np.argsort(participants, kind="stable")
    first = np.append(True, np.diff(participants[together]) != 0)[: ratings.size]
    start = np.maximum.accumulate(np.where(first, np.arange(ratings.size), 0))
    sums = np.append(0.0, np.cumsum(ratings[together]))
    n = np.arange(ratings.size) - start
    means = np.empty((2, ratings.size))
    means[0, together] = (sums[1:] - sums[start]) / (n + 1)
    means[1, together] = np.where(first, np.nan, (sums[:-1] - sums[start]) / np.maximum(n, 1))
    now, before = np.round(means, 9)
    return now, before


def chunks(which: Ints) -> Iterator[slice]:
    """Give slices of about so many rows, each of whole streams."""
    starts = np.flatnonzero(np.append(True, np.diff(which) != 0))[: which.size]
    begin = 0
    for stop in [*starts[1:].tolist(), which.size]:
        if stop - begin >= CHUNK or stop == which.size:
            yield slice(begin, stop)
            begin = stop


def counts_over_time(now: Ints, before: Ints, again: Bools, which: Ints, n_values: int) -> Floats:
    """Return how often each value is held by a participant, after each rating of its stream."""
    rows = np.arange(now.size)
    changes = np.zeros((now.size, n_values))
    changes[rows, now] += 1.0
    np.subtract.at(changes, (rows[again], before[again]), 1.0)
    total = np.cumsum(changes, axis=0)
    starts = np.searchsorted(which, which)
    return np.asarray(total - np.where((starts > 0)[:, None], total[starts - 1], 0.0))


def t_past(shown: Bools, shares: Floats, mean: float, n_arms: int) -> tuple[Bools, Bools]:
    """Return in which streams a t interval of the plain mean misses: at some moment, and at the end."""
    seen = shown & ~np.isnan(shares)
    x = np.where(seen, shares, 0.0)
    n, sums, squares = (np.cumsum(each, axis=1) for each in (seen, x, x * x))
    enough = np.maximum(n, FEWEST)
    average = sums / np.maximum(n, 1)
    variance = np.maximum(squares - sums * average, 0.0) / (enough - 1)
    half = stats.t.ppf(1 - (1 - LEVEL) / (2 * n_arms), enough - 1) * np.sqrt(variance / enough)
    past = (np.abs(average - mean) > half + 1e-12) & (n >= FEWEST)
    return past.any(1), past[:, -1]


def row(name: str, scale: str, policies: Sequence[str], **played: Any) -> str:
    """Return a line of the table."""
    case, arms = CASES[name], SCALES[scale]
    found = [missed(case, arms, POLICIES[policy](arms), **played) for policy in policies]
    worst = max(each.t_ever for each in found), max(each.t_end for each in found)
    cells = [f"{100 * share:.1f} %" for share in (*(each.robust for each in found), *worst)]
    return f"{head(name, scale)} {' | '.join(cells)} |"


def head(name: str, scale: str) -> str:
    """Return how a line of the table begins."""
    return f"| {name} | {scale} |"


def rows(only: str, scale: str, policy: str, kept: Sequence[str] = (), **played: Any) -> Iterator[str]:
    """Give the lines of the table, of those in whose names some words are; those kept are not played."""
    cases, scales, policies = (
        [name for name in names if words in name]
        for names, words in ((CASES, only), (SCALES, scale), (POLICIES, policy))
    )
    yield f"| ratings | scale | {' | '.join(policies)} | plain t, some moment | plain t, at the end |"
    yield "|---|---|" + "---:|" * (len(policies) + 2)
    for each in itertools.product(cases, scales):
        there = [line for line in kept if line.startswith(head(*each))]
        yield there[0] if there else row(*each, policies, **played)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--horizon", type=int, default=HORIZON)
    parser.add_argument("--seed", type=int, default=SEED)
    for option, what in {"only": "cases", "scale": "scales", "policy": "policies"}.items():
        parser.add_argument(f"--{option}", default="", help=f"only {what} in whose names these words are")
    parser.add_argument("--keep", type=Path, help="a file for finished lines; those in it are not played again")
    chosen = parser.parse_args()
    kept = chosen.keep.read_text().splitlines() if chosen.keep and chosen.keep.exists() else []
    names = (chosen.only, chosen.scale, chosen.policy)
    for line in rows(*names, kept, trials=chosen.streams, horizon=chosen.horizon, seed=chosen.seed):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        if chosen.keep and line not in kept:
            with chosen.keep.open("a") as file:
                file.write(f"{line}\n")


if __name__ == "__main__":
    main()
