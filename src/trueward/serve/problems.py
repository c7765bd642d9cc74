"""Errors as RFC 9457 problem+json: one handler turns what went wrong into a status, a sentence, and the field."""

import logging
import re
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from trueward.errors import ConflictError, StorageError, StudyError, TicketError, TruewardError
from trueward.study.log import NO_STUDY

log = logging.getLogger("trueward.serve")
MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: "Bad request",
    401: "No valid key",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Not JSON",
    422: "Not acceptable values",
    429: "Too many",
    500: "Internal error",
    503: "Not available now",
}
STATUSES: dict[type[TruewardError], int] = {ConflictError: 409, StudyError: 409, TicketError: 404, StorageError: 503}
"""The status of an error of the library; 422 for all others."""


class RefusedError(Exception):
    """Something that ends a request, with its status."""

    def __init__(self, status: int, detail: str, *, field: str | None = None, headers: dict[str, str] | None = None):
        super().__init__(detail)
        self.status, self.detail, self.field, self.headers = status, detail, field, headers


def problem(
    status: int,
    detail: str,
    *,
    errors: Sequence[dict[str, str]] = (),
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Return an answer that says what was wrong."""
    body: dict[str, Any] = {"type": "about:blank", "title": TITLES.get(status, "Error"), "status": status}
    body["detail"] = detail
    if errors:
        body["errors"] = list(errors)
    return JSONResponse(body, status, headers=headers, media_type=MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Let every error of an application be answered as a problem."""

    @app.exception_handler(RefusedError)
    def said(_: Request, error: RefusedError) -> JSONResponse:
        errors = [{"field": error.field, "message": error.detail}] if error.field else []
        return problem(error.status, error.detail, errors=errors, headers=error.headers)

    @app.exception_handler(TruewardError)
    def refused(_: Request, error: TruewardError) -> JSONResponse:
        status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 422)
        status = 404 if str(error).startswith(NO_STUDY) else status
        named = re.match(r"([a-z_]+) (?:must|needs)\b", str(error))
        errors = [{"field": named[1], "message": str(error)}] if named and status == 422 else []
        if status == 503:  # where the database is, and what it said, is for the log alone
            log.error("%s", error)
            return problem(status, "the database does not serve now: try again", headers={"Retry-After": "1"})
        return problem(status, str(error), errors=errors)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        errors = [{"field": _field(each["loc"]), "message": str(each["msg"])} for each in error.errors()]
        return problem(422, "; ".join(f"{each['field']}: {each['message']}" for each in errors), errors=errors)

    @app.exception_handler(HTTPException)
    def other(_: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), headers=dict(error.headers or {}))


def _field(where: Sequence[int | str]) -> str:
    """Return the name of a field, as in rows.3.arm; without the part of the request that it is in."""
    inside = where[1:] if where and where[0] in ("body", "query", "path", "header") else where
    return ".".join(map(str, inside)) or "body"
