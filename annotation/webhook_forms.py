"""A webhook as a form."""

from __future__ import annotations

from collections.abc import Collection

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.models import Webhook
from annotation.pure import webhooks

KINDS = [
    (webhooks.PROGRESS, _("Progress: each tenth of a batch's answers, and when all are in")),
    (webhooks.SUBMISSION, _("Submissions: each answer that is submitted or changed")),
    (webhooks.VERDICT, _("Verdicts: decisions on answers, HITs voided, datasets gathered")),
    (webhooks.PAY, _("Pay: answers approved and rejected, bonuses paid")),
    (webhooks.BATCH, _("Batches: opened, paused, closed")),
    (webhooks.JOB, _("Jobs: an import, a launch or another job ended")),
]


def in_short(kinds: Collection[str]) -> list[str]:
    """The kinds in a word each, as the form's labels begin."""
    return [str(label).partition(":")[0] for kind, label in KINDS if kind in kinds]


class WebhookForm(ConsoleForm):
    """Where letters go, and about what."""

    url = forms.CharField(
        label=_("Address"),
        max_length=300,
        widget=forms.URLInput,
        help_text=_("http or https. It gets a POST with JSON and answers with any status from 200 to 299."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("What it is told"),
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    note = forms.CharField(label=_("What it is for"), max_length=100, required=False, help_text=_("A note for you."))

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if not webhooks.can_be_called(url, loopback=settings.LOCAL):
            raise ValidationError(_("Give a public address, without a user name and on an ordinary port."))
        return url

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookForm:
        return cls(initial={"url": webhook.url, "kinds": webhook.kinds, "note": webhook.note})
