"""Form fields made of settings, with their words and limits."""

import json
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.setting_values import help_text
from annotation.pure.setting_fields import NO_CHOICE, Setting


class JSONText(forms.JSONField):
    """An object as indented JSON text, as people read and write it."""

    widget = forms.Textarea(attrs={"rows": 16, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False, indent=1) if isinstance(value, dict | list) else value or ""


CONTROLS: dict[type, type[forms.Field]] = {
    bool: forms.BooleanField,
    int: forms.IntegerField,
    float: forms.FloatField,
    Decimal: forms.DecimalField,
    str: forms.CharField,
    object: JSONText,
}


def form_field(setting: Setting, **more: Any) -> forms.Field:
    """The form field that reads and shows the setting; `more` are arguments of its class."""
    given: dict[str, Any] = {"label": _(setting.label), "required": setting.required, "initial": setting.default}
    given["help_text"] = help_text(setting)
    if setting.choices is not None:
        choices = [(value, _(label)) for value, label in setting.choices.items()]
        places = {"value": "%(value)s", "choices": ", ".join(map(str, setting.choices))}
        given["error_messages"] = {"invalid_choice": _(NO_CHOICE) % places}
        return forms.ChoiceField(**given | {"choices": choices} | more)
    if setting.type in (int, float, Decimal):
        given |= {"min_value": setting.least, "max_value": setting.most}
    if setting.type is Decimal:
        given |= {"decimal_places": 2, "widget": forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"})}
    if setting.type is str:
        given |= {"max_length": setting.length}
    if setting.multiline:
        given |= {"strip": False, "widget": forms.Textarea(attrs={"rows": 16, "spellcheck": "true"})}
    return CONTROLS[setting.type](**given | more)
