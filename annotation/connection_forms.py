"""Marketplaces of a project as forms: which there are, how each is reached, where a batch is done."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.flow import connecting, terming
from annotation.flow.refusal import Refused
from annotation.models import Batch, Connection, Project
from annotation.pure import pricing

SECRET = forms.PasswordInput(attrs={"autocomplete": "off"})


class KeysForm(ConsoleForm):
    """New keys for a marketplace. The secret is written, never read."""

    key_id = forms.CharField(label=_("Access key id"), max_length=128)
    secret = forms.CharField(label=_("Secret access key"), max_length=256, widget=SECRET)

    def save(self, connection: Connection) -> None:
        """Use these keys from now on, and forget what went wrong with the old ones."""
        Connection.objects.filter(pk=connection.pk).update(
            **self.cleaned_data, failures=0, rests_until=None, trouble=""
        )


class ConnectionForm(KeysForm):
    """A marketplace to publish on."""

    name = forms.SlugField(label=_("Name"), max_length=50, help_text=_("For you: letters, digits, hyphens."))
    preset = forms.ChoiceField(
        label=_("Which marketplace"), choices=Connection.Preset.choices, initial=Connection.Preset.HERE
    )
    endpoint_url = forms.CharField(
        label=_("Endpoint"),
        max_length=300,
        required=False,
        help_text=_("Where boto3 calls it. Empty: as the marketplace says; another installation's ends in /mturk/."),
    )
    worker_origin = forms.CharField(
        label=_("Origin of its workers' pages"),
        max_length=300,
        required=False,
        help_text=_("Only pages of this origin may frame your tasks. Empty: the endpoint's own."),
    )
    region = forms.SlugField(label=_("Region"), max_length=30, initial="us-east-1")
    fees = forms.ChoiceField(label=_("Fees"), choices=pricing.SCHEDULES, initial=pricing.HOUSE)
    field_order = ["name", "preset", "endpoint_url", "worker_origin", "key_id", "secret", "region", "fees"]

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("preset") == Connection.Preset.OTHER and not cleaned.get("endpoint_url"):
            self.add_error("endpoint_url", _("Give the other marketplace's endpoint."))
        return cleaned

    def add_to(self, project: Project) -> Connection:
        """Raises Refused."""
        return connecting.add(project, **self.cleaned_data)


class PlaceForm(ConsoleForm):
    """The part of the launching page that says where a batch is done."""

    marketplace = forms.ChoiceField(
        label=_("Where it is done"),
        required=False,
        help_text=_("On a marketplace it is paid, and people come to it through a frame there."),
    )

    def offer_places(self, project: Project) -> None:
        """Our own annotators, and every marketplace of the project."""
        self._places = {str(row.pk): row for row in project.connections.order_by("name")}
        named = [(key, f"{row.name} · {row.get_preset_display()}") for key, row in self._places.items()]
        self.fields["marketplace"].choices = [("", _("By our own workers")), *named]

    def clean_marketplace(self) -> Connection | None:
        chosen = self._places.get(self.cleaned_data["marketplace"])
        if chosen is not None:
            try:
                connecting.refuse_closed(chosen)
            except Refused as refusal:
                raise ValidationError(str(refusal)) from None
        return chosen

    def stored_place(self, batch: Batch) -> dict[str, Any]:
        return {"marketplace": str(batch.connection_id or "")}

    def pay(self) -> dict[str, Any]:
        """The columns of pay and place; on a marketplace nothing waits for its pay for ever."""
        columns: dict[str, Any] = super().pay()  # type: ignore[misc]
        chosen = self.cleaned_data.get("marketplace") or None
        if chosen is not None and columns["auto_approval"] is None:
            columns["auto_approval"] = terming.WEEK
        return columns | {"connection": chosen}


class KeepOpenForm(forms.Form):
    """Until when a batch's HITs are given out on a marketplace."""

    until = forms.DateField(
        label=_("Give HITs out until"), widget=forms.DateInput(attrs={"type": "date"}), required=True
    )

    def clean_until(self) -> datetime:
        """The end of that day, where the requester is."""
        day = self.cleaned_data["until"]
        if day.year > timezone.localdate().year + 1:
            raise ValidationError(_("Give a day of this year or the next."))
        return timezone.make_aware(datetime(day.year, day.month, day.day, 23, 59))
