"""A form for the options of a task, made from its dataclass."""

from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from annotation.forms.setting_fields import form_field
from annotation.pure.setting_fields import settings_of
from annotation.registry import task_type


class OptionsForm(forms.Form):
    """One field for each option. What is wrong with their values is added by the form of the batch, which checks it."""

    prefix = "option"

    def __init__(self, kind: str, posted: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(posted, initial=initial)
        self.settings = settings_of(task_type(kind).Options)
        self.fields |= {name: form_field(one) for name, one in self.settings.items()}

    def clean(self) -> dict[str, Any]:
        """Empty options get their defaults."""
        return {name: self._or_proposed(name, value) for name, value in self.cleaned_data.items()}

    def _or_proposed(self, name: str, value: Any) -> Any:
        left_empty = value is None or (value == "" and isinstance(self.fields[name], forms.ChoiceField))
        return self.get_initial_for_field(self.fields[name], name) if left_empty else value

    @property
    def loose(self) -> list[BoundField]:
        """Fields without a group, in order."""
        return [self[name] for name, one in self.settings.items() if not one.group]

    @property
    def grouped(self) -> list[dict[str, Any]]:
        """The other fields by group: {"title", "fields", "wrong" (one of them is invalid)}, in order."""
        titles = dict.fromkeys(one.group for one in self.settings.values() if one.group)
        found = []
        for title in titles:
            members = [self[name] for name, one in self.settings.items() if one.group == title]
            found.append({"title": _(title), "fields": members, "wrong": any(m.errors for m in members)})
        return found
