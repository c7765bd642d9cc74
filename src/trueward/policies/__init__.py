"""Policies: how arms are chosen. One policy per file, by family."""

from typing import TYPE_CHECKING

from trueward.registry import Registry, lazy_names

if TYPE_CHECKING:
    from trueward.policies.policy import Policy

POLICIES: "Registry[Policy]" = Registry(
    __name__,
    {
        "uniform": "sampling.uniform:Uniform",
        "epsilon-greedy": "sampling.epsilon_greedy:EpsilonGreedy",
        "ucb1": "index.ucb1:UCB1",
        "ucb": "index.ucb:UCB",
        "crucb": "index.crucb:CrUCB",
        "exp3": "sampling.exp3:EXP3",
        "exp3++": "sampling.exp3pp:EXP3PP",
        "tsallis-inf": "sampling.tsallis_inf:TsallisINF",
        "gaussian-thompson": "posterior.gaussian_thompson:GaussianThompson",
        "beta-thompson": "posterior.beta_thompson:BetaThompson",
        "barbar": "sampling.barbar:BARBAR",
        "barbat": "sampling.barbar:BARBAT",
        "explored-ucb": "index.explored_ucb:ExploredUCB",
        "budget-ucb": "index.budget_ucb:BudgetUCB",
        "race": "sampling.race:Race",
        "sao": "sampling.sao:SAO",
        "sapo": "sampling.sapo:SAPO",
        "budget-thompson": "posterior.budget_thompson:BudgetThompson",
        "robust-thompson": "posterior.robust_thompson:RobustThompson",
        "crimed": "index.crimed:CRIMED",
        "huber-ucb": "index.huber_ucb:HuberUCB",
        "heavy-tail-ucb": "index.heavy_tail_ucb:HeavyTailUCB",
        "mixture-thompson": "posterior.mixture_thompson:MixtureThompson",
        "uniform-share": "wrappers.uniform_share:UniformShare",
        "missing-as": "wrappers.missing_as:MissingAs",
        "wary": "wary.wary:Wary",
    },
)

__getattr__ = lazy_names(__name__, {**POLICIES.modules, "Policy": "trueward.policies.policy"})
