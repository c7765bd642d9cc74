"""Times as they are written down."""

from datetime import UTC, datetime

from trueward.errors import ParameterError


def now() -> str:
    """Return the time in UTC, as it is written down."""
    return moment(datetime.now(UTC))


def moment(time: datetime) -> str:
    """Return a time as it is written down: texts of the same length, in the order of the times."""
    try:
        return time.astimezone(UTC).isoformat(timespec="microseconds")
    except OverflowError:
        raise ParameterError(f"time must lie in the years 1 to 9999 of UTC, got {time}") from None
