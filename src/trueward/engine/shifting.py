"""Making room in an array: the rewards behind a place move up by one, as one move of memory.

A loop would move them one by one: compiled, it must allow for a negative index at each of them.
"""

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray


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
