"""The registry of the API's operations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from annotation.models import AccessKey, Project

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who signed the request: the requester (a project), the key, and this site's public URL."""

    project: Project
    key: AccessKey
    base_url: str  # scheme://host of the main site, without a trailing slash


Operation = Callable[[Caller, JSON], JSON]
OPERATIONS: dict[str, Operation] = {}


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register a function as one of the service's operations. It gets validated members and runs in a transaction.

    It returns the output's members, with times as datetimes and money as Decimal, or raises RequestError or Refused.
    """

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register
