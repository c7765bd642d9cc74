import subprocess
import sys

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
