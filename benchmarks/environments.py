"""The peers' environments: each library in its own, so that none decides the versions of another."""

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
EARLIER = {"trueward-0.1": "4d45952"}  # versions of trueward itself, by their commit in this repository
SCRIPTS = {  # what is run in which environment; None is the project's own
    "river": "river",
    "pymab": "pymab",
    "mabwiser": "mabwiser",
    "smpybandits": "smpybandits",
    "trim_mean, old SciPy": "smpybandits",  # its trim_mean has less to do per call
    "trim_mean, new SciPy": None,
    "insort": None,
}


def python_of(environment: str | None) -> Path:
    """Return an environment's interpreter."""
    return Path(sys.executable) if environment is None else ENVIRONMENTS / environment / "bin" / "python"


def script_of(peer: str) -> Path:
    """Return the script that plays a peer's games."""
    return HERE / "peers" / f"{peer.partition(',')[0]}.py"


def install(peer: str) -> None:
    """Make a peer's environment, unless it is there."""
    done = ENVIRONMENTS / peer / "installed"
    if done.exists():
        return
    packages = (_sources_of(peer),) if peer in EARLIER else PEERS[peer]
    output_of([sys.executable, "-m", "venv", ENVIRONMENTS / peer], f"the environment of {peer}")
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
    output_of([python_of(peer), "-m", "pip", "install", *quiet, *packages], f"installing {peer}")
    done.touch()


def _sources_of(version: str) -> str:
    """Take an earlier version of trueward out of the repository, and return the archive that pip installs."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    archive, commit = ENVIRONMENTS / f"{version}.tar.gz", EARLIER[version]
    given = ["--prefix", f"{version}/", "--output", str(archive), commit]
    output_of(["git", "-C", HERE.parent, "archive", *given], f"commit {commit}, which a shallow clone lacks")
    return str(archive)


def run(python: Path, script: Path, *arguments: object, **variables: str) -> str:
    """Run a script of the benchmarks on one thread, and return what it prints.

    `-P` keeps the script's own folder off the path: peers/river.py must not stand for river. Nor must the path of this
    process bring this trueward into another environment.
    """
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    inherited = os.environ.get("PYTHONPATH") if python == python_of(None) else None
    path = os.pathsep.join(filter(None, (str(HERE), inherited)))
    environment = {**os.environ, "PYTHONPATH": path, **one_thread, **variables}
    return output_of([python, "-P", "-W", "ignore", script, *map(str, arguments)], script.name, environment)


def output_of(command: Sequence[str | Path], what: str, environment: dict[str, str] | None = None) -> str:
    """Return what a command prints; if it fails, the error is the last line of its complaint."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
        raise RuntimeError(f"{what}: {last}")
    return done.stdout
