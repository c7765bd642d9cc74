import math

import pytest

from trueward.contextual import LinearArms, Ridge, poison, side_effects


def test_side_effects_count_the_contexts_whose_arm_changes():
    arms = LinearArms.random(arms=3, dimension=2, seed=3)
    log, x = arms.simulate_log(300, seed=4), arms.draw_contexts(1, seed=5)[0]
    worst, others = int(arms.means(x)[0].argmin()), arms.draw_contexts(4000, seed=6)
    attack = poison(log, Ridge(), context=x, arm=worst)
    effects = side_effects(log, attack, Ridge(), context=x, arm=worst, contexts=others)
    before, after = Ridge().fit(log).choose(others), Ridge().fit(log.with_rewards(attack.rewards)).choose(others)
    assert effects.changed == (before != after).mean() > 0.05
    assert effects.to_target == ((before != after) & (after == worst)).mean()
    cosines = others @ x
    near = cosines > 0.5
    assert effects.by_angle[3] == pytest.approx((before != after)[near].mean())
    assert math.isnan(side_effects(log, attack, Ridge(), context=x, arm=worst, contexts=[x]).by_angle[0])
