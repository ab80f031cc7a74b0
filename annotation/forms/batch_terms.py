"""Forms of what can still change after a launch: title, time, workers, their requirements, and instructions."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.parsing import Reading
from annotation.flow.batches.settings import PLAIN, SETTINGS, BatchSettings, HiddenGold, stored
from annotation.flow.work import eligibility
from annotation.forms.projects import ConsoleForm
from annotation.forms.row_fields import WorkersField
from annotation.forms.setting_fields import form_field
from annotation.models import Batch, Project, User, Worker
from annotation.pure.people import requirements
from annotation.pure.people.requirements import InvalidRequirement, Requirement, read_values, words_of, written
from annotation.pure.setting_fields import ALWAYS, settings_of

PLAIN_NAMES = [one.name for one in PLAIN]
CONTROLS: dict[str, dict[str, Any]] = {  # what a page shows in its own way
    "expected_minutes": {"widget": forms.NumberInput(attrs={"step": "0.5"})},
}
FIELDS = {"people": "workers", "checks.datasets": "checks"}  # of settings, where named otherwise
FIELDS |= {f"checks.{name}": f"check_{name.partition('_')[0]}" for name in ("percent", "after")}
FIELDS |= {"checks.warn_below_percent": "check_warn", "checks.pause_below_percent": "check_pause"}
GOLD = settings_of(HiddenGold)
KNOWN = {**SETTINGS} | {f"checks.{name}": one for name, one in GOLD.items()}
BY_FIELD = {FIELDS.get(name, name): one for name, one in KNOWN.items()}  # settings by the field that shows them


class BatchTermsForm(ConsoleForm):
    """The settings of a launched batch that may still change, but the instructions."""

    who = forms.ChoiceField(
        label=_("Open to"),
        choices=[("all", _("every worker of the project")), ("chosen", _("selected workers only"))],
        widget=forms.RadioSelect,
        initial="all",
    )
    workers = WorkersField(label=_("Workers"), queryset=Worker.objects.none(), required=False)
    shown = [name for name in PLAIN_NAMES if SETTINGS[name].changes == ALWAYS and name != "instructions"]
    launching = False

    def __init__(self, project: Project, posted: Any = None, *, batch: Batch | None = None) -> None:
        super().__init__(posted, initial=self.stored(batch) if batch else None)
        self.project, self.batch = project, batch
        made = {name: form_field(SETTINGS[name], **CONTROLS.get(name, {})) for name in self.shown}
        self.fields = {**made, **self.fields}
        self.order_fields(self.field_order)
        self.requirements = RequirementsForm(project, posted, stored=batch.requirements if batch else ())
        people = project.workers.with_account().select_related("user").order_by("user__username")
        self.fields["workers"].queryset = people.only("project", "user__display_name", "user__username")

    @property
    def parts(self) -> dict[str, list[forms.BoundField]]:
        """The fields of the settings by the part of the page that they stand in."""
        parts: dict[str, list[forms.BoundField]] = {}
        for name, one in BY_FIELD.items():
            if name in self.fields and not self[name].is_hidden:
                parts.setdefault(one.group, []).append(self[name])
        return parts

    def stored(self, batch: Batch) -> dict[str, Any]:
        """Initial values from a stored batch."""
        held = stored(batch)
        chosen = [worker.pk for worker in held["people"]]
        minutes: float | None = round(batch.expected_seconds / 60, 1)
        if batch.expected_seconds < 60 * SETTINGS["expected_minutes"].least:
            minutes = None  # a task's estimate that nobody could enter; left empty it stays
        return held | {"expected_minutes": minutes, "who": "chosen" if chosen else "all", "workers": chosen}

    def clean(self) -> dict[str, Any]:
        """All settings are checked together; what is wrong with one stands beside its field."""
        cleaned = self.cleaned_data
        if cleaned.get("who") == "chosen" and "workers" in cleaned and not cleaned["workers"]:
            self.add_error("workers", _("Choose at least one worker, or open it to every worker."))
        self.reading = Reading(self.project, self.settings_data(), batch=self.batch, launching=self.launching)
        for name, texts in self.reading.problems.items():
            self.add_problem(FIELDS.get(name, name), texts)
        return cleaned

    def settings_data(self) -> dict[str, Any]:
        """The valid fields as settings of any door."""
        cleaned = self.cleaned_data
        data = {name: cleaned[name] for name in self.shown if name in cleaned}
        data |= {"people": self.chosen_workers()}
        return data | ({"requirements": self.requirements.requirements()} if self.requirements.is_valid() else {})

    def is_valid(self) -> bool:
        return super().is_valid() & self.requirements.is_valid()

    def chosen_workers(self) -> list[Worker]:
        """The chosen workers; none means everybody."""
        chosen = self.cleaned_data.get("who") == "chosen"
        return list(self.cleaned_data.get("workers") or ()) if chosen else []

    def settings(self) -> BatchSettings:
        """The settings of a valid form."""
        return BatchSettings(**self.reading.values)

    def save(self, batch: Batch, user: User) -> None:
        """Change a launched batch, from the next assignment on."""
        batch_drafts.change_batch(batch, self.settings(), user=user)


class InstructionsForm(ConsoleForm):
    """The text of instructions; line ends are stored as \\n."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["instructions"] = form_field(SETTINGS["instructions"], required=True)

    def clean_instructions(self) -> str:
        return str(self.cleaned_data["instructions"]).replace("\r\n", "\n")


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


def numbered_title(project: Project, title: str, *, other_than: Iterable[str] = ()) -> str:
    """The title, with a number if its name is taken by a batch, or is one of these."""
    taken = {*Batch.everything.filter(project=project).values_list("slug", flat=True), *map(slugify, other_than)}
    numbered = (title if k == 1 else f"{title} {k}" for k in count(1))
    return next(text for text in numbered if slugify(text) not in taken)
