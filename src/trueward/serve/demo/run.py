"""Runs the demonstration: a server at once, the class as soon as everything is loaded, until somebody stops it.

The server is there before the rest is loaded, and says what is going on.
"""

import os
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from trueward.serve.demo.waiting import Waiting

if TYPE_CHECKING:
    from trueward.serve.dashboard.desk import Pages
    from trueward.study.study import Study

Say = Callable[[str], None]
FIRST = 120  # decisions that have been made when somebody looks first
PACE, BOT_PACE = 0.25, 0.05  # seconds from one to the next, after that
LOADING = "Loading."
FIRST_LESSON = f"The class gives its first {FIRST} ratings."


class Demo:
    """A server, and a class that rates."""

    def __init__(self, folder: Path, *, port: int, seed: int, say: Say) -> None:
        self._db, self._seed, self._say = f"sqlite:///{folder / 'class.db'}", seed, say
        self._waiting = Waiting(LOADING)
        self._begun = time.monotonic()
        self._socket = _listen(port)
        self._over = threading.Event()
        self._pages: Pages | None = None
        self.problem: BaseException | None = None
        self.server = _Server(self._waiting, self._stop)

    @property
    def url(self) -> str:
        """Where the page of the study is."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/dashboard/studies/explanations/overview"

    def run(self) -> None:
        """Serve until a signal comes."""
        playing = threading.Thread(target=self._play, name="the class")
        playing.start()
        try:
            self.server.run(sockets=[self._socket])
        finally:
            self._stop()
            playing.join()
            self._socket.close()

    def _stop(self) -> None:
        self._over.set()
        if self._pages is not None:
            self._pages.stopping.say()

    def _play(self) -> None:
        try:
            self._prepare_and_play()
        except BaseException as error:  # said where the command ends
            self.problem = error
            self.server.should_exit = True

    def _prepare_and_play(self) -> None:
        from trueward.serve.app import create_app
        from trueward.serve.demo import classroom
        from trueward.serve.settings import Settings

        self._waiting.words = FIRST_LESSON
        self._say(FIRST_LESSON)
        with classroom.create(self._db, seed=self._seed) as study:
            app = create_app(Settings(db=self._db, open=True))
            self._pages = app.state.dashboard
            coming = classroom.visits(self._seed)
            for number, visit in enumerate(coming):
                classroom.take(study, visit)
                if number == 0:
                    study.explain()
                if number + 1 == FIRST:
                    self._waiting.ready = app
                    self._say(
                        f"The dashboard is there, after {time.monotonic() - self._begun:.1f} s; the class goes on."
                    )
                if self._over.wait(0.0 if number < FIRST else BOT_PACE if visit.is_bot else PACE):
                    break
            else:
                self._end(study)
                self._over.wait()
            app.state.studies.close()

    def _end(self, study: "Study") -> None:
        study.end(reason="the lesson is over")
        self._say("The lesson is over; the dashboard stays until you stop it.")


class _Server(uvicorn.Server):
    """A server that tells others when it is about to stop."""

    def __init__(self, app: Waiting, stop: Callable[[], None]) -> None:
        super().__init__(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=3))
        self._tell = stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop."""
        self._tell()
        super().handle_exit(sig, frame)


def _listen(port: int) -> socket.socket:
    """Return a socket at a port, or at any that is free if that is taken."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(("127.0.0.1", port))
    except OSError:
        taken.bind(("127.0.0.1", 0))
    taken.listen()  # who comes before the server is there waits for it
    return taken


def run_demo(*, port: int, seed: int, browser: bool, say: Say) -> None:
    """Run it in a temporary folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="trueward-demo-") as folder:
        demo = Demo(Path(folder), port=port, seed=seed, say=say)
        say(f"A simulated class rates three ways to explain something; see it at\n\n    {demo.url}\n")
        say("Ctrl-C ends it. The study is in a temporary folder, which goes with it.")
        if browser and _has_screen():
            threading.Timer(0.5, webbrowser.open, [demo.url]).start()
        with suppress(KeyboardInterrupt):
            demo.run()
        if demo.problem is not None:
            raise demo.problem
        say("Ended.")


def _has_screen() -> bool:
    """Return whether a browser would open in a window, and not in this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(v) for v in ("DISPLAY", "WAYLAND_DISPLAY"))
