"""Stage 2: adversaries: when a reward is contaminated, and with what. One per file; values in one."""

from typing import TYPE_CHECKING

from trueward.engine.tables import Table, lazy

if TYPE_CHECKING:
    from trueward.adversaries.base import Adversary
    from trueward.adversaries.values import Values

ADVERSARIES: "Table[Adversary]" = Table(
    __name__,
    {
        "none": "none:NoAdversary",
        "bernoulli": "bernoulli:BernoulliAdversary",
        "front-cluster": "front_cluster:FrontCluster",
        "prefix-budget": "prefix_budget:PrefixBudget",
        "burst": "burst:Burst",
        "brigade": "brigade:Brigade",
        "people": "people:People",
        "drop-out": "drop_out:DropOut",
        "jun-epsilon-greedy": "jun_epsilon_greedy:JunEpsilonGreedy",
        "jun-ucb": "jun_ucb:JunUCB",
        "ace": "ace:ACE",
        "oracle-attack": "oracle_attack:OracleAttack",
        "greedy-attack": "greedy_attack:GreedyAttack",
        "guard-bait": "guard_bait:GuardBait",
        "function": "function:FunctionAdversary",
    },
)

VALUES: "Table[Values]" = Table(
    __name__,
    {
        "random-malicious": "values:RandomMalicious",
        "continuous-malicious": "values:ContinuousMalicious",
        "worst-bounded": "values:WorstBounded",
        "unbounded": "values:Unbounded",
        "inlier": "values:Inlier",
    },
)

OTHERS = {
    "Adversary": "trueward.adversaries.base",
    "PROFILES": "trueward.adversaries.profiles",
    "Profile": "trueward.adversaries.profiles",
    "Values": "trueward.adversaries.values",
}

__getattr__ = lazy(__name__, {**ADVERSARIES.homes, **VALUES.homes, **OTHERS})
