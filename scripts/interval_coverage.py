"""Simulate the coverage of robust intervals at every moment, and that of t intervals of the plain mean.

    python scripts/interval_coverage.py --keep rows.md    # about twenty minutes on one core; may be stopped and resumed

Policies play against adversaries that contaminate the ratings. A stream is missed if at any moment any bound of any
arm's interval is past the arm's true mean. At a level of 95 % at most 5 % of the streams may be missed. The same
streams are also judged by t intervals of the plain mean, for all arms at once: at any moment with at least ten ratings
of the arm, and at the end. The script prints the table of the documentation.
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
    "Wary": lambda arms: tw.Wary(arms.bounds),
    "tUCB": lambda arms: tw.CrUCB(tw.TrimmedMean(0.15), sigma=arms.sd),
    "uniform": lambda _: tw.Uniform(),
}


class Case(NamedTuple):
    """An adversary, the assumption of the analysis, and how participants rate."""

    adversary: tw.Adversary
    bad: Bad
    epsilon: float
    session: int = 1  # ratings per participant, in a row
    people: int = 0  # or the number of participants who return in turn
    first: bool = False  # whether only the first rating of each participant is included
    delay: int = (
        0  # rounds until a rating arrives; session - 1 if all arms of a session are chosen before the first rating
    )
    one_arm: bool = False  # whether a participant keeps the first arm

    def participants(self, rounds: Ints) -> Ints:
        """Return the participant of each round."""
        return np.asarray(rounds % self.people if self.people else rounds // self.session)

    def included(self, shown: Bools) -> Bools:
        """Return the rounds that are analysed, of those in which an arm was shown."""
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
    """Shares of streams in which an interval missed the true mean."""

    robust: float
    t_ever: float
    t_end: float


def missed(case: Case, arms: tw.Arms, policy: tw.Policy, **played: Any) -> Missed:
    """Play streams, and return the shares that the intervals miss."""
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
    """Return the streams in which an arm's lower bound was ever above its true mean, which was then ruled out."""
    streams, units = [], []
    for stream, here in enumerate(shown):
        rounds = np.flatnonzero(case.included(here))
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
    """Return the participant's mean after each rating, and before it (NaN if it is the first); missing counts as 0."""
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
    """Yield slices of at least CHUNK rows, each with whole streams."""
    starts = np.flatnonzero(np.append(True, np.diff(which) != 0))[: which.size]
    begin = 0
    for stop in [*starts[1:].tolist(), which.size]:
        if stop - begin >= CHUNK or stop == which.size:
            yield slice(begin, stop)
            begin = stop


def counts_over_time(now: Ints, before: Ints, again: Bools, which: Ints, n_values: int) -> Floats:
    """Return the number of participants with each mean, after each rating of a stream."""
    rows = np.arange(now.size)
    changes = np.zeros((now.size, n_values))
    changes[rows, now] += 1.0
    np.subtract.at(changes, (rows[again], before[again]), 1.0)
    total = np.cumsum(changes, axis=0)
    starts = np.searchsorted(which, which)
    return np.asarray(total - np.where((starts > 0)[:, None], total[starts - 1], 0.0))


def t_past(shown: Bools, shares: Floats, mean: float, n_arms: int) -> tuple[Bools, Bools]:
    """Return the streams in which a t interval of the plain mean misses: at any moment, and at the end."""
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
    """Return a row of the table."""
    case, arms = CASES[name], SCALES[scale]
    found = [missed(case, arms, POLICIES[policy](arms), **played) for policy in policies]
    worst = max(each.t_ever for each in found), max(each.t_end for each in found)
    cells = [f"{100 * share:.1f} %" for share in (*(each.robust for each in found), *worst)]
    return f"{head(name, scale)} {' | '.join(cells)} |"


def head(name: str, scale: str) -> str:
    """Return the first two cells of a row."""
    return f"| {name} | {scale} |"


def rows(only: str, scale: str, policy: str, kept: Sequence[str] = (), **played: Any) -> Iterator[str]:
    """Yield the rows of the table whose names contain the given texts; rows that were kept are not played again."""
    cases, scales, policies = (
        [name for name in names if text in name] for names, text in ((CASES, only), (SCALES, scale), (POLICIES, policy))
    )
    yield f"| ratings | scale | {' | '.join(policies)} | plain t, any time | plain t, at the end |"
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
        parser.add_argument(f"--{option}", default="", help=f"only {what} whose names contain this text")
    parser.add_argument("--keep", type=Path, help="file of finished rows, which are not played again")
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
