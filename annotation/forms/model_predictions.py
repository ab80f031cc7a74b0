"""The form that uploads a model's predictions for a batch's task."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.projects import ConsoleForm
from annotation.models import Batch


class PredictionsForm(ConsoleForm):
    """A file, its model and, of a batch with several, the dataset that it is about."""

    model = forms.CharField(
        label=gettext_lazy("Model"),
        max_length=200,
        help_text=gettext_lazy("Its name in reports. Use another name for another prompt or version."),
    )
    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)

    def __init__(self, *args: Any, batch: Batch, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = _("JSON Lines or a table, optionally gzipped, up to %(limit)s.")
        self.fields["file"].help_text = text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}
        rows = batch.datasets.order_by("slug")
        self.only = rows[0] if len(rows) == 1 else None
        if self.only is None:
            self.fields["dataset"] = forms.ModelChoiceField(rows, to_field_name="slug", label=_("Dataset"))

    def clean_file(self) -> UploadedFile:
        upload: UploadedFile = self.cleaned_data["file"]
        if not upload.size:
            raise ValidationError(_("The file is empty. Choose one with at least one prediction."))
        return upload

    def clean(self) -> dict[str, Any]:
        return {"dataset": self.only} | self.cleaned_data
