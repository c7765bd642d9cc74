"""Simulated arms whose pulls are contaminated by a worst-case adversary against medians."""

from collections.abc import Iterator

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.identification.median_uncertainty import AdversaryModel
from trueward.parameters import BelowHalf, check_arm_index, checked

LOOKAHEAD = 256  # pulls that are drawn in advance, and that a prescient adversary knows
EXTREME_LEVEL = 1e-12  # quantile level of a contaminated reward at the end of a distribution
STEPS = 2**52  # levels are drawn between 0 and 1, both excluded: there a quantile may be infinite


class ContaminatedArms:
    """Arms that can be pulled, each pull contaminated with probability epsilon by a worst-case adversary.

    The adversary lowers the median of the best arm and raises those of all others. A median depends only on the side
    on which a reward lies, so no contaminated value does more harm than one at the far end. The models differ in what
    the adversary knows:

        oblivious    contaminated rewards at the far end of the arm's distribution
        prescient    the most extreme true reward of the arm, future ones included: no contaminated reward stands out
        malicious    removes the epsilon most favourable rewards, and shows the far end instead

    Each one moves the sample median by the whole unavoidable uncertainty. An arm's rewards depend on the seed alone,
    not on when other arms are pulled.

    Parameters
    ----------
    arms : Arms
        Arms that generate the true rewards.
    epsilon : float
        Probability that a pull is contaminated, at least 0 and below 1/2.
    model : {"oblivious", "prescient", "malicious"}
        What the adversary knows.
    seed : int
        Seed of the random rewards.

    Examples
    --------
    >>> from trueward.arms import GaussianArms
    >>> pull = ContaminatedArms(GaussianArms(means=[1, 0]), epsilon=0.2, model="malicious")
    >>> rewards = [pull(0) for _ in range(4000)]
    >>> round(float(np.median(rewards)), 1), int(pull.contaminated[0])
    (0.5, 814)

    References
    ----------
    Altschuler, Brunel & Malek (2019), the three models of their section 2.
    """

    @checked
    def __init__(self, arms: Arms, *, epsilon: BelowHalf, model: AdversaryModel = "prescient", seed: int = 0) -> None:
        self.arms, self.epsilon, self.model = arms, epsilon, model
        self.medians = arms.quantiles(0.5)
        self.best = int(self.medians.argmax())
        self.pulls = np.zeros(arms.n_arms, np.int64)
        self.contaminated = np.zeros(arms.n_arms, np.int64)
        streams = np.random.SeedSequence(seed).spawn(arms.n_arms)
        self._levels = [self._observed_levels(arm, np.random.default_rng(stream)) for arm, stream in enumerate(streams)]

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return self.arms.n_arms

    def __call__(self, arm: int) -> float:
        """Pull an arm and return the observed reward."""
        arm = check_arm_index("arm", arm, self.n_arms)
        level, contaminated = next(self._levels[arm])
        self.pulls[arm] += 1
        self.contaminated[arm] += contaminated
        return float(self.arms.quantiles(level)[arm])

    def _observed_levels(self, arm: int, rng: np.random.Generator) -> Iterator[tuple[float, bool]]:
        """Yield the quantile level of each observed reward of an arm, and whether it is contaminated."""
        extreme = 1.0
        while True:
            levels: Floats = (rng.integers(STEPS, size=LOOKAHEAD) + 0.5) / STEPS
            extreme = min(extreme, float(levels.min()))
            if self.model == "malicious":
                contaminated = levels > 1 - self.epsilon
            else:
                contaminated = rng.random(LOOKAHEAD) < self.epsilon
            observed = np.where(contaminated, extreme if self.model == "prescient" else EXTREME_LEVEL, levels)
            yield from zip(
                (observed if arm == self.best else 1 - observed).tolist(), contaminated.tolist(), strict=True
            )
