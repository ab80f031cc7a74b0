"""Workers: kept out, let in again, and written to."""

from __future__ import annotations

from annotation.flow import messaging, qualifying
from annotation.models import Assignment, Worker, WorkerBlock
from annotation.mturk_api import paging, rows
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller, operation

MOST_WORKERS, MOST_BLOCKS = 100, 100_000
SOFT, HARD = "SoftFailure", "HardFailure"


@operation("CreateWorkerBlock")
def create_worker_block(caller: Caller, request: JSON) -> JSON:
    """No more work for this worker; a second block changes its reason, which they never see."""
    worker = rows.worker(caller, request["WorkerId"])
    if not request["Reason"].strip():
        raise WireError("Reason must not be empty.", code="InvalidParameterValue")
    if WorkerBlock.objects.filter(worker__project=caller.project).count() >= MOST_BLOCKS:
        raise WireError(f"You can block at most {MOST_BLOCKS} Workers.", code="InvalidParameterValue")
    qualifying.block(worker, request["Reason"])
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(caller: Caller, request: JSON) -> JSON:
    """Who is not blocked stays so."""
    qualifying.unblock(rows.worker(caller, request["WorkerId"]))
    return {}


@operation("ListWorkerBlocks")
def list_worker_blocks(caller: Caller, request: JSON) -> JSON:
    found = WorkerBlock.objects.filter(worker__project=caller.project).select_related("worker")
    page, about = paging.page(found, request)
    return about | {"WorkerBlocks": [{"WorkerId": row.worker.public_id, "Reason": row.reason} for row in page]}


@operation("NotifyWorkers")
def notify_workers(caller: Caller, request: JSON) -> JSON:
    """Write to the inbox of each worker whose work the caller decided on; who cannot be told is listed, no error."""
    wanted = list(dict.fromkeys(request["WorkerIds"]))
    subject, text = request["Subject"], request["MessageText"]
    _check(request["WorkerIds"], subject, text)
    found = {worker.public_id: worker for worker in Worker.objects.filter(project=caller.project, public_id__in=wanted)}
    decided = set(
        Assignment.objects.filter(worker__in=found.values())
        .exclude(approval="")
        .values_list("worker__public_id", flat=True)
    )
    failures = []
    for public_id in wanted:
        failure = _hindrance(found.get(public_id), known=public_id in decided)
        if failure:
            code, message = failure
            failures.append(
                {"NotifyWorkersFailureCode": code, "NotifyWorkersFailureMessage": message, "WorkerId": public_id}
            )
        else:
            messaging.send(found[public_id], subject, text, author=caller.key.user)
    return {"NotifyWorkersFailureStatuses": failures}


def _check(workers: list[str], subject: str, text: str) -> None:
    if not 1 <= len(workers) <= MOST_WORKERS:
        raise WireError(f"WorkerIds must name 1 to {MOST_WORKERS} Workers.", code="InvalidParameterValue")
    if not subject.strip() or len(subject) > messaging.LONGEST_SUBJECT:
        raise WireError(f"Subject must have 1 to {messaging.LONGEST_SUBJECT} characters.", code="InvalidParameterValue")
    if not text.strip() or len(text) > messaging.LONGEST_TEXT:
        raise WireError(
            f"MessageText must have 1 to {messaging.LONGEST_TEXT} characters.", code="InvalidParameterValue"
        )


def _hindrance(worker: Worker | None, *, known: bool) -> tuple[str, str] | None:
    if worker is None:
        return HARD, "WorkerId is invalid."
    if not known:
        return HARD, "You have not approved or rejected work of this Worker, so you cannot write to them."
    if not worker.active:
        return SOFT, "This Worker takes no part at the moment."
    return None
