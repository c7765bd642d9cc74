"""Requests that are sent until they are answered: by its name the service knows one that comes again."""

import http.client
import json
import threading
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

from trueward.errors import ConflictError, ParameterError, StorageError, StudyError, TicketError, TruewardError

ERRORS: dict[int, type[TruewardError]] = {404: TicketError, 409: ConflictError, 422: ParameterError, 503: StorageError}
"""What an answer raises, by its status; `StudyError` for all others."""
PAUSES = (0.1, 0.3, 1.0, 3.0, 5.0, 10.0)  # seconds between attempts
AGAIN = (429, 502, 503, 504)  # answers after which to try again


class Transport:
    """Connections to a service, one per thread; goes on trying for `patience` seconds."""

    def __init__(self, url: str, key: str, patience: float, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(f"url must be such as https://study.example.org, got {url!r}")
        self.key = key
        self._patience, self._timeout = patience, timeout
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._base = parts.netloc, parts.path.rstrip("/")
        self._mine = threading.local()

    def call(self, method: str, path: str, body: Any = None) -> bytes:
        """Return the answer to a request, which has the same name at every attempt; or raise what was said."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        try:
            content = None if body is None else json.dumps(body, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"what is sent must be such as JSON can hold: {error}") from None
        until, pauses = time.monotonic() + self._patience, iter(PAUSES)
        while True:
            status, answer, wait = self._once(method, self._base + path, content, headers)
            if status < 300:
                return answer
            pause = max(wait, next(pauses, PAUSES[-1]))
            if status not in AGAIN or time.monotonic() + pause > until:
                raise _error(status, answer)
            time.sleep(pause)

    def _once(self, method: str, path: str, content: str | None, headers: dict[str, str]) -> tuple[int, bytes, float]:
        """Return the status, the answer and how long to wait; 502 where nobody answered."""
        try:
            connection = getattr(self._mine, "connection", None) or self._connect(self._host, timeout=self._timeout)
            self._mine.connection = connection
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            wait = answer.headers.get("Retry-After", "0")
            return answer.status, answer.read(), float(wait) if wait.isdigit() else 0.0
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return 502, json.dumps({"detail": f"nobody answers at {self._host}: {error!r}"}).encode(), 0.0

    def close(self) -> None:
        """Close the connection of this thread; another is made when it is needed."""
        connection = getattr(self._mine, "connection", None)
        if connection is not None:
            connection.close()
            self._mine.connection = None


def _error(status: int, answer: bytes) -> TruewardError:
    """Return the error that says what the service said."""
    try:
        said = json.loads(answer)
        words, fields = str(said["detail"]), [error["field"] for error in said.get("errors", [])]
    except (ValueError, LookupError, TypeError):
        words, fields = f"the service answered {status}", []
    if status in (502, 504):
        return StorageError(words)
    return StudyError(words) if status == 404 and "study" in fields else ERRORS.get(status, StudyError)(words)
