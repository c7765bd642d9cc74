import numpy as np
import pytest

import trueward as tw
from trueward.adversaries.labelled_people import LABELLED_SOURCES
from trueward.errors import ParameterError

COUNTS = "arm,people,0,1\na,attentive,3,1\na,careless,1,1\nb,attentive,1,3\nb,careless,2,0\nc,attentive,5,5\n"
RATERS = "clip,r1,r2,r3,outlier1\na,1,1,2,3\nb,3,,3,1\n"


@pytest.mark.parametrize(
    ("source", "shape", "share"),
    [("symptoms_0_3", (34, 4), 85 / 386), ("symptoms_0_4", (15, 5), 85 / 386), ("video_quality", (79, 5), 4 / 30)],
)
def test_packaged_sources_have_the_arms_and_the_share_of_careless_people_of_their_studies(source, shape, share):
    people = tw.labelled_people(source)
    assert people.attentive.shape == people.careless.shape == (len(people.names), people.values.size) == shape
    assert people.share == pytest.approx(share)
    assert people.source
    assert people.licence
    assert source in LABELLED_SOURCES


def test_symptoms_have_the_counts_of_the_published_table():
    people = tw.labelled_people("symptoms_0_3")
    assert people.names[0] == "7u_q01"
    assert people.attentive[0].tolist() == [204, 78, 16, 3]
    assert people.careless[0].tolist() == [19, 30, 27, 9]


def test_labelled_people_reject_an_unknown_source():
    with pytest.raises(ParameterError, match="source must be one of 'symptoms_0_3'"):
        tw.labelled_people("films")


def test_counts_are_read_and_arms_without_careless_people_are_left_out(tmp_path):
    (tmp_path / "people.csv").write_text(COUNTS)
    people = tw.LabelledPeople.from_csv(tmp_path / "people.csv", source="a study")
    assert (people.names, people.source) == (("a", "b"), "a study")
    assert people.attentive.tolist() == [[3, 1], [1, 3]]
    assert people.careless.tolist() == [[1, 1], [2, 0]]
    assert people.share == 4 / 12


def test_columns_of_raters_are_counted_and_outliers_are_careless(tmp_path):
    (tmp_path / "people.csv").write_text(RATERS)
    people = tw.LabelledPeople.from_csv(tmp_path / "people.csv")
    assert people.values.tolist() == [1, 2, 3]
    assert people.attentive.tolist() == [[2, 1, 0], [0, 0, 2]]
    assert people.careless.tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("text", ["arm,people,0,1\na,attentive,3,x\n", "arm\na\n", "arm,people,0,1\na,attentive,3,1\n"])
def test_file_without_both_kinds_of_people_is_rejected(tmp_path, text):
    (tmp_path / "people.csv").write_text(text)
    with pytest.raises(ParameterError, match=r"people\.csv must have"):
        tw.LabelledPeople.from_csv(tmp_path / "people.csv")


def test_arms_are_those_of_attentive_people_and_shown_arms_those_of_everybody():
    people, items = tw.labelled_people("symptoms_0_3"), [3, 1]
    everybody = (people.attentive + people.careless)[items]
    assert people.arms(items).probabilities[0] == pytest.approx(people.attentive[3] / people.attentive[3].sum())
    np.testing.assert_allclose(people.shown_arms(items).probabilities, everybody / everybody.sum(axis=1)[:, None])
    assert people.arms().n_arms == len(people.names)


def test_careless_people_show_what_shown_arms_do():
    people, items = tw.labelled_people("symptoms_0_4"), [0, 1, 2]
    careless = people.careless_people(items)
    trace = tw.play(tw.Uniform(), people.arms(items), careless, horizon=6000, keep_history=True, compiled=False)
    for arm, shown in enumerate(people.shown_arms(items).means):
        ratings = trace.observed[0][trace.arms[0] == arm]
        assert ratings.mean() == pytest.approx(shown, abs=4 * ratings.std() / np.sqrt(ratings.size))  # four se


def test_best_arm_of_a_group_leads_by_two_percent_of_the_scale():
    people = tw.labelled_people("video_quality")
    groups = people.groups(12, seed=1)
    assert len(groups) == 12
    for group in groups:
        assert len(set(group.tolist())) == 5
        assert np.sort(people.arms(group).gaps)[1] >= 0.02 * 4
    assert [g.tolist() for g in people.groups(3, seed=1)] == [g.tolist() for g in groups[:3]]


def test_groups_are_fewer_where_no_arm_leads():
    same = np.ones((6, 3), np.int64)
    people = tw.LabelledPeople(names=tuple("abcdef"), values=np.arange(3.0), attentive=same, careless=same)
    assert people.groups(2) == []
    with pytest.raises(ParameterError, match="size must be at most 6"):
        people.groups(2, size=7)
