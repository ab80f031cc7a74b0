"""Launching a study: its data, derivations, qualification rounds and batches, in this order.

Each step is skipped if it is done, so a launch that was interrupted is continued by the same call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from django.core.validators import slug_re, validate_slug
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts, batch_launch, experiments, task_fit
from annotation.flow.batches.parsing import parse
from annotation.flow.data.dataset_import import file_digest, import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.people.qualification_rounds import parse_round, store_round
from annotation.flow.projects import audit_log
from annotation.flow.setting_values import read_options
from annotation.flow.work import eligibility
from annotation.models import Batch, Dataset, Experiment, Project, User
from annotation.pure.people import round_rules
from annotation.pure.setting_fields import Flaw, setting, settings_of
from annotation.pure.studies.definition import StudyBatch, StudyData, StudyRound, scaled
from annotation.pure.studies.plan import most_per_worker
from annotation.pure.text.translation_marks import gettext_noop
from annotation.registry import default_instructions, task_type
from annotation.studies.folders import Folder
from annotation.studies.models import StudyRun
from annotation.tasktype import capabilities

Say = Callable[[str], None]


def _name_flaws(name: str) -> Iterator[Flaw]:
    if name and not slug_re.match(name):
        yield Flaw(str(validate_slug.message))


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """How a study is launched."""

    run: str = setting(
        "",
        label=gettext_noop("Name of this run"),
        help=gettext_noop("Its datasets and batches get names that begin with it. Leave empty for the next free name."),
        length=60,
        check=_name_flaws,
        option="as",
    )
    scale: float = setting(
        1.0,
        label=gettext_noop("Scale"),
        help=gettext_noop("Share of the paper's sample sizes: 0.1 for a pilot, 2 for twice as many."),
        least=0.01,
        most=10,
        required=True,
    )
    seed: int = setting(
        0,
        label=gettext_noop("Seed"),
        help=gettext_noop("The same seed draws the same sample in the same order."),
        least=0,
        most=2**62,
        required=True,
    )
    small: bool = setting(False, label=gettext_noop("Use the small invented data, to try the study"))
    contact: str = setting("", label=gettext_noop("Contact for the consent text"), length=200)
    ethics: str = setting("", label=gettext_noop("Ethics approval for the consent text"), length=500)


STUDY_SETTINGS = settings_of(StudySettings)


def begin(
    project: Project,
    folder: Folder,
    given: Mapping[str, Any],
    *,
    files: Mapping[str, Path] | None = None,
    user: User | None = None,
) -> StudyRun:
    """The run of the study in the project; the same call again returns the same run.

    `given`: StudySettings; without a name the run gets the first free of `run_names`. `files`: {data: path}, by default
    the files in the study's folder of this installation. Raises InvalidSettings, and Refused if a file is missing or
    another one than the study says, if the consent text is unfinished, or if the name is taken.
    """
    asked = read_options(StudySettings, given, within="")
    consent.fill_in(project, contact=asked.contact, ethics=asked.ethics)
    consent.check_finished(project)
    paths = {data.name: _path(folder, data, files or {}, small=asked.small) for data in folder.definition.data}
    columns = {
        "study": folder.name,
        "text": (folder.path / "study.yaml").read_text(encoding="utf-8"),
        "figures": (folder.path / "published.csv").read_text(encoding="utf-8"),
        "files": {name: file_digest(path) for name, path in paths.items()},
        "seed": asked.seed,
        "scale": asked.scale,
        "small": asked.small,
    }
    for name in [asked.run] if asked.run else run_names(folder.name):
        run = _run_named(project, name, columns, user)
        if all(getattr(run, column) == value for column, value in columns.items()):
            return run
    text = _("%(name)s was launched with other settings. Give this run another name.")
    raise Refused(text % {"name": asked.run})


def run_names(study: str) -> Iterable[str]:
    """The names of a study's runs in a project, without end: `study`, `study-2`, `study-3`, ..."""
    return chain([study], (f"{study}-{number}" for number in count(2)))


def free_name(project: Project, study: str) -> str:
    """The first of `run_names` that no run of the project has."""
    taken = set(StudyRun.objects.filter(project=project).values_list("slug", flat=True))
    return next(name for name in run_names(study) if name not in taken)


def _run_named(project: Project, slug: str, columns: Mapping[str, Any], user: User | None) -> StudyRun:
    """The new run of that name, or the one that has it."""
    try:
        with transaction.atomic():
            run = StudyRun.objects.create(project=project, slug=slug, created_by=user, **columns)
            audit_log.record("created", run, seed=run.seed, scale=run.scale)
            return run
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        return StudyRun.objects.get(project=project, slug=slug)


def _path(folder: Folder, data: StudyData, files: Mapping[str, Path], *, small: bool) -> Path:
    """The file of the data. Raises Refused if it is not there or has another digest than the study says."""
    if small:
        return folder.small_file(data)
    path = files.get(data.name) or folder.wanted_file(data)
    if not path.exists():
        text = _("The study needs %(file)s (%(where)s). Put it at %(path)s, or name it: --data %(name)s=FILE.")
        where = {"file": data.file, "where": data.where, "path": folder.wanted_file(data), "name": data.name}
        raise Refused(text % where)
    if data.sha256 and file_digest(path) != data.sha256:
        text = _("%(path)s is not the file that the study was written for: its SHA-256 is not %(digest)s.")
        raise Refused(text % {"path": path, "digest": data.sha256})
    return path


def launch(run: StudyRun, folder: Folder, *, say: Say, files: Mapping[str, Path] | None = None) -> dict[str, Any]:
    """Do the steps of the run that are not done.

    Returns {"study", "run", "datasets": {name: items}, "batches": {name: HITs}}.

    `say` is told each step. Raises Refused as the step's own function does; what was done before stays.
    """
    found = run.definition
    for data in found.data:
        path = _path(folder, data, files or {}, small=run.small)
        if file_digest(path) != run.files[data.name]:
            raise Refused(_("%(path)s has changed since the study was launched.") % {"path": path})
        say(_("Import %(name)s") % {"name": data.name})
        kind = data.small_format if run.small else data.format
        import_dataset(run.project, path, format=kind, name=run.name_of(data.name), source=data.where[:500])
    for each in found.derivations:
        say(_("Derive %(name)s") % {"name": each.name})
        options = {name: _referred(run, value) for name, value in scaled(each.options, each.how, run.scale).items()}
        source = dataset_of(run, each.source)
        derive_dataset(source, how=each.how, name=run.name_of(each.name), seed=run.seed, options=options)
    for row in found.rounds:
        say(_("Launch %(name)s") % {"name": row.name})
        _launch(run, folder, row)
    _join_arms(run, folder)
    for batch in found.batches:
        say(_("Launch %(name)s") % {"name": batch.name})
        _launch(run, folder, batch)
    names = [each.name for each in found.datasets]
    batches = batches_of(run)
    return {
        "study": run.study,
        "run": run.slug,
        "datasets": {name: dataset_of(run, name).size for name in names},
        "batches": {name: batch.size for name, batch in batches.items()},
    }


def _referred(run: StudyRun, value: Any) -> Any:
    """An option's value, with `$name` replaced by the dataset's name in the project."""
    return run.name_of(value[1:]) if isinstance(value, str) and value.startswith("$") else value


def dataset_of(run: StudyRun, name: str) -> Dataset:
    return Dataset.objects.whole().get(project=run.project, slug=run.name_of(name))


def batches_of(run: StudyRun) -> dict[str, Batch]:
    """The batches and rounds of the run that exist, by their names in the study."""
    parts = {run.name_of(row.name): row.name for row in run.definition.launched}
    rows = Batch.objects.filter(project=run.project, slug__in=parts).order_by("pk")
    return {parts[row.slug]: row for row in rows}


def experiment_of(run: StudyRun) -> Experiment | None:
    """The experiment whose arms are batches of the run."""
    return Experiment.objects.filter(project=run.project, slug=run.slug).first() if run.definition.arms else None


def _join_arms(run: StudyRun, folder: Folder) -> None:
    """Make the study's arms, as drafts, so that nobody has a HIT of them before they drew."""
    found = run.definition
    if found.arms is None or experiment_of(run) is not None:
        return
    arms = [_made(run, folder, row) for row in found.arm_batches]
    experiments.join(run.project, run.slug, arms, each=found.arms.each, title=found.arms.title)


def _made(run: StudyRun, folder: Folder, row: StudyBatch | StudyRound) -> Batch:
    """The batch of the row, created as a draft if it is not there."""
    slug = run.name_of(row.name)
    batch = Batch.objects.filter(project=run.project, slug=slug).first()
    if batch is not None:
        return batch
    common: dict[str, Any] = {
        "name": slug,
        "task": row.task,
        "datasets": [dataset_of(run, name) for name in row.datasets],
        "options": folder.options_of(row),
        "title": row.title or None,
        "seed": run.seed,
    }
    return _round(run, row, common) if isinstance(row, StudyRound) else _batch(run, folder, row, common)


def _launch(run: StudyRun, folder: Folder, row: StudyBatch | StudyRound) -> None:
    batch = _made(run, folder, row)
    if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        batch_launch.launch(batch)


def _batch(run: StudyRun, folder: Folder, row: StudyBatch, common: dict[str, Any]) -> Batch:
    conditions = [eligibility.from_words(run.project, words, guard="Accept") for words in row.require]
    sample = max(1, round(run.scale * row.sample)) if row.sample else None
    most = row.instances * sample if sample else None
    hits = sum(dataset.size if most is None else min(dataset.size, most) for dataset in common["datasets"])
    each = row.assignments or task_type(row.task).assignments
    asked = common | {
        "instructions": _instructions(folder, row, common),
        "assignments_per_hit": row.assignments,
        "sample": sample,
        "most_per_worker": most_per_worker(run.definition, hits * each),
        "expected_minutes": row.minutes or None,
        "requirements": conditions,
    }
    return batch_drafts.create_batch(run.project, parse(run.project, asked))


def _instructions(folder: Folder, row: StudyBatch, common: dict[str, Any]) -> str:
    """The preface, followed by the task's own instructions for these datasets and options; "": only those."""
    if not row.preface:
        return ""
    task = task_type(row.task)
    chosen = capabilities.suggest(task, task_fit.features_of(common["datasets"])) | common["options"]
    preface = (folder.path / row.preface).read_text(encoding="utf-8").strip()
    return f"{preface}\n\n{default_instructions(row.task, capabilities.variant(task, chosen))}"


def _round(run: StudyRun, row: StudyRound, common: dict[str, Any]) -> Batch:
    asked = common | {
        "per_worker": row.per_worker,
        "grants": row.grants,
        "rule": [round_rules.clause_of(words) for words in row.rule] or None,
        "grading": row.grading,
        "sample": row.pool,
    }
    return store_round(run.project, *parse_round(run.project, asked)).batch
