"""What is learned of a study while it goes on, without anybody waiting for it.

After a correction (a void, a restored or an amended reward, an arm added) a policy has to learn anew. That is done in a
thread of its own; until it is done, decisions are made from what was known before, and say so:

    known(c, l) = all rewards that count after event c, a correction, in order; then those told in c + 1 … l, as told

A decision names c and l, so that it can be computed again. Nothing else of it waits: which arms are retired, which
decisions are void or pending is known at once. An arm that was added after c is not shown, nor are its rewards learned.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from trueward.live.asks import Ratings
from trueward.live.bandit import Bandit
from trueward.live.learner import Learner

GRACE = 0.02  # seconds that decisions wait for what is learned anew: in a small study it is done by then


class NotYet(Exception):  # noqa: N818 - nothing went wrong
    """Raised by a request that needs what is being learned; it is served again when that is known."""


class Pupil(Protocol):
    """Whoever is to learn the rewards that are told."""

    def learn(self, ratings: Ratings) -> None:
        """Learn rewards."""


@dataclass(frozen=True)
class Known:
    """What has been learned with all corrections up to one, and with the rewards told since."""

    corrections: int  # the event of the last correction
    n_arms: int
    learner: Learner

    def learn(self, ratings: Ratings) -> None:
        """Learn rewards, those of arms that are known."""
        self.learner.learn(ratings.of_first(self.n_arms))


def nothing_known(bandit: Bandit, corrections: int) -> Known:
    """Return what is known before the first reward."""
    return Known(corrections, len(bandit.arms), bandit.new_learner())


def learned_anew(bandit: Bandit, corrections: int) -> Known:
    """Return what a bandit's log says now, after its last correction."""
    known = nothing_known(bandit, corrections)
    known.learner.learn_anew(known.n_arms, bandit.log.counted())
    return known


class Replay:
    """Learns anew in a thread of its own, and then what was told meanwhile; `done` is called in the end."""

    def __init__(self, bandit: Bandit, corrections: int, done: Callable[[], None]) -> None:
        self._known = nothing_known(bandit, corrections)
        self._log = bandit.log.as_it_is()
        self._since: deque[Ratings] = deque()
        self._error: Exception | None = None
        self._done = done
        self.finished = threading.Event()
        threading.Thread(target=self._run, name="learning anew", daemon=True).start()

    def learn(self, ratings: Ratings) -> None:
        """Note rewards that were told meanwhile."""
        self._since.append(ratings)

    def known(self) -> Known:
        """Return what was learned, with all that was told until now; to be called once it has finished."""
        if self._error is not None:
            raise self._error
        self._learn_since()
        return self._known

    def _run(self) -> None:
        try:
            self._known.learner.learn_anew(self._known.n_arms, self._log.counted())
            self._learn_since()
        except Exception as error:  # a policy of the user's own may raise anything
            self._error = error
        self.finished.set()
        self._done()

    def _learn_since(self) -> None:
        while self._since:
            self._known.learn(self._since.popleft())
