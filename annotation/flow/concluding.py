"""The verdict of each HIT as it stands, as gathering would take it; nothing is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.flow import reviewing
from annotation.flow.exporting import WRITERS, blocks_of
from annotation.models import Batch, Hit
from annotation.registry import task_type

CHUNK = 200


def verdicts_of(batch: Batch) -> Iterator[dict[str, Any]]:
    """A row a HIT, in order of their keys: hit, dataset, item, kind, settled, agreeing, answers, verdict."""
    keys = list(batch.hits.filter(check_item=False).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        yield from conclude(batch, hits_with_items(batch).filter(pk__in=keys[start : start + CHUNK]).order_by("pk"))


def hits_with_items(batch: Batch) -> Any:
    """The batch's HITs, but for hidden gold, with what their verdicts name."""
    rows = batch.hits.filter(check_item=False).select_related("item__dataset")
    return rows.defer("item__content", "item__dataset__report")


def conclude(batch: Batch, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """The verdicts of these HITs, in a handful of queries; of one without answers, `verdict` is None."""
    rows = list(hits)
    said = reviewing.standing_answers(rows)
    return [_concluded(batch, hit, [answer for _standing, answer in said[hit.pk]]) for hit in rows]


def _concluded(batch: Batch, hit: Hit, answers: list[dict[str, Any]]) -> dict[str, Any]:
    task = task_type(batch.task)
    verdict = reviewing.verdict(task, hit.payload, answers) if answers else None
    chosen = sum(bool(answer.get("accepted")) for answer in answers) == 1
    return {
        "hit": hit.public_id,
        "dataset": hit.item.dataset.slug,
        "item": hit.item.position,
        "item_id": hit.item.source_id,
        "kind": reviewing.kind_of(verdict) if verdict else "",
        "settled": bool(verdict) and (chosen or not task.unsettled(verdict or {})),
        "agreeing": task.agreeing(hit.payload, answers, verdict) if verdict else 0,
        "answers": len(answers),
        "voided": hit.voided_at is not None,
        "verdict": verdict,
    }


def stream_verdicts(batch: Batch) -> Iterator[bytes]:
    """All of them as JSON lines, block by block."""
    return blocks_of(lambda out: WRITERS["jsonl"](verdicts_of(batch), out, []))
