"""Stage 2: adversaries: when a reward is contaminated, and with what. One per file; values in one."""

from trueward.adversaries.base import Adversary
from trueward.adversaries.bernoulli import BernoulliAdversary
from trueward.adversaries.brigade import Brigade
from trueward.adversaries.burst import Burst
from trueward.adversaries.front_cluster import FrontCluster
from trueward.adversaries.function import FunctionAdversary
from trueward.adversaries.none import NoAdversary
from trueward.adversaries.people import People
from trueward.adversaries.prefix_budget import PrefixBudget
from trueward.adversaries.profiles import PROFILES, Profile
from trueward.adversaries.values import (
    VALUES,
    ContinuousMalicious,
    Inlier,
    RandomMalicious,
    Unbounded,
    Values,
    WorstBounded,
)

__all__ = [
    "ADVERSARIES",
    "PROFILES",
    "VALUES",
    "Adversary",
    "BernoulliAdversary",
    "Brigade",
    "Burst",
    "ContinuousMalicious",
    "FrontCluster",
    "FunctionAdversary",
    "Inlier",
    "NoAdversary",
    "People",
    "PrefixBudget",
    "Profile",
    "RandomMalicious",
    "Unbounded",
    "Values",
    "WorstBounded",
]

ADVERSARIES: dict[str, type[Adversary]] = {
    "none": NoAdversary,
    "bernoulli": BernoulliAdversary,
    "front-cluster": FrontCluster,
    "prefix-budget": PrefixBudget,
    "burst": Burst,
    "brigade": Brigade,
    "people": People,
    "function": FunctionAdversary,
}
