"""Settings of a batch in a request, validated by the forms of the launch page."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation import recruitment
from annotation.api.batches.serializers import ChecksSerializer, RequirementSerializer
from annotation.api.examples import QUALIFICATION
from annotation.api.serializers import JSON, Input, KindField, dollars, texts
from annotation.flow.batches import batch_launch
from annotation.flow.people import worker_names
from annotation.forms.batch_terms import BatchTermsForm
from annotation.forms.batches import LaunchForm
from annotation.models import Batch, Dataset, Project
from annotation.pure.people.requirements import MOST_REQUIREMENTS, Requirement, written
from annotation.registry import all_default_instructions, default_instructions, kinds, task_type
from annotation.tasktype import capabilities


class TermsInput(Input):
    """Settings that may change after the launch. Fields that are left out stay unchanged."""

    ALIASES = {"guide": "instructions"}

    title = serializers.CharField(max_length=200, required=False)
    expected_minutes = serializers.FloatField(required=False, allow_null=True, min_value=0.5, max_value=600)
    people = texts(
        64, required=False, help_text="Pseudonyms or worker ids of those who may work on it; empty: everybody."
    )
    requirements = RequirementSerializer(many=True, required=False)
    two_adjudicators = serializers.BooleanField(required=False)
    shows_scores = serializers.BooleanField(required=False)
    instructions = serializers.CharField(
        max_length=100_000, trim_whitespace=False, required=False, help_text="The instructions, in Markdown."
    )


class DraftInput(TermsInput):
    """Settings of a draft. Fields that are left out stay unchanged; those of a new draft get the task's defaults."""

    EXAMPLE = {"title": "Which tower?", "expected_minutes": 2.5, "people": []}

    name = serializers.SlugField(max_length=100, required=False, help_text="Made from the title by default.")
    task = KindField(choices=kinds(), required=False, help_text="One of `listTasks`.")
    datasets = texts(100, required=False)
    options = serializers.DictField(required=False, help_text="Options of the task; see `tasks/`.")
    sample = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="Items from each dataset; whole groups if the task shows groups together (`listTasks`). null: all.",
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**62)
    assignments_per_hit = serializers.IntegerField(
        required=False, min_value=1, max_value=100, help_text="By default as the task proposes (`listTasks`)."
    )
    most_per_worker = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=10**9)
    meeting = serializers.ChoiceField(choices=Batch.Meeting.choices, required=False)
    purpose = serializers.ChoiceField(choices=Batch.Purpose.choices, required=False)
    fresh_only = serializers.BooleanField(required=False)
    same_order = serializers.BooleanField(required=False)
    counts_pasting = serializers.BooleanField(required=False)
    disjoint = serializers.BooleanField(required=False)
    unseen_only = serializers.BooleanField(required=False)
    paid = serializers.BooleanField(required=False)
    reward = dollars(required=False, allow_null=True, min_value=0)
    auto_approve_days = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=30)
    marketplace = serializers.CharField(max_length=50, required=False, allow_blank=True)
    checks = ChecksSerializer(required=False)


class NewDraftInput(DraftInput):
    """A new draft."""

    EXAMPLE = {
        "title": "First study",
        "task": "answer",
        "datasets": ["wells"],
        "sample": 125,
        "seed": 7,
        "assignments_per_hit": 3,
        "paid": True,
        "reward": "0.25",
        "auto_approve_days": 7,
        "requirements": [{"type": QUALIFICATION, "comparator": "GreaterThanOrEqualTo", "values": [75]}],
    }

    title = serializers.CharField(max_length=200)
    task = KindField(choices=kinds(), help_text="One of `listTasks`.")
    datasets = texts(100, allow_empty=False)


FIELDS = {"workers": "people", "who": "people", "__all__": "non_field_errors"}
CHECKS = {"check_percent": "percent", "check_after": "after", "check_warn": "warn_below_percent"}
CHECKS |= {"check_pause": "pause_below_percent", "checks": "datasets"}
SAME = ("title", "name", "task", "sample", "seed", "assignments_per_hit", "meeting", "purpose", "instructions")
SAME += ("reward", "auto_approve_days", "expected_minutes", "most_per_worker")
TICKS = ("fresh_only", "same_order", "disjoint", "unseen_only", "paid", "two_adjudicators", "shows_scores")
TICKS += ("counts_pasting",)


def launch_form(project: Project, data: JSON, *, batch: Batch | None = None) -> LaunchForm:
    """The launch page's form, filled in from the request and from the stored draft, validated.

    Raises ValidationError, naming the fields of the data.
    """
    whole = _stored(batch, data) | data if batch else _proposed(data) | data
    datasets = _datasets(project, whole["datasets"], "datasets")
    posted = {name: whole[name] for name in SAME if whole.get(name) is not None}
    posted |= {name: True for name in TICKS if whole.get(name)}
    posted |= {"datasets": [dataset.pk for dataset in datasets]} | _people(project, whole.get("people", []))
    posted |= _place(project, whole.get("marketplace", "")) | _checks(project, whole.get("checks", {}))
    settled = _options(whole["task"], datasets, whole.get("options", {}))
    posted |= {f"option-{name}": value for name, value in settled.items()}
    if whole.get("instructions", "").strip() in {"", *all_default_instructions()}:
        variant = capabilities.variant(task_type(whole["task"]), settled)
        posted["instructions"] = default_instructions(whole["task"], variant)
    if "requirements" in data:
        posted |= _requirements(data["requirements"])
    form = LaunchForm(project, posted, batch=batch)
    if not form.is_valid():
        raise ValidationError(_flaws(form) | _flaws_of_options(form))
    return form


def terms_form(batch: Batch, data: JSON) -> BatchTermsForm:
    """The settings form of a launched batch, validated. Raises ValidationError."""
    own = [batch.project.pseudonym(worker.pk) for worker in batch.workers.all()]
    posted = {"title": batch.title} | {name: data[name] for name in ("title", "expected_minutes") if data.get(name)}
    posted |= _people(batch.project, data.get("people", own))
    posted |= {name: data.get(name, getattr(batch, name)) for name in ("two_adjudicators", "shows_scores")}
    if "requirements" in data:
        posted |= _requirements(data["requirements"])
    form = BatchTermsForm(batch.project, posted, batch=batch)
    if not form.is_valid():
        raise ValidationError(_flaws(form))
    return form


def _proposed(data: JSON) -> JSON:
    task = task_type(data["task"])
    page = {"seed": 0, "purpose": Batch.Purpose.PRODUCTION, "auto_approve_days": 7}
    return page | {
        "meeting": task.meeting,
        "assignments_per_hit": task.assignments,
        "fresh_only": True,
        "disjoint": True,
        "paid": bool(data.get("reward")),
    }


def _stored(batch: Batch, data: JSON) -> JSON:
    """A stored draft as request data; with the new task's defaults if the task changes."""
    form = LaunchForm(batch.project, batch=batch)
    same = {name: form.initial.get(name) for name in (*SAME, *TICKS)}
    minutes = batch.expected_seconds / 60
    kept = {
        "expected_minutes": minutes if minutes >= 0.5 else None,
        "datasets": [d.slug for d in batch.datasets.all()],
        "people": [batch.project.pseudonym(worker.pk) for worker in batch.workers.all()],
        "marketplace": recruitment.name_of(batch),
        "options": batch.options,
        "checks": {name: form.initial.get(own) for own, name in CHECKS.items()}
        | {"datasets": [d.slug for d in batch.checks.all()]},
    }
    if data.get("task", batch.task) != batch.task:
        task = data["task"]
        kept |= {"options": {}}
        same["meeting"] = task_type(task).meeting
        if same["assignments_per_hit"] == task_type(batch.task).assignments:
            same["assignments_per_hit"] = task_type(task).assignments
    return same | kept


def _datasets(project: Project, names: Sequence[str], field: str) -> list[Dataset]:
    found = {dataset.slug: dataset for dataset in project.datasets.whole().filter(slug__in=names)}
    unknown = [name for name in names if name not in found]
    if unknown:
        raise _wrong(field, _("There is no dataset %(name)s."), name=unknown[0])
    return list(found.values())


def _people(project: Project, names: Sequence[str]) -> JSON:
    if not names:
        return {"who": "all"}
    found = worker_names.workers_named(project, names)
    unknown = [name for name in names if name not in found]
    if unknown:
        raise _wrong("people", _("%(name)s is not a worker of this project."), name=unknown[0])
    return {"who": "chosen", "workers": [worker.pk for worker in found.values()]}


def _place(project: Project, name: str) -> JSON:
    if not name:
        return {"marketplace": ""}
    found = recruitment.named(recruitment.marketplaces().available(project), name)
    if found is None:
        raise _wrong("marketplace", _("There is no marketplace %(name)s."), name=name)
    return {"marketplace": str(found.pk)}


def _checks(project: Project, data: Mapping[str, Any]) -> JSON:
    """Hidden gold as fields of the form."""
    checks = _datasets(project, data.get("datasets", []), "checks.datasets")
    posted: JSON = {own: data[name] for own, name in CHECKS.items() if data.get(name) is not None}
    return posted | {"checks": [dataset.pk for dataset in checks]}


def _options(task: str, datasets: Sequence[Dataset], data: Mapping[str, Any]) -> JSON:
    """All options of the task: as requested, else as proposed for the datasets. Values keep their JSON types."""
    suggested = capabilities.suggest(task_type(task), batch_launch.features_of(datasets)) | dict(data)
    try:
        settled = task_type(task).options(suggested)
    except ValueError as invalid:
        raise ValidationError({"options": [_(str(invalid))]}) from None
    names = type(settled).__dataclass_fields__
    return {name: getattr(settled, name) for name in names}


def _requirements(rows: Sequence[JSON]) -> JSON:
    """Requirements as rows of the form; one empty row if there are none, as the form needs at least one."""
    if len(rows) > MOST_REQUIREMENTS:
        raise _wrong("requirements", _("At most %(n)s requirements are allowed."), n=MOST_REQUIREMENTS)
    posted: JSON = {"requirement-type_0": ""}
    for k, row in enumerate(rows):
        try:
            one = Requirement.read(row)
            text = written(one)
        except (KeyError, TypeError, AttributeError):
            raise _wrong(f"requirements.{k}.locales", _("Give a place as {“country”: …, “subdivision”: …}.")) from None
        fields = {"type": one.type, "comparator": one.comparator, "values": text, "guard": one.guard}
        posted |= {f"requirement-{name}_{k}": value for name, value in fields.items()}
    return posted


def _wrong(field: str, message: str, **values: Any) -> ValidationError:
    return ValidationError({field: [message % values]})


def _flaws(form: BatchTermsForm) -> JSON:
    """The form's errors under the names of the request's fields."""
    found: JSON = {}
    for name, errors in form.errors.items():
        if name in CHECKS:
            found.setdefault("checks", {})[CHECKS[name]] = list(errors)
        else:
            found[FIELDS.get(name, name)] = list(errors)
    if form.requirements.is_bound:
        for name, errors in form.requirements.errors.items():
            part, _line, number = name.partition("_")
            at = f"requirements.{number}.{part}" if number.isdigit() else "requirements"
            found[at] = list(errors)
    return found


def _flaws_of_options(form: LaunchForm) -> JSON:
    errors = {name: list(texts) for name, texts in form.options.errors.items()}
    whole = errors.pop("__all__", None)
    return {f"options.{name}": texts for name, texts in errors.items()} | ({"options": whole} if whole else {})
