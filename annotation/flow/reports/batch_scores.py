"""Computing the report of a batch, and importing models' predictions for it."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Sum
from django.utils.translation import gettext as _

from annotation import models
from annotation.flow.batches import cached_figures, hidden_gold, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.data.dataset_import import file_digest
from annotation.flow.data.item_writer import OnProgress, no_progress
from annotation.flow.errors import Refused
from annotation.flow.money import wages
from annotation.flow.reports import (
    altered_facts,
    baselines,
    model_predictions,
    own_answers,
    report_storage,
    suggestion_figures,
)
from annotation.flow.reports.collected_responses import Collected
from annotation.flow.reports.participation import participation, submissions_by_hour, unpaid
from annotation.flow.review import adjudication, gold_in_doubt
from annotation.flow.work import across_batches
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.models import Batch, BatchReport, GoldDecision, Hit, Item, PartReport, Prediction, PredictionSet
from annotation.pure.data.example import Example, option_of
from annotation.pure.reports import exclusion_tables
from annotation.pure.reports.disagreement_map import DIFFERING
from annotation.pure.reports.model_estimates import models_only
from annotation.pure.reports.own_answers import KEY, WITHOUT
from annotation.pure.reports.position_tables import position_tables
from annotation.pure.review.gold_corrections import corrected
from annotation.pure.setting_fields import settings_of
from annotation.pure.statistics.metrics import scored_as
from annotation.recruitment import used
from annotation.registry import task_type
from annotation.scorers import read_predictions
from annotation.scorers.base import BadPredictions
from annotation.scorers.base import Prediction as ModelPrediction
from annotation.tasktype import GivenResponse, HitWithResponses, TaskType

CHUNK = 200
LAYOUT = 12  # version of stored reports; a new one makes the old ones stale
ALL = BatchPart()
MODEL_CONFIDENCE = "model_confidence"  # of a prediction: a number on the model's own scale


def score_batch(batch: Batch, *, part: BatchPart = ALL, progress: OnProgress = no_progress) -> dict[str, Any]:
    """Compute and store the report of the batch, or of the part that matches the filter.

    For the complete batch it also stores each HIT's disagreement and mean grade against gold."""
    version, since = version_key(batch), report_storage.since(batch)
    task, collected = task_type(batch.task), Collected.of(batch)
    content = _computed(batch, task, _options(batch, task, part), _all_hits(batch, task, progress, part, collected))
    content["by_position"] = [] if batch.is_by_confidence else position_tables(collected.placed, seed=batch.seed)
    content[DIFFERING] = collected.contested.tables(task.differences)
    content["counts"] = collected.counts()
    content["rows"] = {dataset: dict(rows) for dataset, rows in collected.rows.items()}
    content["progress"] = submissions_by_hour(batch, part)
    if not part.key and own_answers.has_evidence(batch, task):
        content |= _evidence(batch, task, collected)
    if part.pooled and batch.suggest:
        content |= suggestion_figures.pooled(batch, part, content)
    if not part.key:
        content["flow"] = participation(batch)
        content |= {"altered": altered} if (altered := altered_facts.tables(batch)) else {}
        beside, sentences = collected.models.report(batch)
        judged = [] if batch.is_by_confidence else collected.answers.tables(batch)
        if beside := [*judged, *beside, *suggestion_figures.tables(batch)]:
            content |= {"models": beside, "paragraph": [*content.get("paragraph", ()), *sentences]}
    report_storage.store(batch, part, version, content, since)
    cached_figures.count(batch)
    return content


def _evidence(batch: Batch, task: TaskType, collected: Collected) -> dict[str, Any]:
    """The evidence that answers are people's own, and the scores without the workers who are marked, if any are."""
    found = collected.own.as_json(batch.seed)
    if not found["marked"] or batch.is_by_confidence:
        return {KEY: found}
    options = _options(batch, task, ALL)
    without = own_answers.figures_without(hits_with_responses(batch), task, options, batch.seed, marked=found["marked"])
    return {KEY: found, WITHOUT: without}


def tie_rules(batch: Batch) -> Mapping[str, str]:
    """The rules by which the batch's report can break ties: gettext ids by name; none without ties."""
    ties = settings_of(task_type(batch.task).Options).get("ties")
    return (ties.choices or {}) if ties else {}


def _options(batch: Batch, task: TaskType, part: BatchPart) -> Any:
    """The batch's options, with the filter's rule for ties if the task has one."""
    options = task.options(batch.options)
    return replace(options, ties=part.ties) if part.ties in tie_rules(batch) else options


def _computed(batch: Batch, task: TaskType, options: Any, hits: Iterable[HitWithResponses]) -> dict[str, Any]:
    """The task's report, with further reports against corrected gold and including excluded HITs, if there are any."""
    if batch.is_by_confidence:
        deque(hits, maxlen=0)  # so that they are collected for the tables of models
        return models_only(task.kind)
    changes = gold_in_doubt.changes(batch)
    if not changes and not batch.hits.filter(excluded_at__isnull=False, check_item=False).exists():
        return task.report(hits, options, seed=batch.seed)
    rows = list(hits)
    content = task.report(rows, options, seed=batch.seed)
    if changes:
        content["corrected"] = task.report(_corrected(rows, changes), options, seed=batch.seed)
    if excluded := [row for row in rows if row.excluded]:
        content["excluded"] = exclusion_tables.counts((row.excluded, len(row.given)) for row in excluded)
        counting = [replace(row, excluded="") for row in rows]
        content["with_excluded"] = task.report(counting, options, seed=batch.seed)
    return content


def kept_report(batch: Batch, part: BatchPart = ALL) -> BatchReport | PartReport | None:
    """The report as last computed, even if it is out of date; the whole batch's with the causes of disagreement."""
    if part.key:
        return batch.part_reports.filter(part=part.key).first()
    report = BatchReport.objects.filter(batch=batch).first()
    if report and (causes := adjudication.cause_tables(batch)):
        report.content["causes"] = causes  # as of now: they come from decisions, which change no stored figure
    if report and (flow := report.content.get("flow")):
        flow["others"] = (flow.get("others") or {}) | unpaid(batch)  # likewise
    return report


def is_fresh(batch: Batch, report: BatchReport | PartReport) -> bool:
    """Whether the report covers the current responses, decisions and predictions."""
    return report.stand == version_key(batch)


def is_fresh_as_kept(batch: Batch, report: BatchReport | PartReport) -> bool:
    """As `is_fresh`, but the responses to a large batch are cached figures."""
    return report.stand == _version(batch, _responses(batch))


def _corrected(hits: list[HitWithResponses], changes: dict[int, GoldDecision]) -> list[HitWithResponses]:
    """The HITs with gold replaced by requesters' decisions."""
    made = {row.hit.public_id: row for row in changes.values()}
    found = []
    for row in hits:
        change = made.get(row.hit)
        found.append(replace(row, example=corrected(row.example, change.decision, change.text)) if change else row)
    return found


def cached_report(batch: Batch) -> dict[str, Any] | None:
    """The stored report if it covers the current responses; else None."""
    report = kept_report(batch)
    return report.content if report and is_fresh(batch, report) else None


def version_key(batch: Batch) -> str:
    return _version(batch, _count_responses(batch))


def _count_responses(batch: Batch) -> dict[str, Any]:
    rows = hidden_gold.rows_without_checks(batch, batch.assignments.submitted())
    wanted = batch.hits.filter(check_item=False).aggregate(wanted=Sum("wanted"))  # k, at most
    return across_batches.count_responses(rows, rows if batch.suggest else used(batch, rows)) | wanted


_responses = cached_figures.cached_figure("responses")(_count_responses)


def _version(batch: Batch, responses: dict[str, Any]) -> str:
    others = baselines.batches_of(batch)
    excluded = Hit.objects.filter(batch__in=[batch, *others], excluded_at__isnull=False)
    models = PredictionSet.objects.filter(dataset__batches=batch, ready=True).aggregate(last=Max("pk"))
    gold = GoldDecision.objects.filter(hit__batch=batch).aggregate(last=Max("pk"))
    known = [responses, excluded.aggregate(count=Count("pk"), last=Max("excluded_at")), models, gold]
    known += map(_responses, others)
    if wages.pays_by_answer(batch.task):
        known.append(batch.payments.aggregate(last=Max("paid_at")))
    parts = [LAYOUT, *(value for each in known for value in each.values()), batch.size, batch.seed]
    parts += across_batches.version_of(batch) + altered_facts.version_of(batch) + model_predictions.version_of(batch)
    return "/".join(map(str, parts))


def hits_with_responses(batch: Batch) -> Iterator[HitWithResponses]:
    """Every HIT of the batch with its responses and models' predictions, as its report reads them."""
    yield from _all_hits(batch, task_type(batch.task), no_progress, ALL, Collected.of(batch))


def _all_hits(
    batch: Batch, task: TaskType, progress: OnProgress, part: BatchPart, collected: Collected
) -> Iterator[HitWithResponses]:
    """Yield every HIT of the part with its responses, in order of their keys, in chunks."""
    rows = hit_filters.hits_in(batch, part, batch.hits.filter(check_item=False))
    keys = rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=2000)
    done = 0
    while some := list(islice(keys, CHUNK)):
        yield from _chunk(batch, task, some, part, collected)
        done += len(some)
        progress(done, batch.size)


def _chunk(
    batch: Batch, task: TaskType, keys: list[int], part: BatchPart, collected: Collected
) -> list[HitWithResponses]:
    found = Hit.objects.filter(pk__in=keys).select_related("item")
    hits = list(found.prefetch_related("item__dataset").order_by("pk"))  # a dataset is read once, not per item
    given = _answers_by_hit(batch, hits, part)
    predicted = _predicted(task, hits)
    elsewhere = across_batches.elsewhere(batch, hits)
    baseline_answers = baselines.answers_of(batch, collected.baselines, hits)
    rows, changed = [], []
    for hit in hits:
        before = hit.disagreement, hit.score
        example, dataset = hit.item.example, hit.item.dataset
        hit.disagreement = task.differences(hit.payload, [g.answer for g in given[hit.pk]])
        grades = [] if hit.excluded_at else _grades(task, hit.payload, example, given[hit.pk])
        hit.score = fmean(grades) if grades else None
        changed += [hit] if (hit.disagreement, hit.score) != before else []
        collected.count(hit, example, given[hit.pk])
        if hit.excluded_at is None:
            collected.add(hit, given[hit.pk], grades)
        row = HitWithResponses(
            hit=hit.public_id,
            dataset=dataset.slug,
            format=scored_as(example, dataset.format),
            example=example,
            payload=hit.payload,
            given=tuple(given[hit.pk]),
            excluded=(hit.exclusion_reason or _("excluded")) if hit.excluded_at else "",
            predicted=tuple(predicted[hit.pk]),
            wanted=hit.wanted,
            elsewhere=elsewhere.get(hit.pk, ()),
            baselines=baseline_answers.get(hit.pk, {}),
        )
        own_answers.collect(collected.own, task, row)
        rows.append(row)
    if not part.key:
        Hit.objects.bulk_update(changed, ["disagreement", "score"])
        if consulted := [pk for pk, found in elsewhere.items() if found]:
            Hit.objects.filter(pk__in=consulted).note_change()
    return rows


def _grades(task: TaskType, payload: dict[str, Any], gold: Example, given: list[GivenResponse]) -> list[float]:
    """The responses' grades; [] without usable gold."""
    return [task.grade(payload, each.answer, gold) for each in given] if task.gradable(payload, gold) else []


def _answers_by_hit(batch: Batch, hits: list[Hit], part: BatchPart) -> defaultdict[int, list[GivenResponse]]:
    """Submitted responses by HIT, in order of submission; only responses from the days of `part`."""
    answers_by_hit: defaultdict[int, list[GivenResponse]] = defaultdict(list)
    submitted = submitted_answers(batch, hits, pooled=part.pooled)
    assignments = [row.assignment_id for answers in submitted.values() for row in answers]
    paid, counts = _paid(batch, assignments), own_answers.page_counts(batch, assignments)
    for hit, answers in submitted.items():
        for row in answers:
            if hit_filters.is_within(part, row.assignment.submitted_at):
                worker = batch.project.pseudonym(row.assignment.worker_id)
                seed = None if row.assignment.response_import_id else row.assignment.seed
                more = paid.get(row.assignment_id), counts.get(row.assignment_id), seed
                answers_by_hit[hit].append(GivenResponse(worker, row.answer, row.active_seconds, *more))
    return answers_by_hit


def _paid(batch: Batch, assignments: Iterable[int]) -> dict[int, int]:
    """US cents by assignment, for reports of tasks that pay by response."""
    return wages.paid_for_answers(assignments) if wages.pays_by_answer(batch.task) else {}


def _predicted(task: TaskType, hits: list[Hit]) -> defaultdict[int, list[GivenResponse]]:
    by_item = {hit.item_id: hit for hit in hits}
    rows = Prediction.objects.of_models().filter(item__in=by_item).select_related("prediction_set")
    predicted: defaultdict[int, list[GivenResponse]] = defaultdict(list)
    for row in rows.order_by("prediction_set__model"):
        hit = by_item[row.item_id]
        sure = {name: row.content[name] for name in (MODEL_CONFIDENCE,) if name in row.content}
        answer = task.complete(hit.payload, row.content) | sure
        predicted[hit.pk].append(GivenResponse(row.prediction_set.model, answer))
    return predicted


def import_predictions(
    dataset: models.Dataset,
    path: Path,
    *,
    format: str,
    model: str,
    shown: str = "",
    progress: OnProgress = no_progress,
) -> dict[str, Any]:
    """Import a model's predictions for a dataset's items; returns {"read", "accepted", "missing"}.

    `shown`: what the model was shown, one of `pure.reports.baselines.SHOWN`; "": the items as they are.

    All or nothing. The same file under the same model changes nothing; another file replaces it.
    """
    digest = file_digest(path)
    before = PredictionSet.objects.filter(dataset=dataset, model=model, shown=shown).first()
    if before and before.ready and before.sha256 == digest:
        return {"read": 0, "accepted": 0, "missing": 0, "already_there": True}
    if before and before.ready:
        text = _("%(model)s already has other predictions here. Give this model another name.")
        raise Refused(text % {"model": model})
    if before:
        _detach(before)
    predictions = PredictionSet.objects.create(dataset=dataset, model=model, shown=shown, sha256=digest)
    try:
        read = _attach(predictions, path, format, progress)
    except BadPredictions as bad:
        _detach(predictions)
        raise Refused(str(bad)) from None
    except BaseException:
        _detach(predictions)
        raise
    PredictionSet.objects.filter(pk=predictions.pk).update(ready=True)
    return {"read": read, "accepted": read, "missing": dataset.size - read, "already_there": False}


def _attach(predictions: PredictionSet, path: Path, format: str, progress: OnProgress) -> int:
    dataset = predictions.dataset
    items: defaultdict[str, list[int]] = defaultdict(list)
    for source_id, pk in dataset.items.order_by("position").values_list("source_id", "pk"):
        items[source_id].append(pk)
    read = 0
    source = read_predictions(format, path)
    while some := list(islice(source, CHUNK)):
        numbers = _numbers([pk for p in some if p.number is not None for pk in items.get(p.item_id, ())])
        rows = [Prediction(prediction_set=predictions, item_id=_item(items, numbers, p), content={}) for p in some]
        contexts = Item.every.in_bulk([row.item_id for row in rows])
        for row, prediction in zip(rows, some, strict=True):
            row.content = _content(contexts[row.item_id], prediction)
        with transaction.atomic():
            Prediction.objects.bulk_create(rows)
        read += len(some)
        progress(read, dataset.size)
    if not read:
        raise Refused(_("The file contains no predictions."))
    return read


def _numbers(keys: list[int]) -> dict[int, int | None]:
    """The `sub_idx` of these items, if they have one."""
    return {pk: item.example.extra.get("sub_idx") for pk, item in Item.every.in_bulk(keys).items()}


def _item(items: dict[str, list[int]], numbers: dict[int, int | None], prediction: ModelPrediction) -> int:
    """The item of a prediction: by its id, and among equal ids by number or in order."""
    twins = items.get(prediction.item_id, [])
    if numbered := [pk for pk in twins if prediction.number is not None and numbers[pk] == prediction.number]:
        return numbered[0]
    if prediction.number is not None or prediction.occurrence >= len(twins):
        text = _("The dataset has no item with the id %(id)s of a prediction. Use the ids of the dataset's own file.")
        raise Refused(text % {"id": prediction.item_id})
    return twins[prediction.occurrence]


def _content(item: Item, prediction: ModelPrediction) -> dict[str, Any]:
    """A prediction with paragraph positions, as `TaskType.complete` takes it; a title means its first paragraph."""
    example = item.example
    text = "" if prediction.answerable is False else prediction.answer or ""
    support = {k for k in prediction.support or () if 0 <= k < len(example.paragraphs)}
    if example.options:
        try:
            text = option_of(text, example.options)
        except ValueError as beyond:
            message = _(
                "The prediction for id %(id)s cannot be read: %(why)s. Give the letter or the text of an option."
            )
            raise Refused(message % {"id": prediction.item_id, "why": beyond}) from None
    key = str.lower if prediction.caseless else str
    places: dict[str, int] = {}
    for place, paragraph in enumerate(example.paragraphs):
        places.setdefault(key(paragraph.title), place)
    facts = [[places[key(title)], s] for title, s in prediction.facts or () if key(title) in places and s >= 0]
    support |= {places[key(title)] for title in prediction.titles or () if key(title) in places}
    sure = {} if prediction.confidence is None else {MODEL_CONFIDENCE: prediction.confidence}
    return {"text": text, "support": sorted(support | {p for p, _s in facts}), "facts": facts, **sure}


def _detach(predictions: PredictionSet) -> None:
    while some := list(predictions.predictions.values_list("pk", flat=True)[:500]):
        Prediction.objects.filter(pk__in=some).delete()
    predictions.delete()
