"""Events, each with the hash of the one before it: a log in which a single changed byte is found.

    hash = SHA-256( JSON text of [previous hash, study, seq, kind, at, actor, body] ),    the first previous hash is ""

Without a secret a chain can be computed anew by whoever may write to the database: keep the head, the last hash, where
they cannot. In a study that was created with a secret, the hash is HMAC-SHA-256 with it as the key; a log that was cut
short is found by its head alone.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson  # the standard library takes ten times as long

from trueward.errors import ParameterError

AS_READ = ("ask", "tell")  # kinds of events whose bodies, made here, are what is read from their texts
STRICTLY = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_quoted = json.encoder.encode_basestring  # a text in JSON
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Event(NamedTuple):
    """One thing that happened; its body is kept as the very text that is hashed."""

    study: str
    seq: int
    kind: str
    at: str  # ISO 8601 in UTC
    actor: str
    text: str
    previous_hash: str
    hash: str
    body: dict[str, Any]  # what the text says


def text_of(body: Any) -> str:
    """Return what is stored and hashed."""
    try:
        text = orjson.dumps(body, option=STRICTLY).decode()
    except TypeError:  # of a whole number of more than 64 bits, too, which the standard library can write
        return _JSON.encode(body)
    return text if "null" not in text else _JSON.encode(body)  # null may stand for NaN, which is refused


def hash_of(
    previous: str, study: str, seq: int, kind: str, at: str, actor: str, text: str, *, secret: str | None = None
) -> str:
    """Return the hash of an event."""
    before, behind = f"{_quoted(previous)},{_quoted(study)}", f"{_quoted(kind)},{_quoted(at)},{_quoted(actor)}"
    return digest(f"[{before},{seq},{behind},{_quoted(text)}]", secret)  # as `text_of` of the list, in half the time


def body_of(kind: str, text: str) -> dict[str, Any]:
    """Return what the text of an event says; nothing for a changed one, as its hash will say."""
    try:
        found = orjson.loads(text) if kind in AS_READ else json.loads(text)  # which reads numbers of any length
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def digest(text: str, secret: str | None) -> str:
    """Return the hash of a text, which nobody without the secret can compute if there is one."""
    said = text.encode()
    return hmac.digest(secret.encode(), said, "sha256").hex() if secret else hashlib.sha256(said).hexdigest()


def hash_found(event: Event, secret: str | None) -> str:
    """Return the hash of what an event says, which should be its own."""
    return hash_of(
        event.previous_hash, event.study, event.seq, event.kind, event.at, event.actor, event.text, secret=secret
    )


def new_event(
    study: str, seq: int, kind: str, at: str, actor: str, body: dict[str, Any], previous: str, secret: str | None
) -> Event:
    """Return an event behind the one with the previous hash."""
    try:
        text = text_of(body)
        digest = hash_of(previous, study, seq, kind, at, actor, text, secret=secret)
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"what is written down must be such as JSON can hold: {error}") from None
    as_read = body if kind in AS_READ else json.loads(text)
    return Event(study, seq, kind, at, actor, text, previous, digest, as_read)


def broken_links(events: Iterable[Event], last_seq: int, head: str, secret: str | None) -> Iterator[str]:
    """Say of every event that was changed, added or removed; the study's row tells where the log ends."""
    previous, seq = "", 0
    for event in events:
        if event.seq != seq + 1:
            yield f"event {seq + 1} is missing"
        elif event.previous_hash != previous:
            yield f"event {event.seq} ({event.kind}) does not follow the event before it"
        if hash_found(event, secret) != event.hash:
            yield f"event {event.seq} ({event.kind}) was changed: its hash is not that of what it says"
        previous, seq = event.hash, event.seq
    if (seq, previous) != (last_seq, head):
        yield f"the log ends at event {seq}, and the study at event {last_seq}: events were removed, or added"
