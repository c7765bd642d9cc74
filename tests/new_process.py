"""Steps of which each runs in a new process, with modules of a test's own that it imports afresh."""

import json
import os
import subprocess
import sys
from pathlib import Path

RUN = """
import importlib, json, os, sys
from pathlib import Path
import {ready}

for files, module in json.loads(sys.stdin.read()):
    for path, text in files.items():
        if not Path(path).exists() or Path(path).read_text() != text:  # else compiled code would be out of date
            Path(path).write_text(text)
            os.utime(path, (1, 1))  # before this process started
    if os.fork() == 0:
        importlib.import_module(module).main()
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1] != 0:
        sys.exit(1)
"""


def in_new_processes(folder: Path, steps: list[tuple[dict[str, str], str]], *, ready: str) -> list[str]:
    """Write files and call `main` of a module, once for each step, and return the lines that were printed.

    What is `ready` is imported once for all of them: each step is a fork of a process that has done nothing else.
    """
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path}
    written = [({str(folder / name): text for name, text in files.items()}, module) for files, module in steps]
    code = RUN.format(ready=ready)
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        input=json.dumps(written),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
