"""Webhooks: added, changed, tested, removed; and what became of their deliveries."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import Newest, ProjectList, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import webhook_calls
from annotation.flow import webhooks as verbs
from annotation.flow.refusal import Conflict
from annotation.models import Delivery, Webhook
from annotation.pure import roles, webhooks

TOLD_OF_SECRETS = "“whsec_” and then 24 to 64 random bytes in base64. You make it; it is never told again."


class WebhookSerializer(serializers.Serializer):
    """An address that is called. `failing_since` and `trouble`: it has taken nothing since; `stopped_at`: for days."""

    id = serializers.CharField(source="public_id")
    url = serializers.CharField()
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=webhooks.KINDS))
    note = serializers.CharField(allow_blank=True)
    active = serializers.BooleanField()
    failing_since = serializers.DateTimeField(allow_null=True)
    stopped_at = serializers.DateTimeField(allow_null=True)
    trouble = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()


class WebhookChange(Wish):
    """What may be changed."""

    url = serializers.CharField(max_length=300, help_text="public, http or https")
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=webhooks.KINDS), min_length=1)
    note = serializers.CharField(max_length=100, allow_blank=True, required=False)
    active = serializers.BooleanField(required=False, default=True)

    def validate_url(self, url: str) -> str:
        if not webhooks.can_be_called(url, loopback=settings.LOCAL):
            raise serializers.ValidationError(_("Give a public address, without a user name and on an ordinary port."))
        return url


class RotateWish(Wish):
    """Another secret."""

    secret = serializers.CharField(max_length=120, write_only=True, help_text=TOLD_OF_SECRETS)

    def validate_secret(self, secret: str) -> str:
        if not webhooks.is_secret(secret):
            raise serializers.ValidationError(_("A secret is “whsec_” and then 24 to 64 bytes in base64."))
        return secret


class WebhookWish(WebhookChange, RotateWish):
    """A webhook to add."""

    active = None


class DeliverySerializer(serializers.Serializer):
    """One event on its way to one webhook. `event` is the header webhook-id, the same for each try."""

    id = serializers.IntegerField(source="pk")
    event = serializers.CharField(source="event.public_id")
    type = serializers.CharField(source="event.content.type")
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    tries = serializers.IntegerField()
    status = serializers.IntegerField(allow_null=True, help_text="of the last answer")
    trouble = serializers.CharField(allow_blank=True)
    happened_at = serializers.DateTimeField(source="event.created_at")
    due_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Webhooks(ProjectList):
    """The webhooks of a project."""

    serializer_class = WebhookSerializer
    act = reads = roles.OWN

    def rows(self) -> Any:
        return self.project.webhooks.defer("secret", "old_secret")

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The webhooks of a project; their secrets are not told."""
        return self.listed()

    @extend_schema(request=WebhookWish, responses={201: WebhookSerializer})
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Add a webhook."""
        made = verbs.add(self.project, **asked(WebhookWish, request.data), user=request.user)
        where = f"/api/v1/projects/{slug}/webhooks/{made.public_id}/"
        return Response(WebhookSerializer(made).data, status=201, headers={"Location": where})


class WebhookView(ProjectView):
    """One webhook: `webhook` stands before a method runs."""

    serializer_class = WebhookSerializer
    act = reads = roles.OWN
    webhook: Webhook

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        rows = self.project.webhooks.defer("secret", "old_secret")
        self.webhook = get_object_or_404(rows, public_id=kwargs["public_id"])
        self.webhook.project = self.project


class OneWebhook(WebhookView):
    """One webhook."""

    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One webhook."""
        return Response(WebhookSerializer(self.webhook).data)

    @extend_schema(request=WebhookChange, responses=WebhookSerializer)
    @repeatable
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Change a webhook, pause it (`active` false) or take it up again."""
        row, wish = self.webhook, asked(WebhookChange, request.data, partial=True)
        verbs.change(row, **{"url": row.url, "kinds": row.kinds, "note": row.note, "active": row.active, **wish})
        return Response(WebhookSerializer(row).data)

    @extend_schema(responses={204: None})
    @repeatable
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Remove a webhook and what is known of its deliveries; nothing more is sent."""
        verbs.remove(self.webhook)
        return Response(status=204)


class Rotate(WebhookView):
    """Another secret."""

    @extend_schema(operation_id="rotateWebhookSecret", request=RotateWish, responses=WebhookSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Sign with another secret; the one before signs too for 24 hours."""
        verbs.rotate(self.webhook, asked(RotateWish, request.data)["secret"])
        return Response(WebhookSerializer(self.webhook).data)


class Test(WebhookView):
    """A delivery that says nothing."""

    serializer_class = DeliverySerializer

    @extend_schema(operation_id="testWebhook", request=None, responses={202: DeliverySerializer})
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Send a delivery of the type webhook.test, within a minute; the list of deliveries tells what came of it."""
        return Response(DeliverySerializer(webhook_calls.queue_test(self.webhook)).data, status=202)


class DeliveryFilter(serializers.Serializer):
    """Which deliveries."""

    state = serializers.ChoiceField(choices=Delivery.State.choices, required=False)


class Deliveries(WebhookView, ProjectList):
    """What a webhook was told."""

    serializer_class = DeliverySerializer
    pagination_class = Newest

    def rows(self) -> Any:
        return self.webhook.deliveries.filter(**self.query(DeliveryFilter)).select_related("event")

    @extend_schema(parameters=[DeliveryFilter], responses=DeliverySerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The deliveries of the last two weeks, newest first."""
        return self.listed()


class SendAgain(WebhookView):
    """A delivery once more."""

    serializer_class = DeliverySerializer

    @extend_schema(operation_id="repeatDelivery", request=None, responses=DeliverySerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str, pk: int) -> Response:
        """Send a delivery again that failed or waits."""
        row = get_object_or_404(self.webhook.deliveries.select_related("event"), pk=pk)
        if not verbs.try_again(row):
            raise Conflict(_("This delivery was taken, so it is not sent again."))
        row.refresh_from_db()
        return Response(DeliverySerializer(row).data)
