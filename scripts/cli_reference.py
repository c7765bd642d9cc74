"""Writes docs/cli.md from the commands themselves: `make docs`."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from trueward.cli.app import app

FILE = Path(__file__).parents[1] / "docs" / "cli.md"
KINDS: dict[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "PATH", bool: ""}
KINDS |= {list[str]: "TEXT", list[int]: "N", tuple[float, float]: "X X", tuple[str, str]: "TEXT TEXT"}


def reference() -> str:
    """Return the page: a section per command, with its arguments and options."""
    page = ["# Command line", "", "Written by `make docs` from the code; do not edit.", ""]
    page += ["`trueward --version` says the version, `trueward --install-completion` lets your shell complete.", ""]
    for name, function in commands(app, "trueward"):
        page += [f"## {name}", "", inspect.getdoc(function) or "", "", *_parameters(function), ""]
    return "\n".join(page).rstrip() + "\n"


def commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Give the commands of a group by their whole names, then those of the groups in it."""
    for command in group.registered_commands:
        yield f"{name} {command.name or command.callback.__name__}", command.callback
    for inner in group.registered_groups:
        yield from commands(inner.typer_instance, f"{name} {inner.name}" if isinstance(inner.name, str) else name)


def _parameters(function: Any) -> list[str]:
    hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    rows = [_row(p, *get_args(hints[p.name])[:2]) for p in inspect.signature(function).parameters.values()]
    return ["| | meaning | default |", "|---|---|---|", *rows] if rows else ["No options."]


def _row(parameter: inspect.Parameter, kind: Any, info: Any) -> str:
    if get_origin(kind) is Literal:
        value = "/".join(get_args(kind))
    else:
        value = KINDS[next((part for part in get_args(kind) if part is not type(None)), kind)]
    option = f"--{parameter.name.replace('_', '-')} {value}".strip()
    name = parameter.name.upper() if isinstance(info, ArgumentInfo) else option
    default = "required" if parameter.default is parameter.empty else f"`{parameter.default}`"
    words = info.help.replace("\\[", "[")  # escaped for the terminal's markup
    return f"| `{name}` | {words} | {'' if default in ('`None`', '`False`') else default} |"


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
