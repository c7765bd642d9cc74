"""What to copy: the study as a call of `Study.create`, and as an experiment of the laboratory in TOML."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np
import polars as pl

from trueward.planning.outline import Outline
from trueward.policies.policy import Policy
from trueward.serialization import to_plain


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
        "adversary": to_plain(outline.people),
        **{f"policies.{json.dumps(name)}": to_plain(outline.playing(policy)) for name, policy in policies.items()},
    }
    head = {
        "title": f"A planned study: {', '.join(outline.names)}",
        "horizon": participants,
        "trials": games,
        "seed": seed,
        "delay": to_plain(outline.delay),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in head.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items() if value is not None)]
    return "\n".join([*lines, ""])


DESCRIBED = (
    "One arm is better than all others by the difference, and these are alike: the hardest case. A larger lead, or "
    "others that are further behind, is easier."
)
AS_PILOTED = (
    "The arms are as the pilot rated them. A pilot's leader leads partly by luck: with the difference that matters "
    "instead, a plan is safer."
)
TILTED = "The arms have the law of the pilot's ratings, tilted so that one leads all others by the difference."
ALWAYS = (
    "Every participant rates one arm, once. Several ratings of one person say less than ratings of several people.",
    "Who is careless does not depend on the arm. Organised malice is in the rehearsal only.",
    "Honest ratings of an arm do not drift, and no arm is added or retired.",
    "All ratings are in when the study ends. It ends on the arm of which its policy then believes the most.",
)


def assumptions(outline: Outline, piloted: bool) -> tuple[str, ...]:
    """Return what was assumed beside what was told."""
    arms = DESCRIBED if not piloted else AS_PILOTED if outline.difference is None else TILTED
    share = f"{100 * outline.epsilon:.3g} %"
    return (
        arms,
        f"{share} of the participants are careless, or rate in a style that is not attentive, on all arms alike.",
        *ALWAYS,
        f"The robust interval allows for {share} bad participants of each arm ({outline.bad}), at level "
        f"{100 * outline.level:.4g} %.",
    )


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def _toml(value: Any) -> str:
    """Return a value in TOML, which has no null: what is not there is left out."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items() if each is not None) + "}"
    if isinstance(value, np.ndarray):
        return _toml(value.tolist())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
