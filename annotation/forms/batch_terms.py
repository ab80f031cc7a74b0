"""Forms of what can still change after a launch: title, time, workers, their requirements, and instructions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import batch_launch
from annotation.flow.work import eligibility
from annotation.forms.projects import ConsoleForm
from annotation.forms.row_fields import WorkersField
from annotation.models import Batch, Project, Worker
from annotation.pure.people import requirements, roles
from annotation.pure.people.requirements import InvalidRequirement, Requirement, read_values, words_of, written


class BatchTermsForm(ConsoleForm):
    """Title, expected time and workers of a batch."""

    title = forms.CharField(label=_("Title shown to workers"), max_length=200)
    expected_minutes = forms.FloatField(
        label=_("Expected minutes per HIT"),
        min_value=0.5,
        max_value=600,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )
    who = forms.ChoiceField(
        label=_("Open to"),
        choices=[("all", _("every worker of the project")), ("chosen", _("selected workers only"))],
        widget=forms.RadioSelect,
        initial="all",
    )
    workers = WorkersField(label=_("Workers"), queryset=Worker.objects.none(), required=False)
    two_adjudicators = forms.BooleanField(
        label=_("Two requesters adjudicate each HIT, independently"),
        required=False,
        help_text=_(
            "Neither sees the other’s decision before both have decided. Where they differ, a third decision is final."
        ),
    )
    shows_scores = forms.BooleanField(
        label=_("Show each worker their own scores once the batch is closed"),
        required=False,
        help_text=_(
            "They find them under “Your responses”, as means over their responses to items with gold. Workers who know "
            "their scores may respond differently if you open the batch again."
        ),
    )

    def __init__(self, project: Project, posted: Any = None, *, batch: Batch | None = None) -> None:
        super().__init__(posted, initial=self.stored(batch) if batch else None)
        self.project, self.batch = project, batch
        self.requirements = RequirementsForm(project, posted, stored=batch.requirements if batch else ())
        people = project.workers.with_account().select_related("user").order_by("user__username")
        self.fields["workers"].queryset = people.only("project", "user__display_name", "user__username")

    def stored(self, batch: Batch) -> dict[str, Any]:
        """Initial values from a stored batch."""
        chosen = list(batch.workers.values_list("pk", flat=True))
        return {
            "title": batch.title,
            "expected_minutes": round(batch.expected_seconds / 60, 1),
            "who": "chosen" if chosen else "all",
            "workers": chosen,
            "two_adjudicators": batch.two_adjudicators,
            "shows_scores": batch.shows_scores,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("who") == "chosen" and "workers" in cleaned and not cleaned["workers"]:
            self.add_error("workers", _("Choose at least one worker, or open it to every worker."))
        return cleaned

    def clean_two_adjudicators(self) -> bool:
        wanted: bool = self.cleaned_data["two_adjudicators"]
        if wanted and self.project.members.filter(role__in=roles.who_may(roles.REVIEW)).count() < 2:
            raise forms.ValidationError(
                _("Only one member of this project can adjudicate. Invite a second one under People.")
            )
        return wanted

    def is_valid(self) -> bool:
        return super().is_valid() & self.requirements.is_valid()

    def chosen_workers(self) -> list[Worker]:
        """The chosen workers; none means everybody."""
        chosen = self.cleaned_data.get("who") == "chosen"
        return list(self.cleaned_data.get("workers") or ()) if chosen else []

    def save(self) -> None:
        """Change a launched batch, from the next assignment on."""
        minutes = self.cleaned_data["expected_minutes"]
        seconds = round(60 * minutes) if minutes else self.batch.expected_seconds
        named = {name: self.cleaned_data[name] for name in ("title", "two_adjudicators", "shows_scores")}
        batch_launch.change_terms(self.batch, workers=self.chosen_workers(), expected_seconds=seconds, **named)
        eligibility.require(self.batch, self.requirements.requirements())


class InstructionsForm(ConsoleForm):
    """The text of instructions; line ends are stored as \\n."""

    instructions = forms.CharField(
        label=_("Instructions"),
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "true"}),
        help_text=_("Markdown. Workers read them before their first HIT and can open them at any time."),
    )

    def clean_instructions(self) -> str:
        return self.cleaned_data["instructions"].replace("\r\n", "\n")


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
        kept = {requirement.type for requirement in self.stored}
        known = [(type, name) for type, name in names.items() if type not in HIDDEN_TYPES or type in kept]
        deleted = [(type, _("an inactive qualification")) for type in kept - names.keys()]
        return [("", _("– nothing –")), *known, *deleted]

    def _add_row(self, k: int, types: list[tuple[str, Any]], stored: Requirement | None) -> None:
        """The fields of a row, empty for no requirement."""
        fields = {
            "type": forms.ChoiceField(choices=types, label=_("Qualification"), required=False),
            "comparator": forms.ChoiceField(choices=list(COMPARATORS.items()), label=_("Comparison"), required=False),
            "values": forms.CharField(max_length=300, label=_("Value"), required=False),
            "guard": forms.ChoiceField(choices=list(GUARDS.items()), label=_("Others"), required=False),
        }
        for name, field in fields.items():
            field.initial = "" if stored is None else written(stored) if name == "values" else getattr(stored, name)
            self.fields[f"{name}_{k}"] = field

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
                cleaned[f"requirement_{k}"] = self._requirement(k)
                requirements.check([cleaned[f"requirement_{k}"]])
            except (InvalidRequirement, ValueError) as invalid:
                self.add_error(f"values_{k}", str(invalid))
        if len(chosen) > requirements.MOST_REQUIREMENTS:
            self.add_error(None, _("At most %(n)s requirements are allowed.") % {"n": requirements.MOST_REQUIREMENTS})
        return cleaned

    def _requirement(self, k: int) -> Requirement:
        type, text = self.cleaned_data[f"type_{k}"], self.cleaned_data.get(f"values_{k}", "")
        try:
            values, locales = read_values(words_of(text), places=type == requirements.LOCALE)
        except ValueError:
            raise ValueError(_("Use whole numbers, such as 80, or 1, 2, 3 for “one of”.")) from None
        comparator = self.cleaned_data.get(f"comparator_{k}") or "GreaterThanOrEqualTo"
        guard = self.cleaned_data.get(f"guard_{k}") or "Accept"
        return Requirement(type, comparator, values, locales, guard)

    def requirements(self) -> list[Requirement]:
        """The entered requirements, or the stored ones if no rows were sent."""
        if not self.is_bound:
            return self.stored
        return [value for name, value in self.cleaned_data.items() if name.startswith("requirement_")]

    def column(self) -> dict[str, Any]:
        """The requirements as the batch's column."""
        return {"requirements": [requirement.written() for requirement in self.requirements()]}

    @property
    def reach(self) -> dict[str, int] | None:
        """{"able", "of"}: active workers who qualify, and all; None without requirements, or if a row is invalid."""
        requirements = self.requirements() if self.is_valid() else []
        if not requirements:
            return None
        able, of = eligibility.reach(self.project, requirements)
        return {"able": able, "of": of}
