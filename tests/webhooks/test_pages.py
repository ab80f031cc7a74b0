"""The pages of webhooks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.webhooks import deliveries, subscriptions
from annotation.webhooks.models import Delivery, Webhook
from tests.mturk_api.hook import hook


@pytest.fixture
def owner(client: Client, alice: Any) -> Client:
    client.force_login(alice)
    return client


def at(name: str, webhook: Webhook, *more: Any) -> str:
    return reverse(name, args=["wells", webhook.public_id, *more])


def test_one_is_added_tested_changed_and_removed(owner: Client, project: Any) -> None:
    listed = reverse("webhooks", args=["wells"])
    assert "To try it out" in owner.get(listed).content.decode()
    with hook(404) as there:
        shown = owner.post(listed, {"url": there.url, "kinds": ["job", "batch"], "note": "ours"}).content.decode()
        made = Webhook.objects.get()
        assert made.secret in shown
        assert (
            "Not delivered: the response was 404." in owner.post(at("webhook-test", made), follow=True).content.decode()
        )
        assert "Delivered: the response was 200." in owner.post(at("webhook-test", made), follow=True).content.decode()
    made.refresh_from_db()
    assert made.failures == 0, "a test does not count"
    again = owner.post(at("webhook-rotate", made)).content.decode()
    assert Webhook.objects.get().secret in again
    page = owner.post(
        at("webhook", made), {"url": "https://b.example/", "kinds": ["job"]}, follow=True
    ).content.decode()
    assert "https://b.example/" in page
    assert "whsec_" not in page + owner.get(listed).content.decode()
    owner.post(at("webhook-active", made))
    assert not Webhook.objects.get().active
    owner.post(at("webhook-active", made), {"active": "1"})
    assert Webhook.objects.get().active
    owner.post(at("webhook-remove", made))
    assert not Webhook.objects.exists()


def test_what_is_wrong_is_said_beside_the_field(owner: Client, project: Any) -> None:
    response = owner.post(reverse("webhooks", args=["wells"]), {"url": "https://a@b.example/"})
    assert (response.status_code, set(response.context["form"].errors)) == (422, {"url", "kinds"})
    for _time in range(subscriptions.MOST):
        made = subscriptions.add(project, url="https://b.example/", kinds=["job"])
    full = owner.post(reverse("webhooks", args=["wells"]), {"url": "https://b.example/", "kinds": ["job"]})
    assert "at most 20 webhooks" in full.content.decode()
    response = owner.post(at("webhook", made), {"url": "nonsense", "kinds": ["job"]})
    assert (response.status_code, set(response.context["form"].errors)) == (422, {"url"})


def test_a_stopped_one_says_since_when_and_a_failed_delivery_can_be_sent_again(owner: Client, project: Any) -> None:
    with hook(500, 500) as there:
        made = subscriptions.add(project, url=there.url, kinds=["job"])
        deliveries.queue_test(made)
        deliveries.deliver_due()
        assert "All deliveries have failed since" in owner.get(at("webhook", made)).content.decode()
        Webhook.objects.update(failing_since=timezone.now() - timedelta(days=4), rests_until=None)
        Delivery.objects.update(due_at=timezone.now() - timedelta(hours=1), tries=14)
        deliveries.deliver_due()
        page = owner.get(at("webhook", made)).content.decode()
        assert "so the webhook is stopped (the response was 500)" in page
        assert "Send again" in page
        owner.post(at("delivery-again", made, Delivery.objects.get().pk))
        owner.post(at("webhook-active", made), {"active": "1"})
        assert deliveries.deliver_due() == 1
    assert "Send again" not in owner.get(at("webhook", made)).content.decode()
