"""What an assignment's page sends finds its user as read half a minute ago; whoever is signed out there loses it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Batch, User
from annotation.operations import sessions

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(batch: Batch, bob: Any) -> Client:
    """Bob's browser, after a draft of his first assignment was saved."""
    client = Client()
    client.force_login(bob.user)
    client.post(reverse("batch-instructions", args=[batch.pk]), {"version": "1"})
    assert save(client) == 200
    return client


def save(client: Client) -> int:
    row = Assignment.objects.get()
    fields = {"kind": "text", "text": "Farrow", "version": str(row.draft_version), "key": "0.a"}
    return int(client.post(reverse("draft", args=[row.public_id]), fields).status_code)


def test_signing_out_takes_effect_at_once(page: Client) -> None:
    cookies = dict(page.cookies)
    page.post(reverse("sign-out"))
    page.cookies.update(cookies)
    assert save(page) == 401


@pytest.mark.parametrize("change", [{"is_active": False}, {"password": "!"}])
def test_what_another_process_changed_takes_effect_within_half_a_minute(
    page: Client, change: dict[str, Any], bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=bob.user_id).update(**change)
    assert save(page) == 200
    now = sessions.time.monotonic()
    monkeypatch.setattr(sessions.time, "monotonic", lambda: now + sessions.RECENT + 1)
    assert save(page) == 401


def test_pages_and_what_leads_elsewhere_ask_each_time(page: Client, bob: Any) -> None:
    User.objects.filter(pk=bob.user_id).update(is_active=False)
    for address in (reverse("assignment", args=[Assignment.objects.get().public_id]), reverse("my-earnings")):
        assert page.get(address).status_code == 302


def test_one_session_is_not_taken_for_another(page: Client, carol: Any) -> None:
    other = Client()
    other.force_login(carol.user)
    assert save(other) == 404
    assert save(page) == 200
    assert save(Client()) == 401
