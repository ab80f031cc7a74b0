"""The aggregated response of each HIT as of now, computed on request."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.flow.data.response_files import jsonl_lines
from annotation.flow.review import review_decisions
from annotation.models import Batch, Hit
from annotation.registry import task_type

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
