"""What the service is told when it starts: from the environment (TRUEWARD_…), and from flags, which come first."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from trueward.errors import ParameterError
from trueward.parameters import check_integer
from trueward.study.settings import seconds_of

PREFIX = "TRUEWARD_"
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def _setting(default: Any, words: str) -> Any:
    return field(default=default, metadata={"words": words})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Each is set by a variable of its name in capitals, as TRUEWARD_DB; several values have commas between them."""

    db: str = _setting("", "the database: `sqlite:///FILE` or `postgresql://…`")
    host: str = _setting("127.0.0.1", "the address to listen at")
    port: int = _setting(8000, "the port to listen at")
    workers: int = _setting(1, "how many processes answer")
    hosts: tuple[str, ...] = _setting(
        (), "names under which it is called, as in `study.example.org`; besides 127.0.0.1 and localhost"
    )
    origins: tuple[str, ...] = _setting(
        (), "pages of other hosts that may call it with any key, as in `https://survey.example.org`; see browser keys"
    )
    signing_secrets: tuple[str, ...] = _setting(
        (), "sign the tokens of browsers: the first signs, all are accepted; if none, one is kept in the database"
    )
    token_lifetime: str = _setting("48h", "how long after its decision a browser may rate")
    body_limit: int = _setting(1_000_000, "the most bytes of a request")
    decisions_per_minute: int = _setting(600, "the most decisions per minute of a browser key; 0: any number")
    decisions_per_participant: int = _setting(600, "the most new decisions per hour of a participant; 0: any number")
    answers_kept: str = _setting("24h", "how long an answer is kept for an Idempotency-Key")
    patience: str = _setting("30s", "how long requests that were accepted may take when the service is stopped")
    open: bool = _setting(False, "no key is needed: for a demonstration on one's own machine, never else")

    def __post_init__(self) -> None:
        check_integer("port", self.port)
        check_integer("workers", self.workers, at_least=1)
        check_integer("body_limit", self.body_limit, at_least=1000)
        for name in ("decisions_per_minute", "decisions_per_participant"):
            check_integer(name, getattr(self, name))
        for secret in self.signing_secrets:
            if len(secret) < 16:
                raise ParameterError("signing_secrets must have at least 16 characters each; not shown here")
        if self.open and self.host not in LOCAL:
            raise ParameterError(f"open needs host to be 127.0.0.1, got {self.host!r}")
        _ = self.token_seconds, self.answers_kept_seconds, self.patience_seconds

    @property
    def token_seconds(self) -> int:
        """The lifetime of a token in seconds."""
        return int(seconds_of(self.token_lifetime) or 0)

    @property
    def answers_kept_seconds(self) -> int:
        """How long answers are kept, in seconds."""
        return int(seconds_of(self.answers_kept) or 0)

    @property
    def patience_seconds(self) -> int:
        """How long a stop may take, in seconds."""
        return int(seconds_of(self.patience) or 0)

    @property
    def all_hosts(self) -> tuple[str, ...]:
        """The names under which it may be called."""
        return (*LOCAL, *self.hosts)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **flags: Any) -> Self:
        """Return what the environment says; a flag that is not None comes first."""
        known = os.environ if environment is None else environment
        given = {
            f.name: _read(f.name, f.type, known[variable_of(f.name)])
            for f in fields(cls)
            if variable_of(f.name) in known
        }
        return cls(**{**given, **{name: value for name, value in flags.items() if value is not None}})

    def as_environment(self) -> dict[str, str]:
        """Return the variables that say the same, for the worker processes."""
        return {variable_of(name): written(value) for name, value in asdict(self).items()}

    def but(self, **changes: Any) -> Self:
        """Return the same with some changes."""
        return replace(self, **changes)


def variable_of(name: str) -> str:
    """Return the variable of a setting."""
    return PREFIX + name.upper()


def written(value: Any) -> str:
    """Return a value as a variable has it."""
    return ",".join(value) if isinstance(value, tuple) else str(int(value)) if isinstance(value, bool) else str(value)


def _read(name: str, kind: Any, text: str) -> Any:
    if kind is bool:
        return text.strip().lower() in ("1", "true", "yes")
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise ParameterError(f"{variable_of(name)} must be a whole number, got {text!r}") from None
    return text if kind is str else tuple(part.strip() for part in text.split(",") if part.strip())
