"""Signing in by a link that works once: opening it shows a button, and only the button uses it up.

Programs that fetch links to show a preview of them do not press buttons.
"""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from trueward.serve.dashboard import people
from trueward.serve.dashboard.desk import COOKIE, ThePages, Viewer
from trueward.serve.dashboard.rendering import ROOT, page

router = APIRouter()
LOCAL = ("127.0.0.1", "localhost", "::1")


@router.get("/sign-in")
def how(request: Request) -> HTMLResponse:
    """Say how to sign in."""
    return page(request, "sign_in.html", whose=None, works=True)


@router.get("/sign-in/{held}")
def offer(request: Request, held: str, pages: ThePages) -> HTMLResponse:
    """Show the button; nothing is used up."""
    whose = people.link_holder(pages.database, held)
    return page(request, "sign_in.html", status=200 if whose else 410, whose=whose, works=whose is not None)


@router.post("/sign-in/{held}")
def use(request: Request, held: str, pages: ThePages) -> Response:
    """Use the link up, and sign in."""
    cookie = people.sign_in(pages.database, held)
    if cookie is None:
        return page(request, "sign_in.html", status=410, whose=None, works=False)
    going = RedirectResponse(f"{ROOT}/", 303)
    secure = request.url.scheme == "https" or request.url.hostname not in LOCAL
    seconds = int(people.STAYS.total_seconds())
    going.set_cookie(COOKIE, cookie, max_age=seconds, path=ROOT, httponly=True, secure=secure, samesite="lax")
    return going


@router.post("/sign-out")
def leave(request: Request, pages: ThePages, _: Viewer) -> RedirectResponse:
    """Sign out."""
    if cookie := request.cookies.get(COOKIE):
        people.sign_out(pages.database, cookie)
    going = RedirectResponse(f"{ROOT}/sign-in", 303)
    going.delete_cookie(COOKIE, path=ROOT)
    return going
