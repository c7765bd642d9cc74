"""An experiment as data: arms, adversary, policies, horizon, trials, seed, and sweeps over any of them.

A value "$name" stands for the value that the sweep gives `name`, or, of the arms, for "$sd" (the largest standard
deviation), "$proxy" (the largest sub-Gaussian parameter) or "$bounds" (the range of rewards). A *cell* is one point of
the sweep: all policies, on the same worlds.
"""

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueward.adversaries import Adversary
from trueward.arms import Arms
from trueward.engine import checks
from trueward.errors import ParameterError, SpecificationError, TruewardError
from trueward.game.descriptions import build
from trueward.game.match import checkpoints
from trueward.pages.labels import text
from trueward.policies import Policy

KEYS = {
    "title": "what is asked, in a line",
    "arms": "the law of true rewards: a name and its parameters",
    "adversary": "who contaminates, and how; none if left out",
    "policies": "a table of policies, each with a name of your own",
    "reference": "the policy that the others are compared with, pair by pair; the first if left out",
    "horizon": "the number of rounds",
    "trials": "the number of games per policy",
    "seed": "the same seed gives the same games",
    "sweep": "lists of values, by name; every combination is played",
}
OF_THE_ARMS = {"sd": "sd", "proxy": "proxy", "bounds": "bounds"}
DEFAULTS: dict[str, Any] = {"title": "", "adversary": "none", "trials": 1000, "seed": 0, "sweep": {}}


@dataclass(frozen=True)
class Cell:
    """One point of a sweep, ready to be played."""

    point: dict[str, Any]
    arms: Arms
    adversary: Adversary
    policies: dict[str, Policy]
    reference: str
    horizon: int
    trials: int
    seed: int
    described: dict[str, Any]  # the same as plain data, for its key

    @property
    def games(self) -> int:
        """The number of games to play."""
        return self.trials * len(self.policies)

    @property
    def label(self) -> str:
        """The point in words."""
        return ", ".join(f"{name} = {text(value)}" for name, value in self.point.items()) or "all"


@dataclass(frozen=True)
class Experiment:
    """A specification whose every cell has been built once, so that what is wrong with it is known."""

    name: str
    title: str
    sweep: dict[str, list[Any]]
    cells: tuple[Cell, ...]

    @property
    def policies(self) -> list[str]:
        """The names of the policies, in order."""
        return list(self.cells[0].policies)


def load(source: str | Path | Mapping[str, Any], **changes: Any) -> Experiment:
    """Return the experiment in a TOML file, or in a dictionary; `changes` replace top-level values."""
    if isinstance(source, Mapping):
        return _experiment("experiment", {**source, **changes})
    path = Path(source)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecificationError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{path}: is not TOML: {error}") from None
    try:
        return _experiment(path.stem, {**data, **changes})
    except TruewardError as error:
        raise SpecificationError(f"{path}: {error}") from None


def _experiment(name: str, given: Mapping[str, Any]) -> Experiment:
    for key in given:
        if key not in KEYS:
            raise ParameterError(f"there is no key {key!r}; allowed: {', '.join(KEYS)}")
    for key in ("arms", "policies", "horizon"):
        if key not in given:
            raise ParameterError(f"the key {key!r} is missing: {KEYS[key]}")
    data = {**DEFAULTS, **given}
    sweep = _sweep(data["sweep"])
    unused = set(sweep) - set(_variables({key: value for key, value in data.items() if key != "sweep"}))
    if unused:
        raise ParameterError(f'sweep.{unused.pop()} is used nowhere; write "$name" where its values belong')
    points = [dict(zip(sweep, values, strict=True)) for values in itertools.product(*sweep.values())]
    return Experiment(name, str(data["title"]), sweep, tuple(_cell(data, point) for point in points))


def _sweep(given: Any) -> dict[str, list[Any]]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"sweep must be a table of lists, got {given!r}")
    for name, values in given.items():
        if not isinstance(values, list) or not values:
            raise ParameterError(f"sweep.{name} must be a non-empty list, got {values!r}")
        if name in OF_THE_ARMS:
            raise ParameterError(f"sweep.{name} is taken: ${name} belongs to the arms")
    return dict(given)


def _variables(value: Any) -> list[str]:
    if isinstance(value, str) and value.startswith("$"):
        return [value[1:]]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [name for part in parts for name in _variables(part)]


def _resolve(value: Any, known: Mapping[str, Any], where: str) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        if value[1:] not in known:
            raise ParameterError(f"{where} is {value!r}, which nothing gives; known: {', '.join(known) or 'nothing'}")
        return _resolve(known[value[1:]], known, where)
    if isinstance(value, Mapping):
        return {key: _resolve(part, known, f"{where}.{key}") for key, part in value.items() if key != "label"}
    return [_resolve(part, known, where) for part in value] if isinstance(value, list) else value


def _cell(data: Mapping[str, Any], point: dict[str, Any]) -> Cell:
    described_arms = _resolve(data["arms"], point, "arms")
    arms: Arms = build("arms", described_arms)
    known = {**point, **{name: getattr(arms, attribute) for name, attribute in OF_THE_ARMS.items()}}
    known["bounds"] = list(arms.bounds)
    resolved = {key: _resolve(data[key], known, key) for key in ("adversary", "policies", "horizon", "trials", "seed")}
    if not isinstance(resolved["policies"], Mapping) or not resolved["policies"]:
        raise ParameterError(f"policies must be a table with at least one policy, got {data['policies']!r}")
    policies = {name: build("policy", given, f"policies.{name}") for name, given in resolved["policies"].items()}
    reference = data.get("reference", next(iter(policies)))
    checks.one_of("reference", reference, tuple(policies))
    horizon = checks.whole("horizon", resolved["horizon"], at_least=1)
    described = {**resolved, "arms": described_arms, "reference": reference, "rounds": checkpoints(horizon).tolist()}
    return Cell(
        point,
        arms,
        build("adversary", resolved["adversary"]),
        policies,
        reference,
        horizon,
        checks.whole("trials", resolved["trials"], at_least=1),
        checks.whole("seed", resolved["seed"]),
        described,
    )
