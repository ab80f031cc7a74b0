"""Exceptions: the server's problem details, and servers that do not answer."""

from __future__ import annotations

from typing import Any

import httpx

JSON = dict[str, Any]


class HopscribeError(Exception):
    """Base of this client's exceptions."""


class NotReached(HopscribeError):
    """No response after all attempts. The request may or may not have been carried out."""


class Problem(HopscribeError):
    """The server refused (RFC 9457). `errors` is [{"field", "detail"}] for invalid fields."""

    def __init__(self, status: int, title: str, detail: str, members: JSON, *, request: str = "") -> None:
        message = f"{status} {title}: {detail}" if detail else f"{status} {title}"
        super().__init__(f"{message} ({request})" if request else message)
        self.status, self.title, self.detail = status, title, detail
        self.members = members
        self.errors: list[dict[str, str]] = members.get("errors", [])

    @classmethod
    def of(cls, response: httpx.Response) -> Problem:
        """The problem in a response, even if it is not from the API itself."""
        try:
            body = response.json()
        except ValueError:
            body = {"detail": response.text[:300]}
        members: JSON = body if isinstance(body, dict) else {"detail": str(body)[:300]}
        title = str(members.get("title") or response.reason_phrase)
        request = f"{response.request.method} {response.request.url.path}"
        return cls(response.status_code, title, str(members.get("detail", "")), members, request=request)
