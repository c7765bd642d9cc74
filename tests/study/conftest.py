"""A study in a database of its own."""

from contextlib import ExitStack

import pytest

import trueward as tw

ARMS = ["video", "text", "quiz"]


@pytest.fixture
def closed_later():
    """Return a way to have a study closed in the end."""
    with ExitStack() as stack:
        yield stack.enter_context


@pytest.fixture
def create(closed_later):
    """Return a maker of studies with three arms."""

    def make(url, name="explanations", **settings):
        settings = {"arms": ARMS, "policy": tw.UCB(sigma=1.0), "seed": 7, **settings}
        return closed_later(tw.Study.create(url, name, **settings))

    return make


@pytest.fixture
def reopen(closed_later):
    """Return a maker of another process's view of a study: nothing of it is in memory yet."""
    return lambda url, name="explanations", **given: closed_later(tw.Study.open(url, name, **given))


@pytest.fixture
def rate():
    """Return a study's next ratings, by new participants: 1 to 5, in turn."""

    def some(study, count, first=1):
        for i in range(first, first + count):
            study.tell(study.ask(participant=f"p{i}"), 1 + i % 5)

    return some
