import importlib
import inspect
import pkgutil
import subprocess
import sys
from functools import cached_property

import pytest

import trueward as tw


def test_every_public_name_is_there_and_listed():
    for name in tw.__all__:
        assert getattr(tw, name) is not None
    assert set(dir(tw)) == {*tw.__all__, "__version__"}
    with pytest.raises(AttributeError, match="module 'trueward' has no attribute 'nonsense'"):
        tw.nonsense  # noqa: B018 - the look-up is the test


@pytest.mark.parametrize("command", ["import trueward", "from trueward.cli.app import app; app(['--help'])"])
def test_nothing_heavy_is_imported_before_it_is_used(command):
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


def test_every_public_method_says_what_it_does_or_overrides_one_that_does():
    modules = [
        found.name for found in pkgutil.walk_packages(tw.__path__, "trueward.") if "migrations" not in found.name
    ]
    members = [member for name in modules for member in vars(importlib.import_module(name)).values()]
    ours = {member for member in members if inspect.isclass(member) and member.__module__.startswith("trueward")}
    silent = {f"{cls.__name__}.{name}" for cls in ours for name in vars(cls) if not says_what_it_does(cls, name)}
    assert len(ours) > 300
    assert not silent


def says_what_it_does(cls, name):
    found = vars(cls)[name]
    if "_" in (cls.__name__[0], name[0]) or not (
        inspect.isroutine(found) or isinstance(found, property | cached_property)
    ):
        return True
    if not getattr(found, "__module__", cls.__module__).startswith("trueward"):
        return True
    return any(vars(base)[name].__doc__ for base in cls.__mro__ if name in vars(base))
