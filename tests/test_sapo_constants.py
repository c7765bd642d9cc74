"""The script that shows what SAPO's practical constants do."""

from pathlib import Path

import numpy as np
import pytest

import loading
import trueward as tw

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    return loading.script("sapo_constants")


def test_the_table_of_the_docs_has_every_variant(script):
    page = (ROOT / "docs" / "best-of-both-worlds.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if "±" in line]
    assert rows == list(script.variants())


def test_the_first_two_rows_are_the_presets_and_the_others_differ_from_the_second_in_one_constant(script):
    states = [script.Tuned((0, 1), **given).start(5, horizon=1000) for given in script.variants().values()]
    for state, preset in zip(states, ("paper", "practical"), strict=False):
        own = tw.SAPO((0, 1), preset=preset).start(5, horizon=1000)
        names = [name for name in own._fields if isinstance(getattr(own, name), float | int)]
        np.testing.assert_allclose([getattr(state, name) for name in names], [getattr(own, name) for name in names])
    for state in states[2:]:
        other = [name for name in names if getattr(state, name) != getattr(states[1], name)]
        assert other in ([*other[:1]], ["log_term", "most_lost"])
        assert other
