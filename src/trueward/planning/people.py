"""Who will rate: from a share of careless people, or a profile, to an adversary that gives one rating per person.

In a study as it is planned, every participant rates once. So a profile's sessions have length one and nobody tires in
them; its shares and its drop-out stay as they are. Its bots still come in rows, under other names, as much longer than
the others as in the profile: the share of the participants who are bad is larger than that of the people.
"""

from dataclasses import replace

import numpy as np

from trueward.adversaries.careless_participants import CarelessParticipants
from trueward.adversaries.profiles import NEVER, PROFILES, Profile
from trueward.arms.categorical import CategoricalArms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import MISSING, plan_attack
from trueward.errors import ParameterError
from trueward.parameters import check_number
from trueward.planning.deciding import counts_of

Careless = float | str | Profile | CarelessParticipants

DRAWN = 10_000  # bad ratings of each arm

MIX = {"random": 4, "midpoint": 2, "straightlining": 3, "zigzag": 1, "reverse": 1}
"""What a share of careless people consists of: the careless of the profile "university class"."""


def raters(careless: Careless) -> CarelessParticipants:
    """Return people who rate once each."""
    if isinstance(careless, CarelessParticipants):
        return replace(careless, profile=_once(careless.population))
    if isinstance(careless, Profile):
        return CarelessParticipants(_once(careless))
    if isinstance(careless, str):
        if careless not in PROFILES:
            names = ", ".join(map(repr, PROFILES))
            raise ParameterError(f"careless must be a share, a Profile, or one of {names}; got {careless!r}")
        return CarelessParticipants(_once(PROFILES[careless]))
    share = check_number("careless", careless, at_least=0, below=0.5)
    parts = sum(MIX.values())
    return CarelessParticipants(_once(Profile(shares={kind: share * part / parts for kind, part in MIX.items()})))


def _once(profile: Profile) -> Profile:
    longer = max(1.0, profile.bot_session / profile.session)
    return replace(profile, session=1.0, bot_session=longer, fatigue=(0.0, *profile.fatigue[1:]))


def share_of_bad(people: CarelessParticipants) -> float:
    """Return the share of the participants who are not attentive; a bot that comes in a row is as many."""
    who = people.population
    bots = who.shares.get("bot", 0.0)
    further = bots * (who.bot_session - 1.0)
    return (people.constraint + further) / (1.0 + further)


def seen_of(people: CarelessParticipants, arms: CategoricalArms, *, seed: int = 0) -> Floats:
    """Return how often each rating is given to each arm, by good and bad together: (arms, values + 1), missing last.

    The bad ratings are drawn, many of them and nobody else's, so that little is left to chance.
    """
    who, share, rng = people.population, share_of_bad(people), np.random.default_rng(seed)
    good = np.pad(arms.probabilities, ((0, 0), (0, 1)))
    if who.dropout[0] > NEVER:
        good = _drawn(replace(who, shares={}), arms, rng)
    if share == 0.0:
        return good
    total = sum(who.shares.values())
    bad = _drawn(replace(who, shares={kind: each / total for kind, each in who.shares.items()}), arms, rng)
    return (1.0 - share) * good + share * bad


def _drawn(who: Profile, arms: CategoricalArms, rng: np.random.Generator) -> Floats:
    truth = arms.draw(DRAWN, rng)
    shown = np.empty_like(truth)
    plan_attack(CarelessParticipants(who).start(arms, DRAWN), truth, shown, rng)
    given = np.where(np.isnan(shown), truth, np.where(shown == MISSING, np.nan, shown))  # UNTOUCHED is NaN
    place = np.tile(np.arange(arms.n_arms), (DRAWN, 1))
    counts = counts_of(place.reshape(1, -1), given.reshape(1, -1), arms.scale, arms.n_arms)
    return np.asarray(counts[0] / DRAWN)
