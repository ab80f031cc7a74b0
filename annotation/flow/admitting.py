"""Whether a worker may work on a batch now, and what stands in the way."""

from __future__ import annotations

from django.db.models import Exists

from annotation.flow import checking, qualifying
from annotation.models import Batch, Worker, WorkerBlock


def obstacle(worker: Worker, batch: Batch, *, act: str = "accept") -> str:
    """Why the worker may not `act` (discover, preview, accept) on the batch now, or nothing.

    One of `inactive`, `consent`, `closed`, `blocked`, `not_chosen`, `paused`, `unqualified` (qualifying.lacks).
    """
    if not worker.active:
        return "inactive"
    if not worker.consented:
        return "consent"
    if batch.state != Batch.State.OPEN:
        return "closed"
    if batch.connection_id and worker.user_id:  # theirs to do only on the marketplace where it is published
        return "not_chosen"
    return (
        _shut_out(worker, batch)
        or _stopped(worker, batch)
        or ("unqualified" if qualifying.lacks(worker, batch, act=act) else "")
    )


def _stopped(worker: Worker, batch: Batch) -> str:
    return "paused" if checking.is_paused(worker, batch) else ""


def _shut_out(worker: Worker, batch: Batch) -> str:
    """Whether the project blocks the worker, or the batch is for others; one query, since every claim asks."""
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
