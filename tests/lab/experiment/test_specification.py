import pytest

from trueward.errors import SpecificationError, TruewardError
from trueward.lab import load

BASE = {
    "arms": {"name": "bernoulli", "p": [0.5, 0.6]},
    "policies": {"UCB": {"name": "ucb", "sigma": 0.5}},
    "horizon": 10,
    "trials": 3,
}


def changed(**changes):
    return {**BASE, **changes}


def test_sweep_makes_a_cell_of_every_combination_and_substitutes_its_values():
    experiment = load(
        changed(
            adversary={"name": "bernoulli", "epsilon": "$epsilon", "values": "$scheme"},
            policies={
                "tUCB": {"name": "crucb", "estimator": {"name": "trimmed-mean", "alpha": "$epsilon"}, "sigma": "$sd"}
            },
            sweep={"epsilon": [0.0, 0.1], "scheme": ["worst-bounded", "inlier"]},
        )
    )
    assert [cell.label for cell in experiment.cells] == [
        "epsilon = 0, scheme = worst-bounded",
        "epsilon = 0, scheme = inlier",
        "epsilon = 0.1, scheme = worst-bounded",
        "epsilon = 0.1, scheme = inlier",
    ]
    last = experiment.cells[-1]
    assert last.adversary.epsilon == last.policies["tUCB"].estimator.alpha == 0.1
    assert last.policies["tUCB"].sigma == last.arms.sd
    assert type(last.adversary.values).__name__ == "Inlier"


def test_properties_of_the_arms_are_substituted():
    policies = {
        "a": {"name": "exp3", "range": "$bounds"},
        "b": {"name": "ucb", "sigma": "$proxy"},
        "c": {"name": "ucb", "sigma": "$sd"},
    }
    cell = load(changed(policies=policies)).cells[0]
    assert cell.policies["a"].range == (0.0, 1.0)
    assert cell.policies["b"].sigma == cell.arms.proxy
    assert cell.policies["c"].sigma == cell.arms.sd


def test_arms_and_horizon_can_be_swept():
    arms = [{"label": "easy", "name": "bernoulli", "p": [0.1, 0.9]}, {"name": "bernoulli", "p": [0.5, 0.6]}]
    experiment = load(changed(arms="$arms", horizon="$T", sweep={"arms": arms, "T": [5, 7]}))
    assert [(cell.label, cell.horizon) for cell in experiment.cells] == [
        ("arms = easy, T = 5", 5),
        ("arms = easy, T = 7", 7),
        ("arms = bernoulli, T = 5", 5),
        ("arms = bernoulli, T = 7", 7),
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (changed(horizn=3), r"there is no key 'horizn'; allowed: title, arms, adversary, policies, reference, horizon"),
        ({"arms": BASE["arms"], "horizon": 5}, r"the key 'policies' is missing"),
        (changed(horizon=0), r"horizon must be a whole number of at least 1, got 0"),
        (changed(trials=2.5), r"trials must be a whole number of at least 1, got 2\.5"),
        (changed(policies={}), r"policies must be a table with at least one policy"),
        (changed(policies={"UCB": {"name": "ucb", "sigma": "x"}}), r"policies\.UCB: sigma must be a number, got 'x'"),
        (changed(policies={"UCB": {"name": "ubc"}}), r"policies\.UCB\.name must be one of uniform, .*, got 'ubc'"),
        (changed(policies={"UCB": {"name": "ucb", "sgma": 1}}), r"policies\.UCB has no key 'sgma'; ucb takes sigma, c"),
        (
            changed(policies={"UCB": {"name": "ucb", "sigma": "$s"}}),
            r"policies\.UCB\.sigma is '\$s', but there is no such variable",
        ),
        (changed(sweep={"alpha": [1]}), r"sweep\.alpha is never used"),
        (changed(sweep={"alpha": []}), r"sweep\.alpha must be a non-empty list"),
        (changed(sweep={"sd": [1]}), r"sweep\.sd is reserved"),
        (changed(sweep=3), r"sweep must be a table of lists"),
        (changed(reference="tUCB"), r"reference must be one of 'UCB', got 'tUCB'"),
        (
            changed(arms={"name": "bernoulli", "p": [0.5, 1.6]}),
            r"arms: p\[1\] must be at least 0 and at most 1, got 1\.6",
        ),
        (changed(adversary={"name": "bernoulli"}), r"adversary needs epsilon"),
    ],
)
def test_wrong_key_or_value_is_named_with_what_is_allowed(spec, message):
    with pytest.raises(TruewardError, match=message):
        load(spec)


def test_error_in_a_file_names_the_file(tmp_path):
    file = tmp_path / "mine.toml"
    with pytest.raises(SpecificationError, match=r"mine\.toml: cannot be read: No such file"):
        load(file)
    file.write_text("horizon = = 3")
    with pytest.raises(SpecificationError, match=r"mine\.toml: is not TOML: .* line 1"):
        load(file)
    file.write_text("horizon = 3\nhorizn = 4\n")
    with pytest.raises(SpecificationError, match=r"mine\.toml: there is no key 'horizn'"):
        load(file)


def test_wrong_dictionary_raises_specification_error():
    with pytest.raises(SpecificationError, match=r"horizon must be"):
        load(changed(horizon=0))


def nested(depth, wrap, inner):
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def policy(**parameters):
    return changed(policies={"p": parameters})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (policy(name=["ucb"], sigma=1), r"policies\.p\.name must be one of .*, got \['ucb'\]"),
        (policy(name={"name": "ucb"}), r"policies\.p\.name must be one of .*, got \{'name': 'ucb'\}"),
        (policy(name="ucb", sigma=10**400), r"policies\.p: sigma must be .*, got a number of 1329 bits"),
        (policy(name="ucb", sigma=[[1, 2], [3]]), r"policies\.p: sigma must be a number"),
        (policy(name="crucb", estimator="median", sigma=[[1, 2], [3]]), r"^policies\.p: "),
        (policy(name="ucb", sigma=nested(5000, lambda x: [x], 1)), r"nested too deeply"),
        (
            changed(policies={"p": nested(3000, lambda x: {"name": "uniform-share", "policy": x}, "ucb")}),
            r"nested too deeply",
        ),
        (changed(arms={"name": "binomial", "n": 10**400, "p": [0.1, 0.2]}), r"."),
        (changed(horizon=10**400), r"."),
    ],
)
def test_values_that_python_or_numpy_refuse_are_reported_in_one_line(spec, message):
    with pytest.raises(SpecificationError, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize(
    "content",
    ["x = " + "[" * 3000 + "]" * 3000, "policies" + ".a" * 3000 + " = 1", "horizon = 1" + "0" * 5000],
    ids=["lists", "tables", "digits"],
)
def test_file_nested_too_deeply_or_with_huge_numbers_is_reported_in_one_line(tmp_path, content):
    file = tmp_path / "deep.toml"
    file.write_text(content)
    with pytest.raises(SpecificationError, match=r"deep\.toml: ") as caught:
        load(file)
    assert "\n" not in str(caught.value)


def test_file_named_by_dots_alone_is_refused(tmp_path):
    file = tmp_path / "...toml"
    file.write_text("horizon = 10")
    with pytest.raises(SpecificationError, match="the name of the file must not consist of dots alone"):
        load(file)
