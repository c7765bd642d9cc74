"""The attack hits whenever it can, changes as little as an independent solver does, and says when it cannot."""

import importlib.util
import math

import numpy as np
import pytest
from scipy import optimize

import trueward as tw
from trueward.contextual import ContextualCrUCB, History, LinearArms, LinUCB, Ridge, poison, side_effects
from trueward.contextual import poisoning as module
from trueward.contextual.least_change import least_change
from trueward.errors import ParameterError, TruewardError, UnknownArmError

MARGIN = 0.01


def least_distance(rows, demands, low, high):
    """Return the shortest D with rows D >= demands and low <= D <= high, or None, from non-negative least squares.

    Lawson & Hanson (1974), Solving least squares problems, chapter 23.
    """
    finite = [(np.eye(rows.shape[1]), low), (-np.eye(rows.shape[1]), -high)]
    sides = [(rows, demands), *((part[np.isfinite(end)], end[np.isfinite(end)]) for part, end in finite)]
    g, h = np.vstack([part for part, _ in sides]), np.concatenate([end for _, end in sides])
    e, f = np.vstack([g.T, h]), np.append(np.zeros(rows.shape[1]), 1.0)
    residual = e @ optimize.nnls(e, f)[0] - f
    return None if np.linalg.norm(residual) < 1e-8 else -residual[:-1] / residual[-1]


def closed_form(log, learner, x, arm):
    """Return the least effort without a range: every other arm above some level is pulled down to it, the target up."""
    fit = learner.fit(log)
    scores, leverage = fit.scores(x)[0], fit.leverage(x)
    power = np.bincount(log.arms, leverage**2, minlength=log.n_arms)  # moving an arm by s costs s^2 / power

    def cost(level):  # where the target ends
        down = np.maximum(0.0, scores - (level - MARGIN))
        down[arm] = max(0.0, level - scores[arm])
        return float((down**2 / power).sum())

    top = scores.max() + MARGIN
    return math.sqrt(
        optimize.minimize_scalar(cost, bounds=(scores[arm], top), options={"xatol": 1e-12}, method="bounded").fun
    )


def instance(seed):
    """Return a random log, a target context and a target arm; of all kinds."""
    rng = np.random.default_rng(seed)
    arms = LinearArms.random(arms=int(rng.integers(2, 6)), dimension=int(rng.integers(1, 6)), noise=0.2, seed=seed)
    log = arms.history(40, seed=seed + 1000)
    learner = (Ridge(lam=rng.uniform(0.1, 2.0)), LinUCB(sigma=0.2, lam=rng.uniform(0.5, 2.0)))[seed % 2]
    return log, learner, arms.contexts(1, seed=seed + 2000)[0], int(rng.integers(log.n_arms)), rng


def test_in_200_instances_the_target_is_hit_with_the_least_effort():
    hits = nothing_to_do = 0
    for seed in range(200):
        log, learner, x, arm, _ = instance(seed)
        attack = poison(log, learner, context=x, arm=arm, margin=MARGIN)
        assert attack.feasible
        hits += attack.hit
        scores = learner.fit(log.with_rewards(attack.rewards)).scores(x)[0]
        assert scores[arm] - np.delete(scores, arm).max() >= MARGIN - 1e-9
        assert attack.effort == pytest.approx(closed_form(log, learner, x, arm), abs=1e-6)
        nothing_to_do += attack.effort == 0.0
    assert hits == 200
    assert 10 < nothing_to_do < 100


def test_in_200_instances_with_a_range_the_optimum_and_infeasibility_are_those_of_an_independent_solver():
    feasible = 0
    for seed in range(200):
        log, learner, x, arm, rng = instance(seed)
        mine = rng.random(len(log)) < 0.25
        ends = float(log.rewards.min()), float(log.rewards.max())
        attack = poison(log, learner, context=x, arm=arm, margin=MARGIN, range=ends, controls=mine)
        rows, demands = module._demands(learner.fit(log), log, x, arm, MARGIN)
        expected = least_distance(rows[:, mine], demands, ends[0] - log.rewards[mine], ends[1] - log.rewards[mine])
        assert attack.feasible == (expected is not None)
        if expected is None:
            assert attack.effort == math.inf
            np.testing.assert_array_equal(attack.rewards, log.rewards)
            continue
        feasible += 1
        assert attack.hit
        assert attack.effort == pytest.approx(np.linalg.norm(expected), abs=1e-6)
        np.testing.assert_allclose(attack.change[mine], expected, atol=1e-4)
        assert (attack.change[~mine] == 0.0).all()
        assert ends[0] - 1e-9 <= attack.rewards.min() <= attack.rewards.max() <= ends[1] + 1e-9
    assert 100 < feasible < 180


def test_a_program_at_the_edge_of_having_no_solution_is_told_from_one_that_has():
    rng = np.random.default_rng(1)
    for _ in range(30):
        rows = rng.normal(size=(3, 40))
        low, high = -rng.uniform(0.5, 2.0, 40), rng.uniform(0.5, 2.0, 40)
        direction = rng.uniform(0.1, 1.0, 3)
        slack = np.append(np.zeros(40), -1.0)  # the most that all three can be moved at once, in this direction
        most = -optimize.linprog(
            slack, np.column_stack([-rows, direction]), np.zeros(3), bounds=[*zip(low, high, strict=True), (0, None)]
        ).fun
        everywhere = np.ones(40, np.bool_)
        assert least_change(rows, (most + 1e-5) * direction, (low, high), everywhere) is None
        inside = least_change(rows, (most - 1e-5) * direction, (low, high), everywhere)
        expected = least_distance(rows, (most - 1e-5) * direction, low, high)
        assert np.linalg.norm(inside) == pytest.approx(np.linalg.norm(expected), abs=1e-6)


def test_a_target_that_no_context_of_its_own_reaches_is_infeasible_unless_the_others_can_be_moved():
    contexts = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    log = History(contexts=contexts, arms=[0, 0, 1, 1], rewards=[1.0, 1.0, 1.0, 1.0])
    down = poison(log, Ridge(), context=[1.0, 0.0], arm=1)  # arm 1 was never seen there: arm 0 is pulled down to it
    assert down.feasible
    assert down.hit
    np.testing.assert_allclose(down.change, [-1.0015, -1.0015, 0, 0], atol=1e-9)  # from 2 / 3 to 2 (-0.0015) / 3
    stuck = poison(log, Ridge(), context=[1.0, 0.0], arm=1, controls=[False, False, True, True])
    assert (stuck.feasible, stuck.hit, stuck.ratio, stuck.touched) == (False, False, math.inf, 0.0)
    assert not poison(log, Ridge(), context=[1.0, 0.0], arm=1, controls=[False] * 4).feasible


def test_an_arm_that_nobody_played_is_not_raised_but_the_others_are_lowered():
    log = LinearArms.random(arms=2, seed=1).history(50, seed=2)
    with_third = History(contexts=log.contexts, arms=log.arms, rewards=log.rewards, n_arms=3)
    attack = poison(with_third, Ridge(), context=log.contexts[0], arm=2, margin=MARGIN)
    assert attack.hit
    after = Ridge().fit(with_third.with_rewards(attack.rewards)).scores(log.contexts[0])[0]
    assert after.max() == after[2] == 0.0


def test_a_robust_learner_is_attacked_with_the_weights_it_gives():
    arms = LinearArms.random(arms=3, dimension=4, seed=3)
    log, x = arms.history(90, seed=4), arms.contexts(1, seed=5)[0]
    worst = int(arms.means(x)[0].argmin())
    for learner in (Ridge(tw.HuberMean(0.2)), Ridge(tw.TrimmedMean(0.1)), ContextualCrUCB(sigma=0.1)):
        attack = poison(log, learner, context=x, arm=worst, margin=0.05)
        fitted = learner.fit(log.with_rewards(attack.rewards)).choose(x)[0]
        assert attack.hit == attack.feasible == (fitted == worst)
        if attack.feasible:
            assert attack.lead >= 0.05 * (1 - 1e-6)
            assert attack.ratio > 0.8 * poison(log, Ridge(), context=x, arm=worst, margin=0.05).ratio
    assert poison(log, Ridge(tw.HuberMean(0.2)), context=x, arm=worst, margin=0.05).hit


def test_side_effects_count_the_contexts_whose_arm_changes():
    arms = LinearArms.random(arms=3, dimension=2, seed=3)
    log, x = arms.history(300, seed=4), arms.contexts(1, seed=5)[0]
    worst, others = int(arms.means(x)[0].argmin()), arms.contexts(4000, seed=6)
    attack = poison(log, Ridge(), context=x, arm=worst)
    effects = side_effects(log, attack, Ridge(), context=x, arm=worst, contexts=others)
    before, after = Ridge().fit(log).choose(others), Ridge().fit(log.with_rewards(attack.rewards)).choose(others)
    assert effects.changed == (before != after).mean() > 0.05
    assert effects.to_target == ((before != after) & (after == worst)).mean()
    cosines = others @ x
    near = cosines > 0.5
    assert effects.by_angle[3] == pytest.approx((before != after)[near].mean())
    assert math.isnan(side_effects(log, attack, Ridge(), context=x, arm=worst, contexts=[x]).by_angle[0])


def test_what_cannot_be_attacked_is_refused_in_one_line():
    log = LinearArms.random(arms=3, dimension=4, seed=3).history(30, seed=4)
    x = [1.0, 0.0, 0.0, 0.0]
    for parameters, error, words in (
        ({"arm": 3}, UnknownArmError, "arm must be a whole number from 0 to 2, got 3"),
        ({"context": [1.0]}, ParameterError, "context must be a list of 4 numbers"),
        ({"margin": 0.0}, ParameterError, "margin must be above 0 and at most 1e\\+100"),
        ({"history": [1.0]}, ParameterError, "history must be a History such as History\\(contexts="),
        ({"range": (1.0, 0.0)}, ParameterError, "range must have low below high"),
        ({"range": (0.0, 0.1)}, ParameterError, "range must hold every reward, got \\(0.0, 0.1\\) and"),
        ({"controls": [True]}, ParameterError, "controls must be True or False for each of 30 rewards"),
    ):
        with pytest.raises(error, match=words):
            poison(**{"history": log, "learner": Ridge(), "context": x, "arm": 0, **parameters})


def test_an_attack_on_a_robust_learner_keeps_its_margin_where_the_target_is_first_already():
    log = LinearArms.random(arms=3, dimension=4, seed=3).history(60, seed=4)
    x, learner = log.contexts[0], Ridge(tw.HuberMean(0.2))
    first = int(learner.fit(log).choose(x)[0])
    assert poison(log, learner, context=x, arm=first, margin=0.001).effort == 0.0
    attack = poison(log, learner, context=x, arm=first, margin=0.4)
    assert attack.lead >= 0.4 * (1 - 1e-6)
    assert attack.effort > 0.0


def test_without_the_solver_it_says_what_to_install(monkeypatch):
    log = LinearArms.random(arms=2, dimension=2, seed=3).history(30, seed=4)
    x = log.contexts[0]
    worst = int(Ridge().fit(log).scores(x)[0].argmin())
    present = importlib.util.find_spec
    monkeypatch.setattr(
        "trueward.contextual.least_change.find_spec", lambda name: None if name == "clarabel" else present(name)
    )
    with pytest.raises(TruewardError, match="pip install 'trueward\\[contextual\\]'"):
        poison(log, Ridge(), context=x, arm=worst)
