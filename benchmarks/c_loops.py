"""The same loops in C, compiled now and called on the same tables."""

import ctypes
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from environments import output_of
from trueward.game.match import checkpoints_of

SOURCE = Path(__file__).parent / "loops.c"
Work = Callable[[], np.ndarray]
FLAGS = {"cc -O3": ("-O3",), "cc -O3 -march=native": ("-O3", "-march=native")}


def compiled(flags: tuple[str, ...]) -> ctypes.CDLL:
    """Compile the loops in a temporary folder, and load them."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "loops.so"
        output_of(["cc", *flags, "-shared", "-fPIC", "-o", library, SOURCE, "-lm"], "cc")
        return ctypes.CDLL(str(library))


def playing_work(library: ctypes.CDLL, tables: np.ndarray, scale: float, *, alpha: float | None = None) -> Work:
    """Return a function that plays on tables with the mean or the trimmed mean, and returns the pulls."""
    if alpha is None:
        return _work(library.play_ucb, tables, scale)
    buffer = np.zeros((tables.shape[2], tables.shape[1]))
    return _work(library.play_trimmed, tables, scale, ctypes.c_double(alpha), buffer)


def contaminated_playing_work(library: ctypes.CDLL, tables: np.ndarray, scale: float) -> Work:
    """Return a function that plays UCB and does all that our game does: a table of attacks, the history, the sums."""
    trials, horizon, _ = tables.shape
    attack, sums = np.full_like(tables, np.nan), np.zeros((trials, checkpoints_of(horizon).size, 2))
    played, observed = np.zeros(horizon, np.int64), np.zeros(horizon)
    return _work(library.play_contaminated, tables, scale, attack, played, observed, sums)


def _work(function: Any, tables: np.ndarray, scale: float, *more: Any) -> Work:
    trials, horizon, n_arms = tables.shape
    rounds = checkpoints_of(horizon)
    pulls = np.zeros((trials, rounds.size, n_arms), np.int32)
    arguments = [tables, trials, horizon, n_arms, ctypes.c_double(scale), rounds, rounds.size, pulls, *more]

    def work() -> np.ndarray:
        function(*(ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else x for x in arguments))
        return pulls

    return work
