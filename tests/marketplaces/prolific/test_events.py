"""Events of the marketplace: signed, taken once, never too old, and only a reason to look."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prolific_emulator import webhooks

from annotation.marketplaces.flow import study_events
from annotation.marketplaces.models import EventSubscription, PanelStudy, ReceivedEvent
from tests.marketplaces.prolific.panel import Panel

pytestmark = pytest.mark.django_db


@pytest.fixture
def subscribed(panel: Panel, settings: Any) -> Panel:
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    assert study_events.keep_subscribed(panel.session()) == len(study_events.EVENTS)
    PanelStudy.objects.update(synced_at=timezone.now())
    return panel


def deliver(panel: Panel, *, name: str = "e1", age: timedelta = timedelta(0), secret: str = "", **more: Any) -> int:
    """Post an event as the marketplace would; returns the status of our response."""
    content = {"event_type": "submission.status.change", "resource_id": "unknown", "status": "APPROVED"} | more
    body, at = json.dumps(content).encode(), str(int((timezone.now() - age).timestamp()))
    secret = secret or next(iter(panel.emulator.world.secrets.values()))
    headers = {"x-prolific-request-signature": webhooks.signature(secret, at, body), "x-event-id": name}
    headers["x-prolific-request-timestamp"] = at
    path = f"/marketplaces/{panel.connection.pk}/events/"
    reply = Client(headers=headers).post(path, body, content_type="application/json")
    return int(reply.status_code)


def is_hurried() -> bool:
    return PanelStudy.objects.get().synced_at is None


def test_an_event_lets_its_study_be_read_again(subscribed: Panel) -> None:
    visit = subscribed.visit(answered=False)
    assert deliver(subscribed, resource_id=visit.external_id) == 204
    assert is_hurried()


def test_an_event_is_taken_once_within_three_days(subscribed: Panel) -> None:
    assert deliver(subscribed) == 204
    PanelStudy.objects.update(synced_at=timezone.now())
    assert deliver(subscribed) == 204
    assert not is_hurried()
    ReceivedEvent.objects.update(received_at=timezone.now() - timedelta(hours=73))
    study_events.sweep()
    assert not ReceivedEvent.objects.exists()


def test_a_forged_or_old_event_is_refused(subscribed: Panel) -> None:
    assert deliver(subscribed, secret="another") == 403
    assert deliver(subscribed, age=timedelta(hours=73)) == 403
    assert deliver(subscribed, age=timedelta(minutes=-10)) == 403
    assert not is_hurried()
    assert not ReceivedEvent.objects.exists()


def test_an_event_for_nobody_is_not_found_and_a_huge_one_refused(subscribed: Panel) -> None:
    assert Client().post("/marketplaces/999999/events/", b"{}", content_type="application/json").status_code == 404
    assert Client().get(f"/marketplaces/{subscribed.connection.pk}/events/").status_code == 405
    assert deliver(subscribed, status="x" * 70_000) == 413


def test_a_disabled_subscription_is_made_again_and_strays_are_removed(subscribed: Panel) -> None:
    world = subscribed.emulator.world
    first = next(iter(world.subscriptions.values()))
    first.is_enabled = False
    assert study_events.keep_subscribed(subscribed.session()) == 1
    assert first.id not in world.subscriptions
    assert len(world.subscriptions) == len(study_events.EVENTS)
    assert EventSubscription.objects.get(event=first.event_type).renewed == 1
    assert study_events.keep_subscribed(subscribed.session()) == 0


def test_the_sweep_subscribes_once_and_checks_every_hour(panel: Panel, settings: Any) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    assert study_events.sweep() == len(study_events.EVENTS)
    panel.emulator.world.subscriptions.clear()
    assert study_events.sweep() == 0
    EventSubscription.objects.update(checked_at=timezone.now() - timedelta(hours=2))
    assert study_events.sweep() == len(study_events.EVENTS)
