"""The policies whose memory is measured: all of the arena, configured as there, so that new policies are included."""

import trueward as tw
from trueward.arms.arms import Arms
from trueward.game.play import Learner
from trueward.lab.arena.field import FIELD, field_of
from trueward.lab.arena.problem import Problem

PolicyAndArms = tuple[Learner, Arms]

CLICKS = tw.BernoulliArms([0.9] + [0.8] * 9)
RATINGS = tw.BinomialArms(n=10, p=[0.9] + [0.8] * 9)
CONTINUOUS = tw.GaussianArms(means=[9.0] + [8.0] * 9, sd=1.265)
SLOW = ("MoM-UCB",)  # O(n) per reward, too slow for a million rewards
MORE_VALUES = ("UCB", "tUCB", "sUCB", "RUCB-MAB")  # also on rewards with more values, which take more memory


def arena_policies(horizon: int) -> dict[str, PolicyAndArms]:
    """Return each policy with its arms, by name."""
    places = {name: (name, CLICKS) for name in field_of("quick") if name not in SLOW}
    for distribution, arms in {"ratings": RATINGS, "continuous": CONTINUOUS}.items():
        places |= {f"{name}, {distribution}": (name, arms) for name in MORE_VALUES}
    return {label: (FIELD[name].build(Problem(arms, horizon, None)), arms) for label, (name, arms) in places.items()}
