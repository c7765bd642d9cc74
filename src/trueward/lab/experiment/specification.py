"""An experiment as data: arms, adversary, policies, horizon, trials, seed, and sweeps over any of them.

A value "$name" stands for the value that the sweep gives `name`, or, of the arms, for "$sd" (the largest standard
deviation), "$proxy" (the largest sub-Gaussian parameter) or "$bounds" (the range of rewards). A *cell* is one point of
the sweep: all policies, on the same worlds.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.errors import ParameterError, SpecificationError, TruewardError
from trueward.game.delays import NO_DELAY, Delay
from trueward.game.match import Match, checkpoints_of
from trueward.game.play import match_of
from trueward.lab.experiment.sweep import OF_THE_ARMS, Point, points_of, resolve, sweep_of, variables_in
from trueward.lab.experiment.user_file import build_object, in_a_line
from trueward.parameters import check_bool, check_integer, check_one_of
from trueward.policies.policy import Policy
from trueward.reporting.labels import text
from trueward.serialization import from_plain

KEYS = {
    "title": "what is asked, in a line",
    "arms": "the law of true rewards: a name and its parameters",
    "adversary": "who contaminates, and how; none if left out",
    "policies": "a table of policies, each with a name of your own",
    "reference": "the policy that the others are compared with, pair by pair; the first if left out",
    "horizon": "the number of rounds",
    "trials": "the number of games per policy",
    "seed": "the same seed gives the same games",
    "delay": "after how many rounds rewards come: a number, or a name and its rounds; at once if left out",
    "count_pending": "whether policies are told of the asks under way; true if left out",
    "sweep": "lists of values, by name; every combination is played",
}
DEFAULTS: dict[str, Any] = {
    "title": "",
    "adversary": "none",
    "trials": 1000,
    "seed": 0,
    "delay": 0,
    "count_pending": True,
    "sweep": {},
}
SETTINGS = ("adversary", "policies", "horizon", "trials", "seed", "delay", "count_pending")


@dataclass(frozen=True)
class Cell:
    """One point of a sweep, ready to be played."""

    point: Point  # as the results call its values
    arms: Arms
    adversary: Adversary
    policies: dict[str, Policy]
    reference: str
    horizon: int
    trials: int
    seed: int
    described: dict[str, Any] = field(default_factory=dict)  # the same as it was given in a specification
    shuffle_arms: bool = False
    delay: Delay = NO_DELAY
    count_pending: bool = True

    @property
    def match(self) -> Match:
        """What is played."""
        return match_of(
            self.policies,
            self.arms,
            self.adversary,
            horizon=self.horizon,
            trials=self.trials,
            seed=self.seed,
            shuffle_arms=self.shuffle_arms,
            delay=self.delay,
            count_pending=self.count_pending,
        )

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
    """Return the experiment in a TOML file, or in a dictionary; `changes` replace top-level values.

    A policy, the arms or the adversary may be in a Python file of your own, named "mine.py:MyPolicy" relative to the
    TOML file; in a dictionary they may also be objects.
    """
    if isinstance(source, Mapping):
        return _experiment("experiment", {**source, **changes}, Path())
    path = Path(source)
    try:
        return _experiment(_name_of(path), {**_read(path), **changes}, path.parent)
    except TruewardError as error:
        raise SpecificationError(f"{path}: {error}") from None


def _name_of(path: Path) -> str:
    """Return the name of an experiment, after which a folder may be named."""
    if not path.stem.strip("."):
        raise ParameterError("the file needs a name of more than dots: its results bear it")
    return path.stem


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecificationError(f"cannot be read: {error.strerror}") from None
    except RecursionError:
        raise SpecificationError("is not TOML that can be read: it is nested too deeply") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number of too many digits
        raise SpecificationError(f"is not TOML: {error}") from None


def _experiment(name: str, given: Mapping[str, Any], folder: Path) -> Experiment:
    """Return the experiment that is described; whatever is wrong with it ends in one line."""
    try:
        return _built(name, given, folder)
    except TruewardError as error:
        raise SpecificationError(str(error)) from None
    except RecursionError:
        raise SpecificationError("it is nested too deeply") from None
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        raise SpecificationError(f"it cannot be played: {in_a_line(error)}") from error


def _built(name: str, given: Mapping[str, Any], folder: Path) -> Experiment:
    for key in given:
        if key not in KEYS:
            raise ParameterError(f"there is no key {key!r}; allowed: {', '.join(KEYS)}")
    for key in ("arms", "policies", "horizon"):
        if key not in given:
            raise ParameterError(f"the key {key!r} is missing: {KEYS[key]}")
    data = {**DEFAULTS, **given}
    sweep = sweep_of(data["sweep"])
    unused = set(sweep) - set(variables_in({key: value for key, value in data.items() if key != "sweep"}))
    if unused:
        raise ParameterError(f'sweep.{min(unused)} is used nowhere; write "$name" where its values belong')
    cells = tuple(_cell(data, values, called, folder) for values, called in points_of(sweep))
    return Experiment(name, str(data["title"]), sweep, cells)


def _cell(data: Mapping[str, Any], values: Point, called: Point, folder: Path) -> Cell:
    described_arms = resolve(data["arms"], values, "arms")
    arms: Arms = build_object("arms", described_arms, "arms", folder)
    known = {**values, **{name: getattr(arms, name) for name in OF_THE_ARMS}, "bounds": list(arms.bounds)}
    resolved = {key: resolve(data[key], known, key) for key in SETTINGS}
    if not isinstance(resolved["policies"], Mapping) or not resolved["policies"]:
        raise ParameterError(f"policies must be a table with at least one policy, got {data['policies']!r}")
    policies = {
        name: build_object("policy", given, f"policies.{name}", folder) for name, given in resolved["policies"].items()
    }
    reference = data.get("reference", next(iter(policies)))
    check_one_of("reference", reference, tuple(policies))
    horizon = check_integer("horizon", resolved["horizon"], at_least=1)
    check_bool("count_pending", resolved["count_pending"])
    told = {"arms": described_arms, "reference": reference, "checkpoints": checkpoints_of(horizon).tolist()}
    return Cell(
        called,
        arms,
        build_object("adversary", resolved["adversary"], "adversary", folder),
        policies,
        reference,
        horizon,
        check_integer("trials", resolved["trials"], at_least=1),
        check_integer("seed", resolved["seed"]),
        {**resolved, **told},
        delay=from_plain("delay", resolved["delay"], "delay"),
        count_pending=resolved["count_pending"],
    )
