"""A batch's requirements as rows of fields: qualification, comparison, values, and what it guards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.work import eligibility
from annotation.models import Project
from annotation.pure.people import requirements
from annotation.pure.people.requirement_words import read_values, words_of, written
from annotation.pure.people.requirements import InvalidRequirement, Requirement

BLANK_ROWS = 2
COMPARATORS = {
    "GreaterThanOrEqualTo": _("is at least"),
    "GreaterThan": _("is more than"),
    "LessThanOrEqualTo": _("is at most"),
    "LessThan": _("is less than"),
    "EqualTo": _("is"),
    "NotEqualTo": _("is held, but is not"),
    "In": _("is one of"),
    "NotIn": _("is held, but is none of"),
    "Exists": _("is held"),
    "DoesNotExist": _("is not held"),
}
GUARDS = {
    "Accept": _("cannot accept it"),
    "PreviewAndAccept": _("cannot see its preview"),
    "DiscoverPreviewAndAccept": _("do not see it"),
}
HIDDEN_TYPES = {requirements.MASTERS, requirements.MASTERS_SANDBOX}  # offered only if they are stored already


class RequirementsForm(forms.Form):
    """Rows of `type`, `comparator`, `values`, `guard`; a row without a type is ignored.

    The form is bound only if the page sent rows, so that forms without them leave stored requirements alone.
    """

    prefix = "requirement"

    def __init__(self, project: Project, posted: Any = None, *, stored: Sequence[dict[str, Any]] = ()) -> None:
        sent = posted is not None and f"{self.prefix}-type_0" in posted
        super().__init__(posted if sent else None)
        self.project, self.stored = project, requirements.read_all(stored)
        types = self._types()
        for k in range(self._count(posted) if sent else len(self.stored) + BLANK_ROWS):
            self._add_row(k, types, self.stored[k] if k < len(self.stored) else None)

    def _count(self, posted: Any) -> int:
        names = (f"{self.prefix}-type_{k}" for k in range(requirements.MOST_REQUIREMENTS + BLANK_ROWS))
        return sum(1 for name in names if name in posted)

    def _types(self) -> list[tuple[str, Any]]:
        names = eligibility.names_of(self.project)
        kept = {one.type for one in self.stored}
        known = [(type, name) for type, name in names.items() if type not in HIDDEN_TYPES or type in kept]
        deleted = [(type, _("an inactive qualification")) for type in kept - names.keys()]
        return [("", _("– nothing –")), *known, *deleted]

    def _add_row(self, k: int, types: list[tuple[str, Any]], one: Requirement | None) -> None:
        common: dict[str, Any] = {"required": False}
        self.fields[f"type_{k}"] = forms.ChoiceField(
            choices=types, label=_("Qualification"), initial=one.type if one else "", **common
        )
        self.fields[f"comparator_{k}"] = forms.ChoiceField(
            choices=list(COMPARATORS.items()), label=_("Comparison"), initial=one and one.comparator, **common
        )
        self.fields[f"values_{k}"] = forms.CharField(
            max_length=300, label=_("Value"), initial=written(one) if one else "", **common
        )
        self.fields[f"guard_{k}"] = forms.ChoiceField(
            choices=list(GUARDS.items()), label=_("Values"), initial=one and one.guard, **common
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The fields by row: {"type", "comparator", "values", "guard"}."""
        count = sum(name.startswith("type_") for name in self.fields)
        parts = ("type", "comparator", "values", "guard")
        return [{part: self[f"{part}_{k}"] for part in parts} for k in range(count)]

    def is_valid(self) -> bool:
        return not self.is_bound or super().is_valid()

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        chosen = [k for k in range(len(self.rows)) if cleaned.get(f"type_{k}")]
        for k in chosen:
            try:
                cleaned[f"one_{k}"] = self._one(k)
                requirements.check([cleaned[f"one_{k}"]])
            except (InvalidRequirement, ValueError) as unfit:
                self.add_error(f"values_{k}", str(unfit))
        if len(chosen) > requirements.MOST_REQUIREMENTS:
            self.add_error(None, _("At most %(n)s requirements are allowed.") % {"n": requirements.MOST_REQUIREMENTS})
        return cleaned

    def _one(self, k: int) -> Requirement:
        type, text = self.cleaned_data[f"type_{k}"], self.cleaned_data.get(f"values_{k}", "")
        try:
            values, locales = read_values(words_of(text), places=type == requirements.LOCALE)
        except ValueError:
            raise ValueError(_("Use whole numbers, such as 80, or 1, 2, 3 for “one of”.")) from None
        comparator = self.cleaned_data.get(f"comparator_{k}") or "GreaterThanOrEqualTo"
        guard = self.cleaned_data.get(f"guard_{k}") or "Accept"
        return Requirement(type, comparator, values, locales, guard)

    def asked(self) -> list[Requirement]:
        """The entered requirements, or the stored ones if no rows were sent."""
        if not self.is_bound:
            return self.stored
        return [one for name, one in self.cleaned_data.items() if name.startswith("one_")]

    def column(self) -> dict[str, Any]:
        """The requirements as the batch's column."""
        return {"requirements": [one.written() for one in self.asked()]}

    @property
    def reach(self) -> dict[str, int] | None:
        """{"able", "of"}: active workers who qualify, and all; None without requirements, or if a row is invalid."""
        asked = self.asked() if self.is_valid() else []
        if not asked:
            return None
        able, of = eligibility.reach(self.project, asked)
        return {"able": able, "of": of}
