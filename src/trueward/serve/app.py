"""The application: the routes, in front of the studies of one database.

create_app(Settings(db="sqlite:///ratings.db"))         # or: trueward serve --db sqlite:///ratings.db
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

import trueward
from trueward.serve import health
from trueward.serve.problems import add_handlers
from trueward.serve.settings import Settings
from trueward.serve.studies import Studies


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application; by default with what the environment says."""
    settings = settings or Settings.from_environment()
    app = FastAPI(title="trueward", version=trueward.__version__, lifespan=_lifespan, docs_url=None, redoc_url=None)
    app.state.settings = settings
    app.state.studies = Studies(settings.db)
    add_handlers(app)
    app.include_router(health.router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Close the studies in the end, after they have served all that was accepted."""
    yield
    await run_in_threadpool(app.state.studies.close)
