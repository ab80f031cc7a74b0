"""The form of a preregistration."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.projects import ConsoleForm
from annotation.pure.reports.preregistration import LONGEST


def _text(label: Any, help_text: Any, *, required: bool) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": 4})
    return forms.CharField(label=label, help_text=help_text, max_length=LONGEST, required=required, widget=area)


class PreregistrationForm(ConsoleForm):
    """What the batch's settings do not say."""

    hypotheses = _text(_("Hypotheses"), _("What you expect, and which difference would matter."), required=True)
    design = _text(_("Design"), _("What the settings do not say: conditions, when you will stop."), required=False)
    exclusions = _text(_("Exclusions"), _("Which responses or HITs you will exclude, by which rule."), required=False)
    analysis = _text(_("Analysis"), _("The measures and tests for each hypothesis."), required=True)
