"""Forms of the requester's pages."""

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

from annotation.formats import FORMATS
from annotation.models import Invite, Project
from annotation.pure import roles

NAMES_OF_PAGES = {"new"}  # addresses below datasets/ that are no dataset


class ConsoleForm(forms.Form):
    """A form that puts the cursor into the first field that is wrong."""

    def full_clean(self) -> None:
        super().full_clean()
        for name in self.fields:
            if name in self._errors:
                self.fields[name].widget.attrs["autofocus"] = True
                return


def proposed_name(file_name: str) -> str:
    """A dataset's name made from a file's: `Dev set (1).jsonl.gz` gives `dev-set-1`."""
    stem = PurePath(file_name.replace("\\", "/")).name
    for suffix in (".gz", ".jsonl", ".json", ".parquet", ".csv"):
        stem = stem[: -len(suffix)] if stem.lower().endswith(suffix) else stem
    return slugify(stem)[:100]


class GatherForm(forms.Form):
    """The name of a dataset to make, and how many answers must say what the verdict of an item says."""

    name = forms.SlugField(max_length=100)
    least = forms.IntegerField(required=False, min_value=0, max_value=1000)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name in NAMES_OF_PAGES:
            raise ValidationError(_("This word has a page of its own. Choose another name."))
        return name


class DatasetForm(ConsoleForm):
    """A file to import. Without a name or a format they are read off the file."""

    file = forms.FileField(label=_("File"), allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"), required=False)
    name = forms.SlugField(
        label=_("Name"),
        required=False,
        max_length=100,
        help_text=_("Letters, digits, hyphens. It stands in addresses, commands and exports and never changes."),
    )
    licence = forms.CharField(label=_("Licence"), required=False, max_length=200, help_text=_("For example CC BY 4.0."))
    source = forms.URLField(
        label=_("Where it comes from"),
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text=_("The address of its page or paper."),
    )
    skip_bad = forms.BooleanField(
        label=_("Leave out records that cannot be stored and import the rest"), required=False
    )
    dry_run = forms.BooleanField(label=_("Only check the file; import nothing"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(name, f"{kind.title} ({name})") for name, kind in FORMATS.items()]
        self.fields["format"].choices = [("", _("Recognise it from the file")), *known]
        limit = filesizeformat(settings.UPLOAD_LIMIT)
        self.fields["file"].help_text = _("JSON, JSON lines, CSV or Parquet, also gzipped, up to %(limit)s.") % {
            "limit": limit
        }

    def clean_file(self) -> UploadedFile:
        upload = self.cleaned_data["file"]
        if not upload.size:
            raise ValidationError(_("The file is empty. Choose one with at least one record."))
        return upload

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "file" in cleaned and not cleaned.get("name") and "name" not in self.errors:
            cleaned["name"] = proposed_name(cleaned["file"].name or "")
            if not cleaned["name"]:
                self.add_error("name", _("The file's name gives no name. Enter one."))
        if cleaned.get("name") in NAMES_OF_PAGES:
            self.add_error("name", _("This word has a page of its own. Choose another name."))
        return cleaned

    def arguments(self) -> dict[str, Any]:
        """The arguments of importing.import_dataset that the form gives."""
        names = ("format", "name", "licence", "source", "skip_bad", "dry_run")
        return {name: self.cleaned_data[name] for name in names}


class InviteForm(ConsoleForm):
    """A link by which people join."""

    role = forms.ChoiceField(label=_("They join as"), choices=Invite.Role.choices, initial=Invite.Role.WORKER)
    places = forms.IntegerField(label=_("How many people"), min_value=1, max_value=1000, initial=1)
    days = forms.IntegerField(label=_("Good for how many days"), min_value=1, max_value=365, initial=14)
    note = forms.CharField(
        label=_("For whom"),
        required=False,
        max_length=200,
        help_text=_("A note for you; whoever joins does not see it."),
    )

    def __init__(self, *args: Any, role: str, **kwargs: Any) -> None:
        """`role` of whoever invites: only an owner lets members in."""
        super().__init__(*args, **kwargs)
        fit = [(value, label) for value, label in Invite.Role.choices if roles.may_invite(role, value)]
        self.fields["role"].choices = fit


class ProjectForm(ConsoleForm):
    """What people read of a project."""

    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("Workers see it above their batches."))
    consent = forms.CharField(
        label=_("Consent text"),
        required=False,
        max_length=50_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=_("Markdown. Workers accept it before their first assignment, and again after each change."),
    )
    sign_up = forms.ChoiceField(
        label=_("Who may join as a worker"),
        choices=Project.SignUp.choices,
        required=False,
        help_text=_("Without an invite, people join on the project's open page; its address is under People."),
    )
    two_factor = forms.BooleanField(
        label=_("Members must use two factors"),
        required=False,
        help_text=_("Whoever runs or reviews the project sets up an authenticator first. Workers are not asked."),
    )

    @classmethod
    def of(cls, project: Project) -> ProjectForm:
        return cls(initial={name: getattr(project, name) for name in ("title", "consent", "sign_up", "two_factor")})

    def clean_consent(self) -> str:
        """Browsers send CRLF; the text is stored with LF, so that saving it unchanged changes nothing."""
        return self.cleaned_data["consent"].replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        """What the page did not send stays as it is stored."""
        return {name: value for name, value in self.cleaned_data.items() if name != "sign_up" or value}
