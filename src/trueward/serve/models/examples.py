"""An example of each model, for the description of the API."""

from typing import Any

from pydantic import ConfigDict


def example(**fields: Any) -> ConfigDict:
    """Return a model's settings: no other fields than its own, and what it looks like."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})
