"""Signals of careless ratings: evidence such as an attention check or a response time, and how much it says."""

import sys
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.states import Setting, given, single
from trueward.errors import ParameterError
from trueward.parameters import Checked, Positive, above, below

MAX_RATIO = 1000.0  # by which the evidence of one rating can multiply or divide the odds
ABOVE_ZERO = sys.float_info.min  # a threshold with only 0, or False, below it

Probability = Annotated[float, above(0), below(1)]


@dataclass(frozen=True)
class Signal(Checked):
    """A signal that a rating may be bad, such as a failed attention check or a very short response time.

        P(bad | signals) / P(good | signals)  =  P(bad) / P(good)  *  product of P(signal | bad) / P(signal | good)

    The evidence of a rating either shows a signal or does not. Either way, the odds that the rating is bad are
    multiplied by the ratio of the two probabilities. Evidence that was not given changes nothing. Signals are taken to
    be independent given the rater, and their product is limited to [1/1000, 1000], so that a few of them never decide
    about a rating alone.

    Parameters
    ----------
    name : str
        Key of the evidence, as in `tell(…, evidence={"seconds": 1.7})`.
    below : float, optional
        The evidence shows the signal if its value is below this number, which is above 0. Default: if it is False.
    bad : float
        Probability in (0, 1) that a bad rating shows the signal.
    good : float
        Probability in (0, 1) that a good rating shows the signal.

    Examples
    --------
    >>> check = Signal("check", bad=0.5, good=0.05)
    >>> check.likelihood_ratio(shown=True), round(check.likelihood_ratio(shown=False), 3)
    (10.0, 0.526)

    References
    ----------
    Bayes' theorem for independent signals. The sources of the default probabilities are given with `DEFAULT_SIGNALS`.
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
            raise ParameterError(f"name must be a non-empty string, the key of the evidence, got {self.name!r}")

    def likelihood_ratio(self, *, shown: bool) -> float:
        """Return P(shown | bad) / P(shown | good), or the ratio of the complements if the signal is not shown."""
        return self.bad / self.good if shown else (1.0 - self.bad) / (1.0 - self.good)


DEFAULT_SIGNALS = (
    # A participant who clicks blindly on a five-point scale fails "click 2" four times out of five. But people are
    # careless for a part of the time only (Welz & Alfons, 2023), the failure rate depends on the check and the people
    # (Oppenheimer, Meyvis & Davidenko, 2009; Hauser & Schwarz, 2016), and checks identify careless participants no
    # better than their answers do (Goldammer et al., 2024). So 0.5, and 0.05 for a plain check, are rounded choices of
    # ours: a failed check multiplies the odds by 10.
    Signal("check", bad=0.5, good=0.05),
    # Two seconds per item is the educated guess of Huang et al. (2012), which held for items of various lengths
    # (Bowling et al., 2023); answers become inconsistent below one second (Wood et al., 2017). Not every careless
    # participant is fast (Meade & Craig, 2012; Curran, 2016): 0.4 and 0.05 are rounded choices of ours, for items that
    # take seconds.
    Signal("seconds", below=2.0, bad=0.4, good=0.05),
)


class SignalTable(NamedTuple):
    """The signal of each column of evidence, as arrays."""

    below: Annotated[Floats, single(given)]  # (columns,) a value below this shows the signal
    ratio_shown: Annotated[Floats, single(given)]  # (columns,) likelihood ratio if shown; 1 for a column without signal
    ratio_absent: Annotated[Floats, single(given)]  # (columns,) likelihood ratio if not shown


def signal_table(signals: Sequence[Signal], setting: Setting) -> SignalTable:
    by_name = {signal.name: signal for signal in signals}
    columns = [by_name.get(name) for name in setting.signals]
    rows = [
        (s.below or ABOVE_ZERO, s.likelihood_ratio(shown=True), s.likelihood_ratio(shown=False))
        if s
        else (ABOVE_ZERO, 1.0, 1.0)
        for s in columns
    ]
    return SignalTable(*np.array(rows).reshape(-1, 3).T.copy())


@kernel
def evidence_ratio(table: SignalTable, evidence: Floats) -> float:
    """Return the factor by which the evidence that came with a rating multiplies the odds that it is bad."""
    product = 1.0
    for column in range(min(table.below.size, evidence.size)):
        value = evidence[column]
        if value < table.below[column]:
            product *= table.ratio_shown[column]
        elif value == value:  # not NaN: it was given
            product *= table.ratio_absent[column]
    return min(max(product, 1.0 / MAX_RATIO), MAX_RATIO)


def check_signals(signals: Any) -> None:
    """Raise an error unless `signals` is a tuple of signals with different names."""
    if not isinstance(signals, tuple) or not all(isinstance(signal, Signal) for signal in signals):
        raise ParameterError(f"signals must be a tuple of signals such as {Signal.example}, got {signals!r}")
    names = [signal.name for signal in signals]
    if len(set(names)) != len(names):
        raise ParameterError(f"signals must have different names, got {', '.join(map(repr, names))}")
