"""Forms about money."""

from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.money.ledger import DEPOSIT
from annotation.forms.projects import ConsoleForm, ProjectForm
from annotation.forms.setting_fields import form_field


class DepositForm(ConsoleForm):
    """A deposit to the budget or a withdrawal."""

    way = forms.ChoiceField(
        label=_("Action"),
        choices=[("in", _("Deposit")), ("out", _("Withdraw"))],
        widget=forms.RadioSelect,
        initial="in",
    )
    amount = form_field(DEPOSIT["dollars"])
    note = form_field(DEPOSIT["note"])
    key = forms.SlugField(max_length=60, widget=forms.HiddenInput)

    def signed(self) -> Decimal:
        """The amount; negative for a withdrawal."""
        amount: Decimal = self.cleaned_data["amount"]
        return amount if self.cleaned_data["way"] == "in" else -amount


class MoneyTermsForm(ProjectForm):
    """The minimum hourly wage, below which the project warns, and the fees."""

    shown = ("wage_floor", "fees")
