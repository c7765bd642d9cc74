"""What every page needs: who is there, which study, and a look at it that is computed once."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request

from trueward.analysis.analyse import Analysis, analyse
from trueward.errors import TruewardError
from trueward.reporting.labels import count
from trueward.serve.dashboard.people import EDITOR, Person, who
from trueward.serve.dashboard.planning import Plans
from trueward.serve.dashboard.views.keeping import Keeper
from trueward.serve.dashboard.views.look import Look, last_seq, look_at
from trueward.serve.settings import Settings
from trueward.serve.stopping import Stopping
from trueward.serve.studies import Studies

COOKIE = "trueward-person"
EVERYBODY = Person("demonstration", EDITOR)
PATIENCE = 4.0  # seconds for which what takes long to compute is good enough, while ratings come in


class NotSignedIn(Exception):  # noqa: N818 - nothing went wrong
    """Raised where somebody has to sign in first."""


class NotAllowed(Exception):  # noqa: N818 - the same
    """Raised where a viewer would change something."""


class Pages:
    """What pages are made from, for all requests of a process."""

    def __init__(self, settings: Settings, studies: Studies) -> None:
        self.settings = settings
        self.studies = studies
        self.kept = Keeper()
        self.plans = Plans()
        self.streams = 0  # of live pages, now
        self.stopping = Stopping()  # whether streams should end, since the service does

    @property
    def database(self) -> Any:
        """The database of the studies."""
        return self.studies.database

    def look(self, name: str) -> Look:
        """Return a look at a study, as it is now."""
        seq = last_seq(self.database, name)
        return self.kept.get((name, "look"), seq, lambda: look_at(self.studies[name], self.database))

    def analysis(self, look: Look, epsilon: float) -> tuple[Analysis | None, str]:
        """Return the analysis of a look, or why there is none."""

        def compute() -> tuple[Analysis | None, str]:
            if look.n_rated == 0:
                shown = count(look.table.height, "decision")
                return None, f"No ratings yet: {shown} made, none of them rated." if look.table.height else NOBODY
            try:
                return analyse(look, epsilon=epsilon), ""
            except TruewardError as error:
                return None, f"Too early to say: {error}."

        return self.kept.get((look.name, "analysis", epsilon), look.last_seq, compute)

    def slow(self, look: Look, what: str, compute: Callable[[], Any], *more: Any) -> Any:
        """Return what takes long to compute; not anew for each rating that comes."""
        return self.kept.get((look.name, what, *more), look.last_seq, compute, patience=PATIENCE)


NOBODY = "Nobody has been asked yet. Decisions and ratings will appear here as they are made."


def pages_of(request: Request) -> Pages:
    """Return what pages are made from."""
    pages: Pages = request.app.state.pages
    return pages


ThePages = Annotated[Pages, Depends(pages_of)]


def viewer(request: Request, pages: ThePages) -> Person:
    """Return who is signed in; in a demonstration, anybody is."""
    cookie = request.cookies.get(COOKIE)
    found = EVERYBODY if pages.settings.open else who(pages.database, cookie) if cookie else None
    if found is None:
        raise NotSignedIn
    request.state.person = found
    return found


Viewer = Annotated[Person, Depends(viewer)]


def editor(person: Viewer) -> Person:
    """Return who is signed in, and may change something."""
    if not person.may_edit:
        raise NotAllowed
    return person


Editor = Annotated[Person, Depends(editor)]
