import importlib
import inspect
import re
import subprocess
import sys
from functools import cached_property

import pytest

import trueward as tw
from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.estimators import ESTIMATORS
from trueward.game import DELAYS
from trueward.policies import POLICIES


def test_every_public_name_exists_and_is_listed():
    for name in tw.__all__:
        assert getattr(tw, name) is not None
    assert set(dir(tw)) == {*tw.__all__, "__version__"}
    with pytest.raises(AttributeError, match="module 'trueward' has no attribute 'nonsense'"):
        tw.nonsense  # noqa: B018 - the look-up is the test


@pytest.mark.parametrize("command", ["import trueward", "from trueward.cli.app import app; app(['--help'])"])
def test_import_and_help_load_neither_numpy_nor_numba(command):
    code = (
        f"import sys\ntry:\n    {command}\nexcept SystemExit:\n    pass\nprint({{'numpy', 'numba'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("set()")


def test_every_error_is_a_trueward_error():
    from trueward import errors

    ours = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert len(ours) >= 6
    assert all(issubclass(error, tw.TruewardError) for error in ours)


PACKAGES = ("analysis", "contextual", "identification", "lab", "lab.arena", "theory")
REGISTRIES = (ARMS, ADVERSARIES, VALUES, ESTIMATORS, POLICIES, DELAYS)
REGISTERED = [entry for registry in REGISTRIES for entry in registry.values()]


def public_objects():
    """Yield every public class and function by its name: those of `trueward`, and of the packages below it."""
    for name in ("", *PACKAGES):
        module = importlib.import_module(f"trueward.{name}".rstrip("."))
        for public in module.__all__:
            found = getattr(module, public)
            if inspect.isclass(found) or inspect.isroutine(found):
                yield f"{name}.{public}".lstrip("."), found


def test_every_public_name_has_a_docstring_and_so_have_its_methods():
    found = dict(public_objects())
    assert len(found) > 120
    silent = [name for name, each in found.items() if not each.__doc__ or each.__doc__.startswith(f"{name}(")]
    classes = {name: each for name, each in found.items() if inspect.isclass(each)}
    methods = {f"{name}.{method}": is_documented(cls, method) for name, cls in classes.items() for method in vars(cls)}
    assert not [*silent, *(method for method, documented in methods.items() if not documented)]


def is_documented(cls, name):
    """Return whether a method has a docstring, or overrides one that has; private names and data need none."""
    member = vars(cls)[name]
    if name.startswith("_") or not (inspect.isroutine(member) or isinstance(member, property | cached_property)):
        return True
    if not getattr(member, "__module__", cls.__module__).startswith("trueward"):
        return True
    return any(vars(base)[name].__doc__ for base in cls.__mro__ if name in vars(base))


@pytest.mark.parametrize("cls", REGISTERED, ids=lambda cls: cls.__name__)
def test_docstring_of_registered_class_has_parameters_examples_and_references(cls):
    manual = inspect.getdoc(cls)
    sections = dict(re.findall(r"^(\w+)\n-{4,}\n(.*?)(?=^\w+\n-{4,}\n|\Z)", manual, re.MULTILINE | re.DOTALL))
    assert "Examples" in sections, manual
    assert ">>>" in sections["Examples"]
    assert "References" in sections
    described = re.findall(r"^([\w, ]+) :", sections.get("Parameters", ""), re.MULTILINE)
    names = {name.strip() for line in described for name in line.split(",")}
    assert set(inspect.signature(cls).parameters) <= names
