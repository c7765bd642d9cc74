"""What a saved bandit looks like: a dictionary for JSON, of its settings and the log of its events."""

import copy
from collections.abc import Mapping
from typing import Any

from trueward.errors import LogError
from trueward.live.log import VERSION, Log
from trueward.policies.policy import Policy
from trueward.serialization import policy_to_plain

FORMAT = "trueward.bandit"


def saved(policy: Policy, log: Log, *, seed: int, horizon: int | None) -> dict[str, Any]:
    """Return a bandit as it is saved."""
    if not log.keeps_events:
        raise LogError("the bandit was made with keep_events=False: it has no events to save")
    return {
        "format": FORMAT,
        "version": VERSION,
        "policy": policy_to_plain(policy),
        "arms": list(log.first_arms),
        "seed": seed,
        "horizon": horizon,
        "events": copy.deepcopy(log.events),
    }


def version_of(found: Any) -> int:
    """Return in which version a bandit was saved, or say that this is none."""
    named = {key: found.get(key) for key in ("format", "version")} if isinstance(found, Mapping) else found
    if not isinstance(named, dict) or named["format"] != FORMAT or named["version"] not in (1, VERSION):
        raise LogError(f"the saved bandit must be of format {FORMAT!r} version {VERSION}, got {named!r}")
    return int(named["version"])
