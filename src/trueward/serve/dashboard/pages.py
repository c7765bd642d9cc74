"""The pages of a study: each looks at it, computes a view and shows it."""

import tempfile
import zipfile
from io import BytesIO
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from trueward.analysis.analyse import Analysis
from trueward.analysis.sensitivity import over_time
from trueward.errors import TruewardError
from trueward.serve import keys
from trueward.serve.dashboard.charts.break_even import data_break_even, draw_break_even
from trueward.serve.dashboard.charts.over_time import data_allocation, draw_allocation, draw_estimates
from trueward.serve.dashboard.charts.parts import Rows, Spec, data_marks
from trueward.serve.dashboard.charts.timeline import data_groups, data_timeline, draw_timeline, one_in
from trueward.serve.dashboard.desk import Pages, ThePages, Viewer
from trueward.serve.dashboard.rendering import ROOT, address, page
from trueward.serve.dashboard.views import what_if
from trueward.serve.dashboard.views.bursts import bursts_of
from trueward.serve.dashboard.views.log import STATUSES, Filter, entry_of, history_of, log_of
from trueward.serve.dashboard.views.look import Look
from trueward.serve.dashboard.views.overview import SHARES, board_of, verdict_of
from trueward.serve.dashboard.views.raters import FLAGS, preview_page, raters_of
from trueward.serve.dashboard.views.settings import keys_of, settings_of

router = APIRouter()
MOMENTS = 20  # of the estimates over time
FIRST_RATERS = 12  # shown in any case, flagged or not
AllOfThem = Annotated[bool, Query(alias="all")]
ASSUMED = 0.1  # share of bad participants, where none is chosen


@router.get("/")
def studies(request: Request, pages: ThePages, _: Viewer) -> HTMLResponse:
    """Show the studies there are."""
    listed = sorted(pages.studies.list(), key=lambda each: each.created_at, reverse=True)
    return page(request, "studies.html", studies=listed)


@router.get("/studies/{name:path}/overview")
def overview(
    request: Request, name: str, pages: ThePages, _: Viewer, epsilon: Annotated[float, Query(ge=0, lt=0.5)] = ASSUMED
) -> HTMLResponse:
    """Show who is ahead, the leaderboard, and how it came about."""
    look = pages.look(name)
    analysis, problem = pages.analysis(look, epsilon)
    marks = data_marks(look)
    arms = [arm.name for arm in look.arms]
    allocation = draw_allocation(data_allocation(look), marks, arms) if look.table.height else None
    return page(
        request,
        "overview.html",
        **about(look, "overview"),
        verdict=verdict_of(analysis, problem),
        board=board_of(look, analysis),
        epsilon=epsilon,
        shares=sorted({*SHARES, epsilon}),
        allocation=allocation,
        estimates=_estimates(pages, look, epsilon, marks, analysis) if analysis else None,
        two=_two(analysis) if analysis else (),
    )


def _two(analysis: Analysis) -> tuple[str, str]:
    """Return the arms that the verdict is about."""
    return analysis.break_even.leader, analysis.break_even.rival


def _estimates(pages: Pages, look: Look, epsilon: float, marks: Rows, analysis: Analysis) -> Spec | None:
    decisions, banded = analysis.decisions, _two(analysis)

    def compute() -> Spec | None:
        try:
            course = over_time(decisions, epsilon=epsilon, moments=MOMENTS)
        except TruewardError:
            return None
        return draw_estimates(course, marks, banded)

    spec: Spec | None = pages.slow(look, "over time", compute, epsilon)
    return spec


@router.get("/studies/{name:path}/bursts")
def bursts(request: Request, name: str, pages: ThePages, _: Viewer) -> HTMLResponse:
    """Show which ratings the policy leaves out, and why."""
    look = pages.look(name)
    found = bursts_of(look)
    timeline = None
    if found.points:
        timeline = draw_timeline(data_timeline(found), data_groups(found), look.scale)
    return page(
        request, "bursts.html", **about(look, "bursts"), bursts=found, timeline=timeline, drawn_of=one_in(found)
    )


@router.get("/studies/{name:path}/raters")
def raters(
    request: Request, name: str, pages: ThePages, _: Viewer, *, arms: bool = False, everybody: AllOfThem = False
) -> HTMLResponse:
    """Show the raters; what their ratings do to the lead without its sign, unless arms are to be shown."""
    look = pages.look(name)
    analysis, problem = pages.analysis(look, ASSUMED)
    found = raters_of(look, analysis)
    shown = len(found.rows) if everybody else max(FIRST_RATERS, sum(bool(row.flags) for row in found.rows))
    values: dict[str, Any] = {"raters": found, "flags": FLAGS, "blind": not arms, "problem": problem, "shown": shown}
    return page(request, "raters.html", **about(look, "raters"), **values)


@router.get("/studies/{name:path}/void")
def void_form(
    request: Request,
    name: str,
    pages: ThePages,
    _: Viewer,
    *,
    rater: str | None = None,
    number: Annotated[list[int] | None, Query()] = None,
    arms: bool = False,
) -> HTMLResponse:
    """Show what a void would change, and ask for the reason."""
    return show_void(request, pages, name, rater=rater, number=number, arms=arms)


def show_void(
    request: Request,
    pages: Pages,
    name: str,
    *,
    rater: str | None,
    number: list[int] | None,
    arms: bool,
    reason: str = "",
    problem: str = "",
) -> HTMLResponse:
    """Show the form for a void, with what was filled in before."""
    look = pages.look(name)
    which: dict[str, Any] = {"pseudonym": rater} if rater else {"number": number}
    preview = pages.studies[name].preview_void(**which)
    values: dict[str, Any] = {
        "preview": preview_page(look, preview, blind=not arms),
        "rater": rater,
        "numbers": number or [],
    }
    status = 400 if problem else 200
    head = about(look, "raters" if rater else "log")
    return page(request, "void.html", status=status, **head, **values, reason=reason, problem=problem)


@router.get("/studies/{name:path}/log")
def log(
    request: Request,
    name: str,
    pages: ThePages,
    _: Viewer,
    *,
    status: str = "",
    arm: str = "",
    participant: str = "",
    aside: bool = False,
    before: int | None = None,
) -> HTMLResponse:
    """Show the decisions that match."""
    look = pages.look(name)
    chosen = Filter(status, arm, participant, aside, before)
    values: dict[str, Any] = {
        "log": log_of(look, chosen),
        "filter": chosen,
        "statuses": STATUSES,
        "history": history_of(look),
    }
    return page(request, "log.html", **about(look, "log"), **values)


@router.get("/studies/{name:path}/amend")
def amend_form(request: Request, name: str, pages: ThePages, _: Viewer, number: int) -> HTMLResponse:
    """Ask for the rating that it should have been."""
    return show_amend(request, pages, name, number)


def show_amend(
    request: Request, pages: Pages, name: str, number: int, *, value: str = "", reason: str = "", problem: str = ""
) -> HTMLResponse:
    """Show the form for another rating, with what was filled in before."""
    look = pages.look(name)
    entry = entry_of(look, number)
    if entry is None:
        raise TruewardError(f"there is no decision {number}")
    values: dict[str, Any] = {"entry": entry, "value": value, "reason": reason, "problem": problem}
    return page(request, "amend.html", status=400 if problem else 200, **about(look, "log"), **values)


@router.get("/studies/{name:path}/what-if")
def what_if_page(request: Request, name: str, pages: ThePages, _: Viewer) -> HTMLResponse:
    """Show who wins if more are bad, and what other policies make of the same ratings."""
    look = pages.look(name)
    analysis, problem = pages.analysis(look, ASSUMED)
    if analysis is None:
        return page(request, "what_if.html", **about(look, "what-if"), problem=problem)
    decisions, study, even = analysis.decisions, pages.studies[name], analysis.break_even
    course = pages.slow(look, "against epsilon", lambda: what_if.course_of(decisions))
    return page(
        request,
        "what_if.html",
        **about(look, "what-if"),
        problem="",
        spec=draw_break_even(data_break_even(course, even.leader), course, even.leader, even.share),
        winners=pages.slow(look, "winners", lambda: what_if.winners(decisions)),
        even=even,
        shadows=pages.slow(look, "shadows", lambda: what_if.shadows(study, look, decisions.scale)),
    )


@router.get("/studies/{name:path}/settings")
def settings(request: Request, name: str, pages: ThePages, _: Viewer) -> HTMLResponse:
    """Show arms, state, keys, and what was laid down in the beginning."""
    look = pages.look(name)
    with pages.database.read() as connection:
        found = keys_of(keys.list_keys(connection), name)
    values: dict[str, Any] = {"settings": settings_of(look), "keys": found, "scopes": keys.SCOPES}
    return page(request, "settings.html", **about(look, "settings"), **values)


@router.get("/studies/{name:path}/export.zip")
def export(name: str, pages: ThePages, _: Viewer) -> Response:
    """Return the log, the decisions and a codebook."""
    packed = BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in pages.studies[name].export(folder):
            archive.write(file, file.name)
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
    headers = {"Content-Disposition": f'attachment; filename="{plain}.zip"'}
    return Response(packed.getvalue(), media_type="application/zip", headers=headers)


@router.get("/studies/{name:path}")
def study(name: str, _: Viewer) -> RedirectResponse:
    """Lead to the first page of a study."""
    return RedirectResponse(address(name) if name else f"{ROOT}/", 307)


def about(look: Look, here: str) -> dict[str, Any]:
    """Return what the head of every page of a study shows."""
    flagged = len(look.aside)
    return {"look": look, "here": here, "flagged": flagged}
