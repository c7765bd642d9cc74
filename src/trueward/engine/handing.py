"""Pass a large state to compiled code as one address, instead of array by array.

For every call, Numba inspects each array of a tuple and creates a reference counter for it; with fifty arrays, that
takes as long as drawing an arm. So the addresses and shapes of the arrays are written once, as 64-bit words, and calls
pass the address of the first word. `borrow` (see `native`) rebuilds the arrays, without counters. The address is valid
while the caller holds the state.
"""

import ctypes
import itertools
import struct
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped] # comes with Numba
from numba.core import types
from numba.core.datamodel import models
from numba.extending import NativeValue, lower_builtin, register_model, unbox
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from trueward.engine.kernel import State
from trueward.engine.native import borrow

_WORD = ir.IntType(64)
_OF_ONE_WORD = (types.int64, types.float64, types.boolean)


class ByAddress(types.Type):
    """The type of an address at which a state of some kind is written down."""

    def __init__(self, kind: Any) -> None:
        self.borrowed_as = kind
        super().__init__(name=f"ByAddress({kind})")


@register_model(ByAddress)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD)  # type: ignore[no-untyped-call] # Numba's


class Handed:
    """The words of a state, and where they stand."""

    def __init__(self, state: State) -> None:
        self.state = state  # held, so that its arrays stay where they are
        words: list[int] = []
        _write_words(state, words)
        self._words = np.array(words, np.int64)
        self.address = address_of(self._words)


def type_when_handed(state: State) -> Any:
    """Return the type of the address of a state; its own type if it has parts that cannot be written in words."""
    kind: Any = numba.typeof(state)  # type: ignore[no-untyped-call] # Numba's
    return ByAddress(kind) if _is_of_words(kind) else kind


def _is_of_words(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind  # a tuple's type is a sequence of types
        return all(map(_is_of_words, parts))
    return isinstance(kind, types.Array) or kind in _OF_ONE_WORD


def _write_words(parts: tuple[Any, ...], words: list[int]) -> None:
    """Write the parts of a state down: of an array its address, shape and strides."""
    for part in parts:
        if isinstance(part, np.ndarray):
            words.append(address_of(part))
            words += (*part.shape, *part.strides)
        elif isinstance(part, tuple):
            _write_words(part, words)
        elif isinstance(part, float):
            words += struct.unpack("q", struct.pack("d", part))
        else:
            words.append(int(part))


def address_of(array: NDArray[Any]) -> int:
    """Return where the numbers of an array lie: the first word of NumPy's struct, which `array.ctypes` takes long for.

    Reference: NumPy, C API, PyArrayObject.
    """
    return ctypes.c_ssize_t.from_address(id(array) + object.__basicsize__).value


@unbox(ByAddress)  # type: ignore[no-untyped-call, untyped-decorator] # Numba's
def _address_of(kind: Any, handed: Any, below: Any) -> Any:
    found = below.pyapi.object_getattr_string(handed, "address")
    address = below.pyapi.long_as_longlong(found)
    below.pyapi.decref(found)
    return NativeValue(address)  # type: ignore[no-untyped-call] # Numba's


@lower_builtin(borrow, ByAddress)  # type: ignore[no-untyped-call, untyped-decorator] # Numba's
def _borrow(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    words = builder.inttoptr(args[0], _WORD.as_pointer())
    read = (builder.load(builder.gep(words, [_WORD(i)])) for i in itertools.count())
    return _put_together(context, builder, signature.return_type, read)


def _put_together(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Return an LLVM value of a Numba type, from its words."""
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        return context.make_tuple(builder, kind, [_put_together(context, builder, part, words) for part in inner])
    if isinstance(kind, types.Array):
        array = make_array(kind)(context, builder)  # type: ignore[no-untyped-call] # Numba's
        data = builder.inttoptr(next(words), context.get_data_type(kind.dtype).as_pointer())
        shape, strides = ([*itertools.islice(words, kind.ndim)] for _ in range(2))
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        populate_array(array, data, shape, strides, size, meminfo=None)  # type: ignore[no-untyped-call] # Numba's
        return array._getvalue()
    word = next(words)
    if kind == types.float64:
        return builder.bitcast(word, ir.DoubleType())
    return word if kind == types.int64 else builder.trunc(word, ir.IntType(1))
