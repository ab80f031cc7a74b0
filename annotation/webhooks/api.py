"""Webhooks: add, change, test and remove them; and their deliveries."""

from typing import Any, ClassVar

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input, ModelResource
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.errors import Conflict
from annotation.pure.people import roles
from annotation.webhooks import deliveries, protocol, subscriptions
from annotation.webhooks.models import Delivery, Webhook

HELP_TEXT = "“whsec_” and then 24 to 64 random bytes in base64. Choose it yourself; it is never shown again."
EXAMPLE_SECRET = "whsec_" + "aG9wc2NyaWJl" * 3


class KindField(serializers.ChoiceField):
    """A kind of events by its name in the API; the value is as stored."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=list(protocol.NAMES.values()), **kwargs)

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        return next(kind for kind in protocol.KINDS if protocol.NAMES[kind] == name)

    def to_representation(self, value: str) -> str:
        return protocol.NAMES[value]


class WebhookSerializer(ModelResource):
    """A webhook. `failing_since` and `trouble` are set while deliveries fail, `stopped_at`: after days of failures."""

    id = serializers.CharField(source="public_id")
    kinds = serializers.ListField(child=KindField())

    class Meta:
        model = Webhook
        fields = ["id", "url", "kinds", "note", "active", "failing_since", "stopped_at", "trouble", "created_at"]


class WebhookChangeInput(Input):
    """Settings of a webhook that can be changed."""

    EXAMPLE = {"active": False}
    VALUE_ALIASES: ClassVar = {"kinds": protocol.NAMES}

    url = serializers.CharField(max_length=300, help_text="A public address, http or https.")
    kinds = serializers.ListField(child=KindField(), min_length=1)
    note = serializers.CharField(max_length=100, allow_blank=True, required=False)
    active = serializers.BooleanField(required=False, default=True)

    def validate_url(self, url: str) -> str:
        if not protocol.can_be_called(url, loopback=settings.LOCAL):
            raise serializers.ValidationError(_("Give a public address without a user name, on a standard port."))
        return url


class SecretInput(Input):
    """A new secret."""

    EXAMPLE = {"secret": EXAMPLE_SECRET}

    secret = serializers.CharField(max_length=120, write_only=True, help_text=HELP_TEXT)

    def validate_secret(self, secret: str) -> str:
        if not protocol.is_secret(secret):
            raise serializers.ValidationError(_("A secret is “whsec_” followed by 24 to 64 bytes in base64."))
        return secret


class WebhookInput(WebhookChangeInput, SecretInput):
    """A webhook to add."""

    EXAMPLE = {
        "url": "https://lab.example/hook",
        "kinds": ["progress", "job"],
        "note": "",
        "secret": EXAMPLE_SECRET,
    }

    active = None  # type: ignore[assignment]  # takes the inherited field out


class DeliverySerializer(ModelResource):
    """The delivery of an event to a webhook. `event` is the header webhook-id, the same at each attempt."""

    id = serializers.IntegerField(source="pk")
    type = serializers.CharField(source="event.content.type")
    happened_at = serializers.DateTimeField(source="event.created_at")

    class Meta:
        model = Delivery
        fields = ["id", "event", "type", "state", "tries", "status", "trouble", "happened_at", "due_at", "ended_at"]


class WebhookViewSet(ResourceViewSet):
    """The webhooks of a project."""

    serializer_class = WebhookSerializer
    act = reads = roles.OWN
    row: Webhook

    def get_queryset(self) -> Any:
        return self.project.webhooks.defer("secret", "old_secret")

    @operation()
    def list(self) -> None:
        """List the webhooks of a project, without secrets."""

    @operation(takes=WebhookInput, location="webhooks/{0.public_id}/")
    def create(self, data: JSON) -> Webhook:
        """Add a webhook."""
        return subscriptions.add(self.project, **data, user=self.request.user)

    @operation()
    def retrieve(self) -> None:
        """One webhook."""

    @operation(takes=WebhookChangeInput)
    def partial_update(self, data: JSON) -> None:
        """Change a webhook, pause it (`active` false) or resume it."""
        row = self.row
        stored = {"url": row.url, "kinds": row.kinds, "note": row.note, "active": row.active}
        subscriptions.change(row, **stored | data)

    @operation()
    def destroy(self) -> None:
        """Remove a webhook with its deliveries."""
        subscriptions.remove(self.row)

    @action(takes=SecretInput, id="rotateWebhookSecret")
    def rotate(self, data: JSON) -> None:
        """Replace the secret; the former one also signs for 24 hours."""
        subscriptions.rotate(self.row, data["secret"])

    @action(gives=DeliverySerializer, status=202)
    def test(self) -> Delivery:
        """Send a delivery of type webhook.test within a minute; the list of deliveries shows the result."""
        return deliveries.queue_test(self.row)

    @action("get", gives=DeliverySerializer, many=True, query=deliveries.DeliveryFilter, id="listWebhookDeliveries")
    def deliveries(self, wanted: deliveries.DeliveryFilter) -> Any:
        """List the deliveries of the last two weeks, newest first."""
        return wanted.narrow(self.project, self.row.deliveries.select_related("event"))

    @action(url_path="deliveries/<int:pk>/again", gives=DeliverySerializer, id="repeatDelivery")
    def again(self) -> Delivery:
        """Retry a delivery that failed or waits."""
        row: Delivery = get_object_or_404(self.row.deliveries.select_related("event"), pk=self.kwargs["pk"])
        if not subscriptions.try_again(row):
            raise Conflict(_("This delivery succeeded, so it is not repeated."))
        row.refresh_from_db()
        return row
