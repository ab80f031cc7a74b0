"""What the engine finds of this app: pages, API and sweeps of webhooks."""

from django.db.models import QuerySet
from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.api.routers import ProjectRouter
from annotation.discovery import MenuEntry
from annotation.pure.people import roles
from annotation.webhooks import deliveries, views
from annotation.webhooks.api import WebhookViewSet
from annotation.webhooks.models import Delivery

ALL = "projects/<slug:slug>/webhooks/"
ONE = f"{ALL}<slug:public_id>/"


def waiting() -> QuerySet[Delivery]:
    """Due deliveries of webhooks that are not paused."""
    return Delivery.objects.filter(state=Delivery.State.DUE, webhook__active=True)


router = ProjectRouter()
router.register("webhooks", WebhookViewSet, "webhook")

PAGES = [
    path(ALL, views.webhooks, name="webhooks"),
    path(ONE, views.webhook, name="webhook"),
    path(f"{ONE}test/", views.webhook_test, name="webhook-test"),
    path(f"{ONE}active/", views.webhook_active, name="webhook-active"),
    path(f"{ONE}rotate/", views.webhook_rotate, name="webhook-rotate"),
    path(f"{ONE}remove/", views.webhook_remove, name="webhook-remove"),
    path(f"{ONE}deliveries/<int:pk>/again/", views.delivery_again, name="delivery-again"),
]
API = router.urls
HELP = _("Your server hears when a batch or a response changes.")
SETTINGS = [MenuEntry(roles.OWN, "webhooks", _("Webhooks"), "events notify", help=HELP)]
SWEEPS = [deliveries.forget_old, deliveries.notice_due]
ERRANDS = [deliveries.deliver_due]
OUTBOXES = [("webhooks", waiting)]
