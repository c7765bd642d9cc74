"""Colours and dash patterns of policies."""

from trueward.reporting.styles import KNOWN, policy_colors, policy_styles


def test_known_policies_have_different_colours():
    assert len(set(policy_colors(list(KNOWN)).values())) == len(KNOWN)


def test_policy_colour_does_not_depend_on_other_policies():
    assert policy_colors(["UCB", "tUCB"])["tUCB"] == policy_colors(["EXP3", "mine", "tUCB"])["tUCB"] == "#0072B2"


def test_no_two_policies_share_colour_and_dash():
    names = [*KNOWN, *(f"{base} (proxy)" for base in KNOWN), *(f"{base} (raw)" for base in KNOWN), *map(str, range(40))]
    assert len(set(policy_styles(names).values())) == len(names)


def test_six_unknown_policies_have_new_colours():
    names = [*KNOWN, *"abcdef"]
    assert len(set(policy_colors(names).values())) == len(names)


def test_variant_has_the_colour_of_its_policy():
    assert policy_colors(["tUCB (proxy)"])["tUCB (proxy)"] == policy_colors(["tUCB"])["tUCB"]
