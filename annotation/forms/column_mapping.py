"""The form that says what each column of an uploaded file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.pure.data.column_mapping import ROLES, BadMapping, ColumnMapping

ROLE_LABELS = {
    "question": gettext_lazy("Question"),
    "answer": gettext_lazy("Answer"),
    "aliases": gettext_lazy("Other forms of the answer"),
    "paragraph": gettext_lazy("Paragraph text"),
    "title": gettext_lazy("Paragraph title"),
    "support": gettext_lazy("Support: yes/no, titles, numbers from 0"),
    "support_from_1": gettext_lazy("Support: numbers from 1"),
    "id": gettext_lazy("Id"),
    "type": gettext_lazy("Type of question"),
    "answerable": gettext_lazy("Can be answered: yes/no"),
    "options": gettext_lazy("Answer options"),
    "hop_question": gettext_lazy("Questions of the hops"),
    "hop_answer": gettext_lazy("Answers of the hops"),
}


class ColumnMappingForm(forms.Form):
    """A select for each column or family; `mapping` is what they say together."""

    def __init__(self, *args: Any, columns: list[str], roles: Mapping[str, str], **kwargs: Any) -> None:
        """`roles`: the suggested role of each column."""
        super().__init__(*args, **kwargs)
        choices = [("", _("Keep as additional data")), *ROLE_LABELS.items()]
        for number, column in enumerate(columns):
            self.fields[f"column-{number}"] = forms.ChoiceField(
                label=column, choices=choices, required=False, initial=roles.get(column, "")
            )
        self.mapping: ColumnMapping | None = None

    def clean(self) -> dict[str, Any]:
        pairs = [
            (self.cleaned_data[name], field.label) for name, field in self.fields.items() if name in self.cleaned_data
        ]
        try:
            self.mapping = ColumnMapping.of((role, str(column)) for role, column in pairs if role)
        except BadMapping as bad:
            field = self._field_of(bad.role)
            twice = _("Only one column can be this. Choose another role for the others.")
            self.add_error(field, twice if field and not ROLES[bad.role] else _in_words(bad))
        return self.cleaned_data

    def _field_of(self, role: str) -> str | None:
        """The last field with that role: the one that is too much."""
        return next((name for name in reversed(self.fields) if self.cleaned_data.get(name) == role), None)


def _in_words(bad: BadMapping) -> str:
    """The error in the words of the page."""
    texts = {
        "support": _("Choose one way to give the supporting paragraphs."),
        "hop_answer": _("Choose the columns with the questions of the hops, too."),
    }
    return texts.get(bad.role, str(bad))
