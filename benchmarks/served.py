"""Studies on SQLite that serve eight threads, each of which asks and tells: with a policy, and the log alone.

The log alone is the same study, lane, transactions, events and tables, with a bandit that shows one arm after another
and learns nothing: what it takes is what a study takes that has no policy.
"""

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import trueward as tw
from measuring import Work, wall_seconds
from ratings import ratings
from settings import ALPHA, CRUCB, LOG_ALONE, THREADS, UNIFORM, WARY
from trueward.live.asks import Asked, Ratings
from trueward.live.bandit import Bandit
from trueward.live.learner import Learner
from trueward.policies.policy import Policy
from trueward.study import memory

ARMS = ["video", "text", "quiz", "song", "game"]
POLICIES: dict[str, Policy] = {
    LOG_ALONE: tw.Uniform(),
    UNIFORM: tw.Uniform(),
    CRUCB: tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=1),
    WARY: tw.WaryThompson((1, 5)),
}
RATINGS = ratings(10_000, len(ARMS))


class Deaf(Learner):
    """A learner that learns nothing."""

    def learn(self, ratings: Ratings) -> None:
        """Learn nothing."""


class Recorder(Bandit):
    """A bandit that keeps its log, shows one arm after another, and learns nothing."""

    def next_ask(self, *, among: Iterable[Any] | None = None) -> dict[str, Any]:  # noqa: ARG002 - all are available
        """Return the next ask: of the arm that comes next."""
        n_arms, number = len(self.arms), len(self.log.asks)
        return self.log.event_of(Asked(number % n_arms, np.full(n_arms, 1.0 / n_arms), np.ones(n_arms, np.bool_)))

    def new_learner(self) -> Learner:
        """Return one that learns nothing."""
        return Deaf(self.policy, len(self.arms), seed=self.seed, horizon=self.horizon)


def study_of(name: str, folder: Path) -> tw.Study:
    """Begin a study with a policy, or with the log alone."""
    study = tw.Study.create(f"sqlite:///{folder / name}.db", name, ARMS, policy=POLICIES[name])
    with mock.patch.object(memory, "Bandit", Recorder if name == LOG_ALONE else Bandit):
        study.estimates()  # whoever is asked first makes the bandit
    return study


def warm_up() -> None:
    """Compile what the policies need, or find it on disk."""
    for policy in POLICIES.values():
        Bandit(policy, ARMS).warm_up()


def serving(study: tw.Study, rounds: int) -> Work:
    """Return the work of so many decisions and rewards by each of eight threads; it returns the seconds of each."""
    newcomers = itertools.count()

    def decide_and_reward(_: int) -> None:
        for _ in range(rounds):
            shown = study.ask(participant=f"p{next(newcomers)}")
            study.tell(shown, RATINGS[shown.number % len(RATINGS)][ARMS.index(shown.arm)])

    def work() -> float:
        with ThreadPoolExecutor(THREADS) as threads:
            seconds = wall_seconds(lambda: list(threads.map(decide_and_reward, range(THREADS))))
        return seconds / (THREADS * rounds)

    return work
