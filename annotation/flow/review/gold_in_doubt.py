"""Gold in doubt: items on which workers agree with each other but not with gold, and corrected copies of datasets."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.flow.data.derivation import code_version
from annotation.flow.data.item_writer import OnProgress, already_there, filling, no_progress
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.flow.review import conclusions
from annotation.flow.review.conclusions import SAVED_ONLY, UnsavedConclusions
from annotation.flow.work.submitted_responses import submitted_answers
from annotation.models import Batch, Dataset, GoldDecision, Hit, User
from annotation.models.fields import to_text
from annotation.pure.data.example import Example
from annotation.pure.review import gold_corrections
from annotation.registry import task_type
from annotation.tasktype import Doubtful, capabilities

HOW = "gold-corrections"  # in a lineage, in the place of a derivation's name
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Doubt:
    """Gold in doubt: `votes` of `answers` responses are `text`, which differs from gold; `decision` may be empty."""

    pk: int
    public_id: str
    text: str
    votes: int
    answers: int
    decision: str = ""


def is_detectable(batch: Batch) -> bool:
    """Whether the batch's task compares majority answers with gold."""
    return isinstance(task_type(batch.task), Doubtful)


def hits_in_doubt(batch: Batch, *, fresh: UnsavedConclusions = SAVED_ONLY) -> QuerySet[Hit]:
    """HITs with gold in doubt as far as worked out (flow/review/conclusions), decided or not, in order of items."""
    rows = batch.hits.filter(fresh.is_in_doubt(), excluded_at__isnull=True)
    return rows.select_related("item__dataset").order_by("item_id")


def undecided(batch: Batch, *, fresh: UnsavedConclusions = SAVED_ONLY) -> QuerySet[Hit]:
    """Those of `hits_in_doubt` without a decision."""
    return hits_in_doubt(batch, fresh=fresh).exclude(pk__in=_standing(batch.hits.filter(fresh.is_in_doubt())))


def doubts(batch: Batch) -> list[Doubt]:
    """All doubts as of now, decided or not, in the order of their items; slow where many HITs have changed."""
    return doubts_about(batch, list(hits_in_doubt(batch, fresh=conclusions.fresh(batch))))


def doubt_of(hit: Hit) -> Doubt | None:
    """The doubt about one HIT's gold."""
    return next(iter(doubts_about(hit.batch, [hit])), None)


def doubts_about(batch: Batch, hits: list[Hit]) -> list[Doubt]:
    """The doubts about these HITs' gold; HITs without one are left out."""
    if not is_detectable(batch):
        return []
    task, answers, found = task_type(batch.task), submitted_answers(batch, hits), []
    decisions = _standing(hits)
    for hit in hits:
        doubt = capabilities.doubt(task, hit.payload, [row.answer for row in answers[hit.pk]], hit.item.example)
        if doubt:
            last = decisions.get(hit.pk)
            found.append(Doubt(hit.pk, hit.public_id, **doubt, decision=last.decision if last else ""))
    return found


def _standing(hits: Iterable[Hit]) -> dict[int, GoldDecision]:
    """The last decision by HIT, unless it was undone."""
    last = {row.hit_id: row for row in GoldDecision.objects.filter(hit__in=hits).order_by("pk")}
    return {pk: row for pk, row in last.items() if row.decision != gold_corrections.REOPENED}


@transaction.atomic
def decide(hit: Hit, decision: str, *, text: str, reviewer: User | None) -> GoldDecision:
    """Decide on gold in doubt; `text` is the workers' answer that was shown. Refused if they now disagree."""
    # Lock: two requesters who decide at the same time see each other's decision.
    Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    found = doubt_of(hit)
    if found is None or found.text != text:
        raise Refused(_("The responses to this item have changed in the meantime. Please look at it again."))
    if decision not in gold_corrections.CHANGING | {gold_corrections.STANDS}:
        raise Refused(_("Choose what to do with the gold answer."))
    if decision == gold_corrections.ALIAS and not gold_corrections.may_be_alias(hit.item.example, text):
        raise Refused(_("An alias cannot link an answer with “no answer”. Correct the gold answer or keep it."))
    audit_log.record("gold decided", hit, decision=decision)
    return GoldDecision.objects.create(hit=hit, decision=decision, text=text, reviewer=reviewer)


@transaction.atomic
def undo(hit: Hit, *, reviewer: User | None) -> bool:
    """Undo the decision; False if there is none."""
    # Lock: only one of two requests undoes the decision.
    Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    last = _standing([hit]).get(hit.pk)
    if last is None:
        return False
    GoldDecision.objects.create(hit=hit, decision=gold_corrections.REOPENED, text=last.text, reviewer=reviewer)
    audit_log.record("gold decided", hit, decision=gold_corrections.REOPENED)
    return True


def changes(batch: Batch) -> dict[int, GoldDecision]:
    """Decisions that change an answer, by item."""
    rows = GoldDecision.objects.filter(hit__batch=batch).select_related("hit").order_by("pk")
    last = {row.hit.item_id: row for row in rows}
    return {item: row for item, row in last.items() if row.decision in gold_corrections.CHANGING}


def correct(
    batch: Batch, dataset: Dataset, *, name: str, user: User | None = None, progress: OnProgress = no_progress
) -> dict[str, Any]:
    """Create a copy of the dataset with the gold as decided in the batch.

    Returns {"datasets": {name: size}, "read", "kept", "dropped", "figures"}. The same decisions under the same name
    change nothing; raises Refused if no decision changes an item of the dataset, or the name is taken.
    """
    changed = changes(batch)
    places = dict(dataset.items.filter(pk__in=changed).values_list("pk", "position"))
    made = {pk: changed[pk] for pk in places}
    if not made:
        raise Refused(_("The answers of this dataset cannot be changed by a decision."))
    decided = sorted((places[pk], row.decision, row.text) for pk, row in made.items())
    counted = Counter(each.decision for each in made.values())
    numbers = {"aliases": counted[gold_corrections.ALIAS], "corrections": counted[gold_corrections.CORRECTION]}
    options = {"batch": batch.slug, **numbers}
    lineage = {"source": dataset.slug, "how": HOW, "options": options, "seed": 0, "version": code_version()}
    digest = hashlib.sha256(to_text([dataset.digest, lineage, decided]).encode()).hexdigest()
    if already_there(batch.project, name, digest, "jsonl"):
        return {"datasets": {name: dataset.size}, "already_there": True}
    columns = {"licence": dataset.licence, "source": dataset.source, "root": dataset.root or dataset}
    columns |= {"ethics": dataset.ethics, "consent": dataset.consent}
    with filling(batch.project, name, format="jsonl", lineage=lineage, created_by=user, **columns) as filler:
        for item in dataset.items.usable().order_by("position").iterator(chunk_size=CHUNK):
            filler.add(_changed(item.example, batch, made.get(item.pk)), key=item.group_key)
            progress(filler.size, dataset.size)
        filler.write()
        report = {"read": filler.size, "kept": filler.size, "dropped": {}, "figures": options}
        filler.show(report, sha256=digest)
    return {"datasets": {name: filler.size}, **report}


def _changed(example: Example, batch: Batch, row: GoldDecision | None) -> Example:
    """The example with corrected gold, keeping the former gold in its provenance."""
    if row is None:
        return example
    was = {"batch": batch.slug, "decision": row.decision, "answers": list(example.answers)}
    after = gold_corrections.corrected(example, row.decision, row.text)
    return replace(after, extra={**after.extra, gold_corrections.CORRECTED: was | {"answerable": example.answerable}})
