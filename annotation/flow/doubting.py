"""Gold in doubt: items on which people agree with each other but not with gold, and corrected versions of datasets."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.deriving import code_version
from annotation.flow.filling import Filler, Told, already_there, remove_dataset, reserve, silent
from annotation.flow.refusal import Refused
from annotation.flow.submitted_answers import submitted_answers
from annotation.models import Batch, Dataset, GoldDecision, Hit, User
from annotation.models.fields import to_text
from annotation.pure import doubt
from annotation.pure.example import Example
from annotation.registry import task_type
from annotation.tasktype import TaskType

HOW = "gold-corrections"  # in a lineage, where derivations have their name
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Doubt:
    """What people agree on against gold: `votes` of `answers` said `text`; `decision` is empty while none stands."""

    pk: int
    public_id: str
    text: str
    votes: int
    answers: int
    decision: str = ""


def can_tell(batch: Batch) -> bool:
    """Whether the task of the batch compares what people agree on with gold."""
    return type(task_type(batch.task)).doubt is not TaskType.doubt


def doubts(batch: Batch) -> list[Doubt]:
    """Every HIT whose gold is in doubt, decided or not, in the order of their items; voided ones are left out."""
    hits = batch.hits.filter(voided_at__isnull=True, check_item=False, done__gt=1)
    keys, found = list(hits.order_by("item__dataset__slug", "item__position").values_list("pk", flat=True)), []
    for start in range(0, len(keys), CHUNK):
        rows = Hit.objects.select_related("item").in_bulk(keys[start : start + CHUNK])
        found += _doubted(batch, [rows[pk] for pk in keys[start : start + CHUNK]])
    return found


def doubt_of(hit: Hit) -> Doubt | None:
    """The doubt about one HIT's gold."""
    return next(iter(_doubted(hit.batch, [hit])), None)


def _doubted(batch: Batch, hits: list[Hit]) -> list[Doubt]:
    task, said, found = task_type(batch.task), submitted_answers(hits), []
    decisions = _standing(hits)
    for hit in hits:
        told = task.doubt(hit.payload, [row.answer for row in said[hit.pk]], hit.item.example)
        if told:
            last = decisions.get(hit.pk)
            found.append(Doubt(hit.pk, hit.public_id, **told, decision=last.decision if last else ""))
    return found


def _standing(hits: list[Hit]) -> dict[int, GoldDecision]:
    """The last decision by HIT, where it was not undone."""
    last = {row.hit_id: row for row in GoldDecision.objects.filter(hit__in=hits).order_by("pk")}
    return {pk: row for pk, row in last.items() if row.decision != doubt.REOPENED}


@transaction.atomic
def decide(hit: Hit, decision: str, *, text: str, reviewer: User | None) -> GoldDecision:
    """Keep what becomes of the gold; `text` is the people's answer that was read. Refused once they say otherwise."""
    Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    found = doubt_of(hit)
    if found is None or found.text != text:
        raise Refused(_("What people say of this item changed meanwhile. Please look at it again."))
    if decision not in doubt.CHANGING | {doubt.STANDS}:
        raise Refused(_("Choose what becomes of the gold."))
    if decision == doubt.ALIAS and not doubt.may_be_alias(hit.item.example, text):
        raise Refused(_("There is no alias between an answer and no answer: correct the gold, or let it stand."))
    recording.record("gold decided", hit, decision=decision)
    return GoldDecision.objects.create(hit=hit, decision=decision, text=text, reviewer=reviewer)


@transaction.atomic
def undo(hit: Hit, *, reviewer: User | None) -> bool:
    """Take back the decision; False where none stands."""
    Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    last = _standing([hit]).get(hit.pk)
    if last is None:
        return False
    GoldDecision.objects.create(hit=hit, decision=doubt.REOPENED, text=last.text, reviewer=reviewer)
    recording.record("gold decided", hit, decision=doubt.REOPENED)
    return True


def changes(batch: Batch) -> dict[int, GoldDecision]:
    """The decisions that change an answer, by item."""
    rows = GoldDecision.objects.filter(hit__batch=batch).select_related("hit").order_by("pk")
    last = {row.hit.item_id: row for row in rows}
    return {item: row for item, row in last.items() if row.decision in doubt.CHANGING}


def correct(
    batch: Batch, dataset: Dataset, *, name: str, user: User | None = None, tell: Told = silent
) -> dict[str, Any]:
    """Make a version of the dataset with the gold that was decided in the batch; the dataset stays as it is.

    Returns {"datasets": {name: size}, "read", "kept", "dropped", "figures"}. The same decisions under the same name
    change nothing; raises Refused where no decision changes an item of the dataset, or the name is taken.
    """
    changed = changes(batch)
    places = dict(dataset.items.filter(pk__in=changed).values_list("pk", "position"))
    made = {pk: changed[pk] for pk in places}
    if not made:
        raise Refused(_("No decision changes an answer of this dataset."))
    decided = sorted((places[pk], row.decision, row.text) for pk, row in made.items())
    counted = Counter(each.decision for each in made.values())
    options = {"batch": batch.slug, "aliases": counted[doubt.ALIAS], "corrections": counted[doubt.CORRECTION]}
    lineage = {"source": dataset.slug, "how": HOW, "options": options, "seed": 0, "version": code_version()}
    digest = hashlib.sha256(to_text([dataset.digest, lineage, decided]).encode()).hexdigest()
    if already_there(batch.project, name, digest, "jsonl"):
        return {"datasets": {name: dataset.size}, "already_there": True}
    columns = {"licence": dataset.licence, "source": dataset.source, "root": dataset.root or dataset}
    filler = Filler(reserve(batch.project, name, format="jsonl", lineage=lineage, created_by=user, **columns))
    try:
        for item in dataset.items.usable().order_by("position").iterator(chunk_size=CHUNK):
            filler.add(_changed(item.example, batch, made.get(item.pk)), key=item.group_key)
            tell(filler.size, dataset.size)
        filler.write()
        report = {"read": filler.size, "kept": filler.size, "dropped": {}, "figures": options}
        filler.show(report, sha256=digest)
    except BaseException:
        remove_dataset(filler.dataset)
        raise
    return {"datasets": {name: filler.size}, **report}


def _changed(example: Example, batch: Batch, row: GoldDecision | None) -> Example:
    """The example with corrected gold, and what gold was before."""
    if row is None:
        return example
    was = {"batch": batch.slug, "decision": row.decision, "answers": list(example.answers)}
    after = doubt.corrected(example, row.decision, row.text)
    return replace(after, extra={**after.extra, doubt.CORRECTED: was | {"answerable": example.answerable}})
