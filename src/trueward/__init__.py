"""Multi-armed bandits that earn the true reward when some of the rewards they see are careless, broken or malicious.

arms -> adversary -> game -> policy( estimator -> index -> arm ) -> regret -> figure
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueward import lab, theory
    from trueward.adversaries import (
        ACE,
        BernoulliAdversary,
        Brigade,
        Burst,
        ContinuousMalicious,
        FrontCluster,
        FunctionAdversary,
        GreedyAttack,
        GuardBait,
        Inlier,
        JunEpsilonGreedy,
        JunUCB,
        NoAdversary,
        OracleAttack,
        People,
        PrefixBudget,
        Profile,
        RandomMalicious,
        Unbounded,
        WorstBounded,
    )
    from trueward.arms import BernoulliArms, BinomialArms, CategoricalArms, GaussianArms, ResampledArms
    from trueward.engine.trace import Trace
    from trueward.errors import TruewardError
    from trueward.estimators import GroupedMedian, HuberMean, Mean, Median, ShorthMean, TrimmedMean
    from trueward.estimators.grouped_median.definition import grouped_median
    from trueward.estimators.huber_mean.definition import huber_mean
    from trueward.estimators.shorth_mean.definition import shorth_mean
    from trueward.estimators.trimmed_mean.definition import trimmed_mean
    from trueward.game.play import play
    from trueward.identification import (
        ArmsSpread,
        BestArm,
        ContaminatedArms,
        FunctionSpread,
        GaussianSpread,
        identify_best_arm,
        unavoidable_uncertainty,
    )
    from trueward.live.bandit import Bandit
    from trueward.policies import (
        BARBAR,
        BARBAT,
        CRIMED,
        EXP3,
        EXP3PP,
        SAO,
        UCB,
        UCB1,
        BetaThompson,
        BudgetThompson,
        BudgetUCB,
        Champion,
        CrUCB,
        EpsilonGreedy,
        ExploredUCB,
        GaussianThompson,
        Guarded,
        HeavyTailUCB,
        HuberUCB,
        MixtureThompson,
        Race,
        RobustThompson,
        TsallisINF,
        Uniform,
    )

__version__ = "0.1.0"

_HOMES = {
    "trueward.adversaries": (
        "ACE",
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
        "WorstBounded",
    ),
    "trueward.arms": ("BernoulliArms", "BinomialArms", "CategoricalArms", "GaussianArms", "ResampledArms"),
    "trueward.live.bandit": ("Bandit",),
    "trueward.errors": ("TruewardError",),
    "trueward.estimators": (
        "GroupedMedian",
        "HuberMean",
        "Mean",
        "Median",
        "ShorthMean",
        "TrimmedMean",
        "grouped_median",
        "huber_mean",
        "shorth_mean",
        "trimmed_mean",
    ),
    "trueward.game.play": ("play",),
    "trueward.identification": (
        "ArmsSpread",
        "BestArm",
        "ContaminatedArms",
        "FunctionSpread",
        "GaussianSpread",
        "identify_best_arm",
        "unavoidable_uncertainty",
    ),
    "trueward.policies": (
        "Champion",
        "Guarded",
        "MixtureThompson",
        "HeavyTailUCB",
        "HuberUCB",
        "CRIMED",
        "RobustThompson",
        "BudgetThompson",
        "SAO",
        "Race",
        "BudgetUCB",
        "ExploredUCB",
        "BARBAT",
        "BARBAR",
        "EXP3",
        "EXP3PP",
        "UCB",
        "UCB1",
        "BetaThompson",
        "CrUCB",
        "EpsilonGreedy",
        "GaussianThompson",
        "TsallisINF",
        "Uniform",
    ),
    "trueward.engine.trace": ("Trace",),
}
_PARTS = ("lab", "theory")
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ACE",
    "BARBAR",
    "BARBAT",
    "CRIMED",
    "EXP3",
    "EXP3PP",
    "SAO",
    "UCB",
    "UCB1",
    "ArmsSpread",
    "Bandit",
    "BernoulliAdversary",
    "BernoulliArms",
    "BestArm",
    "BetaThompson",
    "BinomialArms",
    "Brigade",
    "BudgetThompson",
    "BudgetUCB",
    "Burst",
    "CategoricalArms",
    "Champion",
    "ContaminatedArms",
    "ContinuousMalicious",
    "CrUCB",
    "EpsilonGreedy",
    "ExploredUCB",
    "FrontCluster",
    "FunctionAdversary",
    "FunctionSpread",
    "GaussianArms",
    "GaussianSpread",
    "GaussianThompson",
    "GreedyAttack",
    "GroupedMedian",
    "GuardBait",
    "Guarded",
    "HeavyTailUCB",
    "HuberMean",
    "HuberUCB",
    "Inlier",
    "JunEpsilonGreedy",
    "JunUCB",
    "Mean",
    "Median",
    "MixtureThompson",
    "NoAdversary",
    "OracleAttack",
    "People",
    "PrefixBudget",
    "Profile",
    "Race",
    "RandomMalicious",
    "ResampledArms",
    "RobustThompson",
    "ShorthMean",
    "Trace",
    "TrimmedMean",
    "TruewardError",
    "TsallisINF",
    "Unbounded",
    "Uniform",
    "WorstBounded",
    "grouped_median",
    "huber_mean",
    "identify_best_arm",
    "lab",
    "play",
    "shorth_mean",
    "theory",
    "trimmed_mean",
    "unavoidable_uncertainty",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import trueward` alone loads neither NumPy nor Numba."""
    if name in _PARTS:
        return importlib.import_module(f"trueward.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'trueward' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
