"""The random numbers of each ask and each reward: NumPy's own streams, many of which are seeded at once.

    stream(number, role)  =  np.random.default_rng(SeedSequence(seed, spawn_key=(number, role)))

Seeding takes NumPy ten microseconds, for a few dozen multiplications of whole numbers. Here these are done for many
numbers at a time, and the streams are the same: SeedSequence is an algorithm that NumPy promises not to change.

Reference: O'Neill (2015), Developing a seed_seq alternative; numpy/random/bit_generator.pyx.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

BLOCK = 256  # numbers whose streams are seeded at once
KEPT = 8  # blocks
FIRST_A, TIMES_A = 0x43B0D7E5, 0x931E8875  # of the hash that takes words in,
FIRST_B, TIMES_B = 0x8B51F9DD, 0x58F38DED  # and of the one that gives them out
MIX_LEFT, MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
HALF = np.uint32(16)
WORD = 1 << 32
POOL = 4  # words that all others are mixed into

Words = NDArray[np.uint32]


class Streams:
    """The random numbers that follow from a seed, for numbers up to 2^32 in some roles."""

    def __init__(self, seed: int) -> None:
        self._pool = np.random.SeedSequence(seed).pool  # with the seed taken in
        beyond = max(0, -(-seed.bit_length() // 32) - POOL)  # words of it for which there was no place
        self._hashed = POOL * POOL + POOL * beyond  # words, until now
        self._seeds = functools.lru_cache(KEPT)(self._seeds_of)

    def stream(self, number: int, role: int) -> np.random.Generator:
        """Return the random numbers of a number in a role, from their beginning."""
        block, place = divmod(number, BLOCK)
        seed: Any = _Seed(self._seeds(block, role)[place])  # NumPy takes any ISeedSequence
        return np.random.Generator(np.random.PCG64(seed))

    def _seeds_of(self, block: int, role: int) -> NDArray[np.uint64]:
        """Return what seeds the generators of a block of numbers, (numbers, 4)."""
        numbers = np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.uint32)
        pool, taken_in = [np.full(BLOCK, word) for word in self._pool], _factors(FIRST_A, TIMES_A, self._hashed)
        for word in (numbers, np.full(BLOCK, role, np.uint32)):
            pool = [_mixed(each, _hashed(word, taken_in)) for each in pool]
        given_out = _factors(FIRST_B, TIMES_B, 0)
        words = np.stack([_hashed(each, given_out) for each in (*pool, *pool)], axis=1)
        return words.astype("<u4").view("<u8").astype(np.uint64)


class _Seed(ISeedSequence):
    """What seeds one generator, known beforehand."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: object = np.uint32) -> NDArray[np.uint64]:  # noqa: ARG002 - as PCG64 asks for
        return self._words


def _factors(first: int, times: int, after: int) -> Iterator[tuple[np.uint32, np.uint32]]:
    """Give the two factors of each hash, behind so many."""
    powers = itertools.accumulate(
        itertools.repeat(times), lambda x, y: x * y % WORD, initial=first * pow(times, after, WORD) % WORD
    )
    return itertools.pairwise(map(np.uint32, powers))


def _hashed(words: Words, factors: Iterator[tuple[np.uint32, np.uint32]]) -> Words:
    one, other = next(factors)
    words = (words ^ one) * other
    return words ^ (words >> HALF)


def _mixed(left: Words, right: Words) -> Words:
    words: Words = MIX_LEFT * left - MIX_RIGHT * right
    return words ^ (words >> HALF)
