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

    def __init__(self, status: int, title: str, detail: str, members: JSON, *, asked: str = "") -> None:
        said = f"{status} {title}: {detail}" if detail else f"{status} {title}"
        super().__init__(f"{said} ({asked})" if asked else said)
        self.status, self.title, self.detail = status, title, detail
        self.members = members
        self.errors: list[dict[str, str]] = members.get("errors", [])

    @classmethod
    def of(cls, response: httpx.Response) -> Problem:
        """The problem in a response, even if it is not from the API itself."""
        try:
            told = response.json()
        except ValueError:
            told = {"detail": response.text[:300]}
        members: JSON = told if isinstance(told, dict) else {"detail": str(told)[:300]}
        title = str(members.get("title") or response.reason_phrase)
        asked = f"{response.request.method} {response.request.url.path}"
        return cls(response.status_code, title, str(members.get("detail", "")), members, asked=asked)
