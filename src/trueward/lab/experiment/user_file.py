"""A user's own objects: what a Python file holds, by "mine.py:MyPolicy", and what may stand for a description."""

import hashlib
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from trueward.adversaries.function import FunctionAdversary
from trueward.errors import ParameterError, TruewardError
from trueward.game.identity import functions_of
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain import Plain, PlainPolicy
from trueward.serialization import PARTS, from_plain

LONGEST = 300  # characters of an error that is not ours
PREFIX = "user_file_"  # of the names of modules that come from a user's file


def is_in_a_file(name: object) -> bool:
    """Return whether a name stands for something in a file of the user's."""
    return isinstance(name, str) and ".py:" in name


def comes_from_a_file(*things: Any) -> bool:
    """Return whether any code of these objects is in a file that was found here."""
    return any(function.__module__.startswith(PREFIX) for function in functions_of(*things))


def found_in_file(given: str, folder: Path = Path()) -> Any:
    """Return what "file.py:Name" names; the file's path is relative to `folder`."""
    file, _, name = given.rpartition(":")
    if not file or not name:
        raise TruewardError(f"{given}: write the file and the name in it, as in mine.py:MyPolicy")
    path = folder / file
    if not path.is_file():
        raise TruewardError(f"{given}: there is no file {path}")
    module = _imported(path, given)
    if not hasattr(module, name):
        raise TruewardError(f"{given}: {path} has no {name}")
    return getattr(module, name)


def _imported(path: Path, given: str) -> ModuleType:
    """Import a file once; its digest is part of the module's name, so that an edited file is another module."""
    name = f"{PREFIX}{path.stem}_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(path.resolve()):
        return known
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise TruewardError(f"{given}: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by its name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise TruewardError(f"{given}: importing {path} failed: {in_a_line(error)}") from error
    return module


def in_a_line(error: Exception) -> str:
    """Return an error of the user's code in one line."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", LONGEST, placeholder=" …")


def build_object(role: str, given: Any, where: str, folder: Path) -> Any:
    """Return what is described, by a name in the tables or in a user's file, or is given as an object."""
    made = {"name": given} if isinstance(given, str) else given
    if isinstance(made, Mapping):
        parts = PARTS.get(role, ())
        made = {k: build_object(k, v, f"{where}.{k}", folder) if k in parts else v for k, v in made.items()}
        made = _built(role, made, where, folder) if is_in_a_file(made.get("name")) else made
    if role == "policy" and isinstance(made, PlainPolicy) and not isinstance(made, Policy):
        made = Plain(made)
    if role == "adversary" and inspect.isfunction(made):
        made = FunctionAdversary(made)
    return from_plain(role, made, where)


def _built(role: str, description: Mapping[str, Any], where: str, folder: Path) -> Any:
    """Return an object as it is; a class, or a function that makes one, called with the parameters given."""
    parameters = {key: value for key, value in description.items() if key != "name"}
    try:
        found = found_in_file(description["name"], folder)
        if role == "adversary" and inspect.isfunction(found):
            return FunctionAdversary(found, **parameters)
        if inspect.isclass(found) or inspect.isfunction(found):
            return found(**parameters)
    except Exception as error:
        told = str(error) if isinstance(error, TruewardError) else f"{description['name']}: {in_a_line(error)}"
        raise ParameterError(f"{where}: {told}") from error
    if parameters:
        raise ParameterError(f"{where}: {description['name']} is an object already; it takes no parameters")
    return found
