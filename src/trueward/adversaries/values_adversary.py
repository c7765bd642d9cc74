"""The family of adversaries that show values of a scheme: they differ in when they do."""

from dataclasses import dataclass, field

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import RandomMalicious, Values
from trueward.arms.arms import Arms
from trueward.parameters import Share


class ValuesAdversary(Adversary):
    """An adversary that shows values of a scheme."""

    values: Values

    def keeps_scale(self, arms: Arms) -> bool:
        return self.values.keep_scale(arms)


@dataclass(frozen=True)
class ShareAdversary(ValuesAdversary):
    """An adversary that contaminates a fraction epsilon of the rewards, as it counts them."""

    epsilon: Share
    values: Values = field(default_factory=RandomMalicious)

    @property
    def constraint(self) -> float:
        return self.epsilon
