"""What a caller wants of a batch, read by the forms of the launching page: the same words, the same refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batch_base import ChecksSerializer, RequirementSerializer
from annotation.api.lists import JSON, Wish, dollars
from annotation.batch_forms import LaunchForm
from annotation.flow import batching, naming
from annotation.models import Batch, Dataset, Project
from annotation.pure.requirement_words import written
from annotation.pure.requirements import MOST_REQUIREMENTS, Requirement
from annotation.registry import default_guide, kinds, task_type
from annotation.terms_forms import WhoForm


class TermsWish(Wish):
    """What may change while people work. What is not named stays as it is."""

    title = serializers.CharField(max_length=200, required=False)
    expected_minutes = serializers.FloatField(required=False, allow_null=True, min_value=0.5, max_value=600)
    people = serializers.ListField(
        child=serializers.CharField(max_length=64),
        required=False,
        help_text="Pseudonyms or worker ids of those who may work on it; none: everybody.",
    )
    requirements = RequirementSerializer(many=True, required=False)
    guide = serializers.CharField(max_length=100_000, trim_whitespace=False, required=False, help_text="Markdown.")


class DraftWish(TermsWish):
    """The settings of a draft. What is not named stays as it is or, of a new one, as the task proposes."""

    name = serializers.SlugField(max_length=100, required=False, help_text="Made from the title unless given.")
    task = serializers.ChoiceField(choices=kinds(), required=False)
    datasets = serializers.ListField(child=serializers.CharField(max_length=100), required=False)
    options = serializers.DictField(required=False, help_text="The task's own; see `tasks/`.")
    sample = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="Items from each dataset; whole groups where a task judges these together (`listTasks`). null: all.",
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**62)
    assignments_per_hit = serializers.IntegerField(
        required=False, min_value=1, max_value=100, help_text="As the task proposes unless given (`listTasks`)."
    )
    meeting = serializers.ChoiceField(choices=Batch.Meeting.choices, required=False)
    purpose = serializers.ChoiceField(choices=Batch.Purpose.choices, required=False)
    fresh_only = serializers.BooleanField(required=False)
    disjoint = serializers.BooleanField(required=False)
    unseen_only = serializers.BooleanField(required=False)
    paid = serializers.BooleanField(required=False)
    reward = dollars(required=False, allow_null=True, min_value=0)
    auto_approve_days = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=30)
    marketplace = serializers.CharField(max_length=50, required=False, allow_blank=True)
    checks = ChecksSerializer(required=False)


class NewWish(DraftWish):
    """A new draft."""

    title = serializers.CharField(max_length=200)
    task = serializers.ChoiceField(choices=kinds())
    datasets = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=False)


FIELDS = {"workers": "people", "who": "people", "__all__": "non_field_errors"}
CHECKS = {"check_percent": "percent", "check_after": "after", "check_warn": "warn_below_percent"}
CHECKS |= {"check_pause": "pause_below_percent", "checks": "datasets"}
SAME: tuple[str, ...] = (
    "title",
    "name",
    "task",
    "sample",
    "seed",
    "assignments_per_hit",
    "meeting",
    "purpose",
    "guide",
    "reward",
)
SAME += ("auto_approve_days", "expected_minutes")
TICKS = ("fresh_only", "disjoint", "unseen_only", "paid")


def launch_form(project: Project, wish: JSON, *, batch: Batch | None = None) -> LaunchForm:
    """The launching page's form, filled in with the wish and, of a draft, with what is stored; valid.

    Raises ValidationError, naming the fields of the wish.
    """
    whole = _stored(batch, wish) | wish if batch else _proposed(wish) | wish
    datasets = _datasets(project, whole["datasets"], "datasets")
    posted = {name: whole[name] for name in SAME if whole.get(name) is not None}
    posted |= {name: True for name in TICKS if whole.get(name)}
    posted |= {"datasets": [one.pk for one in datasets]} | _people(project, whole.get("people", []))
    posted |= _place(project, whole.get("marketplace", "")) | _checks(project, whole.get("checks", {}))
    posted |= _options(whole["task"], datasets, whole.get("options", {}))
    if "requirements" in wish:
        posted |= _requirements(wish["requirements"])
    form = LaunchForm(project, posted, batch=batch)
    if not form.is_valid():
        raise ValidationError(_flaws(form) | _flaws_of_options(form))
    return form


def terms_form(batch: Batch, wish: JSON) -> WhoForm:
    """The settings page's form of a launched batch; valid. Raises ValidationError."""
    own = [batch.project.pseudonym(worker.pk) for worker in batch.workers.all()]
    posted = {"title": batch.title} | {name: wish[name] for name in ("title", "expected_minutes") if wish.get(name)}
    posted |= _people(batch.project, wish.get("people", own))
    if "requirements" in wish:
        posted |= _requirements(wish["requirements"])
    form = WhoForm(batch.project, posted, batch=batch)
    if not form.is_valid():
        raise ValidationError(_flaws(form))
    return form


def _proposed(wish: JSON) -> JSON:
    task = task_type(wish["task"])
    page = {"seed": 0, "purpose": Batch.Purpose.PRODUCTION, "auto_approve_days": 7}
    return page | {
        "meeting": task.meeting,
        "assignments_per_hit": task.assignments,
        "guide": default_guide(wish["task"]),
        "fresh_only": True,
        "disjoint": True,
        "paid": bool(wish.get("reward")),
    }


def _stored(batch: Batch, wish: JSON) -> JSON:
    """A draft as a wish; of another task, as that one proposes."""
    form = LaunchForm(batch.project, batch=batch)
    same = {name: form.initial.get(name) for name in (*SAME, *TICKS)}
    minutes = batch.expected_seconds / 60
    kept = {
        "expected_minutes": minutes if minutes >= 0.5 else None,
        "datasets": [dataset.slug for dataset in batch.datasets.all()],
        "people": [batch.project.pseudonym(worker.pk) for worker in batch.workers.all()],
        "marketplace": batch.connection.name if batch.connection else "",
        "options": batch.options,
        "checks": {name: form.initial.get(own) for own, name in CHECKS.items()}
        | {"datasets": [dataset.slug for dataset in batch.checks.all()]},
    }
    if wish.get("task", batch.task) != batch.task:
        task = wish["task"]
        kept |= {"options": {}}
        same["meeting"] = task_type(task).meeting
        if same["assignments_per_hit"] == task_type(batch.task).assignments:
            same["assignments_per_hit"] = task_type(task).assignments
        if same["guide"].strip() == default_guide(batch.task).strip():
            same["guide"] = default_guide(task)
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
    found = naming.workers_named(project, names)
    unknown = [name for name in names if name not in found]
    if unknown:
        raise _wrong("people", _("%(name)s is no worker of this project."), name=unknown[0])
    return {"who": "chosen", "workers": [worker.pk for worker in found.values()]}


def _place(project: Project, name: str) -> JSON:
    if not name:
        return {"marketplace": ""}
    found = project.connections.filter(name=name).first()
    if found is None:
        raise _wrong("marketplace", _("There is no marketplace %(name)s."), name=name)
    return {"marketplace": str(found.pk)}


def _checks(project: Project, wish: Mapping[str, Any]) -> JSON:
    """Hidden gold as the form's fields; what is none stays empty, as on the page."""
    posted: JSON = {own: wish[name] for own, name in CHECKS.items() if wish.get(name) is not None}
    return posted | {"checks": [one.pk for one in _datasets(project, wish.get("datasets", []), "checks.datasets")]}


def _options(task: str, datasets: Sequence[Dataset], wish: Mapping[str, Any]) -> JSON:
    """Every option of the task: as wished, else as it suggests for the datasets. Their types are the JSON's own."""
    suggested = task_type(task).suggest(batching.features_of(datasets)) | dict(wish)
    try:
        settled = task_type(task).options(suggested)
    except ValueError as unfit:
        raise ValidationError({"options": [_(str(unfit))]}) from None
    names = type(settled).__dataclass_fields__
    return {f"option-{name}": getattr(settled, name) for name in names}


def _requirements(rows: Sequence[JSON]) -> JSON:
    """The rows of the form; one that says nothing where there is none, so that the form takes it as sent."""
    if len(rows) > MOST_REQUIREMENTS:
        raise _wrong("requirements", _("At most %(n)s requirements are possible."), n=MOST_REQUIREMENTS)
    posted: JSON = {"requirement-type_0": ""}
    for k, row in enumerate(rows):
        try:
            one = Requirement.read(row)
            text = written(one)
        except (KeyError, TypeError, AttributeError):
            raise _wrong(f"requirements.{k}.locales", _("A place is {“country”: …, “subdivision”: …}.")) from None
        said = {"type": one.type, "comparator": one.comparator, "values": text, "guard": one.guard}
        posted |= {f"requirement-{name}_{k}": value for name, value in said.items()}
    return posted


def _wrong(field: str, message: str, **values: Any) -> ValidationError:
    return ValidationError({field: [message % values]})


def _flaws(form: WhoForm) -> JSON:
    """The errors of a form and its requirements under the names of the wish."""
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
    errors = {name: list(said) for name, said in form.options.errors.items()}
    whole = errors.pop("__all__", None)
    return {f"options.{name}": said for name, said in errors.items()} | ({"options": whole} if whole else {})
