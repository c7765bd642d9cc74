"""Stage 4: policies: an index or probabilities, then an arm. One per file."""

from trueward.policies.barbar import BARBAR, BARBAT
from trueward.policies.base import Policy
from trueward.policies.beta_thompson import BetaThompson
from trueward.policies.budget_thompson import BudgetThompson
from trueward.policies.budget_ucb import BudgetUCB
from trueward.policies.champion import Champion
from trueward.policies.crimed import CRIMED
from trueward.policies.crucb import CrUCB
from trueward.policies.epsilon_greedy import EpsilonGreedy
from trueward.policies.exp3 import EXP3
from trueward.policies.exp3pp import EXP3PP
from trueward.policies.explored_ucb import ExploredUCB
from trueward.policies.gaussian_thompson import GaussianThompson
from trueward.policies.guarded import Guarded
from trueward.policies.heavy_tail_ucb import HeavyTailUCB
from trueward.policies.huber_ucb import HuberUCB
from trueward.policies.mixture_thompson import MixtureThompson
from trueward.policies.race import Race
from trueward.policies.robust_thompson import RobustThompson
from trueward.policies.sao import SAO
from trueward.policies.tsallis_inf import TsallisINF
from trueward.policies.ucb import UCB
from trueward.policies.ucb1 import UCB1
from trueward.policies.uniform import Uniform

__all__ = [
    "BARBAR",
    "BARBAT",
    "CRIMED",
    "EXP3",
    "EXP3PP",
    "POLICIES",
    "SAO",
    "UCB",
    "UCB1",
    "BetaThompson",
    "BudgetThompson",
    "BudgetUCB",
    "Champion",
    "CrUCB",
    "EpsilonGreedy",
    "ExploredUCB",
    "GaussianThompson",
    "Guarded",
    "HeavyTailUCB",
    "HuberUCB",
    "MixtureThompson",
    "Policy",
    "Race",
    "RobustThompson",
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
    "barbar": BARBAR,
    "barbat": BARBAT,
    "explored-ucb": ExploredUCB,
    "budget-ucb": BudgetUCB,
    "race": Race,
    "sao": SAO,
    "budget-thompson": BudgetThompson,
    "robust-thompson": RobustThompson,
    "crimed": CRIMED,
    "huber-ucb": HuberUCB,
    "heavy-tail-ucb": HeavyTailUCB,
    "mixture-thompson": MixtureThompson,
    "guarded": Guarded,
    "champion": Champion,
}
