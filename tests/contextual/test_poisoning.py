"""An attack succeeds whenever it is feasible, and its change is as small as that of independent solvers."""

import importlib.util
import math

import numpy as np
import pytest
from scipy import optimize

import trueward as tw
from least_distance import least_distance
from trueward.contextual import ContextualCrUCB, ContextualLog, LinearArms, LinUCB, Ridge, poison
from trueward.contextual import poisoning as module
from trueward.errors import ParameterError, TruewardError, UnknownArmError

MARGIN = 0.01


def closed_form(log, learner, x, arm):
    """Return the least effort without a range: every other arm above some level is pulled down to it, the target up."""
    fit = learner.fit(log)
    scores, leverage = fit.scores(x)[0], fit.leverage(x)
    power = np.bincount(log.arms, leverage**2, minlength=log.n_arms)  # moving an arm by s costs s^2 / power

    def cost(level):  # where the target limits
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
    log = arms.simulate_log(40, seed=seed + 1000)
    learner = (Ridge(penalty=rng.uniform(0.1, 2.0)), LinUCB(sigma=0.2, penalty=rng.uniform(0.5, 2.0)))[seed % 2]
    return log, learner, arms.draw_contexts(1, seed=seed + 2000)[0], int(rng.integers(log.n_arms)), rng


def test_poison_succeeds_with_the_smallest_effort_in_200_instances():
    hits = nothing_to_do = 0
    for seed in range(200):
        log, learner, x, arm, _ = instance(seed)
        attack = poison(log, learner, context=x, arm=arm, margin=MARGIN)
        assert attack.feasible
        hits += attack.succeeded
        scores = learner.fit(log.with_rewards(attack.rewards)).scores(x)[0]
        assert scores[arm] - np.delete(scores, arm).max() >= MARGIN - 1e-9
        assert attack.effort == pytest.approx(closed_form(log, learner, x, arm), abs=1e-6)
        nothing_to_do += attack.effort == 0.0
    assert hits == 200
    assert 10 < nothing_to_do < 100


def test_poison_with_a_range_agrees_with_an_independent_solver_in_200_instances():
    feasible = 0
    for seed in range(200):
        log, learner, x, arm, rng = instance(seed)
        controlled = rng.random(len(log)) < 0.25
        limits = float(log.rewards.min()), float(log.rewards.max())
        attack = poison(log, learner, context=x, arm=arm, margin=MARGIN, range=limits, controlled=controlled)
        rows, required = module._constraints(learner.fit(log), log, x, arm, MARGIN)
        expected = least_distance(
            rows[:, controlled], required, limits[0] - log.rewards[controlled], limits[1] - log.rewards[controlled]
        )
        assert attack.feasible == (expected is not None)
        if expected is None:
            assert attack.effort == math.inf
            np.testing.assert_array_equal(attack.rewards, log.rewards)
            continue
        feasible += 1
        assert attack.succeeded
        assert attack.effort == pytest.approx(np.linalg.norm(expected), abs=1e-6)
        np.testing.assert_allclose(attack.change[controlled], expected, atol=1e-4)
        assert (attack.change[~controlled] == 0.0).all()
        assert limits[0] - 1e-9 <= attack.rewards.min() <= attack.rewards.max() <= limits[1] + 1e-9
    assert 100 < feasible < 180


def test_poison_of_an_immovable_target_is_feasible_only_if_other_arms_can_be_moved():
    contexts = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    log = ContextualLog(contexts=contexts, arms=[0, 0, 1, 1], rewards=[1.0, 1.0, 1.0, 1.0])
    down = poison(log, Ridge(), context=[1.0, 0.0], arm=1)  # arm 1 was never seen there: arm 0 is pulled down to it
    assert down.feasible
    assert down.succeeded
    np.testing.assert_allclose(down.change, [-1.0015, -1.0015, 0, 0], atol=1e-9)  # from 2 / 3 to 2 (-0.0015) / 3
    stuck = poison(log, Ridge(), context=[1.0, 0.0], arm=1, controlled=[False, False, True, True])
    assert (stuck.feasible, stuck.succeeded, stuck.relative_effort, stuck.changed_share) == (
        False,
        False,
        math.inf,
        0.0,
    )
    assert not poison(log, Ridge(), context=[1.0, 0.0], arm=1, controlled=[False] * 4).feasible


def test_poison_towards_an_unplayed_arm_lowers_the_other_arms():
    log = LinearArms.random(arms=2, seed=1).simulate_log(50, seed=2)
    with_third = ContextualLog(contexts=log.contexts, arms=log.arms, rewards=log.rewards, n_arms=3)
    attack = poison(with_third, Ridge(), context=log.contexts[0], arm=2, margin=MARGIN)
    assert attack.succeeded
    after = Ridge().fit(with_third.with_rewards(attack.rewards)).scores(log.contexts[0])[0]
    assert after.max() == after[2] == 0.0


def test_poison_attacks_robust_learners():
    arms = LinearArms.random(arms=3, dimension=4, seed=3)
    log, x = arms.simulate_log(90, seed=4), arms.draw_contexts(1, seed=5)[0]
    worst = int(arms.means(x)[0].argmin())
    for learner in (Ridge(tw.HuberMean(0.2)), Ridge(tw.TrimmedMean(0.1)), ContextualCrUCB(sigma=0.1)):
        attack = poison(log, learner, context=x, arm=worst, margin=0.05)
        fitted = learner.fit(log.with_rewards(attack.rewards)).choose(x)[0]
        assert attack.succeeded == attack.feasible == (fitted == worst)
        if attack.feasible:
            assert attack.lead >= 0.05 * (1 - 1e-6)
            assert (
                attack.relative_effort > 0.8 * poison(log, Ridge(), context=x, arm=worst, margin=0.05).relative_effort
            )
    assert poison(log, Ridge(tw.HuberMean(0.2)), context=x, arm=worst, margin=0.05).succeeded


def test_poison_names_the_invalid_parameter():
    log = LinearArms.random(arms=3, dimension=4, seed=3).simulate_log(30, seed=4)
    x = [1.0, 0.0, 0.0, 0.0]
    for parameters, error, message in (
        ({"arm": 3}, UnknownArmError, "arm must be a whole number from 0 to 2, got 3"),
        ({"context": [1.0]}, ParameterError, "context must be a list of 4 numbers"),
        ({"margin": 0.0}, ParameterError, "margin must be above 0 and at most 1e\\+100"),
        ({"log": [1.0]}, ParameterError, "log must be a ContextualLog such as ContextualLog\\(contexts="),
        ({"range": (1.0, 0.0)}, ParameterError, "range must have low below high"),
        ({"range": (0.0, 0.1)}, ParameterError, "range must contain every reward, got \\(0.0, 0.1\\) and"),
        ({"controlled": [True]}, ParameterError, "controlled must be True or False for each of 30 rewards"),
    ):
        with pytest.raises(error, match=message):
            poison(**{"log": log, "learner": Ridge(), "context": x, "arm": 0, **parameters})


def test_poison_of_a_robust_learner_keeps_the_margin_if_the_target_already_leads():
    log = LinearArms.random(arms=3, dimension=4, seed=3).simulate_log(60, seed=4)
    x, learner = log.contexts[0], Ridge(tw.HuberMean(0.2))
    first = int(learner.fit(log).choose(x)[0])
    assert poison(log, learner, context=x, arm=first, margin=0.001).effort == 0.0
    attack = poison(log, learner, context=x, arm=first, margin=0.4)
    assert attack.lead >= 0.4 * (1 - 1e-6)
    assert attack.effort > 0.0


def test_poison_without_clarabel_names_the_package_to_install(monkeypatch):
    log = LinearArms.random(arms=2, dimension=2, seed=3).simulate_log(30, seed=4)
    x = log.contexts[0]
    worst = int(Ridge().fit(log).scores(x)[0].argmin())
    present = importlib.util.find_spec
    monkeypatch.setattr(
        "trueward.contextual.smallest_change.find_spec", lambda name: None if name == "clarabel" else present(name)
    )
    with pytest.raises(TruewardError, match="pip install 'trueward\\[contextual\\]'"):
        poison(log, Ridge(), context=x, arm=worst)
