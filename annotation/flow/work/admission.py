"""Whether a worker may work on a batch now, and if not, why."""

from __future__ import annotations

from django.db.models import Exists

from annotation.flow.batches import hidden_gold
from annotation.flow.people import qualification_types
from annotation.models import Batch, Worker, WorkerBlock


def obstacle(worker: Worker, batch: Batch, *, act: str = "accept") -> str:
    """Why the worker may not `act` (discover, preview, accept) on the batch now, or "".

    One of `inactive`, `consent`, `closed`, `blocked`, `not_chosen`, `paused`, `unqualified`.
    """
    if not worker.active:
        return "inactive"
    if not worker.consented:
        return "consent"
    if batch.state != Batch.State.OPEN:
        return "closed"
    if batch.on_marketplace and worker.user_id:  # workers with an account here do it on its marketplace instead
        return "not_chosen"
    return (
        _shut_out(worker, batch)
        or _stopped(worker, batch)
        or ("unqualified" if qualification_types.lacks(worker, batch, act=act) else "")
    )


def _stopped(worker: Worker, batch: Batch) -> str:
    return "paused" if hidden_gold.is_paused(worker, batch) else ""


def _shut_out(worker: Worker, batch: Batch) -> str:
    """Whether the worker is blocked, or the batch is for others; one query, because every claim asks."""
    chosen = Batch.workers.through.objects.filter(batch=batch.pk)
    asked = (
        Exists(WorkerBlock.objects.filter(worker=worker.pk)),
        Exists(chosen),
        Exists(chosen.filter(worker=worker.pk)),
    )
    blocked, choosy, among_them = Worker.objects.filter(pk=worker.pk).values_list(*asked).get()
    if blocked:
        return "blocked"
    return "not_chosen" if choosy and not among_them else ""
