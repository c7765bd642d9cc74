"""CPU seconds of an ask with its probability and a tell in memory: `bandit.py ARMS ROUNDS`."""

import sys

import trueward as tw
from study_ratings import simulate_ratings
from timing import cpu_seconds

FIRST_RATINGS = 20  # of each arm
FIRST_ROUNDS = 3  # not measured


def round_seconds(n_arms: int, n_rounds: int) -> float:
    """Return the CPU time of a round with the default policy."""
    bandit, first = tw.Bandit(tw.Wary((1, 5)), arms=n_arms), simulate_ratings(FIRST_RATINGS, n_arms)
    for arm in range(n_arms):
        for row in first:
            bandit.tell(bandit.ask(among=[arm]), row[arm])
    table = simulate_ratings(n_rounds, n_arms)

    def play(rows: list[list[float]]) -> None:
        for row in rows:
            ticket = bandit.ask(ticket=True)
            bandit.tell(ticket, row[ticket.arm])

    play(table[:FIRST_ROUNDS])
    return cpu_seconds(lambda: play(table)) / n_rounds


if __name__ == "__main__":
    print(round_seconds(*map(int, sys.argv[1:])))
