"""CPU seconds of a bandit in memory with the default policy, in this version or in 0.1, where its name was Champion.

`bandit.py rounds ARMS ROUNDS`: of an ask with its probability and a tell, after 20 ratings of each arm.
`bandit.py replay RATINGS`: of resuming a bandit with this number of ratings, and of retracting the first one.
"""

import json
import sys

import trueward as tw
from study_ratings import simulate_ratings
from timing import cpu_seconds

FIRST_RATINGS = 20
FIRST_ROUNDS = 3  # not measured: they load compiled code


def default_policy() -> object:
    """Return the default policy, by its name in this version."""
    policy = getattr(tw, "Wary" if hasattr(tw, "Wary") else "Champion")
    return policy((1, 5))


def rounds(n_arms: int, n_rounds: int) -> dict[str, float]:
    """Return the CPU time of a round."""
    bandit, first = tw.Bandit(default_policy(), arms=n_arms), simulate_ratings(FIRST_RATINGS, n_arms)
    for arm in range(n_arms):
        for row in first:
            bandit.tell(bandit.ask(among=[arm]), row[arm])
    table = simulate_ratings(n_rounds, n_arms)

    def play(rows: list[list[float]]) -> None:
        for row in rows:
            ticket = bandit.ask(ticket=True)
            bandit.tell(ticket, row[ticket.arm])

    play(table[:FIRST_ROUNDS])
    return {"round": cpu_seconds(lambda: play(table)) / n_rounds}


def replay(n_ratings: int) -> dict[str, float]:
    """Return the CPU time of resuming, and of a correction."""
    saved = tw.Bandit(default_policy(), arms=5).to_dict()
    for number, row in enumerate(simulate_ratings(n_ratings, 5), start=1):
        arm = number % 5
        saved["events"] += [{"ask": number, "arm": arm, "p": [0.2] * 5}, {"tell": number, "reward": row[arm]}]
    if tw.__version__.startswith("0.1"):  # it records no probabilities
        saved["events"] = [{key: e[key] for key in e if key != "p"} for e in saved["events"]]
    resumed: list[tw.Bandit] = []
    opening = cpu_seconds(lambda: resumed.append(tw.Bandit.from_dict(saved)))
    return {"opening": opening, "voiding": cpu_seconds(lambda: resumed[0].retract(1))}


if __name__ == "__main__":
    print(json.dumps({"rounds": rounds, "replay": replay}[sys.argv[1]](*map(int, sys.argv[2:]))))
