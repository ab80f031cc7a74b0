"""What a project's webhooks are told: an event is a row in the transaction of what happened.

`Project.webhook_kinds` says what anybody asks for, and comes with the project: where nobody asks, nothing is queried.
No event holds an answer, gold, a name or an address; people are pseudonyms.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Sum

from annotation.models import (
    Assignment,
    Batch,
    BatchNews,
    Dataset,
    Hit,
    Job,
    Payment,
    Project,
    Review,
    User,
    WebhookEvent,
    clock,
)
from annotation.pure import webhooks


def asked(project: Project, kind: str) -> bool:
    """Whether any webhook of the project asks for events of that kind."""
    return kind in project.webhook_kinds.split()


def tell(project: Project, type: str, /, **facts: Any) -> None:
    """Write an event down where somebody asks for its kind."""
    if asked(project, webhooks.TYPES[type]):
        write(project, webhooks.TYPES[type], type, **facts)


def write(project: Project, kind: str, type: str, /, *, spread: bool = False, **facts: Any) -> WebhookEvent:
    """Write an event down; `spread`: its deliveries are written already."""
    content = webhooks.content(type, clock.now(), {"project": project.slug, **facts})
    return WebhookEvent.objects.create(project=project, kind=kind, content=content, spread=spread)


def submitted(row: Assignment, hit: Hit, *, revision: int, late: bool, counts: bool) -> None:
    """Somebody submitted an answer, or changed it. `row` comes with its batch and the batch's project."""
    project = row.batch.project
    if asked(project, webhooks.SUBMISSION):
        type = "assignment.submitted" if revision == 1 else "assignment.revised"
        tell(project, type, **_whose(row, hit), revision=revision, late=late, counts=counts)


def reviewed(review: Review, row: Assignment, reviewer: User | None) -> None:
    """A requester decided on an answer, or took that back."""
    project = row.batch.project
    if asked(project, webhooks.VERDICT):
        by = project.reviewer_pseudonym(reviewer.pk) if reviewer else None
        facts = {"revision": review.revision, "decision": review.decision, "reviewer": by}
        tell(project, "answer.reviewed", **_whose(row, row.hit), **facts)


def approved(row: Assignment, *, source: str, reward: Payment) -> None:
    """An answer is paid for; `source`: a requester, time, a policy or another program decided so."""
    _decided(row, "assignment.approved", source=source, amount=f"{reward.amount:.2f}")


def rejected(row: Assignment, *, source: str) -> None:
    """An answer is not paid for."""
    _decided(row, "assignment.rejected", source=source)


def bonus(row: Assignment, payment: Payment) -> None:
    """More was paid for an answer than its reward."""
    _decided(row, "bonus.paid", kind=payment.kind, amount=f"{payment.amount:.2f}")


def _decided(row: Assignment, type: str, /, **facts: str) -> None:
    project = row.batch.project
    if asked(project, webhooks.PAY):
        tell(project, type, **_whose(row, row.hit), **facts)


def _whose(row: Assignment, hit: Hit) -> dict[str, str]:
    worker = row.batch.project.pseudonym(row.worker_id)
    return {"batch": row.batch.slug, "hit": hit.public_id, "assignment": row.public_id, "worker": worker}


def voided(hit: Hit, *, back: bool = False) -> None:
    """A HIT was taken out of the scores, or counts again."""
    type = "hit.restored" if back else "hit.voided"
    tell(hit.batch.project, type, batch=hit.batch.slug, hit=hit.public_id)


def gathered(batch: Batch, dataset: Dataset, *, items: int) -> None:
    """The verdicts of a batch became a dataset."""
    tell(batch.project, "dataset.gathered", batch=batch.slug, dataset=dataset.slug, items=items)


def moved(batch: Batch) -> None:
    """A batch was opened, paused or closed; what it had come to by then is told before that it was closed."""
    if batch.state == Batch.State.CLOSED:
        notice(batch)
    type = {Batch.State.OPEN: "opened", Batch.State.PAUSED: "paused", Batch.State.CLOSED: "closed"}[batch.state]
    tell(batch.project, f"batch.{type}", batch=batch.slug, task=batch.task, hits=batch.size)


def job_ended(job: Job, state: str) -> None:
    """A job is done, or failed for good."""
    tell(job.project, "job.ended", job=job.public_id, kind=job.kind, state=state)


def notice_due() -> int:
    """Tell of each tenth of the wanted answers that is in, where somebody asks; how many batches have news."""
    asking = Project.objects.filter(webhook_kinds__contains=webhooks.PROGRESS)
    under_way = [Batch.State.OPEN, Batch.State.PAUSED]
    rows = Batch.objects.filter(project__in=asking, state__in=under_way).select_related("project")
    return sum(notice(batch) for batch in rows)


@transaction.atomic
def notice(batch: Batch) -> bool:
    """Tell how far a batch has come, if another tenth is in since it was last told; whether so.

    Where more answers are wanted than before, the tenths that are open again are told again once they are in.
    """
    if not asked(batch.project, webhooks.PROGRESS):
        return False
    hits = batch.hits.filter(voided_at__isnull=True, check_item=False)
    come = hits.aggregate(wanted=Sum("wanted", default=0), done=Sum("done", default=0))
    tenths = 10 * come["done"] // come["wanted"] if come["wanted"] else 0
    before, _made = BatchNews.objects.get_or_create(batch=batch)
    mine = tenths != before.tenths and BatchNews.objects.filter(batch=batch, tenths=before.tenths).update(tenths=tenths)
    if not mine or tenths < before.tenths:
        return False
    type = "batch.completed" if tenths == 10 else "batch.progress"
    tell(batch.project, type, batch=batch.slug, percent=10 * tenths, **come)
    return True
