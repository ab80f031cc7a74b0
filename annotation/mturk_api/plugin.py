"""What the engine finds of this app: the MTurk API on the main site, access keys, pages of its HITs, and sweeps."""

from django.db.models import QuerySet
from django.urls import path, re_path
from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.mturk_api.endpoint import endpoint
from annotation.mturk_api.flow import hit_creation, hit_expiry, notification_delivery, policy_actions, request_tokens
from annotation.mturk_api.models import Event
from annotation.mturk_api.views import access_keys, external_question
from annotation.pure.people import roles


def waiting() -> QuerySet[Event]:
    """Notifications that were not delivered yet."""
    return Event.objects.filter(state=Event.State.DUE)


PAGES = [
    path("mturk/", endpoint, name="mturk-api"),
    path("mturk", endpoint, name="mturk-api-bare"),  # clients may drop the trailing slash
    path("mturk/queues/<str:name>", endpoint, name="mturk-queue"),
    path("mturk/preview", external_question.preview_by_id, name="marketplace-by-id"),
    path("projects/<slug:slug>/keys/", access_keys.key_list, name="access-keys"),
    path("projects/<slug:slug>/keys/<int:pk>/revoke/", access_keys.revoke, name="access-key-revoke"),
    re_path(r"^(?:/)?mturk/externalSubmit/?$", external_question.external_submit, name="external-submit"),
    path("mturk/question/<str:token>/", external_question.html_question, name="html-question"),
    path("assignments/<slug:public_id>/state/", external_question.assignment_state, name="assignment-state"),
]
HELP = _("For scripts that speak the MTurk API, as boto3 does.")
SETTINGS = [MenuEntry(roles.OWN, "access-keys", _("Access keys"), "api boto3 mturk", help=HELP)]
SWEEPS = [
    hit_expiry.lapse_due,
    hit_expiry.notice_due,
    policy_actions.apply_due,
    request_tokens.forget_old,
    hit_creation.count_items,
    notification_delivery.forget_old,
]
ERRANDS = [notification_delivery.deliver_due]
OUTBOXES = [("events", waiting)]
