"""The page on which members make tokens for the API and end them."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from annotation.models import ApiToken, AuditEntry, Member, User

PAGE = "/projects/wells/tokens/"


def test_a_token_is_shown_once_and_works_until_it_is_revoked(client: Any, alice: Any) -> None:
    client.force_login(alice)
    assert "<table" not in client.get(PAGE).content.decode()
    made = client.post(PAGE, {"note": "My notebook", "scope": "read", "days": "30"}).content.decode()
    text = re.search(r'value="(hop_[^"]+)"', made)[1]
    calling = {"Authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/projects/wells/", headers=calling).status_code == 200
    listed = client.get(PAGE).content.decode()
    assert "My notebook" in listed
    assert text not in listed
    token = ApiToken.objects.get()
    assert (token.scope, token.project.slug, (token.expires_at - token.created_at).days) == ("read", "wells", 29)
    assert client.post(f"{PAGE}{token.pk}/revoke/").status_code == 303
    assert Client().get("/api/v1/projects/wells/", headers=calling).status_code == 401
    assert "revoked" in client.get(PAGE).content.decode()
    assert list(AuditEntry.objects.order_by("pk").values_list("kind", "act")) == [
        ("token", "made"),
        ("token", "revoked"),
    ]


def test_a_token_without_a_note_is_asked_for_one(client: Any, alice: Any) -> None:
    client.force_login(alice)
    refused = client.post(PAGE, {"scope": "all", "days": "0"})
    assert refused.status_code == 422
    assert refused.content.decode().count('aria-invalid="true"') == 2
    assert not ApiToken.objects.exists()


def test_members_see_and_revoke_their_own_tokens_only(client: Any, alice: Any, project: Any) -> None:
    rita = User.objects.create_user("rita")
    Member.objects.create(project=project, user=rita, role="reviewer")
    client.force_login(alice)
    client.post(PAGE, {"note": "Of Alice", "scope": "write", "days": "0"})
    client.force_login(rita)
    assert "Of Alice" not in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}{ApiToken.objects.get().pk}/revoke/").status_code == 404
    assert client.get("/projects/wells/settings/").status_code == 403
