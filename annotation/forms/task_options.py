"""A form for the options of a task, made from its dataclass."""

from dataclasses import fields as dataclass_fields
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from annotation.registry import task_type

CONTROLS = {bool: forms.BooleanField, int: forms.IntegerField, float: forms.FloatField, str: forms.CharField}


class OptionsForm(forms.Form):
    """One field for each option; its `metadata` may have `label`, `help`, `choices` (value -> label) and a `group`."""

    prefix = "option"

    def __init__(self, kind: str, posted: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(posted, initial=initial)
        self.kind = kind
        self.defaults = {option.name: option.default for option in dataclass_fields(task_type(kind).Options)}
        self._groups: dict[str, str] = {}
        for option in dataclass_fields(task_type(kind).Options):
            self.fields[option.name] = _control(option.name, option.default, option.metadata)
            self._groups[option.name] = option.metadata.get("group", "")

    def clean(self) -> dict[str, Any]:
        """Empty options get their defaults; conflicting options are refused together."""
        chosen = {name: self._or_proposed(name, value) for name, value in self.cleaned_data.items()}
        if not self.errors:
            try:
                task_type(self.kind).options(chosen)
            except ValueError as invalid:
                self.add_error(None, _(str(invalid)))
        return chosen

    def _or_proposed(self, name: str, value: Any) -> Any:
        left_empty = value is None or (value == "" and isinstance(self.fields[name], forms.ChoiceField))
        return self.get_initial_for_field(self.fields[name], name) if left_empty else value

    @property
    def loose(self) -> list[BoundField]:
        """Fields without a group, in order."""
        return [self[name] for name, group in self._groups.items() if not group]

    @property
    def grouped(self) -> list[dict[str, Any]]:
        """The other fields by group: {"title", "fields", "wrong" (one of them is invalid)}, in order."""
        titles = dict.fromkeys(group for group in self._groups.values() if group)
        found = []
        for title in titles:
            members = [self[name] for name, group in self._groups.items() if group == title]
            found.append({"title": _(title), "fields": members, "wrong": any(m.errors for m in members)})
        return found


def _control(name: str, default: Any, metadata: Any) -> forms.Field:
    common = {
        "label": _(metadata.get("label") or name.replace("_", " ").capitalize()),
        "help_text": _(metadata["help"]) if metadata.get("help") else "",
        "required": False,
        "initial": default,
    }
    if "choices" in metadata:
        choices = [(value, _(label)) for value, label in metadata["choices"].items()]
        return forms.ChoiceField(choices=choices, **common)
    return CONTROLS[type(default)](**common)
