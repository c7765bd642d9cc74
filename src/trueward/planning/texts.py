"""What to copy: the study as a call of `Study.create`, and as an experiment of the laboratory in TOML."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from trueward.game.descriptions import describe
from trueward.planning.outline import Outline
from trueward.policies.base import Policy


def study_settings(outline: Outline, policy: Policy, participants: int, seed: int) -> dict[str, Any]:
    """Return the keywords of `Study.create`."""
    return {
        "arms": list(outline.names),
        "policy": policy,
        "horizon": participants,
        "uniform_share": outline.uniform_share,
        "seed": seed,
    }


def python_text(settings: Mapping[str, Any]) -> str:
    """Return the call of `Study.create`."""
    lines = [f"    {name}={code(value)}," for name, value in settings.items()]
    head = ["import trueward as tw", "", "study = tw.Study.create(", '    "sqlite:///study.db",', '    "my study",']
    return "\n".join([*head, *lines, ")", ""])


def code(value: Any) -> str:
    """Return an expression that makes a value again; of ours, only what differs from the defaults."""
    if type(value).__module__.partition(".")[0] != "trueward":
        return repr(value)
    given = [(f, getattr(value, f.name)) for f in fields(value) if f.init]
    parts = [f"{f.name}={code(each)}" for f, each in given if f.default is MISSING or each != f.default]
    return f"tw.{type(value).__name__}({', '.join(parts)})"


def toml_text(outline: Outline, policies: Mapping[str, Policy], participants: int, games: int, seed: int) -> str:
    """Return the planned study as an experiment, for `trueward run`."""
    arms = {"name": "categorical", "values": outline.arms.scale, "probabilities": outline.arms.probabilities.round(12)}
    tables = {
        "arms": arms,
        "adversary": describe(outline.people),
        **{f"policies.{json.dumps(name)}": describe(outline.playing(policy)) for name, policy in policies.items()},
    }
    head = {
        "title": f"A planned study: {', '.join(outline.names)}",
        "horizon": participants,
        "trials": games,
        "seed": seed,
        "delay": describe(outline.delay),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in head.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items() if value is not None)]
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:
    """Return a value in TOML, which has no null: what is not there is left out."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items() if each is not None) + "}"
    if isinstance(value, np.ndarray):
        return _toml(value.tolist())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
