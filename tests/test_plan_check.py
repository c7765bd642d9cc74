"""The script that holds a plan's predictions against studies that were really run."""

import numpy as np
import pytest

import loading
from soak_size import size


@pytest.fixture(scope="module")
def script():
    return loading.script("plan_check")


def test_the_two_halves_are_all_ratings_of_an_arm_each_once(script):
    group = script.groups_of("lecturers", 1)[0]
    table = script.tw.ratings("lecturers")
    for name, seen, unseen in zip(group.names, group.seen, group.unseen, strict=True):
        both = np.sort(np.concatenate([seen, unseen]))
        assert (both == np.repeat(table.values, table.counts[table.names.index(name)])).all()
        assert abs(seen.size - unseen.size) <= 1


@pytest.mark.soak
def test_studies_that_were_run_end_on_the_best_arm_as_often_as_was_predicted(script, tmp_path):
    """On the questionnaire, whose halves hardly differ; within four standard errors of both simulations together."""
    groups = script.groups_of("items", size(3, 1))
    games, studies = 256, size(50, 8)
    rows = [script.check(group, 150, studies, tmp_path, games=games) for group in groups]
    predicted = np.mean([row.predicted[0] for row in rows])
    realised = np.mean([row.realised[0] for row in rows])
    spread = np.sqrt(0.25 / (len(rows) * games) + 0.25 / (len(rows) * studies))
    assert realised == pytest.approx(predicted, abs=4 * spread)
