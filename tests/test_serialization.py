import json
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction

import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError
from trueward.estimators import ESTIMATORS
from trueward.policies import POLICIES
from trueward.serialization import from_plain, to_plain

GIVEN = {
    "alpha": 0.2,
    "beta": 2.0,
    "budget": 10.0,
    "epsilon": 0.1,
    "estimator": tw.ShorthMean(0.1, tie="middle"),
    "mean": "catoni",
    "moment": 1.5,
    "policy": tw.UCB(sigma=1.0),
    "range": (1.0, 5.0),
    "sigma": 1.5,
}


def example(cls):
    """Return an object of a class of the tables, its required parameters given."""
    required = {f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING and f.init}
    if cls is tw.EpsilonGreedy:
        return cls(c=1.0)
    return cls(**{name: GIVEN[name] for name in required})


@pytest.mark.parametrize(("name", "cls"), [*POLICIES.items(), *ESTIMATORS.items()])
def test_every_registered_class_survives_json(name, cls):
    thing = example(cls)
    description = json.loads(json.dumps(to_plain(thing)))
    assert description["name"] == name
    assert description.keys() == {"name"} | {f.name for f in fields(cls)}
    assert from_plain("policy" if cls in POLICIES.values() else "estimator", description) == thing


def test_to_plain_gives_the_name_and_all_parameters_of_a_policy():
    assert to_plain(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3)) == {
        "name": "crucb",
        "estimator": {"name": "trimmed-mean", "alpha": 0.1, "rounding": "ceil", "literal": False},
        "sigma": 1.3,
        "c": 4.0,
        "bias_term": False,
    }


def test_from_plain_uses_defaults_for_missing_parameters():
    assert from_plain("policy", {"name": "ucb", "sigma": 2}) == tw.UCB(sigma=2)


def test_from_plain_accepts_a_name_alone_and_makes_lists_tuples():
    assert from_plain("estimator", "median") == tw.Median()
    assert from_plain("policy", {"name": "exp3", "range": [0, 10]}) == tw.EXP3((0, 10))


def test_from_plain_tells_the_same_name_in_two_roles_apart():
    assert isinstance(from_plain("arms", {"name": "bernoulli", "p": [0.5]}), tw.BernoulliArms)
    attack = from_plain("adversary", {"name": "bernoulli", "epsilon": 0.1, "values": "worst-bounded"})
    assert attack == tw.BernoulliAdversary(0.1, tw.WorstBounded())


def test_values_are_numbers_in_arms_and_a_scheme_in_an_adversary():
    arms = from_plain("arms", {"name": "categorical", "values": [1, 2], "probabilities": [[0.5, 0.5]]})
    assert arms.scale.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (
            {"name": "crucb", "estimator": {"name": "trimmed-mean", "alfa": 0.1}, "sigma": 1},
            r"policies\.mine\.estimator has no key 'alfa'; trimmed-mean takes alpha, rounding, literal",
        ),
        (
            {"name": "crucb", "estimator": {"name": "trimmed-mean", "alpha": 0.7}, "sigma": 1},
            r"policies\.mine\.estimator: alpha must be at least 0 and below 0\.5, got 0\.7",
        ),
        (
            {"name": "crucb", "estimator": "oracle", "sigma": 1},
            r"policies\.mine\.estimator\.name must be one of mean, .*, shorth-mean, .*got 'oracle'",
        ),
        ({"name": "ucb"}, r"policies\.mine needs sigma"),
    ],
)
def test_from_plain_error_names_the_place_and_what_is_allowed(description, message):
    with pytest.raises(ParameterError, match=message):
        from_plain("policy", description, "policies.mine")


def test_to_plain_converts_numpy_numbers():
    plain = to_plain(tw.CrUCB(tw.TrimmedMean(Fraction(1, 8)), sigma=[np.float32(0.5), 1], bias_term=True))
    assert plain["estimator"]["alpha"] == 0.125
    assert plain["sigma"] == [0.5, 1.0]
    assert json.loads(json.dumps(plain)) == plain


def test_to_plain_shares_nothing_with_its_object():
    sigma = [1.0, 2.0]
    to_plain(tw.CrUCB(tw.Mean(), sigma=sigma, bias_term=True))["sigma"].append(3.0)
    assert sigma == [1.0, 2.0]


@dataclass(frozen=True)
class Own(tw.Mean):
    pass


@pytest.mark.parametrize("thing", [Own(), tw.CrUCB(Own(), sigma=1), object()], ids=["own", "around own", "object"])
def test_to_plain_rejects_unregistered_objects(thing):
    with pytest.raises(ParameterError, match=r"(Own|object) is not registered, so it cannot be saved by name"):
        to_plain(thing)


@pytest.mark.parametrize("description", [{"name": "oracle"}, {}, {"name": None}])
def test_from_plain_rejects_unknown_name_and_lists_the_known_ones(description):
    with pytest.raises(ParameterError, match=r"policy\.name must be one of uniform, .*, wary, got"):
        from_plain("policy", description)
