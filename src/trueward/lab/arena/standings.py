"""What the games say: regret as a share of uniform play, ranks, worst cases, and how sure all that is.

    share = regret / (T times the mean gap):   0 the best arm always, 1 no better than chance, above 1 fooled

All policies play the same worlds, so the bootstrap draws *trials*, the same ones for every policy and every scenario;
intervals hold 95 % of the resampled values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import rankdata

from trueward.engine.kernel import Floats
from trueward.lab.arena.scenario import Scenario

RESAMPLES = 1000
SEED = 0  # of the bootstrap: the same games give the same intervals
INTERVAL = (0.025, 0.975)
TOGETHER = (("tenth", "people"),)  # groups that are judged together as well


class Estimate(NamedTuple):
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:z.2f} [{self.low:z.2f}, {self.high:z.2f}]"


class Verdict(NamedTuple):
    """Who has the lowest worst case in a group, who is next, and by how much."""

    group: str
    first: str
    worst: Estimate
    second: str
    next_worst: Estimate
    margin: Estimate  # of the first over the best of all others, in the same trials

    @property
    def clear(self) -> bool:
        """Whether the margin's interval lies above 0."""
        return self.margin.low > 0

    def __str__(self) -> str:
        distance = f"margin {self.margin}"
        outcome = f"clear of it: {distance}" if self.clear else f"too close to call: {distance}"
        lowest = f"{self.group}: the lowest worst case is that of {self.first}, {self.worst}"
        return f"{lowest}; next {self.second}, {self.next_worst}; {outcome}"


@dataclass(frozen=True)
class Standings:
    """The shares of all policies in all scenarios, and what follows from them."""

    scenarios: Sequence[Scenario]
    families: Mapping[str, str]  # by policy
    shares: Floats  # (scenarios, policies, trials)

    @property
    def policies(self) -> list[str]:
        """The names, in the order of the shares."""
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
        """The same over resampled trials, (scenarios, policies, resamples)."""
        trials = self.shares.shape[2]
        drawn = np.random.default_rng(SEED).multinomial(trials, np.full(trials, 1.0 / trials), size=RESAMPLES)
        return np.asarray(self.shares @ (drawn.T / trials))

    @cached_property
    def cells(self) -> list[list[Estimate]]:
        """The share of each policy in each scenario, scenario by scenario."""
        return [estimates(means, draws) for means, draws in zip(self.means, self.resampled, strict=True)]

    @cached_property
    def ranks(self) -> list[Estimate]:
        """The mean rank of each policy over all scenarios; 1 is the lowest regret."""
        mean, draws = (rankdata(shares, axis=1).mean(axis=0) for shares in (self.means, self.resampled))
        return estimates(mean, draws)

    def clean_costs(self) -> list[Estimate] | None:
        """Return the mean share of each policy over the clean scenarios, if there are any."""
        chosen = self._of_group("clean")
        if not chosen.any():
            return None
        return estimates(self.means[chosen].mean(axis=0), self.resampled[chosen].mean(axis=0))

    def worst_cases(self, *groups: str) -> list[Estimate]:
        """Return the highest share of each policy over the scenarios of a group, or of several."""
        chosen = self._of_group(*groups)
        return estimates(self.means[chosen].max(axis=0), self.resampled[chosen].max(axis=0))

    def verdict(self, *groups: str) -> Verdict:
        """Return who has the lowest worst case in a group, or in several together."""
        chosen, worst = self._of_group(*groups), self.worst_cases(*groups)
        first, second = np.argsort([estimate.value for estimate in worst], kind="stable")[:2].tolist()
        draws = self.resampled[chosen].max(axis=0)
        others = np.delete(draws, first, axis=0).min(axis=0)
        (margin,) = estimates(np.array([worst[second].value - worst[first].value]), (others - draws[first])[None])
        return Verdict(
            " or ".join(groups), self.policies[first], worst[first], self.policies[second], worst[second], margin
        )

    def verdicts(self) -> list[Verdict]:
        """Return the verdict on each group but the clean one, and on some together; none on a policy without rivals."""
        if len(self.policies) == 1:
            return []
        played = [(group,) for group in self.groups if group != "clean"]
        return [self.verdict(*groups) for groups in (*played, *TOGETHER) if set(groups) <= set(self.groups)]

    @cached_property
    def columns(self) -> dict[str, list[Estimate]]:
        """What sums the policies up, by the head of the column."""
        costs = self.clean_costs()
        columns = {"mean rank": self.ranks} | ({} if costs is None else {"clean cost": costs})
        return columns | {f"worst: {group}": self.worst_cases(group) for group in self.groups if group != "clean"}

    def best_first(self) -> list[int]:
        """Return the policies' places in the order of their mean rank."""
        return sorted(range(len(self.policies)), key=lambda place: self.ranks[place].value)

    def table(self) -> pl.DataFrame:
        """Return one row per policy, the best first."""
        rows = []
        for place in self.best_first():
            row: dict[str, str | float] = {"policy": self.policies[place]}
            row["family"] = self.families[self.policies[place]]
            for name, estimated in self.columns.items():
                row |= {name: estimated[place].value}
                row |= {f"{name}, low": estimated[place].low, f"{name}, high": estimated[place].high}
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

    def _of_group(self, *groups: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([scenario.group in groups for scenario in self.scenarios])


def standings_of(trials: pl.DataFrame, scenarios: Sequence[Scenario], families: Mapping[str, str]) -> Standings:
    """Return the standings from a table of all trials, with columns scenario, policy, trial and regret."""
    regrets = trials.sort("trial").group_by("scenario", "policy").agg("regret").rows_by_key(["scenario", "policy"])
    shares = [
        [np.array(regrets[scenario.name, policy][0][0]) / scenario.uniform_regret for policy in families]
        for scenario in scenarios
    ]
    return Standings(scenarios, families, np.array(shares))


def estimates(values: Floats, resampled: Floats) -> list[Estimate]:
    """Return numbers with their intervals; the last axis of `resampled` holds the resamples."""
    low, high = np.quantile(resampled, INTERVAL, axis=-1)
    return [Estimate(*map(float, each)) for each in zip(values, low, high, strict=True)]
