"""The specification of an experiment: reading it, and building every object that it describes."""

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
from trueward.lab.experiment.sweep import ARMS_VARIABLES, Point, check_sweep, grid_points, substitute, variables_in
from trueward.lab.experiment.user_file import build_object, in_one_line
from trueward.parameters import check_bool, check_integer, check_one_of
from trueward.policies.policy import Policy
from trueward.reporting.labels import text
from trueward.serialization import from_plain

KEYS = {
    "title": "the question that the experiment answers, in one line",
    "arms": "the distributions of the true rewards: a name and its parameters",
    "adversary": "what contaminates the rewards: a name and its parameters; nothing by default",
    "policies": "a table of policies, each under a name of your choice",
    "reference": "the policy that all others are compared with, trial by trial; the first by default",
    "horizon": "the number of rounds",
    "trials": "the number of games per policy",
    "seed": "the seed of the random numbers; the same seed gives the same games",
    "delay": "the number of rounds until a reward arrives: a number, or a name and its rounds; 0 by default",
    "count_pending": "whether policies know how many rewards are outstanding; true by default",
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
    """One point of a sweep: all policies, on the same true rewards, under the same attack."""

    point: Point  # the labels of its values in the results
    arms: Arms
    adversary: Adversary
    policies: dict[str, Policy]
    reference: str
    horizon: int
    trials: int
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)  # as specified, with all variables substituted
    shuffle_arms: bool = False
    delay: Delay = NO_DELAY
    count_pending: bool = True

    @property
    def match(self) -> Match:
        """The games of this cell."""
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
        """The number of games: one per policy and trial."""
        return self.trials * len(self.policies)

    @property
    def label(self) -> str:
        """The swept values as text, as in "epsilon = 0.1"."""
        return ", ".join(f"{name} = {text(value)}" for name, value in self.point.items()) or "all"


@dataclass(frozen=True)
class Experiment:
    """An experiment: policies compared on the same true rewards, under the same attack, for every point of a sweep.

    `load` builds one from a specification, and thereby every object in it: mistakes are reported before anything is
    played. A *cell* is one point of the sweep, with all policies.

    Parameters
    ----------
    name : str
        The name of the TOML file without its suffix; "experiment" for a dictionary.
    title : str
        The question that the experiment answers, in one line. May be empty.
    sweep : dict of str to list
        The values that are combined, by name.
    cells : tuple of Cell
        One cell for every combination of values.

    Examples
    --------
    >>> experiment = load(
    ...     {
    ...         "arms": {"name": "bernoulli", "p": [0.4, 0.6]},
    ...         "adversary": {"name": "bernoulli", "epsilon": "$epsilon", "values": "worst-bounded"},
    ...         "policies": {"UCB": {"name": "ucb", "sigma": "$sd"}, "uniform": "uniform"},
    ...         "horizon": 200,
    ...         "sweep": {"epsilon": [0.0, 0.1]},
    ...     }
    ... )
    >>> experiment.policies
    ['UCB', 'uniform']
    >>> [cell.label for cell in experiment.cells]
    ['epsilon = 0', 'epsilon = 0.1']
    """

    name: str
    title: str
    sweep: dict[str, list[Any]]
    cells: tuple[Cell, ...]

    @property
    def policies(self) -> list[str]:
        """The names of the policies, in order."""
        return list(self.cells[0].policies)


def load(source: str | Path | Mapping[str, Any], **changes: Any) -> Experiment:
    """Return the experiment that a TOML file or a dictionary specifies.

    `trueward policies`, `trueward arms` and so on list the names of arms, adversaries, policies and estimators; the
    other keys are their parameters. Name your own objects "mine.py:MyPolicy", relative to the TOML file; a dictionary
    may also contain the objects themselves.

    A string "$name" stands for the value that the sweep gives `name`, and "$name.key" for one entry of it if it is a
    table, so that several settings can change together. "$sd", "$proxy" and "$bounds" stand for the largest standard
    deviation, the largest sub-Gaussian parameter and the range of the arms.

    Parameters
    ----------
    source : str, Path or mapping
        The path of a TOML file, or the same content as a dictionary. Keys: arms, policies and horizon are required;
        title, adversary, reference, trials (1000), seed (0), delay (0), count_pending (true) and sweep are optional.
    **changes
        Top-level keys with values that replace those of the source.

    Returns
    -------
    Experiment

    Raises
    ------
    SpecificationError
        If a key or a value is wrong. The message is one line that names the file and the key.

    Examples
    --------
    >>> coin = {"arms": {"name": "bernoulli", "p": [0.4, 0.6]}, "policies": {"UCB": {"name": "ucb", "sigma": 0.5}}}
    >>> load(coin, horizon=100, trials=10).cells[0].games
    10
    >>> load(coin, horizon=0)
    Traceback (most recent call last):
    trueward.errors.SpecificationError: horizon must be a whole number of at least 1, got 0
    """
    if isinstance(source, Mapping):
        return _build_checked("experiment", {**source, **changes}, Path())
    path = Path(source)
    try:
        return _build_checked(_name_of(path), {**_read(path), **changes}, path.parent)
    except TruewardError as error:
        raise SpecificationError(f"{path}: {error}") from None


def _name_of(path: Path) -> str:
    if not path.stem.strip("."):
        raise ParameterError("the name of the file must not consist of dots alone: the results are named after it")
    return path.stem


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecificationError(f"cannot be read: {error.strerror}") from None
    except RecursionError:
        raise SpecificationError("cannot be read as TOML: it is nested too deeply") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number with too many digits
        raise SpecificationError(f"is not TOML: {error}") from None


def _build_checked(name: str, given: Mapping[str, Any], folder: Path) -> Experiment:
    """Build an experiment; anything wrong with it becomes a `SpecificationError` of one line."""
    try:
        return _build(name, given, folder)
    except TruewardError as error:
        raise SpecificationError(str(error)) from None
    except RecursionError:
        raise SpecificationError("the specification is nested too deeply") from None
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        raise SpecificationError(f"the experiment cannot be played: {in_one_line(error)}") from error


def _build(name: str, given: Mapping[str, Any], folder: Path) -> Experiment:
    for key in given:
        if key not in KEYS:
            raise ParameterError(f"there is no key {key!r}; allowed: {', '.join(KEYS)}")
    for key in ("arms", "policies", "horizon"):
        if key not in given:
            raise ParameterError(f"the key {key!r} is missing: {KEYS[key]}")
    data = {**DEFAULTS, **given}
    sweep = check_sweep(data["sweep"])
    unused = set(sweep) - set(variables_in({key: value for key, value in data.items() if key != "sweep"}))
    if unused:
        raise ParameterError(f'sweep.{min(unused)} is never used; write "${min(unused)}" where its values belong')
    cells = tuple(_build_cell(data, values, labels, folder) for values, labels in grid_points(sweep))
    return Experiment(name, str(data["title"]), sweep, cells)


def _build_cell(data: Mapping[str, Any], values: Point, labels: Point, folder: Path) -> Cell:
    arms_settings = substitute(data["arms"], values, "arms")
    arms: Arms = build_object("arms", arms_settings, "arms", folder)
    variables = {**values, **{name: getattr(arms, name) for name in ARMS_VARIABLES}, "bounds": list(arms.bounds)}
    settings = {key: substitute(data[key], variables, key) for key in SETTINGS}
    if not isinstance(settings["policies"], Mapping) or not settings["policies"]:
        raise ParameterError(f"policies must be a table with at least one policy, got {data['policies']!r}")
    policies = {
        name: build_object("policy", given, f"policies.{name}", folder) for name, given in settings["policies"].items()
    }
    reference = data.get("reference", next(iter(policies)))
    check_one_of("reference", reference, tuple(policies))
    horizon = check_integer("horizon", settings["horizon"], at_least=1)
    check_bool("count_pending", settings["count_pending"])
    others = {"arms": arms_settings, "reference": reference, "checkpoints": checkpoints_of(horizon).tolist()}
    return Cell(
        labels,
        arms,
        build_object("adversary", settings["adversary"], "adversary", folder),
        policies,
        reference,
        horizon,
        check_integer("trials", settings["trials"], at_least=1),
        check_integer("seed", settings["seed"]),
        {**settings, **others},
        delay=from_plain("delay", settings["delay"], "delay"),
        count_pending=settings["count_pending"],
    )
