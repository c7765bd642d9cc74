"""When the service is told to stop: live streams end at once, and what was accepted is still answered.

A server waits for all answers that are under way, and a stream is one that would go on for a minute. The signal is the
first that a process hears of it; the application is told only after the last answer.
"""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """Whether the service is about to stop; said from any thread, and waited for by streams."""

    def __init__(self) -> None:
        self.said = False
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def say(self) -> None:
        """Let all who wait go on."""
        self.said = True
        for loop, woken in tuple(self._waiting):
            with suppress(RuntimeError):  # a loop that is closed has nobody who waits
                loop.call_soon_threadsafe(woken.set)

    async def within(self, seconds: float) -> bool:
        """Wait for so long, or until it is said; return whether it was."""
        me = asyncio.get_running_loop(), asyncio.Event()
        self._waiting.add(me)
        try:
            if not self.said:
                with suppress(TimeoutError):
                    await asyncio.wait_for(me[1].wait(), seconds)
        finally:
            self._waiting.discard(me)
        return self.said

    @contextmanager
    def at_signals(self) -> Iterator[None]:
        """Say it when a signal tells this process to stop, before whoever was told before is told."""
        if threading.current_thread() is not threading.main_thread():  # there are no signals elsewhere
            yield
            return
        before = {number: signal.getsignal(number) for number in SIGNALS}

        def tell(number: int, frame: FrameType | None) -> None:
            self.say()
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        for number in SIGNALS:
            signal.signal(number, tell)
        try:
            yield
        finally:
            for number, handler in before.items():
                if signal.getsignal(number) is tell:
                    signal.signal(number, handler)
