"""What the service needs beside a study."""

from importlib.util import find_spec

from trueward.errors import TruewardError

PACKAGES = ("fastapi", "itsdangerous", "prometheus_client", "python_multipart", "uvicorn")


def need_serve() -> None:
    """Refuse to go on where something is not installed, and say what to do."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise TruewardError(f"the service needs {' and '.join(missing)}: pip install 'trueward[serve]'")
