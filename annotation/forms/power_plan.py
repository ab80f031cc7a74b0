"""The form of a plan whose power is computed."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.models import Batch
from annotation.pure.reports.power_tables import KINDS
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
