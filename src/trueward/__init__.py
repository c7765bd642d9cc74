"""Multi-armed bandits that earn the true reward when some of the rewards they see are careless, broken or malicious.

arms -> adversary -> game -> policy( estimator -> index -> arm ) -> regret -> figure
"""

import importlib
from typing import Any

from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.estimators import ESTIMATORS, FUNCTIONS
from trueward.game import DELAYS
from trueward.policies import POLICIES
from trueward.registry import lazy_names

__version__ = "0.2.0.dev0"

_PARTS = ("analysis", "contextual", "lab", "theory")
_HOMES = {
    **ARMS.modules,
    **ADVERSARIES.modules,
    **VALUES.modules,
    **ESTIMATORS.modules,
    **FUNCTIONS,
    **POLICIES.modules,
    **DELAYS.modules,
    "Adversary": "trueward.adversaries.adversary",
    "Arms": "trueward.arms.arms",
    "ArmsQuantileBound": "trueward.identification",
    "Bandit": "trueward.live.bandit",
    "BestArmResult": "trueward.identification",
    "ContaminatedArms": "trueward.identification",
    "CustomQuantileBound": "trueward.identification",
    "Delay": "trueward.game.delays",
    "Estimator": "trueward.estimators.estimator",
    "FailedCheck": "trueward.analysis.exclusion",
    "FasterThan": "trueward.analysis.exclusion",
    "GaussianQuantileBound": "trueward.identification",
    "LabelledPeople": "trueward.adversaries.labelled_people",
    "ParameterError": "trueward.errors",
    "Plan": "trueward.planning.plan",
    "Policy": "trueward.policies.policy",
    "Profile": "trueward.adversaries.profiles",
    "Ratings": "trueward.arms.ratings",
    "Rule": "trueward.analysis.exclusion",
    "RunAbove": "trueward.analysis.exclusion",
    "Remote": "trueward.serve.remote",
    "Signal": "trueward.policies.signals",
    "Study": "trueward.study.study",
    "Ticket": "trueward.live.ticket",
    "Trace": "trueward.game.trace",
    "TruewardError": "trueward.errors",
    "identify_best_arm": "trueward.identification",
    "labelled_people": "trueward.adversaries.labelled_people",
    "plan": "trueward.planning.make",
    "play": "trueward.game.play",
    "rating_groups": "trueward.arms.ratings",
    "ratings": "trueward.arms.ratings",
    "unavoidable_uncertainty": "trueward.identification",
}

__all__ = sorted([*_HOMES, *_PARTS])

_public = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import trueward` alone loads neither NumPy nor Numba."""
    return importlib.import_module(f"trueward.{name}") if name in _PARTS else _public(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
