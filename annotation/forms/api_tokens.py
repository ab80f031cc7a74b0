"""The form of a new API token."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.models import ApiToken, clock

NEVER = "0"
DAYS = [("30", _("30 days")), ("90", _("90 days")), ("365", _("a year")), (NEVER, _("until it is revoked"))]


class TokenForm(ConsoleForm):
    """Purpose, permission and duration of a token."""

    note = forms.CharField(
        label=_("Purpose"), max_length=100, help_text=_("For example the notebook or server that uses it.")
    )
    scope = forms.ChoiceField(
        label=_("Permission"),
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.WRITE,
        help_text=_("It never has more rights than you have in this project."),
    )
    days = forms.ChoiceField(label=_("Valid for"), choices=DAYS, initial="90")

    def ends(self) -> datetime | None:
        """When the token expires, if ever."""
        days = self.cleaned_data["days"]
        return None if days == NEVER else clock.now() + timedelta(days=int(days))
