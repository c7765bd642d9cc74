"""Stage 4: policies: an index or probabilities, then an arm. One per file."""

from trueward.policies.base import Policy
from trueward.policies.champion.champion import Champion
from trueward.policies.index.budget_ucb import BudgetUCB
from trueward.policies.index.crimed import CRIMED
from trueward.policies.index.crucb import CrUCB
from trueward.policies.index.explored_ucb import ExploredUCB
from trueward.policies.index.heavy_tail_ucb import HeavyTailUCB
from trueward.policies.index.huber_ucb import HuberUCB
from trueward.policies.index.ucb import UCB
from trueward.policies.index.ucb1 import UCB1
from trueward.policies.posterior.beta_thompson import BetaThompson
from trueward.policies.posterior.budget_thompson import BudgetThompson
from trueward.policies.posterior.gaussian_thompson import GaussianThompson
from trueward.policies.posterior.mixture_thompson import MixtureThompson
from trueward.policies.posterior.robust_thompson import RobustThompson
from trueward.policies.sampling.barbar import BARBAR, BARBAT
from trueward.policies.sampling.epsilon_greedy import EpsilonGreedy
from trueward.policies.sampling.exp3 import EXP3
from trueward.policies.sampling.exp3pp import EXP3PP
from trueward.policies.sampling.race import Race
from trueward.policies.sampling.sao import SAO
from trueward.policies.sampling.tsallis_inf import TsallisINF
from trueward.policies.sampling.uniform import Uniform
from trueward.policies.wrappers.guarded import Guarded

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
