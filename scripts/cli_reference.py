"""Writes docs/cli.md from the commands themselves: `make docs`."""

import inspect
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from trueward.cli.app import app

FILE = Path(__file__).parents[1] / "docs" / "cli.md"
KINDS = {int: "N", str: "TEXT", Path: "PATH", bool: "", list[str]: "TEXT"}


def reference() -> str:
    """Return the page: a section per command, with its arguments and options."""
    page = ["# Command line", "", "Written by `make docs` from the code; do not edit.", ""]
    page += ["`trueward --version` says the version, `trueward --install-completion` lets your shell complete.", ""]
    for command in app.registered_commands:
        function = command.callback
        assert function is not None
        page += [f"## trueward {function.__name__}", "", inspect.getdoc(function) or "", "", *_parameters(function), ""]
    return "\n".join(page).rstrip() + "\n"


def _parameters(function: Any) -> list[str]:
    hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    rows = [_row(p, *get_args(hints[p.name])[:2]) for p in inspect.signature(function).parameters.values()]
    return ["| | meaning | default |", "|---|---|---|", *rows] if rows else ["No options."]


def _row(parameter: inspect.Parameter, kind: Any, info: Any) -> str:
    if get_origin(kind) is Literal:
        value = "/".join(get_args(kind))
    else:
        value = KINDS[next((part for part in get_args(kind) if part is not type(None)), kind)]
    option = f"--{parameter.name} {value}".strip()
    name = parameter.name.upper() if isinstance(info, ArgumentInfo) else option
    default = "required" if parameter.default is parameter.empty else f"`{parameter.default}`"
    words = info.help.replace("\\[", "[")  # escaped for the terminal's markup
    return f"| `{name}` | {words} | {'' if default in ('`None`', '`False`') else default} |"


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
