"""Arrays without reference counts, for compiled loops.

Numba counts the references to every array that a function is given, with atomic instructions, and cannot always prove
that it need not: in a game of UCB they cost more than all the rest. A *borrowed* value has no counter; it is good for
as long as somebody else holds the arrays, as the caller of a compiled function does.
"""

from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.core.types.npytypes import NumPyRandomGeneratorType
from numba.extending import intrinsic, overload

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


@intrinsic
def _borrowed(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _without_counters(context, builder, signature.args[0], args[0])

    return value(value), generate


@overload(borrow)
def _borrow(value: Any) -> Any:
    def compiled(value: Any) -> Any:
        return _borrowed(value)  # type: ignore[call-arg] # Numba gives the typing context itself

    return compiled
