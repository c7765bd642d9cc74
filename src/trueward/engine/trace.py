"""The frozen record of played games: what was played, what was earned, and what was contaminated."""

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from trueward.engine import regret
from trueward.engine.kernel import Floats, Ints


@dataclass(frozen=True, eq=False)
class Trace:
    """The games of one policy; arrays have one row per trial, and curves one column per checkpoint in `rounds`."""

    rounds: Ints  # (checkpoints,) the rounds at which curves are kept
    gaps: Floats  # (arms,)
    pulls: NDArray[np.int32] = field(repr=False)  # (trials, checkpoints, arms) so far
    true_reward: Floats = field(repr=False)  # (trials, checkpoints) sum of true rewards of the arms played
    observed_reward: Floats = field(repr=False)  # (trials, checkpoints) sum of rewards shown
    best_reward: Floats = field(repr=False)  # (trials, checkpoints) sum of true rewards of the best arm
    touched: Ints = field(repr=False)  # (trials, arms) rewards the adversary contaminated
    changed: Ints = field(repr=False)  # (trials, arms) those whose value it really changed
    refused: Ints = field(repr=False)  # (trials,) attempts past the adversary's budget; the truth was delivered
    first_violation: Ints = field(repr=False)  # (trials,) round at which the paper's constraint broke; 0 for never
    missing: Ints = field(repr=False)  # (trials,) rewards that the learner never saw; NaN in `observed`
    outside: int  # rewards outside of the range the policy declared; they were clipped
    arms: Ints | None = field(repr=False)  # (trials, rounds) if history was kept
    observed: Floats | None = field(repr=False)  # (trials, rounds) if history was kept

    @property
    def regret(self) -> Floats:
        """Uncontaminated regret, the paper's: (trials, checkpoints)."""
        return regret.uncontaminated_regret(self.pulls, self.gaps)

    @property
    def realised_regret(self) -> Floats:
        """Regret in the true rewards drawn: (trials, checkpoints)."""
        return regret.realised_regret(self.best_reward, self.true_reward)

    @property
    def observed_regret(self) -> Floats:
        """Kapoor's regret, against the rewards shown: (trials, checkpoints)."""
        return regret.observed_regret(self.best_reward, self.observed_reward)

    @property
    def contaminated_fraction(self) -> Floats:
        """The fraction of each arm's rewards that was contaminated: (trials, arms); NaN for an arm never pulled."""
        return self._fraction(self.touched)

    @property
    def changed_fraction(self) -> Floats:
        """The fraction of each arm's rewards whose value was really changed: (trials, arms)."""
        return self._fraction(self.changed)

    def _fraction(self, counts: Ints) -> Floats:
        pulls = self.pulls[:, -1]
        return np.where(pulls > 0, counts / np.maximum(pulls, 1), np.nan)


def join(traces: list[Trace]) -> Trace:
    """Return one trace of all trials, in order."""
    first = traces[0]
    whole: dict[str, object] = {"rounds": first.rounds, "gaps": first.gaps, "outside": sum(t.outside for t in traces)}
    for name in (f.name for f in fields(Trace) if f.name not in whole):
        parts = [getattr(trace, name) for trace in traces]
        whole[name] = None if parts[0] is None else np.concatenate(parts)
    return Trace(**whole)  # type: ignore[arg-type] # the fields of traces are the fields of a trace
