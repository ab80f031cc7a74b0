"""An item as forms: its question and gold, or the whole of it as JSON; and what is said of a dataset."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.flow import editing
from annotation.flow.refusal import Refused
from annotation.pure.example import Example

ANSWERABLE = [("", _("not said")), ("yes", _("yes")), ("no", _("no"))]
VALUES = {"": None, "yes": True, "no": False}


class AboutForm(forms.Form):
    """What is said of a dataset."""

    licence = forms.CharField(max_length=200, required=False)
    source = forms.CharField(max_length=500, required=False)


class NoteForm(ConsoleForm):
    """Why an item is edited, and of which version the form was made."""

    note = forms.CharField(
        label=_("Why"), max_length=500, required=False, help_text=_("It stands beside this version, for requesters.")
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class GoldForm(NoteForm):
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
        help_text=_("One a line: the answer first, then its aliases."),
    )
    supports = forms.MultipleChoiceField(
        label=_("Supporting paragraphs"), required=False, widget=forms.CheckboxSelectMultiple
    )
    answerable = forms.ChoiceField(label=_("Answerable"), choices=ANSWERABLE, required=False)
    field_order = ["question", "answers", "supports", "answerable", "note", "version"]

    def __init__(self, example: Example, version: int, posted: Any = None) -> None:
        told = {None: "", True: "yes", False: "no"}[example.answerable]
        initial = {
            "question": example.question,
            "answers": "\n".join(example.answers),
            "supports": [str(k) for k in example.supports or ()],
            "answerable": told,
            "version": version,
        }
        super().__init__(posted, initial=initial)
        self.example = example
        named = ((str(k), f"{k + 1} {p.title or p.text[:60]}") for k, p in enumerate(example.paragraphs))
        self.fields["supports"].choices = list(named)

    def edited(self) -> Example:
        """The example as the form has it; untouched fields keep their exact text."""
        cleaned = self.cleaned_data
        lines = cleaned["answers"].replace("\r\n", "\n").split("\n")
        before = "\n".join(self.example.answers)
        same = cleaned["answers"].replace("\r\n", "\n") == before
        return editing.changed(
            self.example,
            question=cleaned["question"].replace("\r\n", "\n"),
            answers=self.example.answers if same else [line for line in lines if line.strip()],
            supports=[int(k) for k in cleaned["supports"]],
            answerable=VALUES[cleaned["answerable"]],
        )


class WholeForm(NoteForm):
    """An item as JSON, as an export in the lossless format has it."""

    content = forms.CharField(
        label=_("The item as JSON"),
        max_length=editing.LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "code"}),
    )
    field_order = ["content", "note", "version"]

    def __init__(self, example: Example, version: int, posted: Any = None) -> None:
        text = json.dumps(example.as_json(), ensure_ascii=False, indent=2)
        super().__init__(posted, initial={"content": text, "version": version}, auto_id="whole_%s")

    def clean_content(self) -> Example:
        try:
            return editing.read(json.loads(self.cleaned_data["content"]))
        except json.JSONDecodeError as broken:
            told = _("This is no JSON: line %(line)s, column %(column)s: %(why)s.")
            where = {"line": broken.lineno, "column": broken.colno, "why": broken.msg}
            raise ValidationError(told % where) from None
        except (ValueError, RecursionError):
            raise ValidationError(_("This JSON cannot be read.")) from None
        except Refused as refusal:
            raise ValidationError(str(refusal)) from None

    def edited(self) -> Example:
        """The example as the form has it."""
        return self.cleaned_data["content"]
