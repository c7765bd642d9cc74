"""What reaches below Numba, to LLVM: arrays without reference counts, and moves of memory.

Numba counts the references to every array that a function is given, with atomic instructions, and cannot always prove
that it need not: in a game of UCB they cost more than all the rest. A *borrowed* value has no counter; it is good for
as long as somebody else holds the arrays, as the caller of a compiled function does.

Making room in an array, by moving up what stands behind a place, is one move of memory: a loop would move the elements
one by one, and compiled it must allow for a negative index at each of them.
"""

from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.core.types.npytypes import NumPyRandomGeneratorType
from numba.extending import intrinsic, lower_builtin, overload, type_callable
from numpy.typing import NDArray

Value = TypeVar("Value")


def borrow(value: Value) -> Value:
    """Return the value itself; compiled, the same arrays without their reference counters."""
    return value


def _without_counters(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an LLVM value of a Numba type in which every counter is null, so that Numba drops the counting."""
    if isinstance(kind, types.Array | NumPyRandomGeneratorType):
        struct = cgutils.create_struct_proxy(kind)(context, builder, value=value)  # type: ignore[no-untyped-call] # Numba's
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)  # type: ignore[no-untyped-call] # Numba's
        return struct._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind  # a tuple's type is a sequence of types
        for i, part in enumerate(parts):
            inside = _without_counters(context, builder, part, builder.extract_value(value, i))
            value = builder.insert_value(value, inside, i)
    return value


@type_callable(borrow)
def _type_of_borrowed(typing_context: Any) -> Any:
    return lambda value: value


@lower_builtin(borrow, types.Any)  # type: ignore[no-untyped-call, untyped-decorator] # Numba's
def _borrow(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _without_counters(context, builder, signature.args[0], args[0])


def shift_up(array: NDArray[Any], start: int, stop: int) -> None:
    """Move the elements from `start` to before `stop` one place up."""
    array[start + 1 : stop + 1] = array[start:stop]


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


@overload(shift_up)
def _shift_up(array: Any, start: Any, stop: Any) -> Any:
    def compiled(array: Any, start: Any, stop: Any) -> None:
        _move_memory(array, start, stop)  # type: ignore[call-arg] # Numba gives the typing context itself

    return compiled if array.layout == "C" and array.ndim == 1 else None
