"""Make Numba compile a kernel only as a part of its callers, without machine code of its own.

By default Numba generates machine code for every function, including everything it calls, although a kernel is only
ever linked into its callers; that took most of the compile time. A *part* stops at LLVM's intermediate code, which is
optimised and translated once, in the function that Python calls.
"""

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined] # Numba's
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):
    """LLVM's code of a kernel, for linking only."""

    def finalize(self) -> None:
        """Link in what the kernel calls, and leave the rest to whoever calls it."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call] # Numba's
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call] # Numba's
class PartLowering(NativeLowering):
    """The last step of compiling: to LLVM's code, without machine code."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba does for a function that is to be called from Python, but for its address, which is null."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call] # Numba's
        state.flags.no_compile = True
        super().run_pass(state)  # type: ignore[no-untyped-call] # Numba's
        lowered, library = state["cr"], state.library
        described = lowered.fndesc
        name = described.qualname.split(".")[-1]
        entry = _dynfunc.make_function(described.lookup_module(), name, "a part", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(entry, described, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class PartCompiler(CompilerBase):
    """Numba's compiler with that last step."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's steps, the last one replaced."""
        steps: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call] # Numba's
        steps.passes = [(PartLowering if step is NativeLowering else step, why) for step, why in steps.passes]
        steps.finalize()
        return [steps]
