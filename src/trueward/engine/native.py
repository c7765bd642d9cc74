"""Two operations that Numba does too slowly: passing arrays without reference counts, and moving memory.

Numba counts references to an array with atomic instructions whenever a function is given it; in a game of UCB that
takes longer than everything else. A *borrowed* value has no counters, so nothing is counted.

Inserting into an array shifts the later elements with one memmove; a compiled loop would move them one by one and
check for a negative index each time.
"""

from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

Value = TypeVar("Value")


def borrow(value: Value) -> Value:
    """Return `value`; in compiled code, without the reference counters of its arrays and generators.

    It is valid while somebody else holds the original, as the caller of a compiled function holds its arguments.
    """
    return value


@overload(borrow, strict=False)
def _borrow(value: Any) -> Any:
    return lambda value: _drop_counters(value)  # type: ignore[call-arg] # Numba passes the typing context itself


@intrinsic
def _drop_counters(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _uncounted(context, builder, signature.args[0], args[0])

    return value(value), generate


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an LLVM value of a Numba type with null in place of every reference counter, which turns counting off."""
    if isinstance(kind, types.Array) or kind is types.npy_rng:
        struct = cgutils.create_struct_proxy(kind)(context, builder, value=value)  # type: ignore[no-untyped-call] # Numba's
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)  # type: ignore[no-untyped-call] # Numba's
        return struct._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind  # a tuple's type is a sequence of types
        for i, part in enumerate(parts):
            inside = _uncounted(context, builder, part, builder.extract_value(value, i))
            value = builder.insert_value(value, inside, i)
    return value


def shift_up(array: NDArray[Any], start: int, stop: int) -> None:
    """Move the elements from `start` to before `stop` one place up."""
    array[start + 1 : stop + 1] = array[start:stop]


@overload(shift_up)
def _shift_up(array: Any, start: Any, stop: Any) -> Any:
    def compiled(array: Any, start: Any, stop: Any) -> None:
        _move_memory(array, start, stop)  # type: ignore[call-arg] # Numba passes the typing context itself

    return compiled if array.layout == "C" and array.ndim == 1 else None


@intrinsic
def _move_memory(typing_context: Any, array: Any, start: Any, stop: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, args[0]).data
        source = builder.gep(data, [args[1]])
        target = builder.gep(source, [context.get_constant(types.intp, 1)])
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        cgutils.raw_memmove(builder, target, source, builder.sub(args[2], args[1]), size)  # type: ignore[no-untyped-call] # Numba's
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate
