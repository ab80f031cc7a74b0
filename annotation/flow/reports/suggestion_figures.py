"""Responses with and without a model's suggestion, collected for a batch's report."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from functools import partial
from itertools import islice

from annotation.flow.batches import hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.models import Batch, Hit
from annotation.models.fields import to_text
from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import Aspect
from annotation.pure.reports.suggestion_tables import arm_table, pull_table
from annotation.pure.reports.tables import text_cell
from annotation.pure.statistics.suggestions import Responded
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.registry import task_type
from annotation.tasktype import Judging, Rated, TaskType, capabilities
from annotation.tasktype.decisions import sameness

CHUNK = 200
POOLED = _(
    "These figures pool %(blind)s blind responses with %(suggested)s that started with a suggestion of %(model)s: they "
    "are of people and the model together."
)


def tables(batch: Batch) -> list[JSON]:
    """How far suggestions are followed; [] for a batch without, or while one arm has no response."""
    if not batch.suggest:
        return []
    task = task_type(batch.task)
    options = task.options(batch.options)
    judged = task.judged(options) if isinstance(task, Judging) else ()
    aspects = [one for one in judged if not one.each and (one.labels or one.ends)]  # elements of an item go together
    if not aspects:
        aspects = [Aspect("response", text_cell(_("the response")), partial(sameness, capabilities.labels(task)))]
    whole = Aspect("", {}, to_text)
    rows: dict[str, list[Responded]] = defaultdict(list)
    suggested: dict[str, dict[Hashable, Hashable]] = defaultdict(dict)
    gold: dict[str, dict[Hashable, Hashable]] = defaultdict(dict)
    for hit, given in _responses(batch):
        for asked in (*aspects, whole):
            if (label := asked.value(hit.suggestion or {})) is None:
                continue
            suggested[asked.name][hit.pk] = label
            if asked is not whole and (is_right := _is_right(task, hit, asked)) is not None:
                gold[asked.name][hit.pk] = label if is_right else _OTHER
            rows[asked.name] += [
                Responded(hit.pk, worker, value, is_shown, seconds)
                for worker, answer, is_shown, seconds in given
                if (value := asked.value(answer)) is not None
            ]
    if len({row.suggested for row in rows[""]}) < 2:
        return []
    pulls = [pull_table(one, batch.suggest, rows[one.name], suggested[one.name], gold[one.name]) for one in aspects]
    return [*pulls, arm_table(rows[""], suggested[""])]


_OTHER = object()  # a label that no suggestion has


def _responses(batch: Batch) -> Iterator[tuple[Hit, list[tuple[str, JSON, bool, float]]]]:
    """HITs with a suggestion and their responses: worker, answer, whether it was shown, seconds."""
    hits = batch.hits.filter(suggestion__isnull=False, excluded_at__isnull=True).select_related("item__dataset")
    rows = hits.order_by("pk").iterator(chunk_size=CHUNK)
    while some := list(islice(rows, CHUNK)):
        found = submitted_answers(batch, some, pooled=True)
        for hit in some:
            yield (
                hit,
                [
                    (
                        batch.project.pseudonym(row.assignment.worker_id),
                        row.answer,
                        bool(row.assignment.suggested),
                        row.active_seconds,
                    )
                    for row in found[hit.pk]
                ],
            )


def _is_right(task: TaskType, hit: Hit, asked: Aspect) -> bool | None:
    """Whether gold says that the suggestion is right in this; None without gold."""
    payload = task.narrowed(hit.payload, [asked.name]) if isinstance(task, Rated) else hit.payload
    if payload is None or hit.suggestion is None or not task.gradable(payload, hit.item.example):
        return None
    return task.grade(payload, hit.suggestion, hit.item.example) >= 1


def pooled(batch: Batch, part: BatchPart, content: JSON) -> JSON:
    """What a report says first, in `content`, that counts responses with a suggestion, too."""
    rows = hit_filters.assignments_in(batch, part, batch.assignments.submitted())
    rows = rows.filter(hit__excluded_at__isnull=True, hit__check_item=False)
    shown, every = rows.filter(suggested=True).count(), rows.count()
    said = {"message": POOLED, "values": {"blind": every - shown, "suggested": shown, "model": batch.suggest}}
    return {"pooled": said} | {name: [said, *content.get(name, ())] for name in ("warnings", "paragraph")}
