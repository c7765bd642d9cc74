"""Commands that list and describe policies, adversaries and other components."""

import inspect
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from trueward.cli.one_line_errors import one_line_errors

ROLES = {
    "policies": ("policy",),
    "adversaries": ("adversary", "values"),
    "estimators": ("estimator",),
    "arms": ("arms",),
    "delays": ("delay",),
}
"""The roles that each command lists."""


def list_command(kind: str) -> Callable[[], None]:
    """Return a command that lists the entries of a kind, each with the first line of its docstring."""

    def list_entries() -> None:
        for name, summary in entries(kind):
            typer.echo(f"{name:22} {summary}")

    return list_entries


@one_line_errors
def show(
    name: Annotated[str, typer.Argument(help="The name of a policy, adversary, estimator, arms, delay or values.")],
) -> None:
    """Show the documentation of a policy, adversary, estimator, …: formula, parameters, guarantee and reference."""
    for role, cls in find(name):
        typer.echo(f"{name} ({role})\n\n{signature(cls)}\n\n{inspect.getdoc(cls)}\n")


def entries(kind: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the first line of the docstring of every entry of a kind."""
    from trueward.serialization import REGISTRIES

    for role in ROLES[kind]:
        for name, cls in REGISTRIES[role].items():
            yield name, (inspect.getdoc(cls) or "").partition("\n")[0]


def find(name: str) -> list[tuple[str, type]]:
    """Return the roles and classes with a name; an adversary and arms may have the same name."""
    from trueward.errors import ParameterError, did_you_mean
    from trueward.serialization import REGISTRIES

    matches = [(role, table[name]) for role, table in REGISTRIES.items() if name in table]
    if not matches:
        known = sorted({name for table in REGISTRIES.values() for name in table})
        hint = did_you_mean(name, known) or f"; known: {', '.join(known)}"
        raise ParameterError(f"no policy, adversary, estimator, arms, delay or values is named {name!r}{hint}")
    return matches


def signature(cls: type) -> str:
    """Return the call of a class, one parameter per line, with allowed ranges and defaults."""
    from trueward.parameters import annotation_text

    lines = [
        f"    {parameter.name}: {annotation_text(parameter.annotation)}{_default(cls, parameter)},\n"
        for parameter in inspect.signature(cls).parameters.values()
    ]
    return f"{cls.__name__}(\n{''.join(lines)})" if lines else f"{cls.__name__}()"


def _default(cls: type, parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    field = getattr(cls, "__dataclass_fields__", {}).get(parameter.name)
    factory = getattr(field, "default_factory", None)
    return f" = {factory.__name__}()" if isinstance(factory, type) else f" = {parameter.default!r}"
