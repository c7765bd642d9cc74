"""Who will rate: from a share of careless people, or a profile, to an adversary that gives one rating per person.

In a study as it is planned, every participant rates once. So a profile's sessions have length one and nobody tires in
them; its shares, its bots (who come in rows, under other names) and its drop-out stay as they are.
"""

from dataclasses import replace

from trueward.adversaries.people import People
from trueward.adversaries.profiles import PROFILES, Profile
from trueward.engine import checks
from trueward.errors import ParameterError

Careless = float | str | Profile | People

MIX = {"random": 4, "midpoint": 2, "straight": 3, "zigzag": 1, "reverse": 1}
"""What a share of careless people consists of: the careless of the profile "university class"."""


def raters(careless: Careless) -> People:
    """Return people who rate once each."""
    if isinstance(careless, People):
        return replace(careless, profile=_once(careless.settings))
    if isinstance(careless, Profile):
        return People(_once(careless))
    if isinstance(careless, str):
        if careless not in PROFILES:
            names = ", ".join(map(repr, PROFILES))
            raise ParameterError(f"careless must be a share, a Profile, or one of {names}; got {careless!r}")
        return People(_once(PROFILES[careless]))
    share = checks.number("careless", careless, at_least=0, below=0.5)
    parts = sum(MIX.values())
    return People(_once(Profile(shares={kind: share * part / parts for kind, part in MIX.items()})))


def _once(profile: Profile) -> Profile:
    return replace(profile, session=1.0, fatigue=(0.0, *profile.fatigue[1:]))
