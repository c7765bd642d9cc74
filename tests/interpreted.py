"""Experiments so short that compiling them would take far longer than playing them."""

import functools
from contextlib import contextmanager

import pytest

from trueward.game.play import match_of
from trueward.lab.experiment import specification


@contextmanager
def interpreted():
    """Let the laboratory play interpreted: the same numbers, without a wait for the compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(specification, "match_of", functools.partial(match_of, compiled=False))
        yield
