"""Files of a batch's responses, and of what they add up to as relevance judgments of TREC (qrels)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.data import response_files
from annotation.flow.data.dataset_files import blocks_of, whole_file
from annotation.flow.errors import Refused
from annotation.flow.review.aggregation import CHUNK, aggregate_hits, hits_with_items
from annotation.models import Batch
from annotation.pure.ratings.qrels import graded, word
from annotation.pure.ratings.rubric import SCALE
from annotation.registry import task_type
from annotation.tasktype import Rated

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
