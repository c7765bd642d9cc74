import inspect

from trueward import theory


def test_theory_all_lists_every_public_name_in_order():
    public = {name for name, value in vars(theory).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public == set(theory.__all__)
    assert theory.__all__ == sorted(theory.__all__)


def test_theory_functions_take_keyword_only_parameters_after_the_first():
    # the radii take n and t, a distance takes two distributions; everything else is named
    for name in theory.__all__:
        value = getattr(theory, name)
        if inspect.isfunction(value):
            kinds = [p.kind for p in inspect.signature(value).parameters.values()]
            positional = sum(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
            pairs = "radius" in name or name in ("total_variation", "identifiable")
            assert positional == (2 if pairs else 1), name
