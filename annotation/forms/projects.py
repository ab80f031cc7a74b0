"""Forms of a project: datasets, results, invites, settings."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotation.flow.projects.parsing import parse
from annotation.flow.projects.settings import SETTINGS, stored
from annotation.flow.setting_values import NAMES_OF_PAGES, InvalidSettings, validate_unreserved
from annotation.formats import FORMATS
from annotation.formats.mapped import Mapped
from annotation.forms.setting_fields import form_field
from annotation.models import Invite, Project, User
from annotation.pure.data.hub_layout import HubName, Unclear, hub_name
from annotation.pure.people import roles
from annotation.pure.people.consent_text import PARAGRAPHS


class ConsoleForm(forms.Form):
    """A form that focuses its first invalid field."""

    fields: dict[str, Any]  # each of its own class, with choices or a queryset

    def full_clean(self) -> None:
        super().full_clean()
        for name in self.fields:
            if name in self.errors:
                self.fields[name].widget.attrs["autofocus"] = True
                return

    def add_problem(self, name: str, texts: list[str]) -> None:
        """Show what is wrong with a setting beside its field, or above the form."""
        field = name.partition(".")[0]
        if field not in self.errors:
            self.add_error(field if field in self.fields else None, texts)


def proposed_name(file_name: str) -> str:
    """A dataset's name made from a file's: `Dev set (1).jsonl.gz` gives `dev-set-1`; "" if none can be made."""
    stem = PurePath(file_name.replace("\\", "/")).name
    for suffix in (".gz", ".jsonl", ".json", ".parquet", ".csv"):
        stem = stem[: -len(suffix)] if stem.lower().endswith(suffix) else stem
    name = slugify(stem)[:100]
    return "" if name in NAMES_OF_PAGES else name


class ResultsDatasetForm(forms.Form):
    """The name of a dataset to create from results, and how many responses must agree."""

    name = forms.SlugField(max_length=100, validators=[validate_unreserved])
    least = forms.IntegerField(required=False, min_value=0, max_value=1000)
    keep = forms.CharField(required=False, max_length=1000)


class DatasetForm(ConsoleForm):
    """A file or a dataset of the Hub to import; name and format are guessed by default."""

    file = forms.FileField(label=_("File"), allow_empty_file=True, required=False)
    hub = forms.CharField(
        label=_("Dataset"),
        required=False,
        max_length=400,
        widget=forms.TextInput(attrs={"placeholder": "hf:OWNER/NAME", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=_("Public datasets. Add @REVISION for another revision than the newest."),
    )
    config = forms.CharField(
        label=_("Config"), required=False, max_length=200, help_text=_("Needed if the dataset has several.")
    )
    split = forms.CharField(
        label=_("Split"), required=False, max_length=200, help_text=_("For example train or validation.")
    )
    format = forms.ChoiceField(label=_("Format"), required=False)
    name = forms.SlugField(
        label=_("Name"),
        required=False,
        max_length=100,
        validators=[validate_unreserved],
        help_text=_("Letters, digits, hyphens. Used in URLs, commands and exports; cannot be changed."),
    )
    licence = forms.CharField(label=_("Licence"), required=False, max_length=200, help_text=_("For example CC BY 4.0."))
    source = forms.URLField(
        label=_("Source"),
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text=_("The URL of its website or paper."),
    )
    skip_bad = forms.BooleanField(label=_("Skip records that cannot be stored and import the rest"), required=False)
    dry_run = forms.BooleanField(label=_("Check the file without importing it"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(name, f"{kind.title} ({name})") for name, kind in FORMATS.items()]
        guessed, mapped = _("Recognise the format from the file"), _("I map the columns myself")
        self.fields["format"].choices = [("", guessed), (Mapped.name, mapped), *known]
        text = _("JSON, JSON Lines, CSV or Parquet, optionally gzipped, up to %(limit)s.")
        self.fields["file"].help_text = text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}

    def clean_file(self) -> UploadedFile | None:
        upload: UploadedFile | None = self.cleaned_data["file"]
        if upload and not upload.size:
            raise ValidationError(_("The file is empty. Choose one with at least one record."))
        return upload

    def clean_hub(self) -> HubName | None:
        try:
            return hub_name(self.cleaned_data["hub"]) if self.cleaned_data["hub"] else None
        except Unclear as unclear:
            raise ValidationError(str(unclear)) from None

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        file, hub = cleaned.get("file"), cleaned.get("hub")
        if not {"file", "hub"} & set(self.errors) and bool(file) == bool(hub):
            both = _("Choose either a file or a dataset of the Hub.")
            self.add_error("file", both if file else _("Choose a file, or name a dataset of the Hub."))
        elif (file or hub) and not cleaned.get("name") and "name" not in self.errors:
            cleaned["name"] = self._name_on_the_hub(hub) if hub else proposed_name((file and file.name) or "")
            if not cleaned["name"]:
                self.add_error("name", _("No name can be made from the file name. Enter a name."))
        return cleaned

    def _name_on_the_hub(self, hub: HubName) -> str:
        parts = (hub.repository.partition("/")[2], self.cleaned_data.get("config"), self.cleaned_data.get("split"))
        return proposed_name("-".join(part for part in parts if part).replace(".", "-").replace("/", "-"))

    def hub_split(self) -> dict[str, str]:
        """The arguments for hub_import.HubSplit; {} for a file."""
        if not (hub := self.cleaned_data["hub"]):
            return {}
        return {"repository": hub.repository, "revision": hub.revision} | {
            name: self.cleaned_data[name] for name in ("config", "split")
        }

    def arguments(self) -> dict[str, Any]:
        """The arguments for dataset_import.import_dataset."""
        names = ("format", "name", "licence", "source", "skip_bad", "dry_run")
        return {name: self.cleaned_data[name] for name in names}


class InviteForm(ConsoleForm):
    """An invite link."""

    MOST_PLACES = 1000
    role = forms.ChoiceField(label=_("Role"), choices=Invite.Role.choices, initial=Invite.Role.WORKER)
    places = forms.IntegerField(label=_("Number of people"), min_value=1, max_value=MOST_PLACES, initial=1)
    days = forms.IntegerField(label=_("Valid for (days)"), min_value=1, max_value=365, initial=14)
    note = forms.CharField(label=_("Note for yourself"), required=False, max_length=200)

    def __init__(self, *args: Any, role: str, **kwargs: Any) -> None:
        """`role`: that of the inviting member; only owners invite members."""
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [choice for choice in Invite.Role.choices if roles.may_invite(role, choice[0])]


class ProjectForm(ConsoleForm):
    """Settings of a project, new or stored: those that the page shows. `settings` has all of a valid form."""

    shown: tuple[str, ...] = ("title", "consent", "sign_up", "two_factor", "ask_models")

    def __init__(self, user: User, posted: Any = None, *, project: Project | None = None) -> None:
        super().__init__(posted, initial=vars(stored(project)) if project else None)
        self.user, self.project = user, project
        self.fields = {name: form_field(SETTINGS[name]) for name in self.shown}

    def clean(self) -> dict[str, Any]:
        """All settings are checked together; what is wrong with one stands beside its field."""
        data = {name: self.cleaned_data.get(name, "") for name in self.shown}
        if paragraph := PARAGRAPHS.get(self.data.get("add_paragraph", "")):
            data["consent"] = f"{data['consent'].rstrip()}\n\n{_(paragraph)}\n"
        try:
            self.settings = parse(data, user=self.user, project=self.project)
        except InvalidSettings as invalid:
            for name, texts in invalid.problems.items():
                self.add_problem(name, texts)
        return self.cleaned_data


class NewProjectForm(ProjectForm):
    """Title and name of a new project; by default the name is made from the title."""

    shown = ("title", "name")
