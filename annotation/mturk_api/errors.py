"""Errors of the MTurk API: a `__type`, a message that clients match, and a TurkErrorCode."""


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
