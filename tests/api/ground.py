"""What tests of the API share: a client with a token, and what a problem looks like."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from annotation.flow.projects import api_tokens

PROJECT = "/api/v1/projects/wells/"


class Caller(Client):
    """Calls as somebody with a token of theirs; bodies are JSON. `text` is the token's."""

    def __init__(self, user: Any, *, quiet: bool = False, **wish: Any) -> None:
        super().__init__(raise_request_exception=not quiet)
        self.token, self.text = api_tokens.make(user, **wish)

    def request(self, **request: Any) -> Any:
        request.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.text}")
        return super().request(**request)

    def send(self, address: str, body: Any = None, *, key: str = "", method: str = "post", **more: Any) -> Any:
        """A write, under an Idempotency-Key where there is one."""
        headers = {"Idempotency-Key": key} if key else {}
        sent = {"data": json.dumps(body or {}), "content_type": "application/json"} | more
        return getattr(self, method)(address, headers=headers, **sent)


def is_problem(response: Any, status: int) -> dict[str, Any]:
    """The problem's members, once it is told as RFC 9457 has it."""
    assert response.status_code == status, (response.status_code, response.content[:500])
    assert response["Content-Type"] == "application/problem+json"
    result: dict[str, Any] = json.loads(response.content)
    assert {"type", "title", "status", "detail"} <= set(result)
    assert result["status"] == status
    assert "Traceback" not in result["detail"]
    return result
