"""What a requester may still set once a batch is launched, as forms: who works on it, and what they read first."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console_forms import ConsoleForm
from annotation.flow import batching, eligibility
from annotation.models import Batch, Project, Worker
from annotation.requirement_forms import RequirementsForm
from annotation.row_fields import WorkersField


class WhoForm(ConsoleForm):
    """Who may work on a batch, and what they read first about it."""

    title = forms.CharField(label=_("Title that workers read"), max_length=200)
    expected_minutes = forms.FloatField(
        label=_("Expected minutes for one HIT"),
        min_value=0.5,
        max_value=600,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )
    who = forms.ChoiceField(
        label=_("Who may work on it"),
        choices=[("all", _("Every worker of the project")), ("chosen", _("Only those chosen here"))],
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
        """A stored batch as the controls show it."""
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
            self.add_error("workers", _("Choose at least one worker, or let everybody work on it."))
        return cleaned

    def is_valid(self) -> bool:
        return super().is_valid() & self.requirements.is_valid()

    def chosen_workers(self) -> list[Worker]:
        """Nobody chosen means everybody."""
        chosen = self.cleaned_data.get("who") == "chosen"
        return list(self.cleaned_data.get("workers") or ()) if chosen else []

    def save(self) -> None:
        """Change a launched batch: title, expected time and who may work, from the next assignment on."""
        minutes = self.cleaned_data["expected_minutes"]
        seconds = round(60 * minutes) if minutes else self.batch.expected_seconds
        title, workers = self.cleaned_data["title"], self.chosen_workers()
        batching.change_terms(self.batch, title=title, expected_seconds=seconds, workers=workers)
        eligibility.require(self.batch, self.requirements.asked())


class GuideForm(ConsoleForm):
    """A guide's text; line ends are stored as \\n."""

    guide = forms.CharField(
        label=_("Guide"),
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "true"}),
        help_text=_("Markdown. Workers read it before their first HIT and have it one key away."),
    )

    def clean_guide(self) -> str:
        return self.cleaned_data["guide"].replace("\r\n", "\n")
