"""Pulls under an adversary that does its worst against medians.

It pushes the median of the best arm down and those of all others up. Since a median only asks on which side a reward
lies, no fake does more harm than one at the far end; what differs between the models is what they see.

    oblivious    fakes at the far end of the arm's law
    prescient    the most extreme true reward of the arm, future ones included: no fake stands out from the truth
    malicious    takes away the epsilon rewards at the good end, and shows the far end instead

Each moves the sample median by the whole of the unavoidable uncertainty. An arm's rewards depend on the seed alone, not
on when other arms are pulled.

>>> from trueward.arms import GaussianArms
>>> pull = ContaminatedArms(GaussianArms(means=[1, 0]), epsilon=0.2, model="malicious")
>>> rewards = [pull(0) for _ in range(4000)]
>>> round(float(np.median(rewards)), 1), int(pull.contaminated[0])
(0.5, 814)

Reference: Altschuler, Brunel & Malek (2019), the three models of their section 2.
"""

from collections.abc import Iterator

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.identification.uncertainty import Model
from trueward.parameters import BelowHalf, check_arm_index, checked

FORESIGHT = 256  # pulls that are drawn ahead, and that a prescient adversary sees
FAR_END = 1e-12  # level of a fake at the end of a law
STEPS = 2**52  # levels are drawn between 0 and 1, both excluded: there a quantile may be infinite


class ContaminatedArms:
    """Arms that can be pulled, each pull contaminated with probability epsilon."""

    @checked
    def __init__(self, arms: Arms, *, epsilon: BelowHalf, model: Model = "prescient", seed: int = 0) -> None:
        self.arms, self.epsilon, self.model = arms, epsilon, model
        self.medians = arms.quantiles(0.5)
        self.best = int(self.medians.argmax())
        self.pulls = np.zeros(arms.n_arms, np.int64)
        self.contaminated = np.zeros(arms.n_arms, np.int64)
        streams = np.random.SeedSequence(seed).spawn(arms.n_arms)
        self._levels = [self._shown(arm, np.random.default_rng(stream)) for arm, stream in enumerate(streams)]

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return self.arms.n_arms

    def __call__(self, arm: int) -> float:
        """Pull an arm and return what is shown."""
        arm = check_arm_index("arm", arm, self.n_arms)
        level, fake = next(self._levels[arm])
        self.pulls[arm] += 1
        self.contaminated[arm] += fake
        return float(self.arms.quantiles(level)[arm])

    def _shown(self, arm: int, rng: np.random.Generator) -> Iterator[tuple[float, bool]]:
        """Give the level of each reward of an arm in its law, and whether it is a fake."""
        extreme = 1.0
        while True:
            levels: Floats = (rng.integers(STEPS, size=FORESIGHT) + 0.5) / STEPS
            extreme = min(extreme, float(levels.min()))
            fakes = levels > 1 - self.epsilon if self.model == "malicious" else rng.random(FORESIGHT) < self.epsilon
            shown = np.where(fakes, extreme if self.model == "prescient" else FAR_END, levels)
            yield from zip((shown if arm == self.best else 1 - shown).tolist(), fakes.tolist(), strict=True)
