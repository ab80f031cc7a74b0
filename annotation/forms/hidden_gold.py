"""The part of the launch page that sets up hidden gold."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import hidden_gold
from annotation.forms.projects import ConsoleForm
from annotation.forms.row_fields import DatasetsField
from annotation.models import Batch, Dataset


class HiddenGoldForm(ConsoleForm):
    """Datasets of hidden gold, its share of a worker's items, and the rule that warns and pauses."""

    checks = DatasetsField(label=_("Datasets with known answers"), queryset=Dataset.objects.none(), required=False)
    check_percent = forms.FloatField(
        label=_("Hidden gold, in percent of each worker's items"),
        min_value=0,
        max_value=50,
        required=False,
        help_text=_(
            "Workers cannot tell these items from the others, and earn the same for them. Leave empty for none."
        ),
    )
    check_after = forms.IntegerField(
        label=_("Apply the rule after this many items"), min_value=1, max_value=1000, initial=5, required=False
    )
    check_warn = forms.FloatField(label=_("Warn below (percent)"), min_value=1, max_value=100, required=False)
    check_pause = forms.FloatField(
        label=_("Pause below (percent)"),
        min_value=1,
        max_value=100,
        required=False,
        help_text=_("Paused workers get no more HITs of this batch until you let them continue. Nothing is rejected."),
    )

    @property
    def has_hidden_gold(self) -> bool:
        """Whether its fields have something to show: chosen datasets, or errors."""
        return bool(self["checks"].value() or self.errors.keys() & {"check_percent", "check_warn", "check_pause"})

    def stored_checks(self, batch: Batch) -> dict[str, Any]:
        """Initial values from a stored batch."""
        rule = hidden_gold.read_rule(batch.check_rule)
        return {
            "checks": list(batch.checks.values_list("pk", flat=True)),
            "check_percent": round(100 * batch.check_share, 2) or None,
            "check_after": rule.after,
            "check_warn": _percent(rule.warn_below),
            "check_pause": _percent(rule.pause_below),
        }

    def save_checks(self, batch: Batch) -> None:
        """Save them to a draft. Raises Refused for hidden gold that cannot work."""
        cleaned = self.cleaned_data
        rule = hidden_gold.Rule(
            cleaned.get("check_after") or 5, _share(cleaned.get("check_warn")), _share(cleaned.get("check_pause"))
        )
        share = (cleaned.get("check_percent") or 0) / 100
        hidden_gold.set_up(batch, datasets=list(cleaned.get("checks") or ()), share=share, rule=rule)


def _share(percent: float | None) -> float | None:
    return percent / 100 if percent else None


def _percent(share: float | None) -> float | None:
    return round(100 * share, 2) if share else None
