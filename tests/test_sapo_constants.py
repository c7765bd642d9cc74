"""The script that shows the effect of SAPO's practical constants."""

from pathlib import Path

import numpy as np
import pytest

import loading
import trueward as tw

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    return loading.script("sapo_constants")


def test_sapo_constants_table_in_the_docs_has_every_variant(script):
    page = (ROOT / "docs" / "best-of-both-worlds.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if "±" in line]
    assert rows == list(script.variants())


def test_sapo_constants_variants_are_the_two_presets_and_single_changes_of_the_second(script):
    states = [
        script.TunedSAPO((0, 1), **parameters).start(5, horizon=1000) for parameters in script.variants().values()
    ]
    for state, preset in zip(states, ("paper", "practical"), strict=False):
        own = tw.SAPO((0, 1), preset=preset).start(5, horizon=1000)
        names = [name for name in own._fields if isinstance(getattr(own, name), float | int)]
        np.testing.assert_allclose([getattr(state, name) for name in names], [getattr(own, name) for name in names])
    for state in states[2:]:
        changed = [name for name in names if getattr(state, name) != getattr(states[1], name)]
        assert changed in ([*changed[:1]], ["log_term", "max_regret"])
        assert changed
