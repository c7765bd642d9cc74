"""Streams that are seeded many at a time are NumPy's own, in every bit."""

import numpy as np
import pytest

from trueward.live.streams import BLOCK, KEPT, Streams


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**128 - 1, 2**128, 2**200 + 5])
def test_a_stream_is_that_of_numpy(seed):
    streams = Streams(seed)
    for number in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 1_000_000, 2**32 - 1):
        for role in range(2):
            expected = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, role)))
            assert streams.stream(number, role).bit_generator.state == expected.bit_generator.state


def test_a_stream_begins_anew_whenever_it_is_asked_for_however_many_there_were_between():
    streams = Streams(3)
    first = streams.stream(5, 0).random(4).tolist()
    for block in range(2 * KEPT):
        streams.stream(block * BLOCK, 1).random()
    assert streams.stream(5, 0).random(4).tolist() == first
