"""A ticket for each ask, and what is told when its reward comes."""

from typing import NamedTuple

from trueward.live.evidence import Evidence
from trueward.live.labels import Label


class Ticket(NamedTuple):
    """One ask: its number, the arm to show, and the probability that it had."""

    number: int
    arm: Label
    probability: float | None  # None for a ticket made by hand


Told = tuple[Label | Ticket, float] | tuple[Label | Ticket, float, Evidence | None]
"""A reward of an arm or a ticket, with evidence or without."""
