"""The application: the routes, in front of the studies of one database.

create_app(Settings(db="sqlite:///ratings.db"))         # or: trueward serve --db sqlite:///ratings.db
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

import trueward
from trueward.errors import ParameterError
from trueward.serve import health, metrics, static
from trueward.serve.dashboard.app import add_dashboard
from trueward.serve.door import Door, Origins
from trueward.serve.models.answers import Problem
from trueward.serve.problems import add_handlers
from trueward.serve.routes import correcting, deciding, reading, studies
from trueward.serve.settings import Settings
from trueward.serve.studies import Studies
from trueward.serve.tokens import Tokens, secrets_of
from trueward.study.lane import MOST

ABOUT = (
    "Which arm to show, and what people said to it. Keys: `Authorization: Bearer tw_sk_…`. Every POST may carry an "
    "`Idempotency-Key`, and be sent again. Errors are RFC 9457 problem+json."
)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application; by default with what the environment says."""
    settings = settings or Settings.from_environment()
    if not settings.db:
        raise ParameterError("db must be the address of a database, as in sqlite:///ratings.db: see TRUEWARD_DB")
    app = FastAPI(
        title="trueward",
        description=ABOUT,
        version=trueward.__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.studies = Studies(settings.db)
    app.state.tokens = Tokens(_signing_secrets(settings, app.state.studies), settings.token_seconds)
    add_handlers(app)
    for part in (health, metrics, static, studies, deciding, correcting, reading):
        app.include_router(part.router)
    add_dashboard(app, settings, app.state.studies)
    app.add_middleware(Origins, settings=settings, studies=app.state.studies)
    app.add_middleware(Door, settings=settings)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign] # as FastAPI's documentation has it
    return app


def _signing_secrets(settings: Settings, studies: Studies) -> tuple[str, ...]:
    if settings.signing_secrets:
        return settings.signing_secrets
    with studies.database.write() as connection:
        return secrets_of(connection)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Let as many wait as a lane takes at once; close the studies after they have served all that was accepted."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = MOST
    metrics.forget_the_dead()
    with app.state.dashboard.stopping.at_signals():
        yield
    await run_in_threadpool(app.state.studies.close)


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description, with the key and the problem that FastAPI does not know of."""
    if app.openapi_schema is None:
        schema = FastAPI.openapi(app)
        parts = schema.setdefault("components", {})
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        known = parts.setdefault("schemas", {})
        model = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        known |= model.pop("$defs", {}) | {Problem.__name__: model}
        for unused in ("HTTPValidationError", "ValidationError"):
            known.pop(unused, None)
        for path, methods in schema["paths"].items():
            for described in methods.values():
                _complete(path, described)
    return app.openapi_schema or {}


def _complete(path: str, described: dict[str, Any]) -> None:
    """Say which operations need a key, and which may be called something."""
    if path.startswith("/v1/") or path == "/metrics":
        described["security"] = [{"key": []}]
    if "requestBody" in described and "409" in described["responses"]:
        described.setdefault("parameters", []).append(IDEMPOTENCY)


IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "what this request is called: the same again is done once, and answered the same",
    "schema": {"type": "string", "minLength": 16, "maxLength": 200, "pattern": "^[!-~]+$"},
}
