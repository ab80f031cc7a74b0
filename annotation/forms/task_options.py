"""A form for the options of a task, made from its dataclass."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.forms.setting_fields import form_field
from annotation.pure.setting_fields import settings_of
from annotation.registry import task_type

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
            found.append({"title": _(title), "fields": members, "wrong": any(m.errors for m in members)})
        return found
