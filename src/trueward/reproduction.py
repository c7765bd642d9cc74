"""The paper's setting: every policy of its comparison, in the scenarios that tell them apart.

Five arms with ratings from 0 to 10 (binomial, p = 0.9 and four times 0.8), a thousand rounds, alpha = epsilon = 0.1 and
sigma the largest standard deviation. Uniform play has a regret of 800.

Reference: Niss & Tewari (2020), section 6.
"""

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from trueward.adversaries import (
    Adversary,
    BernoulliAdversary,
    FrontCluster,
    NoAdversary,
    PrefixBudget,
    RandomMalicious,
    Unbounded,
    WorstBounded,
)
from trueward.arms import BinomialArms
from trueward.estimators import Median, ShorthMean, TrimmedMean
from trueward.game import play
from trueward.kernel import Floats
from trueward.policies import EXP3, EXP3PP, UCB, UCB1, BetaThompson, CrUCB, GaussianThompson, Policy, TsallisINF

ARMS = BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
HORIZON = 1000
EPSILON = 0.1
RATINGS = ARMS.bounds

SCENARIOS: dict[str, Adversary] = {
    "clean": NoAdversary(),
    "Bernoulli, random": BernoulliAdversary(EPSILON, RandomMalicious()),
    "Bernoulli, worst": BernoulliAdversary(EPSILON, WorstBounded()),
    "front cluster": FrontCluster(EPSILON, RandomMalicious()),
    "prefix, unbounded": PrefixBudget(EPSILON, Unbounded()),
}


def policies(alpha: float, sigma: float) -> dict[str, Policy]:
    """Return the policies of the comparison."""
    return {
        "tUCB": CrUCB(TrimmedMean(alpha), sigma=sigma),
        "sUCB": CrUCB(ShorthMean(alpha), sigma=sigma),
        "RUCB-MAB": CrUCB(Median(), sigma=sigma),
        "UCB": UCB(sigma=sigma),
        "UCB1": UCB1(RATINGS),
        "EXP3": EXP3(RATINGS),
        "EXP3++": EXP3PP(RATINGS),
        "Tsallis-INF (IW)": TsallisINF(RATINGS, estimates_by="iw"),
        "Tsallis-INF (RV)": TsallisINF(RATINGS),
        "Thompson (Gaussian)": GaussianThompson(sigma=sigma),
        "Thompson (Beta)": BetaThompson(RATINGS),
    }


def final_regrets(*, trials: int, seed: int, console: Console | None = None) -> dict[str, dict[str, Floats]]:
    """Return the regret after the last round of each trial, by scenario and policy; alpha is 0 where all is clean."""
    regrets = {}
    with Progress(console=console, transient=True, disable=console is None) as progress:
        for name, adversary in SCENARIOS.items():
            task = progress.add_task(f"{name} (the first run compiles)", total=trials)
            alpha = EPSILON if name != "clean" else 0.0
            games = play(
                policies(alpha, ARMS.sd),
                ARMS,
                adversary,
                horizon=HORIZON,
                trials=trials,
                seed=seed,
                rounds=[HORIZON],
                progress=lambda done, _, task=task: progress.update(task, completed=done),  # type: ignore[misc] # mypy cannot type a default
            )
            regrets[name] = {policy: trace.regret[:, -1] for policy, trace in games.items()}
    return regrets


def print_table(*, trials: int, seed: int) -> None:
    """Play, and print mean and standard deviation of the regret."""
    console = Console()
    regrets = final_regrets(trials=trials, seed=seed, console=console)
    table = Table(
        title=f"Uncontaminated regret at T = {HORIZON}: mean ± sd over {trials} paired trials (uniform play: 800)"
    )
    table.add_column("policy")
    for name in SCENARIOS:
        table.add_column(name, justify="right")
    for policy in policies(EPSILON, ARMS.sd):
        cells = (regrets[name][policy] for name in SCENARIOS)
        table.add_row(policy, *(f"{cell.mean():.0f} ± {cell.std():.0f}" for cell in cells))
    console.print(table)
