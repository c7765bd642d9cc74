"""The service as it runs: an application in a thread of this process, or workers in processes of their own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import uvicorn

from trueward.serve.app import create_app
from trueward.serve.heads import ShortHeads
from trueward.serve.run import APP


@contextlib.contextmanager
def in_a_thread(settings, around=lambda app: app):
    """Give the address of a service that runs in this process, on a real socket; perhaps with something around it."""
    how = {"port": 0, "log_level": "critical", "lifespan": "on", "http": ShortHeads}
    server = uvicorn.Server(uvicorn.Config(around(create_app(settings)), **how))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def until(condition):
    """Wait for something, half a minute at most, and return whether it came."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Workers:
    """Workers under their supervisor, as `trueward serve` starts them."""

    def __init__(self, db, workers, log, app=APP, **environment):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        script = str(Path(sys.executable).parent / "trueward")
        command = [script, "serve", "--db", db, "--port", str(self.port), "--workers", str(workers)]
        if app != APP:
            code = f"from trueward.serve import run, settings as s; run.run(s.Settings.from_environment(), {app!r})"
            command = [sys.executable, "-c", code]
            environment |= {"TRUEWARD_DB": db, "TRUEWARD_PORT": str(self.port), "TRUEWARD_WORKERS": str(workers)}
        with Path(log).open("wb") as lines:
            self.process = subprocess.Popen(command, stderr=lines, env={**os.environ, **environment})
        self.wait_until_ready()

    def wait_until_ready(self, seconds=600):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                return urllib.request.urlopen(f"{self.url}/readyz", timeout=5).read()
            time.sleep(0.1)
        raise TimeoutError("the service did not start")

    def children(self):
        """Return the processes of the workers."""
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]

    def stop(self):
        """Stop it, and return how it ended."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)
