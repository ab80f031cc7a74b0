"""Forms about money."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches.settings import MOST_DOLLARS
from annotation.forms.projects import ConsoleForm

DAY = 24 * 3600


def dollars(label: Any, **more: Any) -> forms.DecimalField:
    """A field for US dollars to the cent."""
    step = forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"})
    given = {"min_value": Decimal(0), "max_value": MOST_DOLLARS, "decimal_places": 2, "widget": step}
    return forms.DecimalField(label=label, **(given | more))


class DepositForm(ConsoleForm):
    """A deposit to the budget or a withdrawal."""

    way = forms.ChoiceField(
        label=_("Action"),
        choices=[("in", _("Deposit")), ("out", _("Withdraw"))],
        widget=forms.RadioSelect,
        initial="in",
    )
    amount = dollars(_("Dollars"), min_value=Decimal("0.01"))
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=300,
        help_text=_("Where the money comes from or goes to. The ledger keeps this note."),
    )
    key = forms.SlugField(max_length=60, widget=forms.HiddenInput)

    def signed(self) -> Decimal:
        """The amount; negative for a withdrawal."""
        amount: Decimal = self.cleaned_data["amount"]
        return amount if self.cleaned_data["way"] == "in" else -amount


class FloorForm(ConsoleForm):
    """The minimum hourly wage, below which the project warns, and the marketplace's fees."""

    wage_floor = dollars(
        _("Wage floor per hour, in dollars"),
        required=False,
        max_value=Decimal("99999.99"),
        help_text=_(
            "You are warned before launching below this, and you can raise the pay of a batch to it. Leave "
            "empty for no floor."
        ),
    )
