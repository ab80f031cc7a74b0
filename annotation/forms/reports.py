"""Forms about reports: experiments, models' predictions, preregistration, and plans whose power is computed."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.models import Batch, Experiment
from annotation.pure.reports.power_plan import KINDS
from annotation.pure.reports.preregistration import LONGEST
from annotation.pure.statistics.power import MOST_RESPONSES, PAIRED

SHARES = ("first", "second", "by_item", "by_worker", "alike")  # fields in percent


def _percent(label: Any, help_text: Any) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=0, max_value=100, required=False, help_text=help_text)


class PowerForm(ConsoleForm):
    """What is compared, how large, how people and items vary, and what it may cost."""

    kind = forms.ChoiceField(label=_("Comparison"), initial=PAIRED)
    first = _percent(
        _("Expected rate of right responses (percent)"), _("Leave empty for the pilot's, or 80 without a pilot.")
    )
    second = _percent(
        _("Rate to compare with (percent)"),
        _("The rate of the other condition, or the fixed value. Leave empty for 5 points less than the expected rate."),
    )
    items = forms.IntegerField(label=_("Items in each condition"), min_value=2, max_value=MOST_RESPONSES, initial=115)
    answers = forms.IntegerField(label=_("Responses to an item"), min_value=1, max_value=100, initial=3)
    workers = forms.IntegerField(label=_("Workers in each condition"), min_value=2, max_value=10_000, initial=30)
    by_item = _percent(
        _("Variance between items (percent)"),
        _(
            "Share of the variance due to the items' difficulty. Leave empty for the pilot's value, or 50 without a "
            "pilot."
        ),
    )
    by_worker = _percent(
        _("Variance between workers (percent)"),
        _("Share of the variance due to the workers' skill. Leave empty for the pilot's value, or 5 without a pilot."),
    )
    alike = _percent(
        _("Correlation of items (percent)"),
        _("How alike an item's difficulty is in both conditions. Paired only. Leave empty for 80."),
    )
    pilot = forms.ModelChoiceField(
        label=_("Pilot"),
        queryset=Batch.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label=_("None"),
        help_text=_("Its responses give the rate and the variances that you leave empty."),
    )
    counts = forms.CharField(
        label=_("What counts as right (ratings)"),
        required=False,
        max_length=1000,
        help_text=_(
            "Of a pilot's ratings, such as faithful >= 3 and multihop == yes. Leave empty if gold says what is right."
        ),
    )
    price = forms.DecimalField(
        label=_("Price of a response, with fees ($)"), min_value=0, max_digits=8, decimal_places=2, required=False
    )
    budget = forms.DecimalField(label=_("Budget ($)"), min_value=0, max_digits=9, decimal_places=2, required=False)
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**53 - 1, initial=0)

    def __init__(self, *args: Any, batches: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kind, pilot = self.fields["kind"], self.fields["pilot"]
        assert isinstance(kind, forms.ChoiceField)
        assert isinstance(pilot, forms.ModelChoiceField)
        kind.choices = [(name, _(label)) for name, label in KINDS.items()]
        pilot.queryset = batches

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("budget") is not None and not cleaned.get("price") and "price" not in self.errors:
            self.add_error("price", _("A budget needs the price of a response."))
        return cleaned

    @property
    def given(self) -> dict[str, Any]:
        """The plan as `flow.reports.power_plan.plan` takes it."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "pilot"}
        return {name: value / 100 if name in SHARES and value is not None else value for name, value in values.items()}


class ExperimentForm(ConsoleForm):
    """Name, title, arms, and what each worker gets."""

    batches = forms.MultipleChoiceField(
        label=_("Arms"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Batches without responses so far that are in no other experiment."),
    )
    each = forms.ChoiceField(
        label=_("Each worker gets"),
        choices=Experiment.Each.choices,
        widget=forms.RadioSelect,
        initial=Experiment.Each.ONE,
        help_text=_(
            "One arm compares different workers. All arms compare each worker with themselves, which needs fewer "
            "workers; every arm stands first, second, … equally often."
        ),
    )
    slug = forms.SlugField(label=_("Name"), max_length=100)
    title = forms.CharField(
        label=_("Title shown to workers"),
        max_length=200,
        help_text=_("It becomes the title of all arms, so it should not say what differs between them."),
    )

    def __init__(self, *args: Any, choices: Sequence[Batch], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["batches"].choices = [(batch.slug, f"{batch.slug} · {batch.title}") for batch in choices]


def _text(label: Any, help_text: Any, *, required: bool) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": 4})
    return forms.CharField(label=label, help_text=help_text, max_length=LONGEST, required=required, widget=area)


class PreregistrationForm(ConsoleForm):
    """What the batch's settings do not say."""

    hypotheses = _text(_("Hypotheses"), _("What you expect, and which difference would matter."), required=True)
    design = _text(_("Design"), _("What the settings do not say: conditions, when you will stop."), required=False)
    exclusions = _text(_("Exclusions"), _("Which responses or HITs you will exclude, by which rule."), required=False)
    analysis = _text(_("Analysis"), _("The measures and tests for each hypothesis."), required=True)


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
        text = gettext("JSON Lines or a table, optionally gzipped, up to %(limit)s.")
        self.fields["file"].help_text = text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}
        rows = batch.datasets.order_by("slug")
        self.only = rows[0] if len(rows) == 1 else None
        if self.only is None:
            self.fields["dataset"] = forms.ModelChoiceField(rows, to_field_name="slug", label=gettext("Dataset"))

    def clean_file(self) -> UploadedFile:
        upload: UploadedFile = self.cleaned_data["file"]
        if not upload.size:
            raise ValidationError(gettext("The file is empty. Choose one with at least one prediction."))
        return upload

    def clean(self) -> dict[str, Any]:
        return {"dataset": self.only} | self.cleaned_data
