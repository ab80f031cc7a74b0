"""Forms about money."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import estimates
from annotation.flow.errors import Refused
from annotation.forms.projects import ConsoleForm
from annotation.models import Batch, Project
from annotation.recruitment import Marketplace, marketplaces

DAY = 24 * 3600
MOST = Decimal("999999.99")  # dollars, for one deposit or reward


def dollars(label: Any, **more: Any) -> forms.DecimalField:
    """A field for US dollars to the cent."""
    step = forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"})
    given = {"min_value": Decimal(0), "max_value": MOST, "decimal_places": 2, "widget": step}
    return forms.DecimalField(label=label, **(given | more))


class MarketplaceForm(ConsoleForm):
    """The marketplace of a batch, as a part of the launch page's form."""

    marketplace = forms.ChoiceField(
        label=_("Where workers do it"),
        required=False,
        help_text=_("On a marketplace, its own workers do the HITs, and all work is paid."),
    )

    def offer_places(self, project: Project) -> None:
        """The built-in marketplace, and all others of the project."""
        self._places = {str(row.pk): row for row in marketplaces().available(project)}
        named = [(key, row.label) for key, row in self._places.items()]
        self.fields["marketplace"].choices = [("", _("Here, by our own workers")), *named]

    def clean_marketplace(self) -> Marketplace | None:
        chosen = self._places.get(self.cleaned_data["marketplace"])
        if chosen is not None:
            try:
                marketplaces().check_open(chosen)
            except Refused as refusal:
                raise ValidationError(str(refusal)) from None
        return chosen

    def stored_place(self, batch: Batch) -> dict[str, Any]:
        return {"marketplace": str(marketplaces().of(batch).pk) if batch.on_marketplace else ""}

    @property
    def place(self) -> Marketplace | None:
        """The chosen marketplace; None: the built-in one."""
        return self.cleaned_data.get("marketplace") or None

    def pay(self) -> dict[str, Any]:
        """The batch's columns on pay and marketplace; on marketplaces automatic approval is always set."""
        columns: dict[str, Any] = super().pay()  # type: ignore[misc]
        if self.place is not None and columns["auto_approval"] is None:
            columns["auto_approval"] = 7 * DAY
        return columns


class PayForm(ConsoleForm):
    """The pay of a batch, as a part of the launch page's form."""

    kind = ""  # the chosen task
    paid = forms.BooleanField(label=_("Paid work"), required=False)
    reward = dollars(
        _("Reward in dollars"),
        required=False,
        help_text=_(
            "For each approved assignment. If the pay depends on the response, the task's options set the rest."
        ),
    )
    auto_approve_days = forms.IntegerField(
        label=_("Approve automatically after (days)"),
        min_value=0,
        max_value=30,
        initial=7,
        required=False,
        help_text=_("Responses that are neither approved nor rejected by then are approved and paid."),
    )
    wished = forms.FloatField(
        label=_("Target margin of error (± points)"),
        min_value=0.1,
        max_value=50,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
        help_text=_("Only shows how many items you would need."),
    )

    def clean_reward(self) -> Decimal | None:
        reward: Decimal | None = self.cleaned_data["reward"]
        if self.cleaned_data.get("paid") and reward is None and not estimates.pays_itself(self.kind):
            raise ValidationError(_("Enter the pay per assignment, or untick “Paid work”."))
        return reward

    def stored_pay(self, batch: Batch) -> dict[str, Any]:
        """Initial values from a stored batch."""
        paid = batch.auto_approval is not None
        days = round((batch.auto_approval or 0) / DAY) if paid else 7
        return {"paid": paid, "reward": batch.reward if batch.reward else None, "auto_approve_days": days}

    def pay(self) -> dict[str, Any]:
        """The batch's reward, and seconds until automatic approval (None: unpaid)."""
        cleaned = self.cleaned_data
        days = cleaned.get("auto_approve_days")
        seconds = DAY * (7 if days is None else days) if cleaned.get("paid") else None
        return {"reward": cleaned.get("reward") or Decimal(0), "auto_approval": seconds}


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
