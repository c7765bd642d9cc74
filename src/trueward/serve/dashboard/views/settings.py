"""What was laid down when a study began, in words, and where it stands."""

from collections.abc import Iterable
from dataclasses import dataclass

from trueward.reporting.labels import count
from trueward.serve.dashboard.views.look import Look
from trueward.serve.keys import PREFIXES, Key
from trueward.study.settings import Settings


@dataclass(frozen=True)
class SettingsPage:
    """Facts, by their names; the rules; and what may be done now."""

    facts: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]
    turns: tuple[str, ...]  # of pause, resume and end, those that are possible


TURNS = {"running": ("pause", "end"), "paused": ("resume", "end"), "ended": ()}


def settings_of(look: Look) -> SettingsPage:
    """Return what the settings of a study say."""
    settings = look.settings
    stops = ", then no new ones" if settings.stop_at_horizon else ""
    facts = {
        "Policy": policy_words(settings.policy),
        "Planned": f"{count(settings.horizon, 'decision')}{stops}" if settings.horizon else "no number of decisions",
        "Drawn uniformly": f"{100 * settings.uniform_share:g} % of the decisions",
        "Missing after": duration(settings.window) if settings.window else "never: a rating is waited for",
        "Same arm again": _again(settings),
        "Seed": str(settings.seed),
        "Log": f"{look.last_seq:,} events, {'HMAC with a secret' if settings.keyed else 'SHA-256'}",
        "Head of the log": look.head,
    }
    return SettingsPage(tuple(facts.items()), tuple(map(str, look.rules)), TURNS[look.state])


def _again(settings: Settings) -> str:
    """Return what a participant who comes again is shown."""
    if settings.one_arm:
        return "always: a participant keeps the first"
    return "only if there is no other" if settings.distinct else "possible"


@dataclass(frozen=True)
class KeyRow:
    """A key, without its secret; `own` if it is of this study alone."""

    id: str
    prefix: str
    label: str
    use: str
    scopes: str
    state: str
    created_at: str
    own: bool


def keys_of(known: Iterable[Key], study: str) -> tuple[KeyRow, ...]:
    """Return the keys that may be used for a study, the latest first."""
    mine = [key for key in known if key.study in (None, study)]
    return tuple(_key_row(key, study) for key in reversed(mine))


def _key_row(key: Key, study: str) -> KeyRow:
    use = f"browsers, on {', '.join(key.origins)}" if key.is_public else "a server"
    if key.study is None:
        use += "; all studies"
    words = ", ".join(sorted(key.scopes))
    return KeyRow(key.id, PREFIXES[key.kind], key.label, use, words, key.state, key.created_at, key.study == study)


def policy_words(policy: dict[str, object] | None) -> str:
    """Return a policy in words."""
    if policy is None:
        return "one of your own"
    plain = {name: value for name, value in policy.items() if name != "name" and not isinstance(value, dict | bool)}
    given = [f"{name} {_word(value)}" for name, value in plain.items() if _word(value)]
    return ", ".join([str(policy.get("name", "")), *given])


def _word(value: object) -> str:
    """Return a parameter in words, if it is a number, a name or a range."""
    if isinstance(value, list):
        return " to ".join(f"{each:g}" for each in value) if all(isinstance(e, int | float) for e in value) else ""
    return "" if value is None else str(value)


def duration(seconds: float) -> str:
    """Return a length of time in words.

    >>> duration(172800), duration(1800)
    ('2 days', '30 minutes')
    """
    for unit, noun in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return count(int(seconds // unit), noun)
    return f"{seconds:g} seconds"
