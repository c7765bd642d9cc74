"""Pages from templates; whatever is put into them is escaped."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from trueward.reporting.html_page import template_environment
from trueward.reporting.labels import count
from trueward.serve.dashboard.saying import said
from trueward.serve.dashboard.views.look import when

STATIC = Path(__file__).parent / "static"
ROOT = "/dashboard"


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page, with what was to be said since the last one."""
    person = getattr(request.state, "person", None)
    heard = said(request)
    text = _environment().get_template(template).render(person=person, said=heard, root=ROOT, **values)
    answer = HTMLResponse(text, status)
    if heard is not None:
        answer.delete_cookie("trueward-says", path=ROOT)
    return answer


def address(study: str, part: str = "overview") -> str:
    """Return where a page of a study is."""
    return f"{ROOT}/studies/{quote(study, safe='')}/{part}"


@cache
def _environment() -> Environment:
    environment = template_environment("trueward.serve.dashboard")
    environment.filters |= {"number": number, "percent": percent, "count": count, "when": when, "signed": signed}
    environment.globals |= {"address": address, "version": _version()}
    return environment


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for people; a dash for what is not known."""
    return "–" if value is None else f"{value:,.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a change with its sign."""
    return "–" if value is None else f"{value:+,.{digits}f}".replace("-", "−")


def percent(value: float | None, digits: int = 0) -> str:
    """Return a share in percent."""
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def _version() -> str:
    """Return what changes with the files that pages load: browsers keep these."""
    digest = hashlib.sha256()
    for file in sorted(STATIC.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]
