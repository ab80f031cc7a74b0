"""What a requester sets about money, as forms."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.flow import estimating
from annotation.models import Batch

DAY = 24 * 3600
MOST = Decimal("999999.99")  # dollars of one deposit or reward


def dollars(label: Any, **more: Any) -> forms.DecimalField:
    """A control for US dollars to the cent."""
    step = forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"})
    given = {"min_value": Decimal(0), "max_value": MOST, "decimal_places": 2, "widget": step}
    return forms.DecimalField(label=label, **(given | more))


class PayForm(ConsoleForm):
    """The part of the launching page that says whether and what a batch pays."""

    kind = ""  # of the task that is chosen
    paid = forms.BooleanField(label=_("Paid per assignment"), required=False)
    reward = dollars(
        _("Reward in dollars"),
        required=False,
        help_text=_("For each approved assignment. Where the task pays by the answer, its options say what."),
    )
    auto_approve_days = forms.IntegerField(
        label=_("Approved automatically after days"),
        min_value=0,
        max_value=30,
        initial=7,
        required=False,
        help_text=_("Whatever nobody approved or rejected by then is approved and paid."),
    )
    wished = forms.FloatField(
        label=_("Wished width of the interval: ± points"),
        min_value=0.1,
        max_value=50,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
        help_text=_("To see how many items it takes; nothing is changed by it."),
    )

    def clean_reward(self) -> Decimal | None:
        reward: Decimal | None = self.cleaned_data["reward"]
        if self.cleaned_data.get("paid") and reward is None and not estimating.pays_itself(self.kind):
            raise ValidationError(_("Say what an assignment pays, or take the tick from “Paid per assignment”."))
        return reward

    def stored_pay(self, batch: Batch) -> dict[str, Any]:
        """A stored batch's pay as the controls show it."""
        paid = batch.auto_approval is not None
        days = round((batch.auto_approval or 0) / DAY) if paid else 7
        return {"paid": paid, "reward": batch.reward if batch.reward else None, "auto_approve_days": days}

    def pay(self) -> dict[str, Any]:
        """The batch's columns: its reward, and seconds until it is approved automatically (none: nothing is paid)."""
        cleaned = self.cleaned_data
        days = cleaned.get("auto_approve_days")
        seconds = DAY * (7 if days is None else days) if cleaned.get("paid") else None
        return {"reward": cleaned.get("reward") or Decimal(0), "auto_approval": seconds}


class DepositForm(ConsoleForm):
    """Dollars into the budget or out of it."""

    way = forms.ChoiceField(
        label=_("What to do"),
        choices=[("in", _("Put in")), ("out", _("Take out"))],
        widget=forms.RadioSelect,
        initial="in",
    )
    amount = dollars(_("Dollars"), min_value=Decimal("0.01"))
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=300,
        help_text=_("Where it comes from or goes to. It stays in the ledger."),
    )
    key = forms.SlugField(max_length=60, widget=forms.HiddenInput)

    def signed(self) -> Decimal:
        """The amount; negative where it is taken out."""
        amount: Decimal = self.cleaned_data["amount"]
        return amount if self.cleaned_data["way"] == "in" else -amount


class FloorForm(ConsoleForm):
    """The wage below which the project warns, and the fees that the house takes."""

    wage_floor = dollars(
        _("Lowest wage an hour, in dollars"),
        required=False,
        max_value=Decimal("99999.99"),
        help_text=_("Empty: no floor. Launches that would pay less warn, and a batch can be topped up to it."),
    )
