"""Interpreted games equal compiled games bit for bit, for every class of the registries."""

import ast
import inspect
import itertools
import textwrap
from dataclasses import fields

import numpy as np
import pytest

import examples
import trueward as tw
from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.engine.kernel import exp, generics
from trueward.game.trace import Trace
from trueward.policies import POLICIES

FORBIDDEN = {"np.sum", "np.mean", "np.var", "np.std", "math.lgamma", "math.exp", "math.pow"}


HUGE = tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0)


def pairings():
    """Yield each policy with attacks fixed before play, and each attack with UCB on two kinds of arms.

    A compiled game is specialised on the policy, on whether rewards are known to lie on a scale, and on the kind of
    attack. All fixed attacks share one specialisation, so each policy plays against one with ratings, and once with
    huge rewards.
    """
    compilable = [a for name in examples.ADVERSARIES if name != "function" for a in examples.ADVERSARIES[name]]
    fixed = itertools.cycle([a for a in compilable if not a.adaptive])
    ratings = examples.ARMS["binomial"][0]
    for name, policies in examples.POLICIES.items():
        for i, policy in enumerate(policies):
            attack = next(attack for attack in fixed if fits(attack, ratings))
            yield pairing(f"{name}-{i}", policy, attack, ratings)
        yield pairing(f"{name}-0", policies[0], tw.NoAdversary(), HUGE)
    arms = itertools.cycle(itertools.chain.from_iterable(examples.ARMS.values()))
    for attack in compilable:
        for _ in range(2):
            yield pairing("ucb", tw.UCB(sigma=1.3), attack, next(world for world in arms if fits(attack, world)))


def pairing(label, policy, attack, world):
    return pytest.param(policy, attack, world, id=f"{label}-{type(attack).__name__}-{type(world).__name__}")


def fits(attack, arms) -> bool:
    """Return whether an attack is possible on these arms: `People` needs a scale, `Brigade` needs bounds."""
    try:
        attack.start(arms, 120)
    except tw.TruewardError:
        return False
    return True


PAIRINGS = list(pairings())


def assert_same(one: Trace, other: Trace) -> None:
    for field in fields(Trace):
        a, b = getattr(one, field.name), getattr(other, field.name)
        np.testing.assert_array_equal(a, b, err_msg=field.name)


@pytest.mark.parametrize(("policy", "attack", "arms"), PAIRINGS)
def test_interpreted_game_equals_compiled_game(policy, attack, arms):
    settings = {"horizon": 120, "trials": 3, "seed": 11, "keep_history": True}
    slow, fast = (tw.play(policy, arms, attack, compiled=compiled, **settings) for compiled in (False, True))
    assert_same(slow, fast)


DELAYED = [tw.UCB(sigma=1.3), tw.EXP3PP(examples.RATINGS), tw.GaussianThompson(sigma=1.3)]  # one of each family


@pytest.mark.parametrize("policy", DELAYED, ids=lambda policy: type(policy).__name__)
@pytest.mark.parametrize("delay", [tw.FixedDelay(7), tw.GeometricDelay(7)], ids=["fixed", "geometric"])
def test_interpreted_game_equals_compiled_game_with_delayed_rewards(policy, delay):
    settings = {"horizon": 60, "trials": 2, "seed": 11, "keep_history": True, "delay": delay}
    arms, attack = examples.ARMS["binomial"][0], tw.BernoulliAdversary(0.1)
    slow, fast = (tw.play(policy, arms, attack, compiled=compiled, **settings) for compiled in (False, True))
    assert_same(slow, fast)


def test_pairings_include_every_registered_class_at_least_twice():
    paired = [type(part) for case in PAIRINGS for part in case.values]
    for registry in (POLICIES, ARMS, ADVERSARIES):
        for name, entry in registry.items():
            if name != "function":  # a user's function is plain Python and is never compiled
                assert paired.count(entry) >= 2, name
    schemes = {type(case.values[1].values) for case in PAIRINGS if hasattr(case.values[1], "values")}
    assert schemes | {VALUES["random-malicious"]} == set(VALUES.values())  # needs whole numbers: tested below


def test_interpreted_game_equals_compiled_game_with_random_malicious_values():
    arms = examples.ARMS["binomial"][0]
    settings = {"horizon": 120, "trials": 3, "seed": 5}
    for attack in (tw.BernoulliAdversary(0.2), tw.PrefixBudget(0.2)):
        slow = tw.play(tw.UCB(sigma=1.3), arms, attack, compiled=False, **settings)
        assert_same(slow, tw.play(tw.UCB(sigma=1.3), arms, attack, compiled=True, **settings))
        assert slow.touched.sum() > 0


def test_examples_cover_the_registries():
    assert examples.POLICIES.keys() == POLICIES.keys()
    assert examples.ARMS.keys() == ARMS.keys()
    assert examples.ADVERSARIES.keys() == ADVERSARIES.keys()


def kernels_of_the_package():
    """Return every function that can be compiled: registered for a generic function, or called by one that is."""
    seen = {}

    def visit(function):
        if function in seen or function in generics or not function.__module__.startswith("trueward"):
            return
        seen[function] = None
        for value in inspect.getclosurevars(function).globals.values():
            if inspect.isfunction(value):
                visit(value)

    classes = {state_class for generic in generics for state_class in generic.kernels}
    for state_class, kernel_of in itertools.product(classes, generics.values()):
        found = kernel_of(state_class)
        if found is not None and not found.__code__.co_filename.startswith("<"):  # the engine generates resets
            visit(found)
    return [
        f
        for f in seen
        if f.__module__ not in {"trueward.policies.wrappers.plain_policy", "trueward.adversaries.function"}
        and not f.__module__.startswith("trueward.policies.wary")  # compared up to rounding, not in every bit
    ]


def unsafe_operations(function):
    """Yield operations that differ when compiled: powers, and functions that round or overflow differently."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            yield "**"
        if isinstance(node, ast.Attribute) and ast.unparse(node) in FORBIDDEN:
            yield ast.unparse(node)


def test_no_kernel_uses_operations_that_differ_when_compiled():
    functions = kernels_of_the_package()
    assert len(functions) > 60
    found = {f.__qualname__: list(unsafe_operations(f)) for f in functions if f is not exp}
    assert {name: parts for name, parts in found.items() if parts} == {}


def test_unsafe_operations_are_found():
    def unsafe(x):
        x **= 2
        return x**0.5 + np.sum(x)

    assert sorted(unsafe_operations(unsafe)) == ["**", "**", "np.sum"]
