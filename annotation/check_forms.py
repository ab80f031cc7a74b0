"""Hidden gold among a batch's items, as the part of the launching page that sets it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.flow import checking
from annotation.models import Batch, Dataset
from annotation.row_fields import DatasetsField


class CheckForm(ConsoleForm):
    """Which datasets give the checks, how many of a worker's items they are, and when the rule warns and pauses."""

    checks = DatasetsField(label=_("Datasets whose answers are known"), queryset=Dataset.objects.none(), required=False)
    check_percent = forms.FloatField(
        label=_("Percent of a worker's items"),
        min_value=0,
        max_value=50,
        required=False,
        help_text=_("Nobody can tell them from the others, and they are paid like them. Empty: none."),
    )
    check_after = forms.IntegerField(
        label=_("The rule begins after checks"), min_value=1, max_value=1000, initial=5, required=False
    )
    check_warn = forms.FloatField(label=_("Warn below percent"), min_value=1, max_value=100, required=False)
    check_pause = forms.FloatField(
        label=_("Pause below percent"),
        min_value=1,
        max_value=100,
        required=False,
        help_text=_("Who is paused gets no more of the batch until you let them go on; nothing is rejected."),
    )

    def stored_checks(self, batch: Batch) -> dict[str, Any]:
        """A stored batch's checks as the controls show them."""
        rule = checking.read_rule(batch.check_rule)
        return {
            "checks": list(batch.checks.values_list("pk", flat=True)),
            "check_percent": round(100 * batch.check_share, 2) or None,
            "check_after": rule.after,
            "check_warn": _percent(rule.warn_below),
            "check_pause": _percent(rule.pause_below),
        }

    def save_checks(self, batch: Batch) -> None:
        """Write them to a draft. Raises Refused for checks that cannot work."""
        cleaned = self.cleaned_data
        rule = checking.Rule(
            cleaned.get("check_after") or 5, _share(cleaned.get("check_warn")), _share(cleaned.get("check_pause"))
        )
        share = (cleaned.get("check_percent") or 0) / 100
        checking.set_up(batch, datasets=list(cleaned.get("checks") or ()), share=share, rule=rule)


def _share(percent: float | None) -> float | None:
    return percent / 100 if percent else None


def _percent(share: float | None) -> float | None:
    return round(100 * share, 2) if share else None
