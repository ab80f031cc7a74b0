"""A new API token as a form."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.models import ApiToken, clock

NEVER = "0"
DAYS = [("30", _("30 days")), ("90", _("90 days")), ("365", _("a year")), (NEVER, _("until it is revoked"))]


class TokenForm(ConsoleForm):
    """What it is for, what it may do, and for how long."""

    note = forms.CharField(
        label=_("What it is for"), max_length=100, help_text=_("For example the notebook or the server that uses it.")
    )
    scope = forms.ChoiceField(
        label=_("What it may do"),
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.WRITE,
        help_text=_("Never more than you may do yourself in this project."),
    )
    days = forms.ChoiceField(label=_("Good for"), choices=DAYS, initial="90")

    def ends(self) -> datetime | None:
        """When it stops working, if ever."""
        days = self.cleaned_data["days"]
        return None if days == NEVER else clock.now() + timedelta(days=int(days))
