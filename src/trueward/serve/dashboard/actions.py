"""What editors do: each is one method of `Study`, done in their name, and a way back with a word on it."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from trueward.errors import ConflictError, ParameterError, StudyError, TruewardError
from trueward.reporting.labels import count
from trueward.serve import keys
from trueward.serve.dashboard.desk import Editor, Pages, ThePages
from trueward.serve.dashboard.pages import about, show_amend, show_void
from trueward.serve.dashboard.rendering import address, page
from trueward.serve.dashboard.saying import go_and_say
from trueward.study.study import Study

router = APIRouter()
Words = Annotated[str, Form()]
REFUSALS = (ParameterError, ConflictError, StudyError)
UNSEEN = " (decided with the arms shown)"


@router.post("/studies/{name:path}/void")
def void(
    request: Request,
    name: str,
    pages: ThePages,
    person: Editor,
    *,
    rater: Words = "",
    number: Annotated[list[int] | None, Form()] = None,
    reason: Words = "",
    arms: Annotated[bool, Form()] = False,
) -> Response:
    """Take a rater out, or some decisions."""
    which: dict[str, Any] = {"pseudonym": rater} if rater else {"number": number or []}
    try:
        said = f"{_reason(reason)}{UNSEEN if arms else ''}"
        numbers = pages.studies[name].void(**which, reason=said, actor=person.name)
    except REFUSALS as error:
        filled = {"reason": reason, "problem": sentence(error)}
        return show_void(request, pages, name, rater=rater or None, number=number, arms=arms, **filled)
    pages.kept.forget(name)
    words = f"{count(len(numbers), 'decision')} taken out."
    if rater:
        words = f"Rater {rater} taken out: {count(len(numbers), 'decision')}, and those to come."
    where = address(name, "raters" if rater else "log")
    undo = {"rater": rater} if rater else {"numbers": ",".join(map(str, numbers))}
    return go_and_say(where, words, undo=address(name, "restore"), **undo)


@router.post("/studies/{name:path}/restore")
def restore(
    name: str,
    pages: ThePages,
    person: Editor,
    *,
    rater: Words = "",
    numbers: Words = "",
    event: Annotated[int | None, Form()] = None,
    reason: Words = "",
) -> Response:
    """Bring back a rater, some decisions, or all that an event took out."""
    study, why = pages.studies[name], reason or "undone"
    where = address(name, "raters" if rater else "log")
    if rater:
        found = study.restore(pseudonym=rater, reason=why, actor=person.name)
    else:
        found = study.restore(number=_numbers(pages, name, numbers, event), reason=why, actor=person.name)
    pages.kept.forget(name)
    return go_and_say(where, f"{count(len(found), 'decision')} brought back, in their old places.")


def _numbers(pages: Pages, name: str, numbers: str, event: int | None) -> list[int]:
    if event is None:
        return [int(each) for each in numbers.split(",") if each.isdigit()]
    return [n for done in pages.look(name).events if done.seq == event for n in done.numbers]


@router.post("/studies/{name:path}/amend")
def amend(
    request: Request,
    name: str,
    pages: ThePages,
    person: Editor,
    *,
    number: Annotated[int, Form()],
    value: Words = "",
    reason: Words = "",
) -> Response:
    """Replace a rating."""
    try:
        pages.studies[name].amend(number, _rating(value), reason=_reason(reason), actor=person.name)
    except TruewardError as error:
        return show_amend(request, pages, name, number, value=value, reason=reason, problem=sentence(error))
    pages.kept.forget(name)
    return go_and_say(address(name, "log"), f"The rating of decision {number} is {value.strip()} now.")


def _rating(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ParameterError(f"the rating must be a number, got {text!r}") from None


def _reason(text: str) -> str:
    """Return why, for the log; that it is printable is for those who read it."""
    words = " ".join(text.split())
    if not words:
        raise ParameterError("please say why: the reason goes into the log")
    return words


@router.post("/studies/{name:path}/arms")
def arms(
    name: str, pages: ThePages, person: Editor, *, arm: Words = "", retire: Words = "", why: Words = ""
) -> Response:
    """Add an arm, or show one no more."""
    if retire:
        return _done(
            pages,
            name,
            f"“{retire}” is not shown any more.",
            lambda study: study.retire_arm(retire, reason=why, actor=person.name),
        )
    return _done(
        pages, name, f"“{arm.strip()}” was added.", lambda study: study.add_arm(arm.strip(), actor=person.name)
    )


TURNED = {"pause": "The study is paused.", "resume": "The study goes on.", "end": "The study has ended."}


@router.post("/studies/{name:path}/turn")
def turn(name: str, pages: ThePages, person: Editor, *, to: Words, why: Words = "") -> Response:
    """Pause, resume or end."""
    if to not in TURNED:
        raise ParameterError(f"to must be one of {', '.join(TURNED)}, got {to!r}")
    return _done(pages, name, TURNED[to], lambda study: getattr(study, to)(reason=why, actor=person.name))


def _done(pages: Pages, name: str, words: str, action: Callable[[Study], Any]) -> Response:
    """Do something to a study, and go back to its settings."""
    try:
        action(pages.studies[name])
    except REFUSALS as error:
        return go_and_say(address(name, "settings"), sentence(error), kind="refused")
    pages.kept.forget(name)
    return go_and_say(address(name, "settings"), words)


@router.post("/studies/{name:path}/keys")
def new_key(
    request: Request,
    name: str,
    pages: ThePages,
    _: Editor,
    *,
    scope: Annotated[list[str] | None, Form()] = None,
    origins: Words = "",
    expires: Words = "",
    label: Words = "",
) -> Response:
    """Make a key, and show it once."""
    try:
        with pages.database.write() as connection:
            chosen: dict[str, Any] = {"origins": origins.split()} if origins.strip() else {"scopes": scope or []}
            key, text = keys.create(connection, study=name, expires=expires or None, label=label.strip(), **chosen)
    except REFUSALS as error:
        return go_and_say(address(name, "settings"), sentence(error), kind="refused")
    return page(request, "key.html", **about(pages.look(name), "settings"), key=key, text=text)


@router.post("/studies/{name:path}/revoke")
def revoke_key(name: str, pages: ThePages, _: Editor, *, key: Words) -> Response:
    """Let a key be of no use any more."""
    with pages.database.write() as connection:
        known = {each.id for each in keys.list_keys(connection, name)}
        if key not in known:
            raise StudyError(f"there is no key {key!r} of this study")
        keys.revoke(connection, key)
    return go_and_say(address(name, "settings"), f"Key {key} is of no use any more.")


@router.post("/studies/{name:path}/verify")
def verify(name: str, pages: ThePages, _: Editor) -> Response:
    """Check the log, and compute every choice again."""
    found = pages.studies[name].verify()
    redone = count(found.decisions, "decision")
    words = f"Checked: {count(found.events, 'event')} in one chain, {redone} computed again, all as written."
    if found.ok:
        return go_and_say(address(name, "settings"), words)
    return go_and_say(address(name, "settings"), f"NOT as written: {'; '.join(found.problems[:3])}", kind="refused")


def sentence(error: Exception) -> str:
    """Return what went wrong as a sentence."""
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}."
