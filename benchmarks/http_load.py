"""Load over HTTP from many concurrent participants, on 127.0.0.1 only: each asks, rates, and retries if necessary.

One asyncio thread that does as little as possible, so that the service is what is measured.
"""

import asyncio
import itertools
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

PAUSE = 0.05  # seconds before a retry
NO_RETRY = (409, 422, 401, 403, 404)  # status codes after which a retry is useless


@dataclass
class Outcome:
    """The acknowledged requests, and how long they took."""

    ratings: dict[int, float] = field(default_factory=dict)  # by decision
    seconds: list[float] = field(default_factory=list)  # of each answered request, retries included
    again: int = 0  # attempts that were not answered
    refused: list[tuple[int, bytes]] = field(default_factory=list)
    duration: float = 0.0

    @property
    def per_second(self) -> float:
        """Requests that were answered, per second."""
        return len(self.seconds) / self.duration

    def quantile(self, share: float) -> float:
        """Return the time in milliseconds within which a share of the requests was answered."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class Connection:
    """A persistent connection that reconnects when it is lost."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, body: dict[str, Any], called: str | None = None) -> tuple[int, bytes]:
        """Return status and body; raise if there is no answer."""
        content = json.dumps(body).encode()
        named = f"Idempotency-Key: {called}\r\n" if called else ""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._key}\r\n{named}"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        try:
            return await asyncio.wait_for(self._send(head.encode() + content), 30)
        except BaseException:
            self.close()
            raise

    async def _send(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        return int(head[9:12]), await reader.readexactly(length)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _visit(connection: Connection, paths: tuple[str, str], number: int, outcome: Outcome, run: str) -> None:
    """Act as one participant: ask, and rate the arm."""
    status, answer = await _until_answered(connection, "POST", paths[0], {"participant": f"{run} {number}"}, outcome)
    if status >= 300:
        return
    decision, value = json.loads(answer)["number"], 1.0 + number % 5
    path = f"{paths[1]}/{decision}/reward"
    status, _ = await _until_answered(connection, "PUT", path, {"value": value}, outcome)
    if status < 300:
        outcome.ratings[decision] = value


async def _until_answered(
    connection: Connection, method: str, path: str, body: dict[str, Any], outcome: Outcome
) -> tuple[int, bytes]:
    begun, called = time.perf_counter(), str(uuid.uuid4()) if method == "POST" else None
    while True:
        try:
            status, answer = await connection.call(method, path, body, called)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            status, answer = 0, b""
        if 0 < status < 300:
            outcome.seconds.append(time.perf_counter() - begun)
            return status, answer
        if status in NO_RETRY:
            outcome.refused.append((status, answer))
            return status, answer
        outcome.again += 1
        await asyncio.sleep(PAUSE)


async def _play(port: int, key: str, paths: tuple[str, str], seconds: float, clients: int, run: str) -> Outcome:
    outcome, numbers = Outcome(), itertools.count()
    until = time.perf_counter() + seconds

    async def client() -> None:
        connection = Connection(port, key)
        while time.perf_counter() < until:
            await _visit(connection, paths, next(numbers), outcome, run)
        connection.close()

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    outcome.duration = time.perf_counter() - begun
    return outcome


def play(
    port: int, key: str, study: str, *, seconds: float, clients: int, run: str = "p", floor: bool = False
) -> Outcome:
    """Run this many concurrent clients for some seconds, and wait until all requests are answered."""
    base = f"/floor/{study}/decisions" if floor else f"/v1/studies/{study}/decisions"
    return asyncio.run(_play(port, key, (base, base), seconds, clients, run))
