"""Compile a large kernel once, keep it on disk, and let other compiled code call it by its address.

By default a kernel is compiled into every function that calls it, which is slow for a large one. The caller knows only
a name; the name is bound to an address when the caller is compiled, and again when another process loads the caller
from disk (Numba's `reload_init`). Such a kernel runs without reference counts: it must not create arrays, except in
functions that are `compiled_if_on_disk`.
"""

import functools
import hashlib
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any, cast

from llvmlite import binding  # type: ignore[import-untyped] # comes with Numba
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable

from trueward.engine.compiling import fingerprint_by_class, machine_code
from trueward.engine.kernel import Function

_compiled: dict[str, Any] = {}  # by digest, for all types of arguments


def apart(function: Function) -> Function:
    """Let compiled code call `function`, which has machine code of its own; in Python it stays what it is."""
    plain = cast(FunctionType, function)

    @type_callable(plain)
    def of_kinds(_: Any) -> Any:
        def kind(*args: Any) -> Any:
            known = tuple(map(types.unliteral, args))
            bind(plain, known)
            return _code(plain, known).overloads[known].signature

        kind.pysig = inspect.signature(plain)  # type: ignore[attr-defined] # Numba looks for it
        return kind

    @lower_builtin(plain, types.VarArg(types.Any))  # type: ignore[no-untyped-call, untyped-decorator] # Numba's
    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        result, kinds, convention = signature.return_type, signature.args, context.call_conv
        known = convention.get_function_type(result, kinds)
        called = cgutils.get_or_insert_function(builder.module, known, _symbol(plain, kinds))  # type: ignore[no-untyped-call] # Numba's
        status, value = convention.call_function(builder, called, result, kinds, args)
        with cgutils.if_unlikely(builder, status.is_error):  # type: ignore[no-untyped-call] # Numba's
            convention.return_status_propagate(builder, status)
        context.active_code_library._reload_init.add(functools.partial(bind, plain, kinds))
        return value

    return function


def bind(function: FunctionType, kinds: tuple[Any, ...]) -> None:
    """Compile a function that stands apart for arguments of these types, or load it, and give its address its name."""
    code = _code(function, kinds)
    if kinds not in code.overloads:
        code.compile(kinds)
        found = code.overloads[kinds]
        address = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
        binding.add_symbol(_symbol(function, kinds), address)


def _code(function: FunctionType, kinds: tuple[Any, ...]) -> Any:
    digest = fingerprint_by_class(function, _classes(kinds))
    if digest not in _compiled:
        _compiled[digest] = machine_code(function, digest, _nrt=False, no_cpython_wrapper=True)
    return _compiled[digest]


def _symbol(function: FunctionType, kinds: tuple[Any, ...]) -> str:
    """Return a name that no other code and no other types have."""
    written = fingerprint_by_class(function, _classes(kinds)) + str(kinds)
    return f"trueward.{function.__name__}.{hashlib.sha256(written.encode()).hexdigest()}"


def _classes(kinds: Any) -> Iterator[type]:
    """Give the class of every named tuple among types of arguments, nested ones included."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            yield cast(Any, kind).instance_class
            yield from _classes(kind)
