"""Workers: block, unblock, notify; and notifications of events."""

from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types
from annotation.models import Assignment, Worker, WorkerBlock
from annotation.mturk_api import rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value, operation
from annotation.mturk_api.flow import notifications
from annotation.mturk_api.models import NotificationSetting
from annotation.pure.mturk.notification_events import BadDestination

MOST_WORKERS, MOST_BLOCKS = 100, 100_000  # the first as NotifyWorkers has it
SOFT, HARD = "SoftFailure", "HardFailure"


@operation("CreateWorkerBlock")
def create_worker_block(caller: Caller, request: JSON) -> JSON:
    """Block a worker; a second block changes the reason, which they never see."""
    worker = rows.worker(caller, request["WorkerId"])
    if not request["Reason"].strip():
        raise invalid_value("Reason must not be empty.")
    if WorkerBlock.objects.filter(worker__project=caller.project).count() >= MOST_BLOCKS:
        raise invalid_value(f"You can block at most {MOST_BLOCKS} Workers.")
    qualification_types.block(worker, request["Reason"])
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(caller: Caller, request: JSON) -> JSON:
    """Unblock a worker; no effect if they are not blocked."""
    qualification_types.unblock(rows.worker(caller, request["WorkerId"]))
    return {}


@operation("ListWorkerBlocks", atomic=False)
def list_worker_blocks(caller: Caller, request: JSON) -> JSON:
    found = WorkerBlock.objects.filter(worker__project=caller.project).select_related("worker")
    page, about = rows.page(found, request)
    return about | {"WorkerBlocks": [{"WorkerId": row.worker.public_id, "Reason": row.reason} for row in page]}


@operation("NotifyWorkers")
def notify_workers(caller: Caller, request: JSON) -> JSON:
    """Send a message to workers with decided work; returns the workers who cannot be reached, without an error."""
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
            worker_messages.send(found[public_id], subject, text, author=caller.key.user)
    return {"NotifyWorkersFailureStatuses": failures}


def _check(workers: list[str], subject: str, text: str) -> None:
    if not 1 <= len(workers) <= MOST_WORKERS:
        raise invalid_value(f"WorkerIds must name 1 to {MOST_WORKERS} Workers.")
    if not subject.strip() or len(subject) > worker_messages.LONGEST_SUBJECT:
        raise invalid_value(f"Subject must have 1 to {worker_messages.LONGEST_SUBJECT} characters.")
    if not text.strip() or len(text) > worker_messages.LONGEST_TEXT:
        raise invalid_value(f"MessageText must have 1 to {worker_messages.LONGEST_TEXT} characters.")


def _hindrance(worker: Worker | None, *, known: bool) -> tuple[str, str] | None:
    if worker is None:
        return HARD, "WorkerId is invalid."
    if not known:
        return HARD, "You have not approved or rejected work of this Worker, so you cannot write to them."
    if not worker.active:
        return SOFT, "This Worker takes no part at the moment."
    return None


@operation("UpdateNotificationSettings")
def update_notification_settings(caller: Caller, request: JSON) -> JSON:
    """Set the destination of events, whether they are sent, or both."""
    hit_type = rows.hit_type(caller, request["HITTypeId"])
    if not {"Notification", "Active"} & request.keys():
        raise invalid_value("Either Notification or Active must be specified.")
    wanted = _specified(caller, request["Notification"]) if "Notification" in request else None
    notifications.change(hit_type, wanted=wanted, active=request.get("Active"))
    return {}


@operation("SendTestEventNotification")
def send_test_event_notification(caller: Caller, request: JSON) -> JSON:
    """Send a test event of that kind, whether or not the specification lists it."""
    notifications.test(caller.project, _specified(caller, request["Notification"], test=True), request["TestEventType"])
    return {}


def _specified(caller: Caller, specification: JSON, *, test: bool = False) -> NotificationSetting:
    try:
        return notifications.specify(
            destination=specification["Destination"],
            transport=specification["Transport"],
            version=specification["Version"],
            kinds=specification["EventTypes"],
            key=caller.key,
            test=test,
        )
    except BadDestination as bad:
        raise RequestError(
            f"The notification specification is invalid: {bad}.", code="InvalidTransportEndpoint"
        ) from None
