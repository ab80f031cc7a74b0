"""What the engine finds of this app: the MTurk API on the main site, access keys, pages of its HITs, and sweeps."""

from django.db.models import QuerySet
from django.urls import path, re_path
from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.mturk_api import views
from annotation.mturk_api.endpoint import endpoint
from annotation.mturk_api.flow import hit_creation, hit_expiry, notifications, policy_actions, request_tokens
from annotation.mturk_api.models import Event
from annotation.pure.people import roles


def waiting() -> QuerySet[Event]:
    """Notifications that were not delivered yet."""
    return Event.objects.filter(state=Event.State.DUE)


PAGES = [
    path("mturk/", endpoint, name="mturk-api"),
    path("mturk", endpoint, name="mturk-api-bare"),  # clients may drop the trailing slash
    path("mturk/queues/<str:name>", endpoint, name="mturk-queue"),
    path("mturk/preview", views.preview_by_id, name="marketplace-by-id"),
    path("projects/<slug:slug>/keys/", views.key_list, name="access-keys"),
    path("projects/<slug:slug>/keys/<int:pk>/revoke/", views.revoke, name="access-key-revoke"),
    re_path(r"^(?:/)?mturk/externalSubmit/?$", views.external_submit, name="external-submit"),
    path("mturk/question/<str:token>/", views.html_question, name="html-question"),
    path("assignments/<slug:public_id>/state/", views.assignment_state, name="assignment-state"),
]
HELP = _("For scripts that speak the MTurk API, as boto3 does.")
SETTINGS = [MenuEntry(roles.OWN, "access-keys", _("Access keys"), "api boto3 mturk", help=HELP)]
SWEEPS = [
    hit_expiry.lapse_due,
    hit_expiry.notice_due,
    policy_actions.apply_due,
    request_tokens.forget_old,
    hit_creation.count_items,
    notifications.forget_old,
]
ERRANDS = [notifications.deliver_due]
OUTBOXES = [("events", waiting)]
