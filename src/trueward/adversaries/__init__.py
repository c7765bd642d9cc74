"""Adversaries: which rewards are contaminated, one per file, and with what values."""

from typing import TYPE_CHECKING

from trueward.registry import Registry, lazy_names

if TYPE_CHECKING:
    from trueward.adversaries.adversary import Adversary
    from trueward.adversaries.values import Values

ADVERSARIES: "Registry[Adversary]" = Registry(
    __name__,
    {
        "none": "none:NoAdversary",
        "bernoulli": "bernoulli_adversary:BernoulliAdversary",
        "front-cluster": "front_cluster:FrontCluster",
        "prefix-budget": "prefix_budget:PrefixBudget",
        "burst": "burst:Burst",
        "brigade": "brigade:Brigade",
        "careless-participants": "careless_participants:CarelessParticipants",
        "careless-ratings": "careless_ratings:CarelessRatings",
        "dropout": "dropout:Dropout",
        "jun-epsilon-greedy": "jun_epsilon_greedy:JunEpsilonGreedy",
        "jun-ucb": "jun_ucb:JunUCB",
        "ace": "ace:ACE",
        "oracle-attack": "oracle_attack:OracleAttack",
        "greedy-attack": "greedy_attack:GreedyAttack",
        "function": "function:FunctionAdversary",
    },
)

VALUES: "Registry[Values]" = Registry(
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
    "Adversary": "trueward.adversaries.adversary",
    "LabelledPeople": "trueward.adversaries.labelled_people",
    "PROFILES": "trueward.adversaries.profiles",
    "Profile": "trueward.adversaries.profiles",
    "Values": "trueward.adversaries.values",
    "labelled_people": "trueward.adversaries.labelled_people",
}

__getattr__ = lazy_names(__name__, {**ADVERSARIES.modules, **VALUES.modules, **OTHERS})
