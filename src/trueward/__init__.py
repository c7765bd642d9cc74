"""Multi-armed bandits that earn the true reward when some of the rewards they see are careless, broken or malicious.

arms -> adversary -> game -> policy( estimator -> index -> arm ) -> regret -> figure
"""

import importlib
from typing import Any

from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.engine.tables import lazy, present_name
from trueward.estimators import ESTIMATORS, FUNCTIONS
from trueward.game import DELAYS
from trueward.policies import POLICIES

__version__ = "0.2.0.dev0"

_PARTS = ("analysis", "contextual", "lab", "theory")
_HOMES = {
    **ARMS.homes,
    **ADVERSARIES.homes,
    **VALUES.homes,
    **ESTIMATORS.homes,
    **FUNCTIONS,
    **POLICIES.homes,
    **DELAYS.homes,
    "Adversary": "trueward.adversaries.base",
    "Arms": "trueward.arms.base",
    "ArmsSpread": "trueward.identification",
    "Bandit": "trueward.live.bandit",
    "BestArm": "trueward.identification",
    "ContaminatedArms": "trueward.identification",
    "Delay": "trueward.game.delays",
    "Estimator": "trueward.estimators.base",
    "FailedCheck": "trueward.live.rules",
    "FasterThan": "trueward.live.rules",
    "FunctionSpread": "trueward.identification",
    "GaussianSpread": "trueward.identification",
    "ParameterError": "trueward.errors",
    "Plan": "trueward.planning.plan",
    "Policy": "trueward.policies.base",
    "Profile": "trueward.adversaries.profiles",
    "Ratings": "trueward.arms.ratings",
    "Rule": "trueward.live.rules",
    "RunAbove": "trueward.live.rules",
    "Remote": "trueward.serve.remote",
    "Signal": "trueward.policies.signals",
    "Study": "trueward.study.study",
    "Ticket": "trueward.live.ticket",
    "Trace": "trueward.engine.trace",
    "TruewardError": "trueward.errors",
    "identify_best_arm": "trueward.identification",
    "plan": "trueward.planning.make",
    "play": "trueward.game.play",
    "rating_groups": "trueward.arms.ratings",
    "ratings": "trueward.arms.ratings",
    "unavoidable_uncertainty": "trueward.identification",
}

_RENAMED = {"Champion": "WaryThompson"}  # names of an earlier version

__all__ = sorted([*_HOMES, *_PARTS])

_public = lazy(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import trueward` alone loads neither NumPy nor Numba."""
    return importlib.import_module(f"trueward.{name}") if name in _PARTS else _public(present_name(name, _RENAMED))


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
