"""Compile what many games need before they are played, in several processes, into the cache on disk.

Numba compiles one function at a time in a process. So a few other processes, started as `python -m
trueward.game.warming`, compile as well; each is handed one short match after another, and answers when it has played
it. Here the same match is then found on disk. All kinds of games of a policy go to the same process, which compiles
what they have in common once: a second kind takes less time than the first, down to a quarter for a large policy.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias

from trueward.adversaries.adaptive import as_adaptive
from trueward.engine.compiling import on_disk
from trueward.engine.protocol import HiddenLearner
from trueward.game.loop import play_games
from trueward.game.match import DELAY, Match, play_block, replay_of_nothing, short

Progress = Callable[[int, int, str], None]  # how many are compiled, of how many, and which is next

Waiting: TypeAlias = "queue.SimpleQueue[list[tuple[int, Match]] | None]"  # numbered, those of a policy together

FEWEST = 3  # matches to compile for which another process is worth its start


def cold(matches: Iterable[Match]) -> list[Match]:
    """Return a short match for each game that is not on disk yet, each kind of game once."""
    jobs: dict[str, Match] = {}
    for match in matches:
        for name, policy in match.policies.items():
            if match.compiled and not policy.interpreted_only and not match.adversary.interpreted_only:
                job = short(match, name)
                digest, ready = _kind(job, name)
                if not ready:
                    jobs.setdefault(digest, job)
    return list(jobs.values())


def _kind(job: Match, name: str) -> tuple[str, bool]:
    """Return what tells one kind of compiled game from another, and whether it is on disk."""
    state = job.start(job.policies[name], capacity=1)
    adaptive = job.adversary.adaptive
    attack = as_adaptive(job.adversary.start(job.arms, 1), job.arms) if adaptive else replay_of_nothing()
    learner = state if job.adversary.observes_learner else HiddenLearner()
    post = job.delay.post((1, 1, 1), job.stream(0, DELAY), counted=True)
    compiled = play_games.compiled(state, attack, learner, post)
    return play_games.digest(state, attack, learner, post), on_disk(compiled)


def warm_up(matches: Iterable[Match], *, progress: Progress | None = None, processes: int | None = None) -> int:
    """Compile all that the matches need and that is not on disk yet; return how many kinds of games that were."""
    jobs = cold(matches)
    waiting: Waiting = queue.SimpleQueue()
    done = 0
    for together in by_policy(jobs):
        waiting.put(list(enumerate(together, done)))
        done += len(together)
    others = (processes or os.cpu_count() or 1) - 1 if len(jobs) >= FEWEST else 0
    helpers = [threading.Thread(target=_let_another_process_compile, args=(waiting,)) for _ in range(others)]
    for helper in helpers:
        waiting.put(None)
        helper.start()
    waiting.put(None)
    while (group := waiting.get()) is not None:
        for number, match in group:
            if progress is not None:
                progress(number, len(jobs), next(iter(match.policies)))
            play_block(match, 0)
    for helper in helpers:
        helper.join()
    return len(jobs)


def by_policy(jobs: Iterable[Match]) -> list[list[Match]]:
    """Return jobs with those of each policy together; the last first, which in a field are the largest ones."""
    groups: dict[str, list[Match]] = {}
    for job in jobs:
        groups.setdefault(next(iter(job.policies)), []).append(job)
    return list(groups.values())[::-1]


def _let_another_process_compile(waiting: Waiting) -> None:
    """Hand matches to another process until there are none; what fails there is compiled when it is played."""
    command = [sys.executable, "-m", "trueward.game.warming"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        while (group := waiting.get()) is not None:
            for _, match in group:
                try:
                    other.stdin.write(pickle.dumps(match))
                    other.stdin.flush()
                    other.stdout.readline()
                except (OSError, pickle.PicklingError, AttributeError):  # it ended, or a class that it cannot import
                    continue
        other.stdin.close()


def main() -> None:
    """Compile what is handed over, and answer with a line each time."""
    jobs: queue.SimpleQueue[Match] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    while True:
        play_block(jobs.get(), 0)
        sys.stdout.write("done\n")
        sys.stdout.flush()


def _receive(jobs: "queue.SimpleQueue[Match]") -> None:
    """Take what is handed over; when nothing more can come, end at once: whoever wanted what is compiled is gone."""
    try:
        while True:
            jobs.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
