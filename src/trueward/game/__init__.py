"""Where the stages meet: matches, blocks of trials, delays, play; and every object by its name."""

from typing import TYPE_CHECKING

from trueward.engine.tables import Table

if TYPE_CHECKING:
    from trueward.game.delays import Delay

DELAYS: "Table[Delay]" = Table(__name__, {"fixed": "delays:FixedDelay", "geometric": "delays:GeometricDelay"})
