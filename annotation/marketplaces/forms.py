"""Forms for marketplaces: adding one, changing its keys, and how long a batch stays published."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.marketplaces.models import Connection
from annotation.marketplaces.models.connections import FEES
from annotation.pure.money import pricing

SECRET = forms.PasswordInput(attrs={"autocomplete": "off"})


class KeysForm(ConsoleForm):
    """New keys for a marketplace. The secret is write-only."""

    key_id = forms.CharField(label=_("Access key id"), max_length=128)
    secret = forms.CharField(label=_("Secret access key"), max_length=256, widget=SECRET)

    def save(self, connection: Connection) -> None:
        """Store the new keys, and reset the connection's errors."""
        reset = {"failures": 0, "rests_until": None, "trouble": ""}
        Connection.objects.filter(pk=connection.pk).update(**self.cleaned_data, **reset)


class ConnectionForm(KeysForm):
    """A marketplace to publish on."""

    name = forms.SlugField(label=_("Name"), max_length=50, help_text=_("For your own use: letters, digits, hyphens."))
    preset = forms.ChoiceField(
        label=_("Marketplace"), choices=Connection.Preset.choices, initial=Connection.Preset.HERE
    )
    endpoint_url = forms.CharField(
        label=_("Endpoint"),
        max_length=300,
        required=False,
        help_text=_(
            "The address that boto3 calls. Leave empty for the marketplace's default. The address of another "
            "installation ends in /mturk/."
        ),
    )
    worker_origin = forms.CharField(
        label=_("Origin of the workers' pages"),
        max_length=300,
        required=False,
        help_text=_("Only pages from this origin may embed your tasks. Leave empty to use the endpoint's origin."),
    )
    region = forms.SlugField(label=_("Region"), max_length=30, initial="us-east-1")
    fees = forms.ChoiceField(label=_("Fees"), choices=FEES, initial=pricing.NO_FEES)
    field_order = ["name", "preset", "endpoint_url", "worker_origin", "key_id", "secret", "region", "fees"]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("preset") == Connection.Preset.OTHER and not cleaned.get("endpoint_url"):
            self.add_error("endpoint_url", _("Give the endpoint of the other marketplace."))
        return cleaned


class KeepOpenForm(forms.Form):
    """Until when a batch's HITs stay on a marketplace."""

    until = forms.DateField(label=_("Offer HITs until"), widget=forms.DateInput(attrs={"type": "date"}), required=True)

    def clean_until(self) -> datetime:
        """The end of that day in the requester's time zone."""
        day = self.cleaned_data["until"]
        if day.year > timezone.localdate().year + 1:
            raise ValidationError(_("Give a date in this year or the next."))
        return timezone.make_aware(datetime(day.year, day.month, day.day, 23, 59))
