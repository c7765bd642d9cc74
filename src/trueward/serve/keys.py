"""Keys: who may call the service, and for what. A key is shown once; the database holds its hash.

tw_sk_<id>_<secret>     a server's: any of the scopes
tw_pk_<id>_<secret>     a browser's, and so everybody's: one study, listed origins, decide only
"""

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from trueward.errors import ParameterError, StudyError
from trueward.serve.signing import digest_of
from trueward.study import tables
from trueward.study.log import row_of
from trueward.study.settings import name_of, seconds_of
from trueward.study.times import moment, now

SCOPES = {
    "decide": "ask which arm to show",
    "reward": "tell rewards",
    "read": "see decisions, events, results and exports",
    "void": "void, restore and amend",
    "manage": "create studies, change arms, pause, end, import and erase",
}
SECRET, PUBLIC = "secret", "public"
PREFIXES = {SECRET: "tw_sk", PUBLIC: "tw_pk"}


@dataclass(frozen=True)
class Key:
    """What is known of a key; its secret is not."""

    id: str
    kind: str
    study: str | None  # None: all studies of the database
    scopes: frozenset[str]
    origins: tuple[str, ...] = ()
    signed_only: bool = False
    per_minute: int | None = None
    label: str = ""
    created_at: str = ""
    expires_at: str | None = None
    revoked_at: str | None = None
    digest: str = ""

    @property
    def is_public(self) -> bool:
        """Whether everybody can know it."""
        return self.kind == PUBLIC

    @property
    def state(self) -> str:
        """Whether it is active, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now() else "active"

    def allows(self, scope: str, study: str | None) -> bool:
        """Return whether it may be used for something, in a study."""
        return scope in self.scopes and self.study in (None, study)


def create(
    connection: sa.Connection,
    *,
    study: str | None,
    scopes: Iterable[str] = (),
    origins: Iterable[str] = (),
    signed_only: bool = False,
    per_minute: int | None = None,
    expires: str | None = None,
    label: str = "",
) -> tuple[Key, str]:
    """Make a key, and return it with its text; with origins, one for browsers."""
    origins = tuple(map(_origin, origins))
    kind = PUBLIC if origins else SECRET
    if study is not None:
        row_of(connection, study)
    if label:
        name_of("label", label)
    at = datetime.now(UTC)
    key = Key(
        id=secrets.token_hex(6),
        kind=kind,
        study=study,
        scopes=_scopes(kind, study, scopes),
        origins=origins,
        signed_only=signed_only and kind == PUBLIC,
        per_minute=per_minute,
        label=label,
        created_at=moment(at),
        expires_at=None if expires is None else moment(at + timedelta(seconds=seconds_of(expires) or 0)),
    )
    text = f"{PREFIXES[kind]}_{key.id}_{secrets.token_hex(24)}"
    connection.execute(sa.insert(tables.api_key), _row(key) | {"digest": digest_of(text)})
    return key, text


def _origin(origin: str) -> str:
    scheme, separator, host = origin.partition("://")
    if scheme not in ("http", "https") or not separator or not host or set("/ *,") & set(host):
        raise ParameterError(f"origin must be such as https://survey.example.org, got {origin!r}")
    return origin.lower()


def _scopes(kind: str, study: str | None, scopes: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(scopes)
    if wanted - set(SCOPES):
        raise ParameterError(f"scope must be of {', '.join(SCOPES)}, got {', '.join(sorted(wanted - set(SCOPES)))}")
    if kind == PUBLIC:
        if study is None:
            raise ParameterError("study must be given for a browser key, got none")
        if wanted - {"decide"}:
            raise ParameterError(f"scope must be decide for a browser key, got {', '.join(sorted(wanted))}")
        return frozenset({"decide"})
    if not wanted:
        raise ParameterError(f"scope must be at least one of {', '.join(SCOPES)}, got none")
    return wanted


def find(connection: sa.Connection, text: str) -> Key | None:
    """Return the key with this text, of whatever state; None if there is none."""
    parts = text.split("_")
    key = by_id(connection, parts[2]) if len(parts) == 4 else None
    return key if key is not None and hmac.compare_digest(key.digest, digest_of(text)) else None


BY_ID = sa.select(tables.api_key).where(tables.api_key.c.id == sa.bindparam("key_id"))


def by_id(connection: sa.Connection, key_id: str) -> Key | None:
    """Return the key with an id."""
    row = connection.execute(BY_ID, {"key_id": key_id}).one_or_none() if key_id.isalnum() else None
    return None if row is None else _key(row._mapping)


def list_keys(connection: sa.Connection, study: str | None = None) -> tuple[Key, ...]:
    """Return all keys, or those of one study, the oldest first."""
    columns = tables.api_key.c
    query = sa.select(tables.api_key).order_by(columns.created_at)
    rows = connection.execute(query if study is None else query.where(columns.study == study))
    return tuple(_key(row._mapping) for row in rows)


def revoke(connection: sa.Connection, key_id: str) -> Key:
    """Let a key be of no use any more."""
    key = by_id(connection, key_id)
    if key is None:
        raise StudyError(f"there is no key {key_id!r} in this database")
    columns = tables.api_key.c
    alive = sa.update(tables.api_key).where(columns.id == key_id, columns.revoked_at.is_(None))
    connection.execute(alive.values(revoked_at=now()))
    return key


def origins_of_all(connection: sa.Connection) -> frozenset[str]:
    """Return the origins of all browser keys that are active."""
    return frozenset(origin for key in list_keys(connection) if key.state == "active" for origin in key.origins)


def _row(key: Key) -> dict[str, Any]:
    plain = {column.name: getattr(key, column.name) for column in tables.api_key.c}
    return plain | {"scopes": " ".join(sorted(key.scopes)), "origins": " ".join(key.origins)}


def _key(row: Any) -> Key:
    return Key(**{**row, "scopes": frozenset(row["scopes"].split()), "origins": tuple(row["origins"].split())})
