"""The API reference of the documentation site: a page per package, from the registries and the public names.

Only headings and directives are written here; mkdocstrings adds signatures and docstrings. A new entry of a registry,
or a new public name of a package, appears without a change here.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import trueward as tw
from trueward import adversaries, analysis, arms, contextual, errors, estimators, identification, lab, policies, theory
from trueward.game import DELAYS
from trueward.lab import arena
from trueward.live import explanation
from trueward.study.looking import Looking

REGISTRIES = arms.ARMS, adversaries.ADVERSARIES, adversaries.VALUES, estimators.ESTIMATORS, policies.POLICIES, DELAYS
NAMES = {entry: name for registry in REGISTRIES for name, entry in registry.items()}


def pages() -> dict[str, str]:
    """Return the text of every page, by its path in the site."""
    attacks = [*adversaries.ADVERSARIES.values(), *adversaries.VALUES.values(), adversaries.Profile]
    attacks += [tw.labelled_people, tw.LabelledPeople]
    studies = [tw.Bandit, tw.Study, Looking, tw.Remote, tw.Ticket, tw.Signal, *_public(explanation)]
    rewards = [*arms.ARMS.values(), tw.ratings, tw.rating_groups, tw.Ratings]
    texts = {
        "arms": _page("Arms", arms, rewards, arms.Arms),
        "adversaries": _page("Adversaries", adversaries, attacks, adversaries.Adversary),
        "estimators": _page("Estimators", estimators, estimators.ESTIMATORS.values(), estimators.Estimator),
        "policies": _policies(),
        "game": _page("Games", _home(tw.play), [tw.play, *DELAYS.values(), tw.Trace]),
        "live": _page("Live studies", sys.modules["trueward.live"], studies),
        "plan": _page("Plan a study", sys.modules["trueward.planning"], [tw.plan, tw.Plan]),
        "analysis": _page("Analysis", analysis, _public(analysis)),
        "contextual": _page("Contextual bandits", contextual, _public(contextual)),
        "lab": _page("The laboratory", lab, [*_public(lab), *_public(arena)]),
        "theory": _page("Theory", theory, _public(theory)),
        "identification": _page("Best-arm identification", identification, _public(identification)),
        "errors": _page("Errors", errors, _public(errors)),
    }
    return {f"api/{name}.md": text for name, text in texts.items()}


def _page(title: str, about: ModuleType, things: Iterable[Any], base: Any = None) -> str:
    head = [f"# {title}\n", f"{_first_line(about)}\n"]
    return "\n".join([*head, *_sections(things, "##"), *_base(base)])


def _policies() -> str:
    lines = ["# Policies\n", f"{_first_line(policies)}\n"]
    for family, members in _grouped(policies.POLICIES.values(), by=_family).items():
        lines += [f"## {_title(family)}\n", f"{_first_line(sys.modules[family])}\n", *_sections(members, "###")]
    return "\n".join([*lines, *_base(policies.Policy)])


def _base(base: Any) -> Iterator[str]:
    if base is not None:
        yield f"## Base class: `{base.__name__}`\n"
        yield from _directive(_path(base), members=_methods(base))


def _sections(things: Iterable[Any], level: str) -> Iterator[str]:
    """Yield a section per module, with its public objects."""
    for module, members in _grouped(things, by=lambda thing: thing.__module__).items():
        names = [f"`{NAMES[thing]}`" for thing in members if thing in NAMES]
        file = f"src/{module.replace('.', '/')}.py"
        file = file if inspect.getfile(sys.modules[module]).endswith(file) else file[:-3] + "/__init__.py"
        yield f"{level} {', '.join(names) or _title(module)}\n"
        for thing in dict.fromkeys([*members, *_also_public(module)]):
            yield from _directive(_path(thing), members=_methods(thing))
        yield f"Source: [`{file}`](../../{file})\n"


def _directive(path: str, *, members: list[str]) -> list[str]:
    """Return the lines with which mkdocstrings shows an object."""
    return [f"::: {path}", f"    options: {{show_root_heading: true, members: {members}}}\n"]


def _methods(thing: Any) -> list[str]:
    """Return the public methods that only this class has; those of its base class are described there."""
    if not inspect.isclass(thing):
        return []
    inherited = {name for base in thing.__mro__[1:] if base.__module__.startswith("trueward") for name in dir(base)}
    internal = {"start", "distribution", "memory"}
    own = [name for name, value in vars(thing).items() if callable(value) or isinstance(value, property | classmethod)]
    return [name for name in own if not name.startswith("_") and name not in inherited | internal]


def _public(module: ModuleType) -> list[Any]:
    """Return the public classes and functions of a module or a package."""
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    things = [getattr(module, name) for name in names]
    return [thing for thing in things if getattr(thing, "__module__", "").startswith(module.__name__)]


def _also_public(module: str) -> list[Any]:
    things = [getattr(tw, name) for name in tw.__all__]
    return [thing for thing in things if getattr(thing, "__module__", "") == module]


def _grouped(things: Iterable[Any], by: Callable[[Any], str]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for thing in things:
        groups.setdefault(by(thing), []).append(thing)
    return groups


def _family(thing: Any) -> str:
    return ".".join(thing.__module__.split(".")[:3])


def _home(thing: Any) -> ModuleType:
    return sys.modules[thing.__module__]


def _path(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _title(module: str) -> str:
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def _first_line(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").partition("\n")[0]
