"""CPU seconds of a bandit in memory with the default policy, with nothing compiled.

`bandit.py rounds ARMS ROUNDS`: the median of an ask with its probability and a tell, after 20 ratings of each arm.
`bandit.py relearning RATINGS`: of resuming a bandit with this number of ratings, until its first ask.
"""

import sys
from functools import partial
from statistics import median

import trueward as tw
from study_ratings import simulate_ratings
from timing import cpu_seconds
from workload import N_ARMS

FIRST_RATINGS = 20  # of each arm
FIRST_ROUNDS = 3  # not measured


def round_seconds(n_arms: int, n_rounds: int) -> float:
    """Return the median CPU time of a round."""
    bandit, first = tw.Bandit(tw.Wary((1, 5)), arms=n_arms), simulate_ratings(FIRST_RATINGS, n_arms)
    for arm in range(n_arms):
        for row in first:
            bandit.tell(bandit.ask(among=[arm]), row[arm])
    table = simulate_ratings(n_rounds, n_arms)

    def play(row: list[float]) -> None:
        ticket = bandit.ask(ticket=True)
        bandit.tell(ticket, row[ticket.arm])

    for row in table[:FIRST_ROUNDS]:
        play(row)
    return median(cpu_seconds(partial(play, row)) for row in table)


def relearning_seconds(n_ratings: int) -> float:
    """Return the CPU time of resuming a bandit with many ratings, until it answers."""
    saved = tw.Bandit(tw.Wary((1, 5)), arms=N_ARMS).to_dict()
    for number, row in enumerate(simulate_ratings(n_ratings, N_ARMS), start=1):
        arm = number % N_ARMS
        ask = {"ask": number, "arm": arm, "p": [1 / N_ARMS] * N_ARMS}
        saved["events"] += [ask, {"tell": number, "reward": row[arm]}]
    return cpu_seconds(lambda: tw.Bandit.from_dict(saved).ask())


if __name__ == "__main__":
    measured = {"rounds": round_seconds, "relearning": relearning_seconds}
    print(measured[sys.argv[1]](*map(int, sys.argv[2:])))
