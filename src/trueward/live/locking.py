"""One thread at a time."""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Owner = TypeVar("Owner", bound=Any)


def alone(method: Callable[Concatenate[Owner, Given], Returned]) -> Callable[Concatenate[Owner, Given], Returned]:
    """Let one thread at a time into an object, which keeps its lock as `_lock`."""

    @functools.wraps(method)
    def locked(self: Owner, *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked  # type: ignore[return-value] # the same method, behind a lock
