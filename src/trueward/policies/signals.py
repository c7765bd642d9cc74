"""What comes with a rating, and how much it says about the rater: an attention check, the seconds taken.

    P(bad | signals) / P(good | signals)  =  P(bad) / P(good)  *  product of P(signal | bad) / P(signal | good)

A rating shows a signal or does not; either way the odds that it is bad are multiplied by how much more often bad raters
do so than good ones. Signals are taken to be independent given the rater; so that no few of them settle a rating for
good, their product stays between 1/1000 and 1000.

>>> check = Signal("check", bad=0.5, good=0.05)
>>> check.ratio(shown=True), round(check.ratio(shown=False), 3)
(10.0, 0.526)
"""

import sys
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.states import Setting, given, single
from trueward.errors import ParameterError
from trueward.parameters import Checked, Positive, above, below

FURTHEST = 1000.0  # that the odds are moved by one rating's evidence
ZERO = sys.float_info.min  # only 0, or False, lies below it

Probability = Annotated[float, above(0), below(1)]


@dataclass(frozen=True)
class Signal(Checked):
    """A sign of a bad rating: its value is below `below`, or without that it is False, as of a check not passed.

    `bad` and `good` are the probabilities that a bad, and a good, rater shows it.
    """

    example: ClassVar[str] = "Signal('check', bad=0.5, good=0.05)"

    name: str
    _: KW_ONLY
    below: Positive | None = None
    bad: Probability
    good: Probability

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError(f"name must be a string, the key of the evidence, got {self.name!r}")

    def ratio(self, *, shown: bool) -> float:
        """Return how much more often a bad rater shows it than a good one, or does not."""
        return self.bad / self.good if shown else (1.0 - self.bad) / (1.0 - self.good)


DEFAULT_SIGNALS = (
    # Who clicks blindly on a scale of five fails "click 2" four times of five. But people are careless for a part of
    # their time (Welz & Alfons, 2023), how many fail depends on the check and on the people (Oppenheimer, Meyvis &
    # Davidenko, 2009; Hauser & Schwarz, 2016), and checks find the careless no better than their answers do (Goldammer
    # et al., 2024). So 0.5, and 0.05 for a plain check, are rounded choices of ours: a failed one multiplies by 10.
    Signal("check", bad=0.5, good=0.05),
    # Two seconds for an item are Huang et al.'s (2012) educated guess, which held for items of various lengths (Bowling
    # et al., 2023); answers lose their consistency below one second (Wood et al., 2017). Not every careless rater is
    # fast (Meade & Craig, 2012; Curran, 2016): 0.4 and 0.05 are rounded choices of ours, for items that take seconds.
    Signal("seconds", below=2.0, bad=0.4, good=0.05),
)


class SignalTable(NamedTuple):
    """Signals for the columns of a setting's evidence."""

    below: Annotated[Floats, single(given)]  # (columns,) a value below this shows the signal
    shown: Annotated[Floats, single(given)]  # (columns,) the ratio if it is shown; 1 where there is no such signal
    absent: Annotated[Floats, single(given)]  # (columns,) and if not


def signal_table(signals: Sequence[Signal], setting: Setting) -> SignalTable:
    """Return the signals, column by column."""
    named = {signal.name: signal for signal in signals}
    columns = [named.get(name) for name in setting.signals]
    rows = [(s.below or ZERO, s.ratio(shown=True), s.ratio(shown=False)) if s else (ZERO, 1.0, 1.0) for s in columns]
    return SignalTable(*np.array(rows).reshape(-1, 3).T.copy())


@kernel
def doubt(table: SignalTable, evidence: Floats) -> float:
    """Return by how much the evidence that came with a rating multiplies the odds that it is bad."""
    product = 1.0
    for column in range(min(table.below.size, evidence.size)):
        value = evidence[column]
        if value < table.below[column]:
            product *= table.shown[column]
        elif value == value:  # it was given
            product *= table.absent[column]
    return min(max(product, 1.0 / FURTHEST), FURTHEST)


def check_signals(signals: Any) -> None:
    """Refuse what are no signals, or two of the same name."""
    if not isinstance(signals, tuple) or not all(isinstance(signal, Signal) for signal in signals):
        raise ParameterError(f"signals must be a tuple of signals such as {Signal.example}, got {signals!r}")
    names = [signal.name for signal in signals]
    if len(set(names)) != len(names):
        raise ParameterError(f"signals must have different names, got {', '.join(map(repr, names))}")
