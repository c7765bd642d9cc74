"""The dashboard as an application of its own, below /dashboard: its errors are pages, its answers are guarded."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from trueward.errors import StorageError, TruewardError
from trueward.serve.dashboard import actions, live, pages, signing_in, starting, static
from trueward.serve.dashboard.desk import NotAllowed, NotSignedIn, Pages
from trueward.serve.dashboard.guarding import Guard
from trueward.serve.dashboard.rendering import ROOT, page
from trueward.serve.settings import Settings
from trueward.serve.studies import Studies

WORDS = {404: "There is no such page.", 405: "That cannot be done here.", 413: "That is too much at once."}


def add_dashboard(app: FastAPI, settings: Settings, studies: Studies) -> None:
    """Put the dashboard below /dashboard, and the way there at the root."""
    mounted = create_dashboard(settings, studies)
    app.mount(ROOT, mounted)
    app.state.dashboard = mounted.state.pages

    @app.get("/", include_in_schema=False)
    def root() -> RedirectResponse:
        return RedirectResponse(f"{ROOT}/", 307)


def create_dashboard(settings: Settings, studies: Studies) -> FastAPI:
    """Return the dashboard of a database's studies."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.state.pages = Pages(settings, studies)
    for part in (static, signing_in, starting, live, actions, pages):
        app.include_router(part.router)
    app.add_middleware(Guard)
    _add_handlers(app)
    return app


def _add_handlers(app: FastAPI) -> None:
    """Answer errors with pages for people."""

    def trouble(request: Request, status: int, words: str) -> HTMLResponse:
        return page(request, "trouble.html", status=status, words=words)

    @app.exception_handler(NotSignedIn)
    def not_signed_in(request: Request, _: NotSignedIn) -> Response:
        if request.method == "GET" and "text/event-stream" not in request.headers.get("accept", ""):
            return RedirectResponse(f"{ROOT}/sign-in", 303)
        return trouble(request, 401, "You are not signed in, or not any more.")

    @app.exception_handler(NotAllowed)
    def not_allowed(request: Request, _: NotAllowed) -> HTMLResponse:
        return trouble(request, 403, "You may look at everything here, but only an editor may change it.")

    @app.exception_handler(TruewardError)
    def refused(request: Request, error: TruewardError) -> HTMLResponse:
        words = str(error)
        status = 503 if isinstance(error, StorageError) else 404 if words.startswith("there is no study") else 400
        return trouble(request, status, f"{words[:1].upper()}{words[1:]}.")

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> HTMLResponse:
        fields = ", ".join(str(each["loc"][-1]) for each in error.errors())
        return trouble(request, 400, f"Something is missing or not as it should be: {fields}.")

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> HTMLResponse:
        return trouble(request, error.status_code, WORDS.get(error.status_code, str(error.detail)))

    @app.exception_handler(Exception)
    def broken(request: Request, _: Exception) -> HTMLResponse:
        return trouble(
            request, 500, "Something went wrong here. Nothing was changed; the log of the service says what."
        )
