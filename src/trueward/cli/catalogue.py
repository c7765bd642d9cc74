"""What there is: every entry of the tables with a line about it, and its page."""

import inspect
from collections.abc import Iterator

from trueward.errors import ParameterError, did_you_mean
from trueward.parameters import annotation_text
from trueward.serialization import REGISTRIES

ROLES = {
    "policies": ("policy",),
    "adversaries": ("adversary", "values"),
    "estimators": ("estimator",),
    "arms": ("arms",),
    "delays": ("delay",),
}


def entries(kind: str) -> Iterator[tuple[str, str]]:
    """Give the name of every entry of a kind, and a line about it."""
    for role in ROLES[kind]:
        for name, cls in REGISTRIES[role].items():
            yield name, first_line(cls)


def first_line(cls: type) -> str:
    """Return the first line of what is written about a class: of its file's docstring, or of its own."""
    module = inspect.getmodule(cls)
    own_file = module is not None and len([c for c in vars(module).values() if _is_entry(c, module.__name__)]) == 1
    page = (module.__doc__ if own_file and module is not None else cls.__doc__) or ""
    return page.strip().partition("\n")[0]


def _is_entry(thing: object, module: str) -> bool:
    return (
        isinstance(thing, type)
        and thing.__module__ == module
        and any(thing in each.values() for each in REGISTRIES.values())
    )


def find(name: str) -> list[tuple[str, type]]:
    """Return the roles and classes that bear a name; the same name may be an adversary and a law of arms."""
    found = [(role, table[name]) for role, table in REGISTRIES.items() if name in table]
    if not found:
        known = sorted({name for table in REGISTRIES.values() for name in table})
        near = did_you_mean(name, known) or f"; known: {', '.join(known)}"
        raise ParameterError(f"there is nothing named {name!r}{near}")
    return found


def page_of(cls: type) -> str:
    """Return what is written about a class: idea, formula, what it withstands, reference."""
    module = inspect.getmodule(cls)
    page = inspect.cleandoc(cls.__doc__ or "")
    about = inspect.cleandoc(module.__doc__ or "") if module is not None else ""
    return f"{about}\n\n{cls.__name__}: {page}"


def parameters_of(cls: type) -> Iterator[tuple[str, str, str]]:
    """Give name, type and default of every parameter."""
    for parameter in inspect.signature(cls).parameters.values():
        yield parameter.name, annotation_text(parameter.annotation), _default(cls, parameter)


def _default(cls: type, parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return "required"
    field = getattr(cls, "__dataclass_fields__", {}).get(parameter.name)
    factory = getattr(field, "default_factory", None)
    return f"{factory.__name__}()" if isinstance(factory, type) else repr(parameter.default)
