"""Who plays long games: everybody in the arena, set up as there, so that a new policy is measured without an edit."""

import trueward as tw
from trueward.arms.arms import Arms
from trueward.game.play import Learner
from trueward.lab.arena.field import FIELD, field_of
from trueward.lab.arena.problem import Problem

Player = tuple[Learner, Arms]

CLICKS = tw.BernoulliArms([0.9] + [0.8] * 9)
RATINGS = tw.BinomialArms(n=10, p=[0.9] + [0.8] * 9)
CONTINUOUS = tw.GaussianArms(means=[9.0] + [8.0] * 9, sd=1.265)
SLOW = ("MoM-UCB",)  # O(n) per reward, too slow for a million of them
BY_MEMORY = ("UCB", "tUCB", "sUCB", "RUCB-MAB")  # also on more values, where what they keep is larger


def players(horizon: int) -> dict[str, Player]:
    """Return policies and the arms that they play on, by name."""
    places = {name: (name, CLICKS) for name in field_of("quick") if name not in SLOW}
    for distribution, arms in {"ratings": RATINGS, "continuous": CONTINUOUS}.items():
        places |= {f"{name}, {distribution}": (name, arms) for name in BY_MEMORY}
    return {label: (FIELD[name].build(Problem(arms, horizon, None)), arms) for label, (name, arms) in places.items()}
