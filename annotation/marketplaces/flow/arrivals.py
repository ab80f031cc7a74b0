"""Workers in a marketplace's iframe: the frame's URL, their assignment, and the return to the marketplace.

The frame has no cookies and no session. Its URL is signed for the HIT, not for a person, so that URLs
cannot be guessed; a worker who opens it gets a token bound to their assignment, valid as long as that lasts.
"""

import re
import secrets
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer, dumps, loads
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import qualification_types
from annotation.flow.work import leases, next_assignment, open_work
from annotation.flow.work.met_groups import ALIVE_OR_DONE
from annotation.marketplaces.models import Arrival, Connection, Publication
from annotation.models import Assignment, Hit, Worker, clock
from annotation.pure.batches import lifecycle

ADDRESS, TOKEN = "annotation.frame.address", "annotation.frame.token"  # salts of the signatures
NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
GRACE = timedelta(hours=1)  # by which a token outlives its assignment's lease
SILENCE = timedelta(minutes=1)  # after which an assignment may go to the next worker from the marketplace
EXTERNAL_SUBMIT = "/mturk/externalSubmit"
REFERENCE, DIGEST = "submission", "digest"  # fields that the marketplace stores for us
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9A-Fa-f:]+\](:[0-9]{1,5})?")


class TurnedAway(Refused):
    """The worker cannot do this HIT, and should return it on the marketplace."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The parameters that the marketplace appends to the URL."""

    assignment: str = ""
    hit: str = ""
    worker: str = ""
    submit_to: str = ""

    @property
    def is_preview(self) -> bool:
        return self.assignment in {"", NOT_AVAILABLE}


def frame_path(hit: Hit) -> str:
    """The path with its query that a marketplace shows for the HIT; always the same."""
    return f"/frame/{hit.public_id}/?k={signature(hit)}"


def signature(hit: Hit) -> str:
    """The signature in the HIT's URL."""
    return Signer(salt=ADDRESS).signature(hit.public_id)


def is_signed(public_id: str, signed: str) -> bool:
    """Whether the signature is that of `frame_path` for the HIT with that public id."""
    signer = Signer(salt=ADDRESS)
    try:
        return signer.unsign(f"{public_id}{signer.sep}{signed}") == public_id
    except BadSignature:
        return False


def worker_origin(connection: Connection) -> str:
    """Scheme, host and port of the marketplace's pages; "" if the setting is invalid."""
    origin = connection.worker_origin.removesuffix("/")
    return origin if ORIGIN.fullmatch(origin) else ""


def arrive(hit: Hit, entry: Entry) -> Arrival:
    """The assignment of a worker sent by the marketplace; idempotent. Raises TurnedAway.

    Marketplaces reuse assignment ids: the former worker loses the assignment, and keeps the draft.
    """
    publication, batch = hit.publication, hit.batch
    _check(publication, entry)
    name = f"{publication.connection_id}:{entry.worker}"
    worker, _new = Worker.objects.get_or_create(project=batch.project, external_id=name)
    arrival, _new = Arrival.objects.get_or_create(
        connection=publication.connection,
        external_assignment=entry.assignment,
        external_worker=entry.worker,
        defaults={"publication": publication, "submit_to": worker_origin(publication.connection)},
    )
    try:
        return _attach(arrival, _place(arrival, worker, hit))
    except TurnedAway as refused:
        Arrival.objects.filter(pk=arrival.pk).update(remote=arrival.remote | {"turned_away": str(refused)})
        raise


def _check(publication: Publication, entry: Entry) -> None:
    origin = worker_origin(publication.connection)
    if not origin or entry.submit_to not in {origin, f"{origin}/"}:
        raise TurnedAway(_("This page was opened from the wrong marketplace."))
    if not all(ID.fullmatch(name) for name in (entry.assignment, entry.worker)):
        raise TurnedAway(_("The marketplace did not say who you are. Please accept the HIT again."))
    if publication.external_id and entry.hit != publication.external_id:
        raise TurnedAway(_("The marketplace opened the page of a different HIT."))


def _place(arrival: Arrival, worker: Worker, hit: Hit) -> Assignment:
    if arrival.publication_id != hit.publication.pk:
        raise TurnedAway(_("The marketplace opened the page of a different HIT."))
    _pass_on(arrival)
    existing = Assignment.objects.filter(hit=hit, worker=worker).first()
    if existing is not None and existing.state == lifecycle.SUBMITTED:
        return existing
    if existing is None or existing.state != lifecycle.ACCEPTED:
        _check_admission(worker, hit)
    participation = next_assignment.join_batch(worker, hit.batch)
    row = next_assignment.accept_hit(participation, hit, apart=True)
    if row is None:
        _ask_whether_they_met(worker, hit)  # in another frame at the same time
    if row is None and _free_silent_place(hit):
        row = next_assignment.accept_hit(participation, hit, apart=True)
    if row is None:
        raise TurnedAway(_("Other workers have taken or completed this HIT."))
    return row


def _pass_on(arrival: Arrival) -> None:
    """Take over the marketplace's assignment from its former worker; refuse a worker who returns to one."""
    same = {"connection": arrival.connection_id, "external_assignment": arrival.external_assignment}
    others = Arrival.objects.filter(**same).exclude(pk=arrival.pk)
    if others.filter(pk__gt=arrival.pk, assignment__state__in=ALIVE_OR_DONE).exists():
        raise TurnedAway(_("The marketplace has given this assignment to another worker. Your entries are kept."))
    for former in others.filter(assignment__state=lifecycle.ACCEPTED).select_related("assignment"):
        leases.return_assignment(former.work)


def _check_admission(worker: Worker, hit: Hit) -> None:
    probe = copy(worker)
    probe.consented_version = hit.batch.project.consent_version  # consent is asked for inside the frame
    hindered = open_work.obstacle(probe, hit.batch)
    if hindered == "unqualified":  # the marketplace checks qualifications, but learns late whom we exclude
        lacks = qualification_types.lacks(probe, hit.batch)
        hindered = "excluded" if any(lack.requirement.comparator == "DoesNotExist" for lack in lacks) else ""
    if hindered == "closed" or hit.excluded_at is not None:
        raise TurnedAway(_("This work is currently closed."))
    if hindered == "paused":
        raise TurnedAway(_("You are paused on this work. Your submitted responses stay and are paid as promised."))
    if hindered:
        raise TurnedAway(_("This work is not open to you."))
    if open_work.room_for(worker.pk, hit.batch) == 0:
        raise TurnedAway(_("You have done as many of these as one person may. Thank you!"))
    _ask_whether_they_met(worker, hit)


def _ask_whether_they_met(worker: Worker, hit: Hit) -> None:
    if open_work.has_met(worker, hit):
        raise TurnedAway(_("You have worked on a related item, so you cannot take this one."))


def _free_silent_place(hit: Hit) -> bool:
    """Free the assignment that was quiet for longest: as the marketplace sends somebody, one worker must have left it.

    If they did not, they keep their draft, and their response is stored as late and counts if there is room.
    """
    last_sign = Coalesce("draft_saved_at", "accepted_at")
    live = Assignment.objects.filter(hit=hit, state=lifecycle.ACCEPTED).annotate(last_sign=last_sign)
    quiet = live.filter(last_sign__lt=Now() - SILENCE, accepted_at__lt=Now() - SILENCE).order_by("last_sign").first()
    return quiet is not None and leases.return_assignment(quiet)


@transaction.atomic
def _attach(arrival: Arrival, row: Assignment) -> Arrival:
    """Link the assignment to the arrival. A worker who accepts again on the marketplace continues with the same one."""
    Arrival.objects.filter(assignment=row).exclude(pk=arrival.pk).update(assignment=None)
    remote = {name: value for name, value in arrival.remote.items() if name != "turned_away"}
    Arrival.objects.filter(pk=arrival.pk).update(assignment=row, remote=remote)
    return _arrivals().get(pk=arrival.pk)


def _arrivals() -> QuerySet[Arrival]:
    return Arrival.objects.select_related(
        "publication", "assignment__hit", "assignment__batch__project",
        "assignment__worker__project", "connection",
    )  # fmt: skip


def token_for(arrival: Arrival) -> str:
    """A token for this assignment and worker, valid until the end of its lease plus GRACE."""
    row = arrival.work
    lease = timedelta(seconds=2 * row.batch.lease_seconds)  # it can be extended once
    until = clock.now() + lease + GRACE
    bound = {"arrival": arrival.pk, "nonce": secrets.token_urlsafe(32), "until": int(until.timestamp()), **_bound(row)}
    return dumps(bound, salt=TOKEN)


def _bound(row: Assignment) -> dict[str, int]:
    return {"assignment": row.pk, "worker": row.worker_id, "project": row.batch.project_id}


def holder(token: str) -> Arrival | None:
    """The arrival of a valid token, with its assignment; None if it is invalid, expired or was passed on."""
    try:
        bound = loads(token, salt=TOKEN)
    except (BadSignature, ValueError):
        return None
    if bound["until"] < clock.now().timestamp():
        return None
    arrival = _arrivals().filter(pk=bound["arrival"], assignment__isnull=False).first()
    return arrival if arrival and _bound(arrival.work).items() <= bound.items() else None


def address(arrival: Arrival) -> str:
    """The frame's URL with the marketplace's parameters, for returning to it."""
    claims = {
        "assignmentId": arrival.external_assignment,
        "hitId": arrival.publication.external_id or "",
        "workerId": arrival.external_worker,
        "turkSubmitTo": worker_origin(arrival.connection),
    }
    return f"{frame_path(arrival.work.hit)}&{urlencode(claims)}"


def read_instructions(arrival: Arrival, *, version: int) -> None:
    """Record that the instructions were read; in the frame the assignment begins before them."""
    row = arrival.work
    next_assignment.read_instructions(next_assignment.join_batch(row.worker, row.batch), version=version)
    under_way = Assignment.objects.filter(pk=row.pk, state=lifecycle.ACCEPTED, instructions_version__lt=version)
    under_way.update(instructions_version=version)


@dataclass(frozen=True, slots=True)
class Leaving:
    """The form that a browser posts to the marketplace once the response is stored here."""

    action: str
    fields: dict[str, str]


def leave(arrival: Arrival) -> Leaving:
    """The form for the marketplace: the assignment, and ids by which we find the response. Records the time, once."""
    row = arrival.work
    digest = row.current.digest if row.current else ""
    Arrival.objects.filter(Q(posted_at=None), pk=arrival.pk).update(posted_at=Now())
    fields = {"assignmentId": arrival.external_assignment, REFERENCE: row.public_id, DIGEST: digest}
    return Leaving(f"{worker_origin(arrival.connection)}{EXTERNAL_SUBMIT}", fields)
