"""Part of the arena: some of its policies, some of its scenarios, by their names."""

from collections.abc import Iterable, Mapping, Sequence

from trueward.errors import ParameterError, did_you_mean
from trueward.lab.arena.field import Entry
from trueward.lab.arena.scenario import Scenario


def chosen_policies(field: Mapping[str, Entry], names: Sequence[str]) -> dict[str, Entry]:
    """Return the policies of these names in the order of the field; all if none is named."""
    _check("only", names, field)
    return {name: entry for name, entry in field.items() if not names or name in names}


def chosen_scenarios(suite: Sequence[Scenario], names: Sequence[str]) -> tuple[Scenario, ...]:
    """Return the scenarios that bear one of these names, or are in a group that does; all if none is named."""
    known = {word: None for scenario in suite for word in (scenario.group, scenario.name)}
    _check("scenarios", names, known)
    return tuple(scenario for scenario in suite if not names or {scenario.group, scenario.name} & set(names))


def _check(option: str, names: Sequence[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise ParameterError(f"--{option} {name}: this scale has nothing of that name{near}")
