"""The standings of a tournament: regret shares, ranks and worst cases, with bootstrap intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import rankdata

from trueward.engine.kernel import Floats
from trueward.lab.arena.scenario import Scenario

MEAN_RANK = "mean rank"  # the first numeric column of the standings
RESAMPLES = 1000
SEED = 0  # of the bootstrap: the same games give the same intervals
INTERVAL = (0.025, 0.975)
JOINT_GROUPS = (
    ("tenth", "people"),
)  # groups of the suite (see GROUPS there) whose joint worst case is reported as well


class BootstrapEstimate(NamedTuple):
    """A number and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:z.2f} [{self.low:z.2f}, {self.high:z.2f}]"


class GroupWinner(NamedTuple):
    """The policy with the lowest worst case in a group of scenarios, the runner-up, and the margin."""

    group: str
    first: str
    worst: BootstrapEstimate
    second: str
    next_worst: BootstrapEstimate
    margin: BootstrapEstimate  # lowest worst case among the others minus the first's, on the same resampled trials

    @property
    def clear(self) -> bool:
        """Whether the interval of the margin lies above 0."""
        return self.margin.low > 0

    def __str__(self) -> str:
        lowest = f"{self.group}: {self.first} has the lowest worst case, {self.worst}"
        lead = "clear lead" if self.clear else "too close to call"
        return f"{lowest}; next is {self.second}, {self.next_worst}; {lead}, margin {self.margin}"


@dataclass(frozen=True)
class Standings:
    """The standings of a tournament: regret shares of all policies in all scenarios, ranks and worst cases.

        share = regret / (expected regret of uniform play):    0 always the best arm, 1 as uniform play, above 1 misled

    All policies play the same trials. So the bootstrap resamples *trials*, the same ones for every policy and every
    scenario; intervals contain 95 % of the resampled values.

    Parameters
    ----------
    scenarios : sequence of Scenario
        The scenarios that were played.
    families : mapping of str to str
        The family of each policy, by the name of the policy.
    shares : array of shape (scenarios, policies, trials)
        The regret of each game, divided by the expected regret of uniform play.

    Examples
    --------
    >>> import numpy as np
    >>> from trueward.lab.arena import SUITE, Standings
    >>> shares = np.array([[[0.2, 0.4], [1.0, 1.0]]])
    >>> standings = Standings(SUITE[:1], {"UCB": "paper's", "uniform": "baseline"}, shares)
    >>> [rank.value for rank in standings.ranks]
    [1.0, 2.0]
    >>> str(standings.cells[0][0])
    '0.30 [0.20, 0.40]'
    """

    scenarios: Sequence[Scenario]
    families: Mapping[str, str]
    shares: Floats

    @property
    def policies(self) -> list[str]:
        """The names of the policies, in the order of `shares`."""
        return list(self.families)

    @property
    def groups(self) -> list[str]:
        """The groups that were played, in order."""
        return list(dict.fromkeys(scenario.group for scenario in self.scenarios))

    @cached_property
    def means(self) -> Floats:
        """The mean share of each policy in each scenario, (scenarios, policies)."""
        return np.asarray(self.shares.mean(axis=2))

    @cached_property
    def resampled(self) -> Floats:
        """The mean shares over resampled trials, (scenarios, policies, resamples)."""
        trials = self.shares.shape[2]
        drawn = np.random.default_rng(SEED).multinomial(trials, np.full(trials, 1.0 / trials), size=RESAMPLES)
        return np.asarray(self.shares @ (drawn.T / trials))

    @cached_property
    def cells(self) -> list[list[BootstrapEstimate]]:
        """The mean share of each policy with its interval, scenario by scenario."""
        return [estimates(means, draws) for means, draws in zip(self.means, self.resampled, strict=True)]

    @cached_property
    def ranks(self) -> list[BootstrapEstimate]:
        """The mean rank of each policy over all scenarios; rank 1 has the lowest regret."""
        mean, draws = (rankdata(shares, axis=1).mean(axis=0) for shares in (self.means, self.resampled))
        return estimates(mean, draws)

    def clean_costs(self) -> list[BootstrapEstimate] | None:
        """Return the mean share of each policy over the clean scenarios; None if there are none."""
        selected = self._in_groups("clean")
        if not selected.any():
            return None
        return estimates(self.means[selected].mean(axis=0), self.resampled[selected].mean(axis=0))

    def worst_cases(self, *groups: str) -> list[BootstrapEstimate]:
        """Return the highest share of each policy over the scenarios of one or several groups."""
        selected = self._in_groups(*groups)
        return estimates(self.means[selected].max(axis=0), self.resampled[selected].max(axis=0))

    def winner(self, *groups: str) -> GroupWinner:
        """Return the policy with the lowest worst case in a group, or in several groups together."""
        selected, worst = self._in_groups(*groups), self.worst_cases(*groups)
        first, second = np.argsort([estimate.value for estimate in worst], kind="stable")[:2].tolist()
        draws = self.resampled[selected].max(axis=0)
        others = np.delete(draws, first, axis=0).min(axis=0)
        (margin,) = estimates(np.array([worst[second].value - worst[first].value]), (others - draws[first])[None])
        return GroupWinner(
            " or ".join(groups), self.policies[first], worst[first], self.policies[second], worst[second], margin
        )

    def winners(self) -> list[GroupWinner]:
        """Return the winner of each group but the clean one, and of joint groups; none if there is only one policy."""
        if len(self.policies) == 1:
            return []
        played = [(group,) for group in self.groups if group != "clean"]
        return [self.winner(*groups) for groups in (*played, *JOINT_GROUPS) if set(groups) <= set(self.groups)]

    @cached_property
    def columns(self) -> dict[str, list[BootstrapEstimate]]:
        """The columns of `table`: mean rank, clean cost and worst case by group, each with one estimate per policy."""
        costs = self.clean_costs()
        columns = {MEAN_RANK: self.ranks} | ({} if costs is None else {"clean cost": costs})
        return columns | {f"worst: {group}": self.worst_cases(group) for group in self.groups if group != "clean"}

    def best_first(self) -> list[int]:
        """Return the indices of the policies, sorted by mean rank."""
        return sorted(range(len(self.policies)), key=lambda i: self.ranks[i].value)

    def table(self) -> pl.DataFrame:
        """Return one row per policy, sorted by mean rank."""
        rows = []
        for i in self.best_first():
            row: dict[str, str | float] = {"policy": self.policies[i]}
            row["family"] = self.families[self.policies[i]]
            for name, column in self.columns.items():
                row |= {name: column[i].value}
                row |= {f"{name}, low": column[i].low, f"{name}, high": column[i].high}
            rows.append(row)
        return pl.DataFrame(rows)

    def share_table(self) -> pl.DataFrame:
        """Return one row per scenario and policy."""
        rows = [
            {"group": scenario.group, "scenario": scenario.label, "policy": policy, "share": share.value}
            | {"low": share.low, "high": share.high}
            for scenario, row in zip(self.scenarios, self.cells, strict=True)
            for policy, share in zip(self.policies, row, strict=True)
        ]
        return pl.DataFrame(rows)

    def _in_groups(self, *groups: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([scenario.group in groups for scenario in self.scenarios])


def standings_of(trials: pl.DataFrame, scenarios: Sequence[Scenario], families: Mapping[str, str]) -> Standings:
    """Return the standings for a table of trials with the columns scenario, policy, trial and regret."""
    regrets = trials.sort("trial").group_by("scenario", "policy").agg("regret").rows_by_key(["scenario", "policy"])
    shares = [
        [np.array(regrets[scenario.name, policy][0][0]) / scenario.uniform_regret for policy in families]
        for scenario in scenarios
    ]
    return Standings(scenarios, families, np.array(shares))


def estimates(values: Floats, resampled: Floats) -> list[BootstrapEstimate]:
    """Return values with their intervals; the last axis of `resampled` is that of the resamples."""
    low, high = np.quantile(resampled, INTERVAL, axis=-1)
    return [BootstrapEstimate(*map(float, each)) for each in zip(values, low, high, strict=True)]
