"""Forms of a dataset: the columns of an uploaded file, an item by fields or as JSON, and the dataset's details."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.flow.data import item_editing
from annotation.flow.errors import Refused
from annotation.forms.projects import ConsoleForm
from annotation.pure.data.column_mapping import ROLES, BadMapping, ColumnMapping
from annotation.pure.data.example import Example

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
        choices = [("", gettext("Keep as additional data")), *ROLE_LABELS.items()]
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
            twice = gettext("Only one column can be this. Choose another role for the others.")
            self.add_error(field, twice if field and not ROLES[bad.role] else _in_words(bad))
        return self.cleaned_data

    def _field_of(self, role: str) -> str | None:
        """The last field with that role: the one that is too much."""
        return next((name for name in reversed(self.fields) if self.cleaned_data.get(name) == role), None)


def _in_words(bad: BadMapping) -> str:
    """The error in the words of the page."""
    texts = {
        "support": gettext("Choose one way to give the supporting paragraphs."),
        "hop_answer": gettext("Choose the columns with the questions of the hops, too."),
    }
    return texts.get(bad.role, str(bad))


ANSWERABLE = [("", _("not stated")), ("yes", _("yes")), ("no", _("no"))]
VALUES = {"": None, "yes": True, "no": False}


class DatasetDetailsForm(forms.Form):
    """A dataset's licence and source, and the ethics approval and consent of the work on it."""

    licence = forms.CharField(max_length=200, required=False)
    source = forms.CharField(max_length=500, required=False)
    ethics = forms.CharField(max_length=500, required=False)
    consent = forms.CharField(max_length=500, required=False)


class EditNoteForm(ConsoleForm):
    """The reason of an edit, and the version that was edited."""

    note = forms.CharField(
        label=_("Reason"), max_length=500, required=False, help_text=_("Shown to requesters beside this version.")
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class GoldForm(EditNoteForm):
    """Question, answers and support of an item."""

    question = forms.CharField(
        label=_("Question"), max_length=5000, strip=False, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    answers = forms.CharField(
        label=_("Answers"),
        max_length=20_000,
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One per line: the answer first, then its aliases."),
    )
    supports = forms.MultipleChoiceField(
        label=_("Supporting paragraphs"), required=False, widget=forms.CheckboxSelectMultiple
    )
    answerable = forms.ChoiceField(label=_("Answerable"), choices=ANSWERABLE, required=False)
    field_order = ["question", "answers", "supports", "answerable", "note", "version"]

    def __init__(self, example: Example, version: int, posted: Any = None) -> None:
        initial = {
            "question": example.question,
            "answers": "\n".join(example.answers),
            "supports": [str(k) for k in example.supports or ()],
            "answerable": {None: "", True: "yes", False: "no"}[example.answerable],
            "version": version,
        }
        super().__init__(posted, initial=initial)
        self.example = example
        self.fields["supports"].choices = [
            (str(k), f"{k + 1} {p.title or p.text[:60]}") for k, p in enumerate(example.paragraphs)
        ]

    def edited(self) -> Example:
        """The edited example; fields that were not changed keep their exact text."""
        cleaned = self.cleaned_data
        answers = cleaned["answers"].replace("\r\n", "\n")
        same = answers == "\n".join(self.example.answers)
        return item_editing.changed(
            self.example,
            question=cleaned["question"].replace("\r\n", "\n"),
            answers=self.example.answers if same else [line for line in answers.split("\n") if line.strip()],
            supports=[int(k) for k in cleaned["supports"]],
            answerable=VALUES[cleaned["answerable"]],
        )


class ItemJSONForm(EditNoteForm):
    """An item as JSON in the lossless format."""

    content = forms.CharField(
        label=_("Item as JSON"),
        max_length=item_editing.LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "code"}),
    )
    field_order = ["content", "note", "version"]

    def __init__(self, example: Example, version: int, posted: Any = None) -> None:
        text = json.dumps(example.as_json(), ensure_ascii=False, indent=2)
        super().__init__(posted, initial={"content": text, "version": version}, auto_id="whole_%s")

    def clean_content(self) -> Example:
        try:
            return item_editing.read(json.loads(self.cleaned_data["content"]))
        except json.JSONDecodeError as broken:
            message = _("This is not valid JSON: line %(line)s, column %(column)s: %(why)s.")
            where = {"line": broken.lineno, "column": broken.colno, "why": broken.msg}
            raise ValidationError(message % where) from None
        except (ValueError, RecursionError):
            raise ValidationError(_("This JSON cannot be read.")) from None
        except Refused as refusal:
            raise ValidationError(str(refusal)) from None

    def edited(self) -> Example:
        """The edited example."""
        return cast(Example, self.cleaned_data["content"])
