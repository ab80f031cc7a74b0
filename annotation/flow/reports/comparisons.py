"""Comparisons of batches, datasets, workers and models, item by item.

The measures of an item in a batch are the mean grade of its responses against gold and their agreement, as of the last
report; what they are without each worker is computed from the responses of now. Where batches of ratings have different
criteria, the measures are those of the criteria that are the same, from the responses of now. Items are the same if
they are the same row, or if id, question and answerability are equal and unique on both sides.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import asdict
from statistics import median
from typing import Any

from django.db.models import Count, F, Sum

from annotation.flow.batches import batch_progress, cached_figures, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.money import wages
from annotation.flow.reports import batch_scores
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.models import Batch, Dataset, Hit, Job, Payment, Prediction, Project, WorkerResponse
from annotation.pure.data.example import JSON
from annotation.pure.reports.comparison import PEOPLE, Measured, Without, batch_tables, chart_of
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.registry import task_type
from annotation.tasktype import Rated, TaskType

Values = dict[Hashable, float]
MOST = 6  # columns of a comparison
MANY = 2_000  # HITs from which on a page would take too long
CHUNK = 200
NOBODY = ""  # in place of a worker
KIND = "compare_batches"  # of job


def batches(some: Iterable[Batch], only: Collection[str] | None = None) -> list[Measured]:
    """Each batch as of its last report; of batches of ratings the criteria `only`, None: all."""
    return [_batch(batch, only) for batch in some]


def is_large(some: Iterable[Batch]) -> bool:
    """Whether a job compares these batches: it grades all of their responses."""
    return any(batch.size >= min(MANY, cached_figures.LARGE) for batch in some)


def compared(some: Iterable[Batch]) -> JSON:
    """The comparison of batches for storage: {"tables", "chart" (of Dots; None without any value)}."""
    some = list(some)
    only, more = _of_criteria(some)
    measured = batches(some, only)
    chart = chart_of(measured, _("Batches compared"), str)
    return {"tables": [*more, *batch_tables(measured)], "chart": chart and asdict(chart)}


def _of_criteria(some: list[Batch]) -> tuple[list[str] | None, list[JSON]]:
    """The criteria that several batches of ratings have in common, None if they have no others; and tables of them."""
    task = task_type(some[0].task) if len(some) > 1 else None
    if not isinstance(task, Rated):
        return None, []
    kept = [(batch.label, task.options(batch.options), batch_scores.kept_report(batch)) for batch in some]
    tables = task.comparison([(label, own, report.content if report else {}) for label, own, report in kept])
    return common_criteria(some), tables


def common_criteria(some: Iterable[Batch]) -> list[str] | None:
    """The criteria with figures that all of the batches of ratings have; None if they have no others."""
    tasks = [(task, batch) for batch in some if isinstance(task := task_type(batch.task), Rated)]
    options = [task.options(batch.options) for task, batch in tasks]
    same = tasks[0][0].equal_criteria(options) if tasks else []
    known = ({*task.equal_criteria([own])} for (task, _batch), own in zip(tasks, options, strict=True))
    return same if any(own - {*same} for own in known) else None


def job_arguments(some: Iterable[Batch]) -> JSON:
    """The arguments of the job that compares these batches."""
    return {"batches": [batch.pk for batch in some]}


def last_compared(project: Project, some: Iterable[Batch]) -> Job | None:
    """The job that compared these batches last; its result is that of `compared`."""
    return project.jobs.filter(kind=KIND, arguments=job_arguments(some), state=Job.State.DONE).last()


def _batch(batch: Batch, only: Collection[str] | None) -> Measured:
    columns = ("item__source_id", "item__question", "item__answerable", "score", "disagreement")
    given = list(_counted(batch).order_by().values_list("hit", "active_seconds"))
    number = Counter(hit for hit, _seconds in given)
    there = batch.hits.filter(check_item=False, excluded_at__isnull=True).values_list("pk", "item", *columns)
    rows = [(number[hit], hit, *row) for hit, *row in there if number[hit]]
    seen = Counter(row[3:6] for row in rows)
    scores: Values = {}
    agreements: Values = {}
    names: dict[int, Hashable] = {}
    for done, hit, item, *named, score, disagreement in rows:
        key = tuple(named)
        name = names[hit] = key if seen[key] == 1 else item
        if score is not None:
            scores[name] = score
        if disagreement is not None and done > 1:
            agreements[name] = 1 - disagreement
    without, whole = _without(batch, names, only)
    if only is not None:
        scores, agreements = whole["scores"], whole["agreements"]
    paid = Payment.objects.filter(batch=batch, state=Payment.State.PAID).aggregate(sum=Sum("amount"))["sum"]
    kept = batch_scores.kept_report(batch)
    return Measured(
        key=batch.slug,
        label=batch.label,
        scores=scores,
        agreements=agreements,
        answers=len(given),
        seconds=median(known) if (known := [seconds for _hit, seconds in given if seconds > 0]) else None,
        paid=paid,
        wage=wages.summary(wages.of_batch(batch)).median,
        report=kept.content if kept else {},
        without=without,
    )


def _without(
    batch: Batch, names: Mapping[int, Hashable], only: Collection[str] | None = None
) -> tuple[dict[str, Without], dict[str, Values]]:
    """The mean grade and the agreement of each named HIT's responses without each worker, and with all of them."""
    task = task_type(batch.task)
    scores: dict[Hashable, dict[str, float | None]] = {}
    agreements: dict[Hashable, dict[str, float | None]] = {}
    keys = list(names)
    for start in range(0, len(keys), CHUNK):
        hits = list(Hit.objects.filter(pk__in=keys[start : start + CHUNK]).select_related("item"))
        said = submitted_answers(batch, hits)
        for hit in hits:
            given = {str(row.assignment.worker_id): row.answer for row in said[hit.pk]}
            gold, name = hit.item.example, names[hit.pk]
            payload = task.narrowed(hit.payload, only) if only is not None and isinstance(task, Rated) else hit.payload
            if payload is None:
                continue
            if task.gradable(payload, gold):
                grades = {who: task.grade(payload, answer, gold) for who, answer in given.items()}
                scores[name] = {who: _mean_without(grades, who) for who in (*grades, NOBODY)}
            agreements[name] = {who: _alike_without(task, payload, given, who) for who in (*given, NOBODY)}
    found = {"scores": scores, "agreements": agreements}
    whole = {
        of: {name: value for name, own in by_name.items() if (value := own.pop(NOBODY)) is not None}
        for of, by_name in found.items()
    }
    return {**found}, whole


def _mean_without(grades: Mapping[str, float], worker: str) -> float | None:
    rest = [grade for name, grade in grades.items() if name != worker]
    return sum(rest) / len(rest) if rest else None


def _alike_without(task: TaskType, payload: JSON, given: Mapping[str, JSON], worker: str) -> float | None:
    rest = [answer for name, answer in given.items() if name != worker]
    differing = task.differences(payload, rest) if len(rest) > 1 else None
    return None if differing is None else 1 - differing


def _counted(batch: Batch) -> Any:
    """Assignments that the batch's report counts."""
    return hit_filters.assignments_in(batch, BatchPart(counted=True), batch.assignments.submitted())


def _median(answers: Any) -> float | None:
    known = list(answers.filter(active_seconds__gt=0).values_list("active_seconds", flat=True))
    return median(known) if known else None


def contenders(batch: Batch) -> tuple[list[tuple[str, int]], list[str]]:
    """(pseudonym, responses) of all workers, busiest first, and the models with predictions on the items."""
    rows = [row for row in batch_progress.rows_of_workers(batch) if row["submitted"]]
    people = [(batch.project.pseudonym(row["worker"]), row["submitted"]) for row in rows]
    items = batch.hits.filter(check_item=False).values("item")
    models = Prediction.objects.of_models().filter(item__in=items).order_by()
    return people, sorted(set(models.values_list("prediction_set__model", flat=True).distinct()))


def answerers(batch: Batch, people: Iterable[str], models: Iterable[str]) -> list[Measured]:
    """All workers together, then the workers with pseudonyms `people`, then `models`, graded on the batch's HITs."""
    hits = batch.hits.filter(check_item=False, excluded_at__isnull=True)
    answers = _counted(batch)
    number = Counter(answers.values_list("hit", flat=True))
    apart = hits.values_list("pk", "item", "disagreement")
    names = {hit: item for hit, item in hits.values_list("pk", "item") if number[hit]}
    everybody = Measured(
        PEOPLE,
        "",
        scores={item: score for item, score in hits.values_list("item", "score") if score is not None},
        agreements={item: 1 - differing for hit, item, differing in apart if differing is not None and number[hit] > 1},
        answers=sum(number.values()),
        seconds=_median(answers),
        without=_without(batch, names)[0],
    )
    known = {batch.project.pseudonym(pk): pk for pk in batch.assignments.values_list("worker", flat=True).distinct()}
    found = [everybody, *(_person(batch, name, known[name]) for name in people if name in known)]
    return [*found, *(_model(batch, name) for name in models)]


def _person(batch: Batch, name: str, worker: int) -> Measured:
    """A worker's graded responses, and the agreement of each with the others' to the same HIT."""
    task = task_type(batch.task)
    counted = _counted(batch)
    own_rows = counted.filter(worker=worker)
    there = counted.filter(hit__in=own_rows.order_by().values("hit"))
    keys = there.order_by().values("pk")
    latest = WorkerResponse.objects.filter(assignment__in=keys, revision=F("assignment__revision"))
    answers: dict[int, list[tuple[int, Any]]] = {}
    for given in latest.select_related("assignment").order_by("pk").iterator():
        answers.setdefault(given.assignment.hit_id, []).append((given.assignment.worker_id, given.answer))
    scores: Values = {}
    agreements: Values = {}
    for row in own_rows.select_related("hit__item").defer("draft").iterator():
        own = [answer for worker_id, answer in answers.get(row.hit_id, ()) if worker_id == worker]
        others = [answer for worker_id, answer in answers.get(row.hit_id, ()) if worker_id != worker]
        gold = row.hit.item.example
        if own and task.gradable(row.hit.payload, gold):
            scores[row.hit.item_id] = task.grade(row.hit.payload, own[0], gold)
        each = [task.differences(row.hit.payload, [own[0], other]) for other in others] if own else []
        if known := [1 - differing for differing in each if differing is not None]:
            agreements[row.hit.item_id] = sum(known) / len(known)
    return Measured(name, name, scores, agreements, own_rows.count(), _median(own_rows))


def _model(batch: Batch, name: str) -> Measured:
    """A model's predictions, graded like a worker's responses."""
    task = task_type(batch.task)
    hits = batch.hits.filter(check_item=False, excluded_at__isnull=True)
    items = {hit.item_id: hit for hit in hits.select_related("item")}
    rows = Prediction.objects.of_models().filter(prediction_set__model=name, item__in=hits.values("item"))
    scores: Values = {}
    for row in rows.iterator():
        hit = items[row.item_id]
        gold = hit.item.example
        if task.gradable(hit.payload, gold):
            scores[hit.item_id] = task.grade(hit.payload, task.complete(hit.payload, row.content), gold)
    return Measured(name, name, scores, answers=len(scores))


def datasets(some: Iterable[Dataset]) -> list[dict[str, Any]]:
    """Content of each: {"dataset", "items", "hops" {number: items}, "shapes", "answerable", "unanswerable"}."""
    found = []
    for dataset in some:
        rows = dataset.items.order_by()
        answerable = dict(rows.values_list("answerable").annotate(Count("pk")))
        found.append(
            {
                "dataset": dataset,
                "items": dataset.size,
                "hops": dict(rows.values_list("hops").annotate(Count("pk"))),
                "shapes": dict(rows.values_list("shape").annotate(Count("pk"))),
                "answerable": answerable.get(True, 0),
                "unanswerable": answerable.get(False, 0),
            }
        )
    return found


def comparable(project: Project) -> dict[str, list[Batch]]:
    """The launched batches by task, newest first, without those of the MTurk API, whose responses cannot be graded."""
    rows = project.batches.filter(launched_at__isnull=False).exclude(task="external").order_by("-launched_at", "-pk")
    found: dict[str, list[Batch]] = {}
    for batch in rows.select_related("project"):
        found.setdefault(batch.task, []).append(batch)
    return found
