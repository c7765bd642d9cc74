"""All verbs in any order over HTTP, to two workers in turn, against the model of the study's own test."""

import importlib.util
import itertools
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

import trueward as tw
from serving import Workers, in_a_thread
from soak_size import size
from trueward.serve import keys
from trueward.serve.settings import Settings
from trueward.study.database import connected
from trueward.study.migrations import migrate

PEOPLE = st.sampled_from(["ann", "bob", "cem"])
FILE = Path(__file__).parents[1] / "study" / "test_state_machine.py"


def model():
    """Return the machine of the study's own test, with its model."""
    found = importlib.util.spec_from_file_location("study_machine", FILE)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.StudyMachine


class InTurn:
    """A study behind several addresses, each asked in turn."""

    def __init__(self, addresses, key, study):
        self._remotes = [tw.Remote(url, key, study.name) for url in addresses]
        self._there, self._study = itertools.cycle(self._remotes), study

    def __getattr__(self, name):
        return getattr(next(self._there), name)

    def close(self):
        for study in (*self._remotes, self._study):
            study.close()


def over_http(addresses, url, key):
    """Return the machine, whose studies are asked over HTTP."""

    class Machine(model()):
        @initialize()
        def begin(self):
            super().begin()
            self.study = InTurn(addresses, key, self.study)

        @rule(person=PEOPLE, occasion=st.sampled_from("123456"), reward=st.integers(1, 5))
        def ask_and_tell(self, person, occasion, reward):
            self.tell(self.ask(person, occasion), reward)

        @rule()
        def another_process_takes_over(self):
            """Do nothing: every request is another worker's."""

    Machine.url = url
    return Machine


@pytest.fixture
def key_of():
    def make(url):
        with connected(url) as database:
            migrate(database)
            with database.write() as connection:
                return keys.create(connection, study=None, scopes=keys.SCOPES)[1]

    return make


def test_any_order_of_verbs_over_http_gives_what_a_simple_model_gives(postgresql, key_of):
    key = key_of(postgresql)
    with ExitStack() as stack:  # two workers: each has its own studies, lanes and memories
        addresses = [stack.enter_context(in_a_thread(Settings(db=postgresql))) for _ in range(2)]
        few = settings(max_examples=3, stateful_step_count=20, deadline=None, database=None)
        machine = seed(2)(over_http(addresses, postgresql, key))
        run_state_machine_as_test(
            machine, settings=settings(few, suppress_health_check=list(HealthCheck)), _min_steps=15
        )


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_orders_of_verbs_over_http_to_two_processes(kind, request, key_of, tmp_path):
    url = request.getfixturevalue(kind)
    key = key_of(url)
    workers = Workers(url, 2, tmp_path / "serve.log")
    try:
        many = settings(max_examples=size(full=40, short=4), stateful_step_count=30, deadline=None, database=None)
        machine = over_http([workers.url], url, key)
        run_state_machine_as_test(machine, settings=settings(many, suppress_health_check=list(HealthCheck)))
    finally:
        assert workers.stop() == 0
