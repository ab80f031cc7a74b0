"""Forms for marketplaces: adding one, changing its keys, and how long a batch stays published."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.marketplaces.kinds import names_of, study_kind
from annotation.marketplaces.models import Connection, PanelStudy
from annotation.marketplaces.models.connections import FEES
from annotation.marketplaces.study_base import StudyMarketplace
from annotation.models import clock

SECRET = forms.PasswordInput(attrs={"autocomplete": "off"})


class CredentialsForm(ConsoleForm):
    """New keys for a marketplace. The secret is write-only."""

    key_id = forms.CharField(label=_("Access key ID"), max_length=128)
    secret = forms.CharField(label=_("Secret access key"), max_length=256, widget=SECRET)

    def save(self, connection: Connection) -> None:
        """Store the new keys, and reset the connection's errors."""
        reset = {"failures": 0, "rests_until": None, "trouble": ""}
        Connection.objects.filter(pk=connection.pk).update(**self.cleaned_data, **reset)


class ConnectionForm(CredentialsForm):
    """A marketplace to publish on; where participants come by link, the kind takes the place of the preset."""

    name = forms.SlugField(label=_("Name"), max_length=50, help_text=_("For your own use: letters, digits, hyphens."))
    key_id = forms.CharField(
        label=_("Access key ID"), max_length=128, help_text=_("On Prolific the id of the workspace, or empty.")
    )
    secret = forms.CharField(
        label=_("Secret access key"), max_length=256, widget=SECRET, help_text=_("On Prolific the API token.")
    )
    preset = forms.ChoiceField(label=_("Marketplace"), initial=Connection.Preset.HERE)
    endpoint_url = forms.CharField(
        label=_("Endpoint"),
        max_length=300,
        required=False,
        help_text=_(
            "The address of its interface. Leave empty for the marketplace's default. The address of another "
            "installation ends in /mturk/."
        ),
    )
    worker_origin = forms.CharField(
        label=_("Origin of the workers' pages"),
        max_length=300,
        required=False,
        help_text=_("Only pages from this origin may embed your tasks. Leave empty to use the endpoint's origin."),
    )
    region = forms.SlugField(label=_("Region"), max_length=30, initial="us-east-1", required=False)
    fees = forms.ChoiceField(label=_("Fees"), choices=[("", _("the marketplace's default")), *FEES], required=False)
    options = forms.CharField(
        label=_("Settings"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_("One per line: participant = PID for a panel with a link, signed_links = yes for Prolific."),
    )
    field_order = ["name", "preset", "endpoint_url", "worker_origin", "key_id", "secret", "region", "fees"]

    def __init__(self, *given: Any, **named_ones: Any) -> None:
        super().__init__(*given, **named_ones)
        panels = [(name, study_kind(name).label) for name in names_of(StudyMarketplace)]
        self.fields["fees"].help_text = " ".join(
            str(study_kind(name).fees_source) for name in names_of(StudyMarketplace) if study_kind(name).fees_source
        )
        self.fields["preset"].choices = [*Connection.Preset.choices, *panels]
        if self.data.get("preset") in dict(panels):
            is_called = study_kind(self.data["preset"]).offers("balance")
            self.fields["key_id"].required, self.fields["secret"].required = False, is_called

    def clean_options(self) -> dict[str, str]:
        """{name: value} of the lines."""
        lines = [line for line in self.cleaned_data["options"].splitlines() if line.strip()]
        if wrong := next((line for line in lines if "=" not in line), None):
            raise ValidationError(_("“%(line)s” is not of the form name = value."), params={"line": wrong[:80]})
        return {name.strip(): value.strip() for name, _is, value in (line.partition("=") for line in lines)}

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("preset") == Connection.Preset.OTHER and not cleaned.get("endpoint_url"):
            self.add_error("endpoint_url", _("Give the endpoint of the other marketplace."))
        return cleaned

    def columns(self) -> dict[str, Any]:
        """The arguments of `connections.add`."""
        chosen = dict(self.cleaned_data)
        if chosen["preset"] in names_of(StudyMarketplace):
            return chosen | {"kind": chosen["preset"], "preset": Connection.Preset.OTHER}
        return chosen


class StudyForm(ConsoleForm):
    """The settings of a study that is not published yet; the codes by outcome are its last fields."""

    COLUMNS = ("places", "warning", "warning_details", "ids_kept_days", "use_timed_out")
    SCREEN_OUT = ("screen_out_reward", "screen_out_places")

    hits = forms.IntegerField(label=_("HITs per visit"), min_value=1, max_value=200)
    places = forms.IntegerField(label=_("Participants"), min_value=1, max_value=100_000)
    warning = forms.ChoiceField(
        label=_("Content warning"), required=False, choices=[("", _("none")), *PanelStudy.ContentWarning.choices]
    )
    warning_details = forms.CharField(
        label=_("Content of the warning"),
        required=False,
        max_length=500,
        help_text=_("They read it before they agree to the consent text."),
    )
    ids_kept_days = forms.IntegerField(
        label=_("Days until participants' ids are deleted"),
        required=False,
        min_value=30,
        max_value=3650,
        help_text=_(
            "Counted from the last visit or the end of the study, whichever is later. Participants are told. Leave "
            "empty to keep the ids."
        ),
    )
    screen_out_reward = forms.DecimalField(
        label=_("Pay for being screened out ($)"),
        required=False,
        min_value=0,
        decimal_places=2,
        max_digits=8,
        help_text=_("The marketplace pays it. Only some workspaces allow this; in others publishing fails."),
    )
    screen_out_places = forms.IntegerField(
        label=_("Maximum number of participants paid for being screened out"),
        required=False,
        min_value=0,
        max_value=100_000,
        help_text=_("The marketplace then pauses the study."),
    )
    use_timed_out = forms.BooleanField(
        label=_("Use the responses of participants who ran out of time"),
        required=False,
        help_text=_("They are not paid for them. Say so in the consent text."),
    )

    @classmethod
    def of(cls, study: PanelStudy, data: Any = None) -> StudyForm:
        """The form of this study; `data` was posted."""
        names = (*cls.COLUMNS, *cls.SCREEN_OUT)
        form = cls(data, initial={"hits": study.hits_per_visit} | {name: getattr(study, name) for name in names})
        if not study_kind(study.connection.kind).pays_screened_out:
            for name in cls.SCREEN_OUT:
                del form.fields[name]
        for outcome, code in study.codes.items():
            label = OUTCOMES[outcome]
            field = forms.RegexField(r"^[A-Za-z0-9_-]+$", label=label, max_length=40, initial=code)
            form.fields[f"code_{outcome}"] = field
        return form

    @property
    def code_fields(self) -> list[Any]:
        return [self[name] for name in self.fields if name.startswith("code_")]

    def clean(self) -> dict[str, Any]:
        codes = [value for name, value in self.cleaned_data.items() if name.startswith("code_")]
        if len(set(codes)) < len(codes):
            raise ValidationError(_("Give each outcome a code of its own."))
        if self.cleaned_data.get("warning_details") and not self.cleaned_data.get("warning"):
            self.add_error("warning", _("Choose the kind of the warning."))
        pay, most = (self.cleaned_data.get(name) or 0 for name in self.SCREEN_OUT)
        if bool(pay) != bool(most):
            self.add_error("screen_out_places", _("Give both, or neither."))
        return self.cleaned_data

    def columns(self) -> dict[str, Any]:
        """The arguments of `studies.change`."""
        codes = {name[5:]: value for name, value in self.cleaned_data.items() if name.startswith("code_")}
        screen_out = {name: self.cleaned_data.get(name) or 0 for name in self.SCREEN_OUT}
        return {name: self.cleaned_data[name] for name in ("hits", *self.COLUMNS)} | screen_out | {"codes": codes}


OUTCOMES = {
    "done": _("done"),
    "no_consent": _("no consent"),
    "failed_checks": _("failed checks"),
    "screened_out": _("screened out"),
    "incompatible": _("incompatible device"),
}


class ScheduleForm(forms.Form):
    """When a draft is published, in the requester's time zone."""

    starts_at = forms.DateTimeField(
        label=_("Publish at"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    )

    def clean_starts_at(self) -> datetime:
        starts_at: datetime = self.cleaned_data["starts_at"]
        if starts_at <= clock.now():
            raise ValidationError(_("Give a time in the future."))
        return starts_at


class PlacesForm(forms.Form):
    """How many participants of a published study may come, and be paid for being screened out if anybody is."""

    places = forms.IntegerField(label=_("Participants"), min_value=1, max_value=100_000)
    screen_out_places = forms.IntegerField(
        label=_("Screened out with pay, at most"), min_value=1, max_value=100_000, required=False
    )

    @classmethod
    def of(cls, study: PanelStudy, data: Any = None) -> PlacesForm:
        """The form of this study; `data` was posted."""
        form = cls(data, initial={"places": study.places, "screen_out_places": study.screen_out_places})
        if not study.screen_out_reward:
            del form.fields["screen_out_places"]
        return form


class RefusalForm(forms.Form):
    """Why a visit is rejected, returned or paid in part; `kind` says what the marketplace asks for."""

    use_required_attribute = False  # it shares its HTML form with the approval, which needs no reason

    reason = forms.CharField(label=_("Reason, which the participant reads"), widget=forms.Textarea(attrs={"rows": 3}))
    category = forms.ChoiceField(label=_("Category, if you reject"))
    percent = forms.IntegerField(label=_("Percent of the reward, if you pay a part"), max_value=99)

    def __init__(self, *given: Any, kind: type[StudyMarketplace], **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields["category"].choices = kind.rejection_categories  # type: ignore[attr-defined]  # a ChoiceField
        if not kind.rejection_categories:
            del self.fields["category"]
        percent: Any = self.fields["percent"]
        percent.min_value = percent.widget.attrs["min"] = kind.smallest_part
        if kind.shortest_rejection > 1:
            text = _(
                "To reject, at least %(least)s characters. Wrong answers to hidden gold alone are not accepted as a "
                "reason."
            )
            self.fields["reason"].help_text = text % {"least": kind.shortest_rejection}


class DemographicsFileForm(ConsoleForm):
    """The panel's export of demographic data."""

    LARGEST = 1_000_000  # bytes

    file = forms.FileField(label=_("File"), help_text=_("CSV with a column “Participant id”, up to 1 MB."))

    def clean_file(self) -> bytes:
        """Its content."""
        upload = self.cleaned_data["file"]
        if upload.size > self.LARGEST:
            raise ValidationError(_("The file is larger than 1 MB."))
        return bytes(upload.read())


class DemographicsForm(ConsoleForm):
    """Which columns of an uploaded export are kept; `export` has their values, signed."""

    SALT = "demographics"
    VALID_FOR = 3600  # seconds

    export = forms.CharField(widget=forms.HiddenInput)
    columns = forms.MultipleChoiceField(label=_("Columns to keep"), widget=forms.CheckboxSelectMultiple)

    @classmethod
    def of(cls, study: PanelStudy, columns: Mapping[str, Any]) -> DemographicsForm:
        """The form for the columns of an export that was just read, none of them ticked."""
        form = cls(initial={"export": signing.dumps([study.pk, columns], salt=cls.SALT, compress=True)})
        form.offer(columns)
        return form

    @classmethod
    def posted(cls, study: PanelStudy, data: Any) -> DemographicsForm | None:
        """The form as posted, or None if its values are not of this study or too old."""
        try:
            key, columns = signing.loads(data.get("export", ""), salt=cls.SALT, max_age=cls.VALID_FOR)
        except signing.BadSignature:
            return None
        form = cls(data)
        form.offer(columns)
        return form if key == study.pk else None

    def offer(self, columns: Mapping[str, Any]) -> None:
        self.values = columns
        self.fields["columns"].choices = [(name, name) for name in columns]

    def ticked(self) -> dict[str, Any]:
        """The arguments of `demographics.store`."""
        return {name: self.values[name] for name in self.cleaned_data["columns"]}


class KeepOpenForm(forms.Form):
    """Until when a batch's HITs stay on a marketplace."""

    until = forms.DateField(label=_("Offer HITs until"), widget=forms.DateInput(attrs={"type": "date"}), required=True)

    def clean_until(self) -> datetime:
        """The end of that day in the requester's time zone."""
        day = self.cleaned_data["until"]
        if day.year > timezone.localdate().year + 1:
            raise ValidationError(_("Give a date in this year or the next."))
        return timezone.make_aware(datetime(day.year, day.month, day.day, 23, 59))
