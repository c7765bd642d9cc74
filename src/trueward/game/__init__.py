"""Where the stages meet: matches, blocks of trials, delays, play; and every object by its name."""

from typing import TYPE_CHECKING

from trueward.registry import Registry

if TYPE_CHECKING:
    from trueward.game.delays import Delay

DELAYS: "Registry[Delay]" = Registry(__name__, {"fixed": "delays:FixedDelay", "geometric": "delays:GeometricDelay"})
