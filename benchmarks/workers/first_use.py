"""Seconds of a first use in this new process: `first_use.py NAME`."""

import importlib
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from typing import Any

from timing import Work, wall_seconds
from workload import ALPHA, FIRST_GAMES, HORIZON


def importing() -> Work:
    """Return the import of trueward."""
    return partial(importlib.import_module, "trueward")


def asking_for_help() -> Work:
    """Return `trueward --help`, imports included."""

    def work() -> None:
        with redirect_stdout(io.StringIO()):
            importlib.import_module("trueward.cli.app").app(["--help"], standalone_mode=False)

    return work


def asking() -> Work:
    """Return the first ask of a live study."""
    return partial(_bandit().ask)


def telling() -> Work:
    """Return the first reward of a live study."""
    bandit = _bandit()
    return partial(bandit.tell, bandit.ask(), 7)


def _bandit() -> Any:
    import trueward as tw

    return tw.Bandit(tw.Wary((0, 10)), arms=["video", "text", "quiz", "game", "worked example"], seed=0)


def playing() -> Work:
    """Return the first game of Wary."""
    import trueward as tw

    arms = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
    return partial(tw.play, tw.Wary((0, 10)), arms, horizon=1000)


def compiling(policy: str) -> Callable[[], Work]:
    """Return the first games of a policy, which are compiled."""

    def prepare() -> Work:
        import trueward as tw

        arms = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
        policies = {
            "UCB": tw.UCB(sigma=arms.sd),
            "tUCB": tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=arms.sd),
            "EXP3": tw.EXP3((0, 10)),
        }
        return partial(tw.play, policies[policy], arms, horizon=HORIZON, trials=FIRST_GAMES, workers=1, compiled=True)

    return prepare


CASES: dict[str, Callable[[], Work]] = {
    "import trueward": importing,
    "trueward --help": asking_for_help,
    "the first Bandit.ask": asking,
    "the first Bandit.tell": telling,
    "the first game of Wary": playing,
    **{f"the first {FIRST_GAMES} games of {name}": compiling(name) for name in ("UCB", "tUCB", "EXP3")},
}

if __name__ == "__main__":
    print(wall_seconds(CASES[sys.argv[1]]()))
