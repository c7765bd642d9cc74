"""Experiments so short that compiling them would take far longer than playing them."""

import functools
from contextlib import contextmanager

import pytest

from trueward.game.play import play
from trueward.lab.experiment import runner


@contextmanager
def interpreted():
    """Let the laboratory play interpreted: the same numbers, without a wait for the compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "play", functools.partial(play, compiled=False))
        patch.setattr(runner, "_compile", lambda *_: None)
        yield
