"""Calls of the API as tests make them: a token, an address below the project, JSON in and out."""

from __future__ import annotations

from typing import Any

from annotation.models import Member, User
from tests.api.ground import Caller


class InProject:
    """A caller with a token of their own, in one project."""

    def __init__(self, user: User, slug: str, *, scope: str = "write") -> None:
        self.client = Caller(user, scope=scope)
        self.base = f"/api/v1/projects/{slug}/"

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(self.base + path, query)

    def post(self, path: str, key: str = "", **body: Any) -> Any:
        return self.send("post", path, body, key)

    def patch(self, path: str, **body: Any) -> Any:
        return self.send("patch", path, body)

    def put(self, path: str, **body: Any) -> Any:
        return self.send("put", path, body)

    def delete(self, path: str) -> Any:
        return self.send("delete", path, {})

    def send(self, method: str, path: str, body: Any, key: str = "") -> Any:
        return self.client.send(self.base + path, body, key=key, method=method)


def caller(user: User, slug: str = "wells", **more: Any) -> InProject:
    return InProject(user, slug, **more)


def member(project: Any, name: str, role: str) -> InProject:
    """Somebody of that role in the project."""
    user = User.objects.create_user(name, password=None)
    Member.objects.create(project=project, user=user, role=role)
    return InProject(user, project.slug)


def fields_at_fault(response: Any) -> set[str]:
    """The fields that a 422 names."""
    assert response.status_code == 422, response.content
    return {error["field"] for error in response.json()["errors"]}
