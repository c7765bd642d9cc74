"""Studies on SQLite with eight threads that ask and tell: with a policy, and with the log alone.

The log alone is the same study, lane, transactions, events and tables, with a bandit that shows one arm after another
and learns nothing. It measures the cost of a study without a policy.
"""

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import trueward as tw
from study_ratings import simulate_ratings
from timing import Work, wall_seconds
from trueward.live.asks import Asked, Ratings
from trueward.live.bandit import Bandit
from trueward.live.learner import Learner
from trueward.policies.policy import Policy
from trueward.study import memory
from workload import ALPHA, CRUCB, LOG_ALONE, THREADS, UNIFORM, WARY

ARMS = ["video", "text", "quiz", "song", "game"]
POLICIES: dict[str, Policy] = {
    LOG_ALONE: tw.Uniform(),
    UNIFORM: tw.Uniform(),
    CRUCB: tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=1),
    WARY: tw.Wary((1, 5)),
}
RATINGS = simulate_ratings(10_000, len(ARMS))


class NoLearner(Learner):
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
        return NoLearner(self.policy, len(self.arms), seed=self.seed, horizon=self.horizon)


def create_study(name: str, folder: Path) -> tw.Study:
    """Create a study with a policy, or with the log alone."""
    study = tw.Study.create(f"sqlite:///{folder / name}.db", name, ARMS, policy=POLICIES[name])
    with mock.patch.object(memory, "Bandit", Recorder if name == LOG_ALONE else Bandit):
        study.estimates()  # the first request creates the bandit
    return study


def serving_work(study: tw.Study, rounds: int) -> Work:
    """Return a function in which eight threads make and reward decisions; it returns the seconds per decision."""
    participants = itertools.count()

    def decide_and_reward(_: int) -> None:
        for _ in range(rounds):
            shown = study.ask(participant=f"p{next(participants)}")
            study.tell(shown, RATINGS[shown.number % len(RATINGS)][ARMS.index(shown.arm)])

    def work() -> float:
        with ThreadPoolExecutor(THREADS) as threads:
            seconds = wall_seconds(lambda: list(threads.map(decide_and_reward, range(THREADS))))
        return seconds / (THREADS * rounds)

    return work
