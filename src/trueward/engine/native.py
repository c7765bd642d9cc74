"""LLVM code for what Numba does too slowly: arrays without reference counts, random generators, and moving memory.

Numba counts references to every array argument with atomic instructions; in a game of UCB that costs more than
everything else. A *borrowed* value has no counter; it is valid while its owner, such as the caller, holds the arrays.

A random generator is passed to compiled code as the address of NumPy's own struct and rebuilt by `borrow`. Numba itself
would run some twenty lines of Python at every call to find these addresses, and a Ctrl-C during these lines ends the
process with a segmentation fault, because Numba does not check whether they failed.

Inserting into an array shifts the later elements with one memmove; a compiled loop would move them one by one and
check for a negative index each time.
"""

import ctypes
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic, lower_builtin, overload, type_callable
from numpy.typing import NDArray

Value = TypeVar("Value")

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_size_t, (ctypes.py_object, ctypes.c_char_p)
_GENERATOR = types.npy_rng
_POINTERS = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")  # as they stand in bitgen_t


class GeneratorAt(NamedTuple):
    """A generator of random numbers as compiled code is given it; good for as long as somebody holds the generator."""

    address: int  # of its bitgen_t, see numpy/random/bitgen.h


def by_address(value: Any) -> Any:
    """Return a generator of random numbers by its address, and anything else as it is."""
    if isinstance(value, np.random.Generator):
        return GeneratorAt(_capsule_pointer(value.bit_generator.capsule, b"BitGenerator"))
    return value


def borrow(value: Value) -> Value:
    """Return the value itself; compiled, the same arrays without their reference counters, or the generator there."""
    return value


def _without_counters(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an LLVM value of a Numba type in which every counter is null, so that Numba drops the counting."""
    if isinstance(kind, types.Array) or kind is _GENERATOR:  # what is returned is not counted: else it is freed twice
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
    return lambda value: _GENERATOR if _is_an_address(value) else getattr(value, "borrowed_as", value)  # see `handing`


def _is_an_address(kind: Any) -> bool:
    return getattr(kind, "instance_class", None) is GeneratorAt


@lower_builtin(borrow, types.Any)  # type: ignore[no-untyped-call, untyped-decorator] # Numba's
def _borrow(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    if _is_an_address(signature.args[0]):
        return _generator(context, builder, builder.extract_value(args[0], 0))
    return _without_counters(context, builder, signature.args[0], args[0])


def _generator(context: Any, builder: Any, address: Any) -> Any:
    """Return an LLVM value of Numba's type for a generator, from the address of its struct; without a counter."""
    generator = cgutils.create_struct_proxy(_GENERATOR)(context, builder)  # type: ignore[no-untyped-call] # Numba's
    kind = context.data_model_manager[_GENERATOR].get_member_fe_type("bit_generator")
    bits = cgutils.create_struct_proxy(kind)(context, builder)  # type: ignore[no-untyped-call] # Numba's
    pointers = builder.inttoptr(address, address.type.as_pointer())
    for i, name in enumerate(_POINTERS):
        setattr(bits, name, builder.load(builder.gep(pointers, [context.get_constant(types.intp, i)])))
    bits.state_address, bits.bit_generator = bits.state, address
    generator.bit_generator = bits._getvalue()
    return generator._getvalue()


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
