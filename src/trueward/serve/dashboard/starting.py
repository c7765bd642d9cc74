"""A new study: a form, what it would be, and its creation."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from trueward.errors import ParameterError, TruewardError
from trueward.parameters import check_number
from trueward.policies.wary.wary import Wary
from trueward.serve.dashboard.actions import sentence
from trueward.serve.dashboard.desk import Editor, ThePages
from trueward.serve.dashboard.rendering import address, page
from trueward.serve.dashboard.saying import go_and_say
from trueward.serve.dashboard.views.settings import duration
from trueward.study.opening import Listed
from trueward.study.settings import Settings, new_name, settings_of

router = APIRouter()
MOST, MOST_PLAYED = 10**6, 20_000  # participants, or ratings of each; and those whom a plan plays


@dataclass(frozen=True)
class Wanted:
    """What was filled in, as text; nothing of it is lost when something is wrong."""

    name: str = ""
    arms: str = ""  # one per line
    low: str = "1"
    high: str = "5"
    participants: str = "200"
    ratings: str = "1"  # of each participant
    share: str = "10"  # drawn uniformly, in percent
    careless: str = "10"  # participants who may be, in percent
    difference: str = ""  # the smallest that matters
    window: str = "48h"
    rules: str = ""  # one per line

    def lines(self, text: str) -> list[str]:
        """Return what stands on the lines of a text."""
        return [line.strip() for line in text.splitlines() if line.strip()]

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `Study.create`, or say what is wrong."""
        names = self.lines(self.arms)
        if len(names) < 2:
            raise ParameterError("arms must be two at least, one per line")
        if len(set(names)) < len(names):
            raise ParameterError("arms must be different from each other")
        new_name(self.name.strip())
        return {
            "arms": names,
            "policy": Wary((_number("the lowest rating", self.low), _number("the highest rating", self.high))),
            "horizon": self.people() * _whole("ratings of each participant", self.ratings),
            "uniform_share": _number("the share drawn uniformly", self.share) / 100,
            "window": self.window.strip() or None,
            "rules": self.lines(self.rules),
        }

    def planned(self) -> dict[str, Any] | None:
        """Return what a plan is asked, if the difference that matters is known."""
        who = "who may be careless, in percent,"
        careless = check_number(who, _number(who, self.careless), at_least=0, at_most=99)
        if not self.difference.strip():
            return None
        if self.people() > MOST_PLAYED:
            raise ParameterError(f"participants must be at most {MOST_PLAYED:,} to be played; or ask for no difference")
        return {
            "scale": [_number("the lowest rating", self.low), _number("the highest rating", self.high)],
            "arms": self.lines(self.arms),
            "difference": _number("the smallest difference that matters", self.difference),
            "participants": self.people(),
            "careless": careless / 100,
            "uniform_share": _number("the share drawn uniformly", self.share) / 100,
        }

    def people(self) -> int:
        """Return how many participants are planned."""
        return _whole("participants", self.participants)


def _number(what: str, text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ParameterError(f"{what} must be a number, got {text!r}") from None


def _whole(what: str, text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= MOST:
        raise ParameterError(f"{what} must be a whole number from 1 to {MOST:,}, got {text!r}")
    return int(text)


def wanted(
    name: Annotated[str, Form()] = "",
    arms: Annotated[str, Form()] = "",
    low: Annotated[str, Form()] = "",
    high: Annotated[str, Form()] = "",
    participants: Annotated[str, Form()] = "",
    ratings: Annotated[str, Form()] = "",
    share: Annotated[str, Form()] = "",
    careless: Annotated[str, Form()] = "",
    difference: Annotated[str, Form()] = "",
    window: Annotated[str, Form()] = "",
    rules: Annotated[str, Form()] = "",
) -> Wanted:
    """Return what was filled in."""
    return Wanted(name, arms, low, high, participants, ratings, share, careless, difference, window, rules)


TheWanted = Annotated[Wanted, Depends(wanted)]


@router.get("/new")
def form(request: Request, _: Editor) -> HTMLResponse:
    """Show an empty form."""
    return _form(request, Wanted())


def _form(request: Request, wanted: Wanted, problem: str = "") -> HTMLResponse:
    return page(request, "new.html", status=400 if problem else 200, wanted=wanted, problem=problem)


@router.post("/new/plan")
def plan(request: Request, pages: ThePages, _: Editor, wanted: TheWanted) -> HTMLResponse:
    """Show what the study would be, before it is."""
    try:
        settings, asked = settings_of(**wanted.chosen()), wanted.planned()
        _refuse_taken(pages.studies.list(), wanted.name.strip())
    except TruewardError as error:
        return _form(request, wanted, sentence(error))
    key = pages.plans.begin(**asked) if asked else None
    told = pages.plans.told(key) if key else None
    return page(request, "plan.html", wanted=wanted, facts=facts(settings, wanted), key=key, told=told)


@router.get("/new/power/{key}")
def power(request: Request, key: str, pages: ThePages, _: Editor) -> HTMLResponse:
    """Show how far a plan is."""
    told = pages.plans.told(key)
    if told is None:
        raise HTTPException(404)
    return page(request, "power.html", key=key, told=told)


@router.post("/new/back")
def back(request: Request, _: Editor, wanted: TheWanted) -> HTMLResponse:
    """Show the form again, to be changed."""
    return _form(request, wanted)


@router.post("/new/create")
def create(request: Request, pages: ThePages, person: Editor, wanted: TheWanted) -> Response:
    """Create the study."""
    name = wanted.name.strip()
    try:
        pages.studies.create(name, **wanted.chosen(), actor=person.name)
    except TruewardError as error:
        return _form(request, wanted, sentence(error))
    return go_and_say(
        address(name, "settings"), "The study is there. Make a key for your application, below, and it can begin."
    )


def _refuse_taken(known: tuple[Listed, ...], name: str) -> None:
    if any(each.name == name for each in known):
        raise ParameterError(f"name must be new: there is a study {name!r} already")


def facts(settings: Settings, wanted: Wanted) -> tuple[tuple[str, str], ...]:
    """Return what would be laid down, in words."""
    found = {
        "Name": wanted.name.strip(),
        "Arms": ", ".join(settings.arms),
        "Ratings": f"from {wanted.low} to {wanted.high}",
        "Planned": f"{settings.horizon:,} decisions: {wanted.people():,} participants, {wanted.ratings} each",
        "Drawn uniformly": f"{100 * settings.uniform_share:g} % of the decisions, so that arms can be compared",
        "Missing after": duration(settings.window) if settings.window else "never: a rating is waited for",
        "Rules, written down before": "; ".join(settings.rules) or "none",
    }
    return tuple(found.items())
