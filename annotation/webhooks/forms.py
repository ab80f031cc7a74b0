"""The form of a webhook."""

from __future__ import annotations

from collections.abc import Collection

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.webhooks import protocol
from annotation.webhooks.models import Webhook

KINDS = [
    (protocol.PROGRESS, _("Progress: each tenth of a batch's responses, and when all are in")),
    (protocol.SUBMISSION, _("Responses: each response that is submitted or changed")),
    (protocol.RESULTS, _("Results: decisions on responses, HITs excluded, datasets created")),
    (protocol.PAY, _("Pay: responses approved and rejected, bonuses paid")),
    (protocol.BATCH, _("Batches: opened, paused, closed")),
    (protocol.JOB, _("Jobs: an import, a launch or another job has ended")),
]


def in_short(kinds: Collection[str]) -> list[str]:
    """Short labels of the kinds."""
    return [str(label).partition(":")[0] for kind, label in KINDS if kind in kinds]


class WebhookForm(ConsoleForm):
    """URL, kinds of events and purpose of a webhook."""

    url = forms.CharField(
        label=_("URL"),
        max_length=300,
        widget=forms.URLInput,
        help_text=_("http or https. It receives a POST with JSON and must return a status from 200 to 299."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Events"),
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    note = forms.CharField(label=_("Purpose"), max_length=100, required=False, help_text=_("A note for you."))

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if not protocol.can_be_called(url, loopback=settings.LOCAL):
            raise ValidationError(_("Give a public address without a user name, on a standard port."))
        return url

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookForm:
        return cls(initial={"url": webhook.url, "kinds": webhook.kinds, "note": webhook.note})
