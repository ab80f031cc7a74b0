"""Workers whom a marketplace sends into its iframe: the address that it is given, who comes by it, how they leave.

The frame has no cookies and no session. The address is signed for the HIT and not for a person, so that nobody can
guess another one; who came by it holds a token, bound to their assignment, for as long as the assignment may last.
"""

from __future__ import annotations

import re
import secrets
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer, dumps, loads
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.flow import assigning, joining, qualifying
from annotation.flow.refusal import Refused
from annotation.models import Arrival, Assignment, Connection, Hit, Publication, Worker, clock
from annotation.pure import lifecycle

ADDRESS, TOKEN = "annotation.frame.address", "annotation.frame.token"  # what the signatures are for
NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
GRACE = timedelta(hours=1)  # that a token outlives its assignment's lease
SILENCE = timedelta(minutes=1)  # after which a place may go to the next whom the marketplace sends
EXTERNAL_SUBMIT = "/mturk/externalSubmit"
REFERENCE, DIGEST = "submission", "digest"  # the fields that the marketplace keeps for us
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9A-Fa-f:]+\](:[0-9]{1,5})?")


class TurnedAway(Refused):
    """The worker cannot do this HIT, and should return it on the marketplace."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a marketplace adds to the address, as it came."""

    assignment: str = ""
    hit: str = ""
    worker: str = ""
    submit_to: str = ""

    @property
    def is_preview(self) -> bool:
        return self.assignment in {"", NOT_AVAILABLE}


def frame_path(hit: Hit) -> str:
    """The path with its query, on this site, that a marketplace shows for the HIT; the same each time."""
    return f"/frame/{hit.public_id}/?k={signature(hit)}"


def signature(hit: Hit) -> str:
    """What proves that an address of the HIT came from us."""
    return Signer(salt=ADDRESS).signature(hit.public_id)


def is_ours(public_id: str, signed: str) -> bool:
    """Whether the signature is the one that `frame_path` gives the HIT of that public id."""
    signer = Signer(salt=ADDRESS)
    try:
        return signer.unsign(f"{public_id}{signer.sep}{signed}") == public_id
    except BadSignature:
        return False


def worker_origin(connection: Connection) -> str:
    """Scheme, host and port of the marketplace's pages, empty where what was configured is no origin."""
    origin = connection.worker_origin.removesuffix("/")
    return origin if ORIGIN.fullmatch(origin) else ""


def arrive(hit: Hit, entry: Entry) -> Arrival:
    """Bind whom the marketplace sent to an assignment of ours, the same each time they come. Raises TurnedAway.

    Marketplaces give an assignment's id out again: whoever had it before leaves the place and keeps the draft.
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
        raise TurnedAway(_("This page was opened by a marketplace that it does not belong to."))
    if not all(ID.fullmatch(name) for name in (entry.assignment, entry.worker)):
        raise TurnedAway(_("The marketplace did not say who you are. Please accept the HIT once more."))
    if publication.external_id and entry.hit != publication.external_id:
        raise TurnedAway(_("The marketplace opened the page of another HIT."))


def _place(arrival: Arrival, worker: Worker, hit: Hit) -> Assignment:
    if arrival.publication_id != hit.publication.pk:
        raise TurnedAway(_("The marketplace opened the page of another HIT."))
    _pass_on(arrival)
    mine = Assignment.objects.filter(hit=hit, worker=worker).first()
    if mine is not None and mine.state == lifecycle.SUBMITTED:
        return mine
    if mine is None or mine.state != lifecycle.ACCEPTED:
        _ask_whether_they_may(worker, hit)
    seat = assigning.sit_down(worker, hit.batch)
    row = assigning.accept_hit(seat, hit, apart=True)
    if row is None:
        _ask_whether_they_met(worker, hit)  # in another frame at this instant
    if row is None and _free_silent_place(hit):
        row = assigning.accept_hit(seat, hit, apart=True)
    if row is None:
        raise TurnedAway(_("Others are doing this HIT already, or have done it."))
    return row


def _pass_on(arrival: Arrival) -> None:
    """Take the place of whoever held the same assignment of the marketplace before; refuse one who came before."""
    same = {"connection": arrival.connection_id, "external_assignment": arrival.external_assignment}
    others = Arrival.objects.filter(**same).exclude(pk=arrival.pk)
    if others.filter(pk__gt=arrival.pk, assignment__state__in=assigning.ALIVE_OR_DONE).exists():
        raise TurnedAway(_("The marketplace has given this assignment to somebody else. What you had is kept."))
    for former in others.filter(assignment__state=lifecycle.ACCEPTED).select_related("assignment"):
        assigning.give_back(former.assignment)


def _ask_whether_they_may(worker: Worker, hit: Hit) -> None:
    asked = copy(worker)
    asked.consented_version = hit.batch.project.consent_version  # that is asked inside the frame
    hindered = assigning.obstacle(asked, hit.batch)
    if hindered == "unqualified":  # the marketplace judges who is; but it learns late whom we exclude
        lacks = qualifying.lacks(asked, hit.batch)
        hindered = "excluded" if any(lack.requirement.comparator == "DoesNotExist" for lack in lacks) else ""
    if hindered == "closed" or hit.voided_at is not None:
        raise TurnedAway(_("This work is closed for now."))
    if hindered == "paused":
        raise TurnedAway(_("Your part in this work is paused. What you submitted stays and is paid as promised."))
    if hindered:
        raise TurnedAway(_("This work is not open to you."))
    _ask_whether_they_met(worker, hit)


def _ask_whether_they_met(worker: Worker, hit: Hit) -> None:
    if assigning.has_met(worker, hit):
        raise TurnedAway(_("You have had an item that belongs together with this one, so it cannot be yours as well."))


def _free_silent_place(hit: Hit) -> bool:
    """Free the place that was quiet for longest. The marketplace sends nobody while all are at work, so that one left.

    If they did not, their draft stays theirs, and what they submit is stored as late and counts if there is room.
    """
    heard = Coalesce("draft_saved_at", "accepted_at")
    live = Assignment.objects.filter(hit=hit, state=lifecycle.ACCEPTED).annotate(heard=heard)
    quiet = live.filter(heard__lt=Now() - SILENCE, accepted_at__lt=Now() - SILENCE).order_by("heard").first()
    return quiet is not None and assigning.give_back(quiet)


@transaction.atomic
def _attach(arrival: Arrival, row: Assignment) -> Arrival:
    """Note whose assignment it is. One who accepted again on the marketplace goes on with the same one."""
    Arrival.objects.filter(assignment=row).exclude(pk=arrival.pk).update(assignment=None)
    remote = {name: told for name, told in arrival.remote.items() if name != "turned_away"}
    Arrival.objects.filter(pk=arrival.pk).update(assignment=row, remote=remote)
    return _arrivals().get(pk=arrival.pk)


def _arrivals() -> Any:
    return Arrival.objects.select_related(
        "publication", "assignment__hit", "assignment__batch__project", "assignment__batch__connection",
        "assignment__worker__project", "connection",
    )  # fmt: skip


def token_for(arrival: Arrival) -> str:
    """A token that opens this assignment to this worker, and nothing else, until its lease and the grace are over."""
    row = arrival.assignment
    lease = timedelta(seconds=2 * row.batch.lease_seconds)  # it can be prolonged once
    until = clock.now() + lease + GRACE
    bound = {"arrival": arrival.pk, "nonce": secrets.token_urlsafe(32), "until": int(until.timestamp()), **_bound(row)}
    return dumps(bound, salt=TOKEN)


def _bound(row: Assignment) -> dict[str, int]:
    return {"assignment": row.pk, "worker": row.worker_id, "project": row.batch.project_id}


def holder(token: str) -> Arrival | None:
    """Whoever holds the token, with their assignment; None when it is none of ours, is over or was passed on."""
    try:
        said = loads(token, salt=TOKEN)
    except (BadSignature, ValueError):
        return None
    if said["until"] < clock.now().timestamp():
        return None
    arrival = _arrivals().filter(pk=said["arrival"], assignment__isnull=False).first()
    return arrival if arrival and _bound(arrival.assignment).items() <= said.items() else None


def address(arrival: Arrival) -> str:
    """The frame's own address with what the marketplace had added: where one comes back to."""
    said = {
        "assignmentId": arrival.external_assignment,
        "hitId": arrival.publication.external_id or "",
        "workerId": arrival.external_worker,
        "turkSubmitTo": worker_origin(arrival.connection),
    }
    return f"{frame_path(arrival.assignment.hit)}&{urlencode(said)}"


def read_guide(arrival: Arrival, *, version: int) -> None:
    """Note that the guide was read in the frame, where the assignment is there before the guide."""
    row = arrival.assignment
    joining.read_guide(assigning.sit_down(row.worker, row.batch), version=version)
    under_way = Assignment.objects.filter(pk=row.pk, state=lifecycle.ACCEPTED, guide_version__lt=version)
    under_way.update(guide_version=version)


@dataclass(frozen=True, slots=True)
class Leaving:
    """The form that a browser posts to the marketplace once the answer is stored with us."""

    action: str
    fields: dict[str, str]


def leave(arrival: Arrival) -> Leaving:
    """What the browser posts to the marketplace: the assignment, and by what we find the answer. Notes when, once."""
    row = arrival.assignment
    answer = row.current
    Arrival.objects.filter(Q(posted_at=None), pk=arrival.pk).update(posted_at=Now())
    fields = {"assignmentId": arrival.external_assignment, REFERENCE: row.public_id, DIGEST: answer.digest}
    return Leaving(f"{worker_origin(arrival.connection)}{EXTERNAL_SUBMIT}", fields)
