"""The form of a person's keys: a field for each action, empty where its default holds."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.flow.people import shortcuts
from annotation.forms.projects import ConsoleForm


class ShortcutsForm(ConsoleForm):
    """Single keys on or off, and `key-<action>` for each action that has a changeable key."""

    single = forms.BooleanField(
        label=gettext_lazy("Single-key shortcuts"),
        required=False,
        help_text=gettext_lazy("If they are off, letters and symbols alone do nothing, and Ctrl+Enter still submits."),
    )

    def __init__(self, stored: Mapping[str, Any], data: Any = None) -> None:
        own = stored.get("keys", {})
        initial = {f"key-{name}": own.get(name, "") for name in shortcuts.actions()}
        super().__init__(data, initial={"single": not stored.get("off", False), **initial})
        self.elsewhere = {name: key for name, key in own.items() if name not in shortcuts.actions()}
        for name, action in shortcuts.actions().items():
            self.fields[f"key-{name}"] = _key_field(action)

    def rows(self) -> list[dict[str, Any]]:
        """The table: each action's field, and the titles of the tasks that have it."""
        return [
            {"field": self[f"key-{name}"], "tasks": [] if action.everywhere else [gettext(t) for t in action.tasks]}
            for name, action in shortcuts.actions().items()
        ]

    def chosen(self) -> dict[str, str]:
        """The person's own keys by action, including those of other pages."""
        named = {name: self.cleaned_data.get(f"key-{name}", "") for name in shortcuts.actions()}
        return self.elsewhere | {name: key for name, key in named.items() if key}

    def clean(self) -> None:
        for name, problem in shortcuts.conflicts(self.chosen()).items():
            if f"key-{name}" in self.fields:
                self.add_error(f"key-{name}", problem)


def _key_field(action: shortcuts.Action) -> forms.CharField:
    attributes = {"maxlength": 1, "placeholder": action.key, "data-single": True, "spellcheck": "false"}
    attributes |= {"autocapitalize": "none", "autocomplete": "off", "class": "key"}
    labels = dict.fromkeys(gettext(text).partition(" (")[0] for text in action.labels)  # without the help in brackets
    label = " · ".join(labels)
    return forms.CharField(label=label, required=False, widget=forms.TextInput(attrs=attributes))
