"""Compile the games of many matches in several processes, into the cache on disk, before they are played.

Numba compiles one function at a time per process. So other processes compile as well, started as
`python -m trueward.game.precompile`: each receives short matches and answers when it has played one; this process then
finds the code on disk. All games of one policy go to the same process, which compiles what they share only once.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias

from trueward.adversaries.combined_attack import as_combined_attack
from trueward.engine.compiling import is_on_disk
from trueward.engine.kernel import State, state_classes
from trueward.engine.protocol import HiddenLearner
from trueward.game.loop import play_games
from trueward.game.match import DELAY, Match, empty_planned_attack, play_block, short_match

Progress = Callable[[int, int, str], None]  # number of the match, number of matches, name of its policy

Jobs: TypeAlias = "queue.SimpleQueue[list[tuple[int, Match]] | None]"  # numbered matches, grouped by policy

MIN_MATCHES = 3  # matches for which it pays to start another process


def uncompiled_matches(matches: Iterable[Match]) -> list[Match]:
    """Return one short match for each kind of game that is not compiled on disk yet."""
    jobs: dict[tuple[type, ...], Match] = {}
    for match in matches:
        for name, policy in match.policies.items():
            if match.compiled and not policy.interpreted_only and not match.adversary.interpreted_only:
                job = short_match(match, name)
                states = states_of(job)
                kind = tuple(state_classes(*states))
                if kind not in jobs and not is_on_disk(play_games, *states):
                    jobs[kind] = job
    return list(jobs.values())


def states_of(job: Match) -> tuple[State, ...]:
    """Return the states of a short match for whose classes its game is compiled."""
    (policy,) = job.policies.values()
    state = job.start(policy, capacity=1)
    adaptive = job.adversary.adaptive
    attack = as_combined_attack(job.adversary.start(job.arms, 1), job.arms) if adaptive else empty_planned_attack()
    learner = state if job.adversary.observes_learner else HiddenLearner()
    return state, attack, learner, job.delay.schedule((1, 1, 1), job.stream(0, DELAY), counts_pending=True)


def warm_up(matches: Iterable[Match], *, progress: Progress | None = None, processes: int | None = None) -> int:
    """Compile every game that is not on disk yet, and return their number; games with the same code count once."""
    jobs = uncompiled_matches(matches)
    waiting: Jobs = queue.SimpleQueue()
    done = 0
    for group in by_policy(jobs):
        waiting.put(list(enumerate(group, done)))
        done += len(group)
    others = (processes or os.cpu_count() or 1) - 1 if len(jobs) >= MIN_MATCHES else 0
    threads = [threading.Thread(target=_compile_in_another_process, args=(waiting,)) for _ in range(others)]
    for thread in threads:
        waiting.put(None)
        thread.start()
    waiting.put(None)
    while (numbered := waiting.get()) is not None:
        for number, match in numbered:
            if progress is not None:
                progress(number, len(jobs), next(iter(match.policies)))
            play_block(match, 0)
    for thread in threads:
        thread.join()
    return len(jobs)


def by_policy(jobs: Iterable[Match]) -> list[list[Match]]:
    """Return jobs grouped by policy, the last policy first: in the arena, the last ones take longest to compile."""
    groups: dict[str, list[Match]] = {}
    for job in jobs:
        groups.setdefault(next(iter(job.policies)), []).append(job)
    return list(groups.values())[::-1]


def _compile_in_another_process(waiting: Jobs) -> None:
    """Send matches to another process until none is left; a match that fails there is compiled when it is played."""
    command = [sys.executable, "-m", "trueward.game.precompile"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        while (numbered := waiting.get()) is not None:
            for _, match in numbered:
                try:
                    other.stdin.write(pickle.dumps(match))
                    other.stdin.flush()
                    other.stdout.readline()
                # the other process ended, or the match cannot be pickled
                except (OSError, pickle.PicklingError, AttributeError):
                    continue
        other.stdin.close()


def main() -> None:
    """Compile each match received, and answer with one line."""
    jobs: queue.SimpleQueue[Match] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    while True:
        play_block(jobs.get(), 0)
        sys.stdout.write("done\n")
        sys.stdout.flush()


def _receive(jobs: "queue.SimpleQueue[Match]") -> None:
    """Queue the matches received; end at once when the parent process is gone."""
    try:
        while True:
            jobs.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
