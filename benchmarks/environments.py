"""Virtual environments of the peers: one per library, so that their dependencies do not conflict."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".envs"
PEERS = {
    "river": ("river",),
    "pymab": ("pymab",),
    "mabwiser": ("mabwiser",),
    "smpybandits": ("SMPyBandits==0.9.7", "numpy<2", "scipy<1.14"),
    "optuna": ("optuna",),
}
SCRIPTS = {  # script: environment; None is the project's own
    "river": "river",
    "pymab": "pymab",
    "mabwiser": "mabwiser",
    "smpybandits": "smpybandits",
    "trim_mean, old SciPy": "smpybandits",  # its trim_mean does less per call
    "trim_mean, new SciPy": None,
    "insort": None,
}


def python_of(environment: str | None) -> Path:
    """Return the interpreter of an environment."""
    return Path(sys.executable) if environment is None else ENVIRONMENTS / environment / "bin" / "python"


def script_of(peer: str) -> Path:
    """Return the script that plays a peer's games."""
    return HERE / "peers" / f"{peer.partition(',')[0]}.py"


def install(peer: str) -> None:
    """Create the environment of a peer, unless it exists."""
    done = ENVIRONMENTS / peer / "installed"
    if done.exists():
        return
    output_of([sys.executable, "-m", "venv", ENVIRONMENTS / peer], f"the environment of {peer}")
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
    output_of([python_of(peer), "-m", "pip", "install", *quiet, *PEERS[peer]], f"installing {peer}")
    done.touch()


def run(python: Path, script: Path, *arguments: object, **variables: str) -> str:
    """Run a script of the benchmarks on one thread, and return what it prints.

    `-P` keeps the script's own folder off the path: peers/river.py must not shadow river. Only the project's own
    environment inherits PYTHONPATH: the others must not import this trueward.
    """
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    inherited = os.environ.get("PYTHONPATH") if python == python_of(None) else None
    path = os.pathsep.join(filter(None, (str(HERE), inherited)))
    environment = {**os.environ, "PYTHONPATH": path, **one_thread, **variables}
    return output_of([python, "-P", "-W", "ignore", script, *map(str, arguments)], script.name, environment)


def output_of(command: Sequence[str | Path], what: str, environment: dict[str, str] | None = None) -> str:
    """Return the output of a command; if it fails, the error has the last line of its stderr."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
        raise RuntimeError(f"{what}: {last}")
    return done.stdout
