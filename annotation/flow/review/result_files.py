"""The aggregated response of each HIT as of now, and files of a batch's responses and of what they add up to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.data import response_files
from annotation.flow.data.dataset_files import blocks_of, whole_file
from annotation.flow.data.response_files import jsonl_lines
from annotation.flow.errors import Refused
from annotation.flow.review import review_decisions
from annotation.models import Batch, Hit
from annotation.pure.ratings.qrels import graded, word
from annotation.pure.ratings.rubric import SCALE
from annotation.registry import task_type
from annotation.tasktype import Rated

CHUNK = 200


def aggregates_of(batch: Batch) -> Iterator[dict[str, Any]]:
    """A row per HIT in order of their keys: hit, dataset, item, kind, settled, agreeing, answers, aggregate."""
    keys = list(batch.hits.filter(check_item=False).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        yield from aggregate_hits(
            batch, hits_with_items(batch).filter(pk__in=keys[start : start + CHUNK]).order_by("pk")
        )


def hits_with_items(batch: Batch) -> Any:
    """The batch's HITs without hidden gold, with the columns that rows name."""
    rows = batch.hits.filter(check_item=False).select_related("item__dataset")
    return rows.defer("item__content", "item__dataset__report")


def aggregate_hits(batch: Batch, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Aggregated responses of these HITs, in a constant number of queries; `aggregate` is None without responses."""
    rows = list(hits)
    answers_by_hit = review_decisions.answers_taking_part(rows)
    return [_concluded(batch, hit, [answer for _standing, answer in answers_by_hit[hit.pk]]) for hit in rows]


def _concluded(batch: Batch, hit: Hit, answers: list[dict[str, Any]]) -> dict[str, Any]:
    task = task_type(batch.task)
    aggregate = review_decisions.aggregate(task, hit.payload, answers) if answers else None
    chosen = sum(bool(answer.get("accepted")) for answer in answers) == 1
    settled = bool(aggregate) and (chosen or not task.unsettled(aggregate or {}))
    return {
        "hit": hit.public_id,
        "dataset": hit.item.dataset.slug,
        "item": hit.item.position,
        "item_id": hit.item.source_id,
        "kind": review_decisions.kind_of(aggregate) if aggregate else "",
        "settled": settled,
        "agreeing": task.agreeing(hit.payload, answers, aggregate) if aggregate else 0,
        "answers": len(answers),
        "excluded": hit.excluded_at is not None,
        "cause": hit.cause if settled or hit.excluded_at else "",
        "aggregate": aggregate,
    }


def stream_aggregates(batch: Batch) -> Iterator[bytes]:
    """All rows as JSON lines, in blocks."""
    return jsonl_lines(aggregates_of(batch))


QRELS = "qrels"
MEDIA = response_files.MEDIA | {QRELS: "text/plain; charset=utf-8"}


def has_qrels(batch: Batch) -> bool:
    """Whether the batch asks for a point of a scale for each element of a list."""
    return bool(_graded_by(batch))


def _graded_by(batch: Batch) -> str:
    """The first scale that is asked of each element of a list; "" without one."""
    task = task_type(batch.task)
    criteria = task.options(batch.options).parsed.criteria if isinstance(task, Rated) else ()
    return next((each.name for each in criteria if each.kind == SCALE and each.each), "")


def export(batch: Batch, path: Path, *, format: str, **what: bool) -> dict[str, Any]:
    """Write the file in one of MEDIA's formats; returns {"records", "sha256"}. Raises Refused."""
    if format != QRELS:
        return response_files.export_responses(batch, path, format=format, **what)
    _check(batch)
    return whole_file(path, lambda out: sum(bool(out.write(line)) for line in _qrels(batch)))


def stream(batch: Batch, format: str, **what: bool) -> Iterator[bytes]:
    """The same file in blocks. Raises Refused before the first block."""
    if format != QRELS:
        return response_files.stream_responses(batch, format, **what)
    _check(batch)
    return blocks_of(lambda out: sum(bool(out.write(line)) for line in _qrels(batch)))


def _check(batch: Batch) -> None:
    if not has_qrels(batch):
        raise Refused(_("TREC qrels need a rubric with a scale for each element of a list, such as the passages."))


def _qrels(batch: Batch) -> Iterator[bytes]:
    """The lines; a topic is the item's id, or dataset and position where that does not name one item of the batch."""
    name = _graded_by(batch)
    hits = batch.hits.filter(check_item=False, excluded_at__isnull=True).order_by("pk")
    keys = dict(hits.values_list("pk", "item__source_id"))
    times = Counter(map(word, keys.values()))
    for start in range(0, len(keys), CHUNK):
        some = list(hits_with_items(batch).filter(pk__in=list(keys)[start : start + CHUNK]).order_by("pk"))
        for hit, row in zip(some, aggregate_hits(batch, some), strict=True):
            own = word(keys[hit.pk])
            topic = own if own and times[own] == 1 else f"{row['dataset']}/{row['item']}"
            ratings = row["aggregate"]["ratings"] if row["aggregate"] else None
            for document, grade in graded(hit.payload, ratings, name) if ratings else ():
                yield f"{topic} 0 {document} {grade}\n".encode()
