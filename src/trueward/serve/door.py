"""The door: what is looked at before a request is read, and what is written down of it afterwards.

Host is one of a list, since a page of another host could have its own name point at this one. What is sent to the API
is JSON, which a page of another origin cannot send without asking first, and not too large. The log has a line of JSON
per request, with the route and not the path, so that neither ids nor ratings are in it.
"""

import json
import logging
import math
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.cors import ALL_METHODS, CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trueward.errors import StorageError
from trueward.serve import keys
from trueward.serve.metrics import SECONDS
from trueward.serve.problems import problem
from trueward.serve.settings import Settings
from trueward.serve.studies import Studies

log = logging.getLogger("trueward.serve")
UNSAFE = ("POST", "PUT", "PATCH")
UNKNOWN = "(none)"
KNOWN_FOR, UNKNOWN_FOR = 5.0, 0.25  # seconds after which the origins of keys are read again: a new key works at once


class Door:
    """Lets requests in, or says why not; counts, times and logs them."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit(scope, send)
        scope.setdefault("state", {})
        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        try:
            await (refusal or self._app)(scope, _limited(receive, self._settings.body_limit), visit.send)
        except Exception as error:
            await visit.fail(error, receive)
        visit.write_down()

    def _refusal(self, method: str, path: str, headers: Headers) -> ASGIApp | None:
        hosts, length = headers.getlist("host"), headers.get("content-length", "")
        host = hosts[0] if len(hosts) == 1 else ""  # of two, this and a proxy might each believe another
        if host.lower() not in self._settings.all_hosts and _name(host) not in self._settings.all_hosts:
            return problem(400, "this host is not served here: name it in TRUEWARD_HOSTS")
        if length.isdigit() and int(length) > self._settings.body_limit:
            return problem(
                413, f"a request may have {self._settings.body_limit} bytes", headers={"Connection": "close"}
            )
        if method in UNSAFE and path.startswith("/v1/") and not _is_json(headers.get("content-type", "")):
            return problem(415, "Content-Type must be application/json")
        return None


class Visit:
    """One request, from its beginning to its answer."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send = scope, send
        self._begun, self._status = time.perf_counter(), 0
        self._error: str | None = None

    async def send(self, message: Message) -> None:
        """Pass an answer on."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = [*message["headers"], (b"x-content-type-options", b"nosniff")]
        await self._send(message)

    async def fail(self, error: Exception, receive: Receive) -> None:
        """Answer when something went wrong that nobody expected; the log has where, and not what was said."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        self._error = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        if not self._status:
            await problem(500, "something went wrong here; the log says where")(self._scope, receive, self.send)

    def write_down(self) -> None:
        """Count, time and log the request."""
        seconds = time.perf_counter() - self._begun
        route = getattr(self._scope.get("route"), "path", UNKNOWN)
        method = self._scope["method"] if self._scope["method"] in ALL_METHODS else UNKNOWN  # anybody can invent one
        SECONDS.labels(method, route, self._status).observe(seconds)
        key = self._scope["state"].get("key")
        line: dict[str, Any] = {"method": method, "route": route, "status": self._status}
        line |= {"ms": round(1000 * seconds, 2), "key": getattr(key, "id", None)}
        log.log(logging.ERROR if self._error else logging.INFO, "request", extra={"line": line | _said(self._error)})


def _said(error: str | None) -> dict[str, str]:
    return {} if error is None else {"error": error}


def _name(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


def _limited(receive: Receive, most: int) -> Receive:
    """Return the parts of a body, as long as they are not too many, whatever its head says."""
    taken = 0

    async def some() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, f"a request may have {most} bytes", headers={"Connection": "close"})
        return message

    return some


class Origins(CORSMiddleware):
    """CORS without credentials, for the pages that the settings or any browser key name."""

    def __init__(self, app: ASGIApp, settings: Settings, studies: Studies) -> None:
        headers = ["Authorization", "Content-Type", "Idempotency-Key"]
        super().__init__(app, allow_methods=["GET", "POST", "PUT"], allow_headers=headers)
        self._listed, self._studies = settings.origins, studies
        self._known: frozenset[str] = frozenset()
        self._looked = -math.inf

    def is_allowed_origin(self, origin: str) -> bool:
        """Return whether a page may call; the keys are looked at again after a while, sooner for who is not known."""
        if origin in self._listed:
            return True
        patience = KNOWN_FOR if origin.lower() in self._known else UNKNOWN_FOR
        if time.monotonic() >= self._looked + patience:
            self._look()
        return origin.lower() in self._known

    def _look(self) -> None:
        try:
            with self._studies.database.read() as connection:
                self._known = keys.origins_of_all(connection)
        except StorageError:
            return
        self._looked = time.monotonic()


class Lines(logging.Formatter):
    """Log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": record.levelname.lower()}
        said = getattr(record, "line", None)
        return json.dumps(line | ({"message": record.getMessage()} if said is None else said))
