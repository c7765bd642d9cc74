"""Stage 4: policies: an index or probabilities, then an arm. One per file."""

from trueward.policies.base import Policy
from trueward.policies.beta_thompson import BetaThompson
from trueward.policies.crucb import CrUCB
from trueward.policies.epsilon_greedy import EpsilonGreedy
from trueward.policies.exp3 import EXP3
from trueward.policies.exp3pp import EXP3PP
from trueward.policies.gaussian_thompson import GaussianThompson
from trueward.policies.tsallis_inf import TsallisINF
from trueward.policies.ucb import UCB
from trueward.policies.ucb1 import UCB1
from trueward.policies.uniform import Uniform

__all__ = [
    "EXP3",
    "EXP3PP",
    "POLICIES",
    "UCB",
    "UCB1",
    "BetaThompson",
    "CrUCB",
    "EpsilonGreedy",
    "GaussianThompson",
    "Policy",
    "TsallisINF",
    "Uniform",
]

POLICIES: dict[str, type[Policy]] = {
    "uniform": Uniform,
    "epsilon-greedy": EpsilonGreedy,
    "ucb1": UCB1,
    "ucb": UCB,
    "crucb": CrUCB,
    "exp3": EXP3,
    "exp3++": EXP3PP,
    "tsallis-inf": TsallisINF,
    "gaussian-thompson": GaussianThompson,
    "beta-thompson": BetaThompson,
}
