"""Objects from a user's Python file, named as "mine.py:MyPolicy"; and objects built from their descriptions."""

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
from trueward.lab.experiment.code_digest import functions_of
from trueward.policies.policy import Policy
from trueward.policies.wrappers.plain_policy import PlainPolicy, PlainPolicyAdapter
from trueward.serialization import PARTS, from_plain

MAX_ERROR_LENGTH = 300  # characters of an error from the user's code
MODULE_PREFIX = "user_file_"


def names_user_file(name: object) -> bool:
    return isinstance(name, str) and ".py:" in name


def uses_user_file(*objects: Any) -> bool:
    """Return whether any code of these objects was loaded from a user's file."""
    return any(function.__module__.startswith(MODULE_PREFIX) for function in functions_of(*objects))


def load_from_file(reference: str, folder: Path = Path()) -> Any:
    """Return the object that "file.py:Name" refers to; the path of the file is relative to `folder`."""
    file, _, name = reference.rpartition(":")
    if not file or not name:
        raise TruewardError(f"{reference}: write the file and the name in it, as in mine.py:MyPolicy")
    path = folder / file
    if not path.is_file():
        raise TruewardError(f"{reference}: there is no file {path}")
    module = _import_file(path, reference)
    if not hasattr(module, name):
        raise TruewardError(f"{reference}: {path} has no {name}")
    return getattr(module, name)


def _import_file(path: Path, reference: str) -> ModuleType:
    """Import a file once; the module's name contains the file's digest, so that an edited file is a new module."""
    name = f"{MODULE_PREFIX}{path.stem}_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    imported = sys.modules.get(name)
    if imported is not None and imported.__file__ == str(path.resolve()):
        return imported
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise TruewardError(f"{reference}: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module by its name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise TruewardError(f"{reference}: importing {path} failed: {in_one_line(error)}") from error
    return module


def in_one_line(error: Exception) -> str:
    return textwrap.shorten(f"{type(error).__name__}: {error}", MAX_ERROR_LENGTH, placeholder=" …")


def build_object(role: str, given: Any, where: str, folder: Path) -> Any:
    """Return the object for a role: built from a registered name or from a user's file, or `given` as it is."""
    made = {"name": given} if isinstance(given, str) else given
    if isinstance(made, Mapping):
        parts = PARTS.get(role, ())
        made = {k: build_object(k, v, f"{where}.{k}", folder) if k in parts else v for k, v in made.items()}
        made = _build_from_file(role, made, where, folder) if names_user_file(made.get("name")) else made
    if role == "policy" and isinstance(made, PlainPolicy) and not isinstance(made, Policy):
        made = PlainPolicyAdapter(made)
    if role == "adversary" and inspect.isfunction(made):
        made = FunctionAdversary(made)
    return from_plain(role, made, where)


def _build_from_file(role: str, description: Mapping[str, Any], where: str, folder: Path) -> Any:
    """Return an object from a file; a class or a function is called with the parameters of the description."""
    parameters = {key: value for key, value in description.items() if key != "name"}
    try:
        loaded = load_from_file(description["name"], folder)
        if role == "adversary" and inspect.isfunction(loaded):
            return FunctionAdversary(loaded, **parameters)
        if inspect.isclass(loaded) or inspect.isfunction(loaded):
            return loaded(**parameters)
    except Exception as error:
        reason = str(error) if isinstance(error, TruewardError) else f"{description['name']}: {in_one_line(error)}"
        raise ParameterError(f"{where}: {reason}") from error
    if parameters:
        raise ParameterError(f"{where}: {description['name']} is an object already, so it takes no parameters")
    return loaded
