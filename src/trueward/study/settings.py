"""What is laid down when a study begins: the first event of its log."""

import functools
import hashlib
import os
import platform
import re
import reprlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import trueward
from trueward.analysis.exclusion import Rule, rule_to_plain
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_number
from trueward.policies.policy import Policy
from trueward.policies.wrappers.uniform_share import UniformShare
from trueward.serialization import policy_from_saved, policy_to_plain

UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
LEARNS = ("engine", "estimators", "live", "policies")  # the folders on which a choice depends
LONGEST = 200  # letters of a name
SHORTENED = reprlib.Repr()  # of what is no name: however long it is, the message fits a line
SHORTENED.maxstring = SHORTENED.maxother = 60
SHORTEST = 16  # letters of a secret
LONGEST_WINDOW = 36_525 * UNITS["d"]  # 100 years
DEEPEST = 50  # lists in lists


@dataclass(frozen=True)
class Settings:
    """All that a study was created with; `policy` is None for one of the user's own, which has to be given again."""

    arms: dict[str, Any]  # by name, what is to be shown
    policy: dict[str, Any] | None
    horizon: int | None
    seed: int
    uniform_share: float
    window: float | None  # seconds until a decision without a reward expires
    distinct: bool
    stop_at_horizon: bool
    test: bool
    rules: list[Any] = field(default_factory=list)  # as `live.rules.described` gives them
    keyed: bool = False  # whether the hashes of its log are made with a secret
    one_arm: bool = False  # whether a participant keeps the first arm

    def as_body(self) -> dict[str, Any]:
        """Return the body of the first event."""
        return {"settings": asdict(self), **origin()}

    def playing(self, given: Policy | None) -> Policy:
        """Return the policy that plays: the one that was saved, or the one given, with the uniform share."""
        policy = policy_from_saved({"policy": self.policy}, given)
        return UniformShare(policy, share=self.uniform_share) if self.uniform_share else policy


def settings_of(
    arms: Sequence[str] | Mapping[str, Any],
    policy: Policy,
    *,
    horizon: int | None = None,
    seed: int = 0,
    uniform_share: float = 0.0,
    window: str | float | None = None,
    distinct: bool = False,
    stop_at_horizon: bool = False,
    test: bool = False,
    rules: Sequence[Any] = (),
    keyed: bool = False,
    one_arm: bool = False,
) -> Settings:
    """Return checked settings."""
    if not isinstance(policy, Policy):
        raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {policy!r}")
    if stop_at_horizon and horizon is None:
        raise ParameterError("stop_at_horizon needs a horizon, got None")
    if distinct and one_arm:
        raise ParameterError("one_arm shows the same arm again, and distinct another: only one of them can be")
    return Settings(
        arms=_arms(arms),
        policy=policy_to_plain(policy),
        horizon=None if horizon is None else check_integer("horizon", horizon, at_least=1),
        seed=check_integer("seed", seed),
        uniform_share=check_number("uniform_share", uniform_share, at_least=0, at_most=1),
        window=seconds_of(window),
        distinct=bool(distinct),
        stop_at_horizon=bool(stop_at_horizon),
        test=bool(test),
        rules=[shallow("rules", rule_to_plain(rule)) for rule in ([rules] if isinstance(rules, str | Rule) else rules)],
        keyed=keyed,
        one_arm=bool(one_arm),
    )


def secret_of(given: str | None) -> str | None:
    """Return the secret that was given, or the one in the environment, or None."""
    secret = os.environ.get("TRUEWARD_SECRET") or None if given is None else given
    if secret is not None and (not isinstance(secret, str) or len(secret) < SHORTEST):
        raise ParameterError(f"secret must be a text of at least {SHORTEST} characters; not shown here")
    return secret


def _arms(arms: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(arms, str | set | frozenset) or not isinstance(arms, Sequence | Mapping) or not arms:
        raise ParameterError(f"arms must be a list of names, or what to show by name, got {arms!r}")
    named = dict(arms) if isinstance(arms, Mapping) else dict.fromkeys(arms)
    checked = {name_of("arm", name): shallow("payload", payload) for name, payload in named.items()}
    if len({*map(as_seen, checked)}) != len(arms):
        raise ParameterError(f"arms must be different names, got {arms!r}")
    return checked


def as_seen(name: str) -> str:
    """Return what people see of a name: letters composed or not, and spaces around it, look the same."""
    return unicodedata.normalize("NFC", name).strip()


def name_of(what: str, name: object, longest: int = LONGEST) -> str:
    """Return a name that any database can hold."""
    if not isinstance(name, str) or not name.strip() or len(name) > longest or not name.isprintable():
        shown = SHORTENED.repr(name)
        raise ParameterError(f"{what} must be a name of 1 to {longest} printable characters, got {shown}")
    return name


def new_name(name: object) -> str:
    """Return a name for a study, which is a part of addresses: browsers take . and .. for the way to another page."""
    text = name_of("name", name, 100)
    if text in (".", "..") or "/" in text:
        raise ParameterError(f"name must not have / in it, nor be . or .., as a part of addresses, got {text!r}")
    return text


def seconds_of(window: str | float | None) -> float | None:
    """Return a length of time in seconds.

    >>> seconds_of("48h")
    172800.0
    """
    if window is None:
        return None
    if isinstance(window, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h|d)\s*", window)
        if match is None:
            raise ParameterError(f"window must be such as '48h' or '30min' (s, min, h, d), got {window!r}")
        window = float(match[1]) * UNITS[match[2]]
    seconds = check_number("window", window, above=0)
    if seconds > LONGEST_WINDOW:
        raise ParameterError(f"window must be at most 100 years, got {seconds / UNITS['d']:g} days")
    return seconds


def shallow(what: str, value: Any) -> Any:
    """Return what is given, unless it is nested so deep that not every program can read it again."""
    layer, depth = [value], 0
    while layer := [part for each in layer for part in _parts(each)]:
        depth += 1
        if depth > DEEPEST:
            raise ParameterError(f"{what} must not be nested more than {DEEPEST} deep")
    return value


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()


def origin() -> dict[str, Any]:
    """Return what computed the choices: version, a digest of the code that they depend on, and platform."""
    return {"version": trueward.__version__, "code": code_of(*LEARNS), "platform": _platform()}


@functools.cache
def code_of(*folders: str) -> str:
    """Return a digest of the code in some folders of the package."""
    digest = hashlib.sha256()
    package = Path(trueward.__file__).parent
    for file in sorted(path for folder in folders for path in (package / folder).rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _platform() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"
