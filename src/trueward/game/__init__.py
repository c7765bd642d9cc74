"""One game from start to regret: the loop, matches in blocks of trials, delays, traces."""

from typing import TYPE_CHECKING

from trueward.registry import Registry

if TYPE_CHECKING:
    from trueward.game.delays import Delay

DELAYS: "Registry[Delay]" = Registry(__name__, {"fixed": "delays:FixedDelay", "geometric": "delays:GeometricDelay"})
