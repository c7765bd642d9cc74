"""Stage 2: adversaries: when a reward is contaminated, and with what. One per file; values in one."""

from trueward.adversaries.ace import ACE
from trueward.adversaries.base import Adversary
from trueward.adversaries.bernoulli import BernoulliAdversary
from trueward.adversaries.brigade import Brigade
from trueward.adversaries.burst import Burst
from trueward.adversaries.front_cluster import FrontCluster
from trueward.adversaries.function import FunctionAdversary
from trueward.adversaries.greedy_attack import GreedyAttack
from trueward.adversaries.guard_bait import GuardBait
from trueward.adversaries.jun_epsilon_greedy import JunEpsilonGreedy
from trueward.adversaries.jun_ucb import JunUCB
from trueward.adversaries.none import NoAdversary
from trueward.adversaries.oracle_attack import OracleAttack
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
    "ACE",
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
    "GreedyAttack",
    "GuardBait",
    "Inlier",
    "JunEpsilonGreedy",
    "JunUCB",
    "NoAdversary",
    "OracleAttack",
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
    "jun-epsilon-greedy": JunEpsilonGreedy,
    "jun-ucb": JunUCB,
    "ace": ACE,
    "oracle-attack": OracleAttack,
    "greedy-attack": GreedyAttack,
    "guard-bait": GuardBait,
    "function": FunctionAdversary,
}
