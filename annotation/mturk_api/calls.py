"""Calls of the API: who makes them, the operations, and their errors.

An error has a `__type`, a message that clients match, and a TurkErrorCode.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import AccessKey, Project

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """The signer of a request: the requester (a project), the key, and this site's public URL."""

    project: Project
    key: AccessKey
    base_url: str  # scheme://host of the main site, without a trailing slash


Operation = Callable[[Caller, JSON], JSON]
OPERATIONS: dict[str, Operation] = {}


def operation(name: str, *, atomic: bool = True) -> Callable[[Operation], Operation]:
    """Register a function as one of the service's operations. It gets validated members.

    It returns the output's members, with times as datetimes and money as Decimal, or raises RequestError or Refused.
    It runs in a transaction unless `atomic` is false: it only reads, or begins a transaction of its own once it knows
    what to write.
    """

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = transaction.atomic(function) if atomic else function
        return function

    return register


class RequestError(Exception):
    """An error of the API. `kind` is its `__type`, `code` its TurkErrorCode without the prefix."""

    def __init__(self, message: str, *, code: str = "", kind: str = "RequestError", status: int = 400) -> None:
        super().__init__(message)
        self.kind, self.message, self.code, self.status = kind, message, code, status

    @property
    def body(self) -> dict[str, str]:
        """The error's JSON, without the time that MTurk appends to every message."""
        members = {"__type": self.kind, "Message": self.message}
        return members | ({"TurkErrorCode": f"AWS.MechanicalTurk.{self.code}"} if self.code else {})


def invalid_value(message: str) -> RequestError:
    """The error for a value that does not fit."""
    return RequestError(message, code="InvalidParameterValue")


def wrong_assignment_state(*allowed: str) -> RequestError:
    """The error for an assignment that is in none of these states."""
    message = f"This operation can be called with a status of: {','.join(allowed)}"
    return RequestError(message, code="InvalidAssignmentState")
