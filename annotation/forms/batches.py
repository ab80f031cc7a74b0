"""The form of the launch page."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils.functional import cached_property
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import batch_drafts, batch_launch, expected_time, task_fit
from annotation.flow.batches.hit_counts import HitCount, look
from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.flow.people import consent
from annotation.forms.batch_terms import BatchTermsForm, InstructionsForm
from annotation.forms.batch_titles import proposed_title
from annotation.forms.hidden_gold import HiddenGoldForm
from annotation.forms.money import MarketplaceForm, PayForm
from annotation.forms.row_fields import DatasetsField, offered
from annotation.forms.task_options import OptionsForm
from annotation.models import Batch, Dataset, Project, User
from annotation.pure.people.consent_text import PLACES
from annotation.recruitment import marketplaces
from annotation.registry import all_default_instructions, default_instructions, kinds, task_type
from annotation.tasktype import capabilities

DRAWING = ["sample", "seed", "assignments_per_hit", "purpose", "disjoint", "unseen_only"]
COLUMNS = [
    "task",
    "meeting",
    "most_per_worker",
    "fresh_only",
    "same_order",
    "two_adjudicators",
    "shows_scores",
    "counts_pasting",
    *DRAWING,
]  # of Batch, with form fields of the same name


def _proposals(kind: str) -> dict[str, Any]:
    """A task's default settings, by field."""
    task = task_type(kind)
    return {"meeting": task.meeting, "assignments_per_hit": task.assignments}


class LaunchForm(BatchTermsForm, InstructionsForm, MarketplaceForm, PayForm, HiddenGoldForm):
    """All settings of a launch, except the task's own options (OptionsForm).

    `contact` and `ethics` are there while the project's consent text has a place for them.
    """

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        required=False,
        help_text=_("Used in URLs, commands and exports: letters, digits, hyphens. Leave empty to use the title."),
    )
    datasets = DatasetsField(
        label=_("Datasets"),
        queryset=Dataset.objects.none(),
        error_messages={"required": _("Choose at least one dataset.")},
    )
    task = forms.ChoiceField(label=_("Task"), choices=lambda: [(kind, _(title)) for kind, title in kinds()])
    sample = forms.IntegerField(
        label=_("Items from each dataset"),
        min_value=1,
        max_value=10**9,
        required=False,
        help_text=_("Leave empty to use all. Twins, pairs and other groups count as one item each."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**62,
        initial=0,
        help_text=_("The same seed draws the same sample in the same order."),
    )
    assignments_per_hit = forms.IntegerField(
        label=_("Assignments per HIT"),
        min_value=1,
        max_value=100,
        help_text=_("The number of different workers who respond to each item."),
    )
    meeting = forms.ChoiceField(
        label=_("Items of the same group"),
        choices=Batch.Meeting.choices,
        help_text=_("A group holds the twins, pairs or variants of one question."),
    )
    most_per_worker = forms.IntegerField(
        label=_("HITs per worker at most"), min_value=1, required=False, help_text=_("Leave empty for no limit.")
    )
    purpose = forms.ChoiceField(label=_("Purpose"), choices=Batch.Purpose.choices, initial=Batch.Purpose.PRODUCTION)
    fresh_only = forms.BooleanField(
        label=_("Skip items that the worker has seen in another batch"),
        required=False,
        initial=True,
        help_text=_("Includes pairs and graphs made of them. Workers never get a question that they may have written."),
    )
    same_order = forms.BooleanField(
        label=_("Same order for all workers"),
        required=False,
        help_text=_("Otherwise each worker gets the HITs in an order of their own, in blocks of 50."),
    )
    counts_pasting = forms.BooleanField(
        label=_("Count text pasted from elsewhere and time away from the page"),
        required=False,
        help_text=_(
            "Numbers only, for the report’s “Evidence that answers are people’s own”. The consent text must say so. "
            "Fixed at launch."
        ),
    )
    unseen_only = forms.BooleanField(
        label=_("Use only items that no other batch of this task uses"),
        required=False,
        help_text=_("Two batches with this on never share an item; the items are fixed at launch."),
    )
    disjoint = forms.BooleanField(
        label=_("Keep the items of qualification and production batches apart"), required=False, initial=True
    )
    contact = forms.CharField(
        label=_("Contact"),
        max_length=200,
        required=False,
        help_text=_("Name and email address of the person whom workers can ask about the study."),
    )
    ethics = forms.CharField(
        label=_("Ethics approval"),
        max_length=500,
        required=False,
        help_text=_("Who approved the study, with the number of the approval; or why it needs none."),
    )
    is_round = False
    field_order = ["title", "name", "datasets", "task", "sample", "seed", "assignments_per_hit"]

    def __init__(self, project: Project, posted: Any = None, *, batch: Batch | None = None) -> None:
        super().__init__(project, posted, batch=batch)
        self.fields["checks"].queryset = known = offered(project, batch)
        self.fields["datasets"].queryset = known.exclude(pk__in=[row.pk for row in known if is_for_hidden_gold(row)])
        kind = self["task"].value() or kinds()[0][0]
        self.kind = kind if kind in dict(kinds()) else kinds()[0][0]
        self._propose_task(self.kind)
        self.offer_places(project)
        for name, place in PLACES.items():
            if place not in project.consent:
                del self.fields[name]
        initial = batch.options if batch and batch.task == self.kind else None
        self.options = OptionsForm(self.kind, posted, initial=initial)

    def _propose_task(self, kind: str) -> None:
        self.kind = kind
        self.fields["instructions"].initial = default_instructions(kind)
        for name, proposed in _proposals(kind).items():
            self.fields[name].initial = proposed

    def stored(self, batch: Batch) -> dict[str, Any]:
        return {
            **super().stored(batch),
            **self.stored_pay(batch),
            **self.stored_checks(batch),
            **self.stored_place(batch),
            **{name: getattr(batch, name) for name in COLUMNS},
            "name": batch.slug,
            "datasets": list(batch.datasets.values_list("pk", flat=True)),
            "instructions": batch.instructions.text,
        }

    def clean_name(self) -> str:
        name = self.cleaned_data["name"] or slugify(self.cleaned_data.get("title", ""))[:100]
        if not name:
            raise ValidationError(_("Give a name made of Latin letters, digits and hyphens."))
        validate_slug(name)
        others = Batch.everything.filter(project=self.project).exclude(pk=self.batch.pk if self.batch else None)
        if name in batch_launch.TAKEN_WORDS or others.filter(slug=name).exists():
            raise ValidationError(batch_launch.name_taken(name))
        return name

    def clean_task(self) -> str:
        """Validate that the task can use some item of the datasets."""
        task: str = self.cleaned_data["task"]
        if needs := self.task_problems.get(task):
            raise ValidationError(_("This task can use none of these items. %(needs)s") % {"needs": _(needs)})
        return task

    def clean(self) -> dict[str, Any]:
        """Require what the consent text lacks before a launch."""
        cleaned = super().clean()
        if "launch" in self.data:
            for name in PLACES.keys() & self.fields.keys():
                if not cleaned.get(name):
                    self.add_error(name, _("Fill this in: workers read it before their first HIT."))
            if cleaned.get("counts_pasting") and not consent.covers_counting(self.project.consent):
                self.add_error("counts_pasting", consent.counting_unsaid())
        return cleaned

    @cached_property
    def task_problems(self) -> dict[str, str]:
        """For each task that can use no item of the chosen datasets, what it needs (gettext ids)."""
        chosen = self.cleaned_data.get("datasets") if self.is_bound else self.initial.get("datasets")
        return task_fit.misfits(self.fields["datasets"].queryset.filter(pk__in=chosen or ()))

    @property
    def tasks(self) -> list[dict[str, Any]]:
        """The tasks to choose from: {"kind", "title", "question", "problem" ("" if it fits), "pictures"}.

        `pictures` are names of templates, of which the first that exists is shown.
        """
        problems = {kind: _(text) for kind, text in self.task_problems.items()}
        return [
            {
                "kind": kind,
                "title": _(title),
                "question": _(task_type(kind).question),
                "problem": problems.get(kind, ""),
                "pictures": [f"{kind}/pictogram.svg", "widgets/pictogram.svg"],
            }
            for kind, title in kinds()
        ]

    @property
    def unsuitable_tasks(self) -> list[dict[str, Any]]:
        """The tasks that can use no item of the chosen datasets, except the chosen task."""
        return [task for task in self.tasks if task["problem"] and task["kind"] != self.kind]

    def is_valid(self) -> bool:
        return super().is_valid() & self.options.is_valid()

    def propose(self, dataset: str) -> None:
        """Initial values: the dataset of that name, or the only one, and a task and settings that fit it."""
        offered = list(self.fields["datasets"].queryset)
        chosen = [row for row in offered if row.slug == dataset] or (offered if len(offered) == 1 else [])
        self.initial["datasets"] = [row.pk for row in chosen]
        if chosen:
            self.initial["title"] = self._proposed_title(self.initial["datasets"])
            self._propose_task(next((kind for kind, _title in kinds() if kind not in self.task_problems), self.kind))
        self.options = self._suggested_for(chosen)
        self.fields["instructions"].initial = self.default_instructions(self.options)

    def _proposed_title(self, datasets: Iterable[Any]) -> str:
        keys = [key for key in datasets if str(key).isdecimal()]
        return proposed_title(self.project, self.fields["datasets"].queryset.filter(pk__in=keys))

    @property
    def basis(self) -> str:
        """A key of what the options were proposed for; they are proposed anew when it changes."""
        chosen = self["datasets"].value() or ()
        return ".".join([self.kind, *sorted(map(str, chosen))])

    def renew_proposals(self) -> list[str]:
        """Replace what was proposed for the former task and datasets, and not changed since; the changed fields."""
        before, *datasets = self.data.get("proposed_for", "").split(".")
        if before not in dict(kinds()):
            return []
        former = {name: str(value) for name, value in _proposals(before).items()}
        proposed = {name: str(value) for name, value in _proposals(self.kind).items()}
        if sorted(datasets) != sorted(map(str, self["datasets"].value() or ())):
            former["title"] = self._proposed_title(datasets) if self.data.get("title") else ""
            proposed["title"] = self._proposed_title(self["datasets"].value() or ())
        unchanged = [name for name, value in former.items() if self.data.get(name) == value]
        renewed = [name for name in unchanged if self.data[name] != proposed[name]]
        if renewed:
            self.data = self.data.copy()
            self.data.update({name: proposed[name] for name in renewed})
        return renewed

    def instructions_untouched(self) -> bool:
        """Whether the instructions are still a task's defaults."""
        instructions = self.cleaned_data.get("instructions", "").strip()
        return instructions in {"", *all_default_instructions()}

    def default_instructions(self, options: OptionsForm | None = None) -> str:
        """The task's default instructions with the chosen options, or with proposed ones."""
        chosen = self.options.cleaned_data if self.options.is_valid() else {}
        stored = chosen if options is None else options.initial
        return default_instructions(self.kind, capabilities.variant(task_type(self.kind), stored))

    def suggested(self) -> OptionsForm:
        """New options that fit the chosen datasets."""
        return self._suggested_for(self.cleaned_data.get("datasets") or ())

    def _suggested_for(self, datasets: Iterable[Dataset]) -> OptionsForm:
        features = batch_launch.features_of(datasets)
        return OptionsForm(self.kind, initial=capabilities.suggest(task_type(self.kind), features))

    def expected_seconds(self) -> int:
        minutes = self.cleaned_data.get("expected_minutes")
        return round(60 * minutes) if minutes else self.proposed_seconds()

    def proposed_seconds(self) -> int:
        return self.task_seconds() or expected_time.reading_seconds(self.cleaned_data.get("datasets") or ())

    def task_seconds(self) -> int | None:
        """The task's time for the chosen items with these options; None if it has no estimate."""
        options = self.options.cleaned_data if self.options.is_valid() else {}
        return expected_time.task_seconds(self.cleaned_data.get("datasets") or (), self.kind, options)

    def count(self) -> HitCount | None:
        """The number of HITs with these settings, from a sample for large datasets; None if settings are missing."""
        return None if self.stated is None else look(self.stated, list(self.cleaned_data["datasets"]))

    def plan(self, count: HitCount) -> batch_drafts.Plan:
        """The effort of a launch with these settings."""
        datasets = list(self.cleaned_data["datasets"])
        return batch_drafts.plan(self.stated, count, datasets=datasets, workers=self.chosen_workers())

    @property
    def priced(self) -> bool:
        """Whether the form has all fields that determine the cost."""
        return {"reward", "auto_approve_days"} <= self.cleaned_data.keys()

    @cached_property
    def stated(self) -> Batch | None:
        """An unsaved batch with these settings; None if one is missing or invalid."""
        cleaned = self.cleaned_data
        needed = {"datasets", "sample", "seed", "assignments_per_hit", "expected_minutes", "meeting"}
        if not (needed <= cleaned.keys() and self.options.is_valid()):
            return None
        stated = Batch(
            project=self.project,
            task=self.kind,
            options=self.options.cleaned_data,
            expected_seconds=self.expected_seconds(),
            meeting=cleaned["meeting"],
            most_per_worker=cleaned.get("most_per_worker"),
            **{name: cleaned[name] for name in DRAWING if name in cleaned},
            **self.pay(),
        )
        if self.place is not None:
            marketplaces().choose(stated, self.place)
        return stated

    def save_draft(self, user: User) -> Batch:
        """Save the draft, new or changed. Raises Refused."""
        cleaned = self.cleaned_data
        settings = {name: cleaned[name] for name in ["title", *COLUMNS]} | self.pay() | self.requirements.column()
        settings |= {"expected_seconds": self.expected_seconds()}
        contents = {
            "datasets": list(cleaned["datasets"]),
            "options": self.options.cleaned_data,
            "instructions": self.default_instructions() if self.instructions_untouched() else cleaned["instructions"],
            "workers": self.chosen_workers(),
            "marketplace": self.place,
            "user": user,
        }
        with transaction.atomic():
            if self.batch:
                saved = batch_drafts.change_draft(self.batch, slug=cleaned["name"], **contents, **settings)
            else:
                saved = batch_launch.create_batch(self.project, cleaned["name"], **contents, **settings)
            self.save_checks(saved)
            consent.fill_in(self.project, contact=cleaned.get("contact", ""), ethics=cleaned.get("ethics", ""))
        return saved
