"""Forms of what can still change after a launch: title, time, workers and instructions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import batch_launch
from annotation.flow.work import eligibility
from annotation.forms.projects import ConsoleForm
from annotation.forms.requirements import RequirementsForm
from annotation.forms.row_fields import WorkersField
from annotation.models import Batch, Project, Worker


class WhoForm(ConsoleForm):
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

    def __init__(self, project: Project, posted: Any = None, *, batch: Batch | None = None) -> None:
        super().__init__(posted, initial=self.stored(batch) if batch else None)
        self.project, self.batch = project, batch
        self.requirements = RequirementsForm(project, posted, stored=batch.requirements if batch else ())
        people = project.workers.filter(active=True, user__isnull=False)
        self.fields["workers"].queryset = people.select_related("user", "project").order_by("user__username")

    def stored(self, batch: Batch) -> dict[str, Any]:
        """Initial values from a stored batch."""
        chosen = list(batch.workers.values_list("pk", flat=True))
        return {
            "title": batch.title,
            "expected_minutes": round(batch.expected_seconds / 60, 1),
            "who": "chosen" if chosen else "all",
            "workers": chosen,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("who") == "chosen" and "workers" in cleaned and not cleaned["workers"]:
            self.add_error("workers", _("Choose at least one worker, or open it to every worker."))
        return cleaned

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
        title, workers = self.cleaned_data["title"], self.chosen_workers()
        batch_launch.change_terms(self.batch, title=title, expected_seconds=seconds, workers=workers)
        eligibility.require(self.batch, self.requirements.asked())


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
