"""The form of the launch page."""

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.text import Truncator, slugify
from django.utils.translation import gettext_lazy as _

from annotation.flow.batches import batch_drafts, confidence_draw, estimates, task_fit
from annotation.flow.batches.estimates import HitCount, quick_count
from annotation.flow.batches.parsing import proposals
from annotation.flow.batches.settings import GROUPS, SETTINGS
from annotation.flow.batches.suggestions import models_of
from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.forms.batch_terms import BY_FIELD, FIELDS, GOLD, PLAIN_NAMES, BatchTermsForm, numbered_title
from annotation.forms.row_fields import DatasetsField, offered
from annotation.forms.rubric_builder import RubricBuilder
from annotation.forms.setting_fields import OptionsForm, form_field, is_changed, line_of
from annotation.models import Batch, Dataset, Project, User
from annotation.pure.people.consent_text import PLACES
from annotation.pure.ratings.fields import FieldSample, sampled_fields
from annotation.recruitment import marketplaces
from annotation.registry import all_default_instructions, default_instructions, kinds, presets, task_type
from annotation.tasktype import capabilities

MOST_EARLIER = 50
SAMPLED = 20  # items of which the fields are offered
GOLD_FIELDS = {name: FIELDS[f"checks.{name}"] for name in GOLD if name != "datasets"}
PRESET = "preset:"  # before the name of a preset, which no batch's name contains


def _options_of(project: Project, chosen: str) -> dict[str, Any]:
    """The options of an earlier batch, or those of a preset; without either {}."""
    if not chosen.startswith(PRESET):
        return next((row.options for row in project.batches.filter(slug=chosen)), {})
    files = [file for kind, _title in kinds() for name, file in presets(kind).items() if chosen == PRESET + name]
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


class LaunchForm(BatchTermsForm):
    """All settings of a launch; those of the task are in `options`.

    `contact` and `ethics` are there while the project's consent text has a place for them.
    """

    datasets = DatasetsField(
        label=_("Datasets"),
        queryset=Dataset.objects.none(),
        error_messages={"required": _("Choose at least one dataset.")},
    )
    task = forms.ChoiceField(label=_("Task"), choices=lambda: [(kind, _(title)) for kind, title in kinds()])
    marketplace = forms.ChoiceField(required=False)
    checks = DatasetsField(queryset=Dataset.objects.none(), required=False)
    wished = forms.FloatField(
        label=_("Target margin of error (± points)"),
        min_value=0.1,
        max_value=50,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
        help_text=_("Only shows how many items you would need."),
    )
    is_round = False
    groups = GROUPS
    shown = [name for name in PLAIN_NAMES if name != "task"]
    field_order = ["datasets", "task", "sample", "assignments_per_hit", "who", "workers", "paid", "reward", "title"]

    def __init__(self, project: Project, posted: Any = None, files: Any = None, *, batch: Batch | None = None) -> None:
        self._places = {str(row.pk): row for row in marketplaces().available(project)}
        again = _options_of(project, posted["again"]) if posted and posted.get("again") else {}
        self.is_filled = bool(again or files)  # with options from elsewhere
        if self.is_filled:
            posted = OptionsForm.completed(posted, files or {}, again)
        super().__init__(project, posted, batch=batch)
        self.launching = "launch" in self.data
        self.fields |= {field: form_field(GOLD[name], required=False) for name, field in GOLD_FIELDS.items()}
        for name, one in (("marketplace", SETTINGS["marketplace"]), ("checks", GOLD["datasets"])):
            self.fields[name].label, self.fields[name].help_text = _(one.label), _(one.help) if one.help else ""
        named = [(key, row.label) for key, row in self._places.items()]
        self.fields["marketplace"].choices = [("", _(SETTINGS["marketplace"].empty)), *named]
        self.fields["instructions"].required = True
        models = [(name, name) for name in models_of(batch)] if batch else []
        self.fields["suggest"].widget = forms.Select(choices=[("", _(SETTINGS["suggest"].empty)), *models])
        self.fields["name"].initial = slugify(batch.title)[:100] if batch else ""
        self.fields["checks"].queryset = known = offered(project, batch)
        self.fields["datasets"].queryset = known.exclude(pk__in=[row.pk for row in known if is_for_hidden_gold(row)])
        kind = self["task"].value() or kinds()[0][0]
        self.kind = kind if kind in dict(kinds()) else kinds()[0][0]
        self._propose_task(self.kind)
        if batch is None or not (batch.is_by_confidence or confidence_draw.confident_models(batch)):
            del self.fields["sample_by"]
        for name, place in PLACES.items():
            if place not in project.consent:
                del self.fields[name]
        initial = batch.options if batch and batch.task == self.kind else None
        self.options = OptionsForm(self.kind, posted, initial=initial)
        self._take_rows(posted)

    def _take_rows(self, posted: QueryDict | None) -> None:
        """Let the posted rows of a rubric say what its text is."""
        self._built: RubricBuilder | None = None
        if posted and (field := self.options.rubric):
            samples = self._samples(self._datasets(self["datasets"].value() or ()))
            self._built = RubricBuilder(str(field.value()), samples, posted)
            if self._built.is_changed:
                self.options.data = posted.copy()
                self.options.data[field.html_name] = self._built.text

    @staticmethod
    def _samples(datasets: Iterable[Dataset]) -> list[FieldSample]:
        return sampled_fields(islice(task_fit.examples_of(list(datasets)), SAMPLED))

    @cached_property
    def builder(self) -> dict[str, Any] | None:
        """Context of the rows of the rubric as it is shown; None if no option is one."""
        if (field := self.options.rubric) is None:
            return None
        built, text = self._built, str(field.value())
        if built is None or built.text != text:
            built = RubricBuilder(text, self._samples(self.chosen_datasets))
        return {"field": field, "of": built, **built.shown([*map(str, field.errors)])}

    def clean(self) -> dict[str, Any]:
        """Options are as the check read them, objects no longer as text."""
        cleaned = super().clean()
        if self.options.is_valid():
            self.options.cleaned_data = dict(self.reading.values.get("options", {}))
        return cleaned

    def add_problem(self, name: str, texts: list[str]) -> None:
        setting, _dot, option = name.partition(".")
        if name == "name" and "title" in self.errors:
            return  # it is made from the title
        if setting != "options":
            super().add_problem(name, texts)
        elif option not in self.options.errors:
            self.options.add_error(option if option in self.options.fields else None, texts)

    def _propose_task(self, kind: str) -> None:
        self.kind = kind
        self.fields["instructions"].initial = default_instructions(kind)
        for name, proposed in proposals(kind).items():
            self.fields[name].initial = proposed

    def stored(self, batch: Batch) -> dict[str, Any]:
        held = super().stored(batch)
        gold, place = held["checks"], held["marketplace"]
        return {
            **held,
            **{field: getattr(gold, name) for name, field in GOLD_FIELDS.items()},
            "checks": [row.pk for row in gold.datasets],
            "datasets": [row.pk for row in held["datasets"]],
            "marketplace": str(place.pk) if place else "",
        }

    def settings_data(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        gold = {name: cleaned[field] for name, field in GOLD_FIELDS.items() if field in cleaned}
        return super().settings_data() | {
            "task": self.kind,
            "datasets": list(cleaned.get("datasets") or ()),
            "options": self.options.cleaned_data if self.options.errors or self.options.is_bound else {},
            "marketplace": self._places.get(cleaned.get("marketplace", "")),
            "checks": gold | {"datasets": list(cleaned.get("checks") or ())},
        }

    @property
    def presets(self) -> list[tuple[str, str]]:
        """Options of the task that are there to begin with, as (value of the choice, name)."""
        return [(PRESET + name, name) for name in presets(self.kind)]

    @property
    def earlier(self) -> list[Batch]:
        """The project's newest batches of the task whose options, such as a rubric, can be used again."""
        rows = self.project.batches.filter(task=self.kind).order_by("-created_at") if self.options.objects else ()
        return [row for row in rows[:MOST_EARLIER] if self.batch is None or row.pk != self.batch.pk]

    @property
    def first(self) -> list[dict[str, Any]]:
        """The fields of the first layer: {"field", "templates" (of which the first that exists shows it)}."""
        names = [name for name in self.fields if name in BY_FIELD and BY_FIELD[name].first]
        return [
            {"field": self[name], "templates": [f"batches/_first_{name}.html", "widgets/_field.html"]} for name in names
        ]

    @cached_property
    def more(self) -> list[dict[str, Any]]:
        """The groups of the second layer.

        {"name", "title", "fields", "templates", "line" (their values), "required" (how many qualifications), "changed"
        (how many settings are not as proposed), "wrong"}.
        """
        found = []
        proposed = self._suggested_for(self.chosen_datasets).initial
        for name, title in self.groups.items():
            of_task = [field for field in self.options if field not in self.options.objects]
            fields = of_task if name == "options" else self.parts.get(name, [])
            if not fields and name != "where":
                continue
            defaults = [proposed.get(f.name, f.field.initial) if name == "options" else f.field.initial for f in fields]
            lines = [line_of(f, str(_(BY_FIELD[f.name].empty)) if f.name in BY_FIELD else "") for f in fields]
            changed = sum(is_changed(field, default) for field, default in zip(fields, defaults, strict=True))
            if name == "instructions":
                changed = int(not self.instructions_untouched())
            required = [row for row in self.requirements.rows if row["type"].value()] if name == "where" else []
            found.append(
                {
                    "name": name,
                    "title": _(title),
                    "fields": fields,
                    "templates": [f"batches/_more_{name}.html", "batches/_more_group.html"],
                    "line": " · ".join(filter(None, lines)),
                    "required": len(required),
                    "changed": changed + len(required),
                    "wrong": any(f.errors for f in fields) or bool(name == "where" and self.requirements.errors),
                }
            )
        return found

    @property
    def wrong_groups(self) -> bool:
        """Whether a setting of the second layer is invalid."""
        return any(group["wrong"] for group in self.more)

    @property
    def changed(self) -> int:
        """How many settings of the second layer are not as proposed."""
        return sum(group["changed"] for group in self.more)

    @cached_property
    def chosen_datasets(self) -> list[Dataset]:
        chosen = self.cleaned_data.get("datasets") if self.is_bound else self.initial.get("datasets")
        return list(self.fields["datasets"].queryset.filter(pk__in=chosen or ()))

    @cached_property
    def task_problems(self) -> dict[str, str]:
        """For each task that can use no item of the chosen datasets, what it needs (gettext ids)."""
        return task_fit.misfits(self.chosen_datasets)

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
    def folded_tasks(self) -> list[dict[str, Any]]:
        """Without datasets all tasks, else those that can use no item of them, except the chosen task."""
        if not self.chosen_datasets:
            return self.tasks
        return [task for task in self.tasks if task["problem"] and task["kind"] != self.kind]

    def is_valid(self) -> bool:
        return super().is_valid() & self.options.is_valid()

    def propose(self, dataset: str, *, by: User) -> None:
        """Initial values: the dataset of that name or the only one, a task and settings that fit it, the contact."""
        self.initial["contact"] = by.contact
        offered = list(self.fields["datasets"].queryset)
        chosen = [row for row in offered if row.slug == dataset] or (offered if len(offered) == 1 else [])
        self.initial["datasets"] = [row.pk for row in chosen]
        if chosen:
            self.initial["title"] = self._proposed_title(self.initial["datasets"])
            self._propose_task(self._fitting(self.task_problems))
        self.options = self._suggested_for(chosen)
        self.fields["instructions"].initial = self.default_instructions(self.options)

    def _fitting(self, problems: Mapping[str, str]) -> str:
        """The first task without a problem; if all have one, the task that is chosen."""
        return next((kind for kind, _title in kinds() if kind not in problems), self.kind)

    def task_for_other_datasets(self) -> str:
        """The first task that fits other datasets than before, if the one before was only proposed and does not fit.

        Else the task that is chosen.
        """
        before, now = self._proposed_for()[1:], [*map(str, self["datasets"].value() or ())]
        rows = self._datasets(now)
        if self.is_filled or sorted(before) == sorted(now) or not task_fit.misfit(rows, self.kind):
            return self.kind
        was_proposed = self._fitting(task_fit.misfits(self._datasets(before))) == self.kind
        return self._fitting(task_fit.misfits(rows)) if was_proposed else self.kind

    def _datasets(self, keys: Iterable[Any]) -> QuerySet[Dataset]:
        rows: QuerySet[Dataset] = self.fields["datasets"].queryset
        return rows.filter(pk__in=[key for key in keys if str(key).isdecimal()])

    def _proposed_title(self, datasets: Iterable[Any]) -> str:
        names = ", ".join(row.slug for row in self._datasets(datasets))
        title = _("Questions from %(dataset)s") % {"dataset": Truncator(names).chars(60)}
        return numbered_title(self.project, str(title)) if names else ""

    @property
    def basis(self) -> str:
        """A key of what the options were proposed for; they are proposed anew when it changes."""
        chosen = self["datasets"].value() or ()
        return ".".join([self.kind, *sorted(map(str, chosen))])

    def _proposed_for(self) -> list[str]:
        """The former task and the keys of the former datasets."""
        return str(self.data.get("proposed_for", "")).split(".")

    def renew_proposals(self) -> list[str]:
        """Replace what was proposed for the former task and datasets, and not changed since; the changed fields."""
        before, *datasets = self._proposed_for()
        if before not in dict(kinds()):
            return []
        former = {name: str(value) for name, value in proposals(before).items()}
        proposed = {name: str(value) for name, value in proposals(self.kind).items()}
        if sorted(datasets) != sorted(map(str, self["datasets"].value() or ())):
            former["title"] = self._proposed_title(datasets) if self.data.get("title") else ""
            proposed["title"] = self._proposed_title(self["datasets"].value() or ())
        unchanged = [name for name, value in former.items() if self.data.get(name) == value]
        renewed = [name for name in unchanged if self.data[name] != proposed[name]]
        if renewed:
            self.data = cast(QueryDict, self.data).copy()
            self.data.update({name: proposed[name] for name in renewed})
        return renewed

    def instructions_untouched(self) -> bool:
        """Whether the instructions are still a task's defaults."""
        instructions = str(self["instructions"].value() or "").replace("\r\n", "\n").strip()
        return instructions in {"", *all_default_instructions()}

    def default_instructions(self, options: OptionsForm | None = None) -> str:
        """The task's default instructions with the chosen options, or with proposed ones."""
        chosen = self.options.cleaned_data if self.options.is_valid() else {}
        stored = chosen if options is None else options.initial
        return default_instructions(self.kind, capabilities.variant(task_type(self.kind), stored))

    def suggested(self) -> OptionsForm:
        """New options that fit the chosen datasets, unless some were given that nothing can propose."""
        return self.options if self.options.has_object else self._suggested_for(self.chosen_datasets)

    def _suggested_for(self, datasets: Iterable[Dataset]) -> OptionsForm:
        features = task_fit.features_of(datasets)
        return OptionsForm(self.kind, initial=capabilities.suggest(task_type(self.kind), features))

    def task_seconds(self) -> int | None:
        """The task's time for the chosen items with these options; None if it has no estimate."""
        options = self.options.cleaned_data if self.options.is_valid() else {}
        return estimates.task_seconds(self.cleaned_data.get("datasets") or (), self.kind, options)

    def count(self) -> HitCount | None:
        """The number of HITs with these settings, from a sample for large datasets; None if settings are missing."""
        return None if self.stated is None else quick_count(self.stated, list(self.cleaned_data["datasets"]))

    def plan(self, draft: Batch, count: HitCount) -> batch_drafts.Plan:
        """The effort of a launch with these settings."""
        datasets = list(self.cleaned_data["datasets"])
        return batch_drafts.plan(draft, count, datasets=datasets, workers=self.chosen_workers())

    @property
    def priced(self) -> bool:
        """Whether the form has all fields that determine the cost."""
        return {"reward", "auto_approve_days"} <= self.cleaned_data.keys()

    @property
    def stated(self) -> Batch | None:
        """An unsaved batch with these settings; None if one is missing or invalid."""
        return self.reading.unsaved if self.options.is_valid() else None

    def save_draft(self, user: User) -> Batch:
        """Save the draft, new or changed. Raises Refused."""
        if self.batch:
            return batch_drafts.change_batch(self.batch, self.settings(), user=user)
        return batch_drafts.create_batch(self.project, self.settings(), user=user)
