"""Form fields made of settings, with their words and limits; the controls of a list's filter."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.flow.lists import ListFilter
from annotation.flow.setting_values import help_text, validators_of
from annotation.pure.setting_fields import NO_CHOICE, Setting, settings_of
from annotation.registry import task_type


class ObjectText(forms.CharField):
    """An object as text, JSON or YAML, which the check of all settings reads; a stored one as indented JSON."""

    widget = forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"})

    def __init__(self, **given: Any) -> None:
        super().__init__(empty_value=None, **given)

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False, indent=1) if isinstance(value, dict | list) else value or ""


CONTROLS: dict[type, type[forms.Field]] = {
    bool: forms.BooleanField,
    date: forms.DateField,
    int: forms.IntegerField,
    float: forms.FloatField,
    Decimal: forms.DecimalField,
    str: forms.CharField,
    object: ObjectText,
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
        given |= {"max_length": setting.length, "validators": validators_of(setting)}
    if setting.multiline:
        given |= {"strip": False, "widget": forms.Textarea(attrs={"rows": 16, "spellcheck": "true"})}
    return CONTROLS[setting.type](**given | more)


def is_changed(field: forms.BoundField, proposed: Any) -> bool:
    """Whether the field's value is another than the proposed one."""
    return bool(field.field.has_changed(proposed, field.value()))


def line_of(field: forms.BoundField, empty: str = "") -> str:
    """The field's label and value for a line that sums up several; "" for a switch that is off."""
    value = field.value()
    if isinstance(field.field, forms.BooleanField):
        return str(field.label) if value else ""
    named = {str(key): str(label) for key, label in getattr(field.field, "choices", ())}
    texts = [named.get(str(one), str(one)) for one in (value if isinstance(value, list | tuple) else [value])]
    shown = ", ".join(texts) if value not in (None, "") else empty
    return f"{field.label}: {shown}" if shown else ""


class FilterForm(forms.Form):
    """The controls as the filter is set; `choices` are the values of some, by name. One without any is left out."""

    def __init__(self, wanted: ListFilter, **choices: Iterable[tuple[Any, Any]]) -> None:
        super().__init__(auto_id=False)
        self.wanted = wanted
        for one in settings_of(type(wanted)).values():
            own = {True: _("yes"), False: _("no")} if one.type is bool else one.choices
            known = dict(choices[one.name]) if one.name in choices else own
            more: dict[str, Any] = {"initial": getattr(wanted, one.name), "help_text": ""}
            if known is None and one.type is str:
                more["widget"] = forms.SearchInput({"placeholder": _(one.help)} if one.help else {})
            if known is None and one.type is date:
                more["widget"] = forms.DateInput({"type": "date"}, "%Y-%m-%d")
            if known != {}:
                self.fields[one.name] = form_field(replace(one, choices=known and {"": _("all"), **known}), **more)


FILE = "-file"  # after the name of a field: the upload that fills it
MOST_BYTES = 1_000_000  # that are read of an upload


def _text_of(file: Any) -> str:
    return str(file.read(MOST_BYTES).decode("utf-8-sig", "replace"))


class OptionsForm(forms.Form):
    """One field for each option. What is wrong with their values is added by the form of the batch, which checks it."""

    prefix = "option"

    def __init__(self, kind: str, posted: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(posted, initial=initial)
        self.settings = settings_of(task_type(kind).Options)
        self.fields |= {name: form_field(one) for name, one in self.settings.items()}

    @classmethod
    def completed(cls, posted: QueryDict, files: Mapping[str, Any], earlier: Mapping[str, Any]) -> QueryDict:
        """What was posted, with objects from uploaded files, or those of an earlier batch."""
        given = {f"{cls.prefix}-{name}": value for name, value in earlier.items() if isinstance(value, dict | list)}
        texts = {name: json.dumps(value, ensure_ascii=False, indent=1) for name, value in given.items()}
        texts |= {name.removesuffix(FILE): _text_of(file) for name, file in files.items() if name.endswith(FILE)}
        if texts:
            posted = posted.copy()
            for name, text in texts.items():
                posted[name] = text
        return posted

    def clean(self) -> dict[str, Any]:
        """Empty options get their defaults."""
        return {name: self._or_proposed(name, value) for name, value in self.cleaned_data.items()}

    def _or_proposed(self, name: str, value: Any) -> Any:
        left_empty = value is None or (value == "" and isinstance(self.fields[name], forms.ChoiceField))
        return self.get_initial_for_field(self.fields[name], name) if left_empty else value

    @property
    def rubric(self) -> BoundField | None:
        """The field of the option that can be built from rows."""
        return next((self[name] for name, one in self.settings.items() if one.kind == "rubric"), None)

    @property
    def loose(self) -> list[BoundField]:
        """Fields without a group, in order."""
        return [self[name] for name, one in self.settings.items() if not one.group and one.type is not object]

    @property
    def objects(self) -> list[BoundField]:
        """The fields of options that are objects, which may be uploaded."""
        return [self[name] for name, one in self.settings.items() if one.type is object]

    @property
    def has_object(self) -> bool:
        """Whether an object is given, such as a rubric, which nothing can propose."""
        return any(field.value() for field in self.objects)

    @property
    def grouped(self) -> list[dict[str, Any]]:
        """The other fields by group: {"title", "fields", "wrong" (one of them is invalid)}, in order."""
        titles = dict.fromkeys(one.group for one in self.settings.values() if one.group)
        found = []
        for title in titles:
            members = [self[name] for name, one in self.settings.items() if one.group == title]
            found.append({"title": gettext(title), "fields": members, "wrong": any(m.errors for m in members)})
        return found
