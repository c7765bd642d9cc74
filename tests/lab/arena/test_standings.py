from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import trueward as tw
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings, standings_of

ARMS = tw.BernoulliArms([0.9, 0.5, 0.1])  # uniform play: 0.4 a round


def scenario(group, label, horizon=10):
    return Scenario(group, label, ARMS, tw.NoAdversary(), horizon, None, "quick")


SCENARIOS = [scenario("clean", "a"), scenario("tenth", "b"), scenario("tenth", "c", 100)]
FAMILIES = {"good": "ours", "bad": "published", "even": "baseline"}


def standings(shares):
    return Standings(SCENARIOS, FAMILIES, np.asarray(shares, dtype=float))


# (scenarios, policies, trials)
SHARES = [
    [[0.1, 0.3], [0.1, 0.3], [1.0, 1.0]],
    [[0.2, 0.4], [1.2, 1.0], [1.0, 1.0]],
    [[0.5, 0.5], [0.6, 0.8], [1.0, 1.0]],
]


def test_share_is_the_regret_divided_by_that_of_uniform_play_for_any_order_of_rows():
    rows = [
        {"scenario": each.name, "policy": policy, "trial": trial, "regret": SHARES[s][p][trial] * 0.4 * each.horizon}
        for s, each in enumerate(SCENARIOS)
        for p, policy in enumerate(FAMILIES)
        for trial in (1, 0)
    ]
    found = standings_of(pl.DataFrame(rows), SCENARIOS, FAMILIES)
    assert np.allclose(found.shares, SHARES)


def test_equal_shares_have_the_mean_of_their_ranks():
    found = Standings(SCENARIOS[:1], dict.fromkeys("abcd", "ours"), np.array([[[0.2], [0.2], [0.1], [0.5]]]))
    assert [rank.value for rank in found.ranks] == [2.5, 2.5, 1.0, 4.0]


def test_joint_groups_have_a_winner_if_both_are_played():
    scenarios = [*SCENARIOS[:2], replace(SCENARIOS[2], group="people")]
    found = Standings(scenarios, FAMILIES, np.array(SHARES))
    assert [winner.group for winner in found.winners()] == ["tenth", "people", "tenth or people"]
    together = found.winners()[-1]
    assert (together.worst.value, together.next_worst.value) == pytest.approx((0.5, 1.0))  # of 0.3 and 0.5, 1 and 1
    assert [winner.group for winner in standings(SHARES).winners()] == ["tenth"]


def test_ranks_worst_cases_and_clean_costs_equal_hand_computed_values():
    found = standings(SHARES)
    assert [rank.value for rank in found.ranks] == pytest.approx(
        [(1.5 + 1 + 1) / 3, (1.5 + 3 + 2) / 3, (3 + 2 + 3) / 3]
    )
    assert [cost.value for cost in found.clean_costs()] == pytest.approx([0.2, 0.2, 1.0])
    assert [worst.value for worst in found.worst_cases("tenth")] == pytest.approx([0.5, 1.1, 1.0])
    assert [found.policies[place] for place in found.best_first()] == ["good", "bad", "even"]


def test_interval_of_a_share_is_that_of_a_mean():
    shares = np.random.default_rng(1).normal(0.5, 0.2, (3, 3, 400))
    found = standings(shares).cells[1][2]
    half = 1.96 * shares[1, 2].std() / 20
    # The quantiles of 1000 resamples have a standard error of some 5 % of the half-width; four of them are allowed.
    assert found.high - found.value == pytest.approx(half, rel=0.2)
    assert found.value - found.low == pytest.approx(half, rel=0.2)


def test_margin_is_paired_by_trials():
    rng = np.random.default_rng(2)
    luck = rng.normal(0.0, 0.3, (3, 1, 100))  # of the worlds, the same for all policies
    ahead = np.array([0.50, 0.52, 0.9])[None, :, None] + luck + rng.normal(0.0, 0.01, (3, 3, 100))
    winner = standings(ahead).winner("tenth")
    assert (winner.first, winner.second) == ("good", "bad")
    assert winner.worst.high > winner.next_worst.low  # the intervals overlap,
    assert winner.clear  # and yet the lead is clear: 0.02 against a standard error of 0.0014
    assert "tenth: good has the lowest worst case" in str(winner)
    assert "clear lead, margin 0.0" in str(winner)


def test_lead_within_chance_is_not_clear():
    rng = np.random.default_rng(3)
    winner = standings(0.5 + rng.normal(0.0, 0.1, (3, 3, 50))).winner("tenth")
    assert not winner.clear
    assert "too close to call" in str(winner)


def test_margin_is_over_the_best_of_all_others_in_each_resample():
    rng = np.random.default_rng(4)
    shares = np.stack([np.full((3, 50), 0.5), 0.52 + rng.normal(0, 0.2, (3, 50)), 0.52 + rng.normal(0, 0.2, (3, 50))])
    shares = shares.transpose(1, 0, 2)
    found = standings(shares)
    winner, draws = found.winner("tenth"), found.resampled[1:].max(axis=0)
    place = found.policies.index(winner.first)
    margins = np.delete(draws, place, axis=0).min(axis=0) - draws[place]
    assert winner.margin.low == pytest.approx(np.quantile(margins, 0.025))


def test_tables_have_one_row_per_policy_and_one_per_scenario_and_policy():
    found = standings(SHARES)
    table = found.table()
    assert table["policy"].to_list() == ["good", "bad", "even"]
    assert table["worst: tenth"].to_list() == pytest.approx([0.5, 1.1, 1.0])
    assert table.columns[:5] == ["policy", "family", "mean rank", "mean rank, low", "mean rank, high"]
    cells = found.share_table()
    assert cells.height == 9
    row = cells.filter(scenario="b", policy="bad").to_dicts()[0]
    assert row["share"] == pytest.approx(1.1)
    assert 1.0 <= row["low"] <= row["high"] <= 1.2


def test_clean_cost_is_missing_without_clean_scenarios():
    found = Standings(SCENARIOS[1:], FAMILIES, np.array(SHARES[1:]))
    assert list(found.columns) == ["mean rank", "worst: tenth"]
