"""The deliveries of a webhook, narrowed on its page as in the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.webhooks import subscriptions
from annotation.webhooks.models import Delivery, WebhookEvent
from tests.api.calling import caller

pytestmark = pytest.mark.django_db


def test_page_and_api_narrow_deliveries_alike_and_leave_none_out(alice: Any, project: Any, client: Client) -> None:
    hook = subscriptions.add(project, url="https://lab.example/hook", kinds=["job"], note="", user=alice)
    for number in range(30):
        event = WebhookEvent.objects.create(project=project, kind="job", content={"type": "job"}, spread=True)
        state = Delivery.State.FAILED if number % 10 else Delivery.State.DELIVERED
        Delivery.objects.create(webhook=hook, event=event, state=state, due_at=timezone.now(), ended_at=timezone.now())
    client.force_login(alice)
    address = reverse("webhook", args=[project.slug, hook.public_id])
    for state, many in (("failed", 27), ("delivered", 3), ("due", 0)):
        pages = [client.get(address, {"state": state, "page": page}).context["page"] for page in (1, 2)]
        shown = [row.pk for page in pages[: pages[0].paginator.num_pages] for row in page]
        found = caller(alice).get(f"webhooks/{hook.public_id}/deliveries/", state=state).json()["results"]
        assert shown == [row["id"] for row in found]
        assert len(shown) == many
