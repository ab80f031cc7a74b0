"""A marketplace with MTurk's protocol in a simulation: a client in front of a double, and workers from there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any
from unittest import mock

from botocore import xform_name
from botocore.exceptions import ClientError, ReadTimeoutError
from django.db.models import QuerySet

from annotation.flow.batches import add_assignments
from annotation.flow.review import assignment_approval
from annotation.flow.work import submissions
from annotation.marketplaces.flow import arrivals, payments, publications
from annotation.marketplaces.flow.arrivals import Entry
from annotation.marketplaces.flow.connections import HitSession, Patience
from annotation.marketplaces.models import Arrival, Publication
from annotation.marketplaces.mturk import marketplace
from annotation.models import Assignment, Payment
from annotation.models.compiled import compiled
from annotation.models.fields import to_text
from tests.conftest import answer_to
from tests.marketplaces.fake_mturk import FakeMTurk, No
from tests.simulation.outside import Outside
from tests.simulation.world import GUESTS, ITEMS, MARKET, World

OPERATIONS = {xform_name(name[3:]): name[3:] for name in dir(FakeMTurk) if name.startswith("do_")}
TIMES = {"CreationTime", "Expiration", "SubmitTime", "ApprovalTime", "RejectionTime", "GrantTime"}
Choice = tuple[str, Callable[[], str]]


class Client:
    """As much of boto3's client as ours uses."""

    def __init__(self, outside: Outside, there: FakeMTurk) -> None:
        self._outside, self._there = outside, there

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        return partial(self._call, OPERATIONS[name])

    def _call(self, operation: str, **wish: Any) -> dict[str, Any]:
        self._outside.look(operation, wish)
        sent = {key: value.timestamp() if isinstance(value, datetime) else value for key, value in wish.items()}

        def do() -> dict[str, Any]:
            try:
                if self._outside.refuses(operation):
                    raise No("The requester's account is suspended.")
                reply: dict[str, Any] = _with_times(self._there.answer(operation, dict(sent)))
                return reply
            except No as no:
                refusal = {"Error": {"Code": no.code, "Message": str(no)}, "ResponseMetadata": {"HTTPStatusCode": 400}}
                raise ClientError(refusal, operation) from None  # type: ignore[arg-type]

        return self._outside.call(operation, do, lambda: ReadTimeoutError(endpoint_url=MARKET))


def _with_times(data: Any) -> Any:
    """A reply as boto3 gives it."""
    if isinstance(data, list):
        return [_with_times(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        name: datetime.fromtimestamp(value, UTC) if name in TIMES else _with_times(value)
        for name, value in data.items()
    }


@contextmanager
def reached(outside: Outside, there: FakeMTurk) -> Iterator[None]:
    with mock.patch.object(marketplace, "_client", return_value=Client(outside, there)):
        yield


class GuestActs:
    """A worker on the marketplace, who accepts a HIT there, does it in our frame and submits it there."""

    def __init__(self, world: World, chance: Random, name: str) -> None:
        self.world, self.there, self.chance, self.name = world, world.there, chance, name
        self.accepted: tuple[str, str] | None = None  # the HIT and the assignment there
        self.numbers = 0

    def choose(self) -> Choice:
        if self.accepted is None:
            return "accepts a HIT there", self.accept
        luck = self.chance.random()
        if luck < 0.7:
            return "submits", self.submit
        return ("opens the frame again", self.open) if luck < 0.85 else ("returns it there", self.give_back)

    def accept(self) -> str:
        done = {row["HITId"] for row in self.there.assignments.values() if row["WorkerId"] == self.name}
        taken = Counter(hit for hit, _assignment in self.world.guests.values())
        rows = [self.there._told(key) for key in sorted(self.there.hits) if key not in done]
        open_there = [row for row in rows if row["HITStatus"] == "Assignable"]
        free = [row for row in open_there if row["NumberOfAssignmentsAvailable"] > taken[row["HITId"]]]
        if not free:
            return "there is none"
        self.numbers += 1
        self.accepted = self.chance.choice(free)["HITId"], f"3{self.name}{self.numbers}"
        self.world.guests[self.name] = self.accepted
        return self.open()

    def open(self) -> str:
        assert self.accepted is not None
        arrival = self.arrival()
        return f"HIT {arrival.assignment.hit_id}" if arrival else "turned away"

    def arrival(self) -> Arrival | None:
        assert self.accepted is not None
        hit, assignment = self.accepted
        token = self.there.hits[hit]["RequesterAnnotation"]
        try:
            published = Publication.objects.select_related("hit__batch__project", "connection").get(annotation=token)
            return arrivals.arrive(published.hit, Entry(assignment, hit, self.name, MARKET))
        except (arrivals.TurnedAway, Publication.DoesNotExist):  # the latter if an older database was restored
            self.leave()
            return None

    def leave(self) -> None:
        self.accepted = None
        del self.world.guests[self.name]

    def give_back(self) -> str:
        self.leave()
        return "done"

    def submit(self) -> str:
        """Store the response here, then let the browser post to the marketplace, which may not happen."""
        assert self.accepted is not None
        if (arrival := self.arrival()) is None:
            return "turned away"
        row = arrival.assignment
        form = (row, answer_to(row), f"{row.revision}.{self.chance.getrandbits(40):x}", row.revision)
        if row.revision == 0:
            self.world.forms.setdefault(row.pk, set()).add(form[2])
            said = submissions.submit(row, form[1], key=form[2], base=form[3], active_seconds=30.0)
            self.world.acknowledged[row.pk, said.revision] = to_text(form[1])
            row.refresh_from_db()
        arrivals.leave(arrival)
        hit, assignment = self.accepted
        if self.chance.random() < 0.9:
            self.there.submit(hit, self.name, name=assignment)
        self.leave()
        return f"HIT {row.hit_id}"


def begin(world: World, chance: Random) -> None:
    """What happened before: half of the HITs are published, some done, approved and paid.

    What comes of the rarest calls is still to be sent: rejections, a bonus, and assignments that were added.
    """
    session = HitSession(world.abroad.marketplace.connection, patience=Patience())
    for _hit in range(ITEMS // 2):
        found = publications.take(session.connection, patience=session.patience)
        assert found is not None
        publications.attempt(found, session)
    for k in range(1, GUESTS + 1):
        guest = GuestActs(world, chance, f"EARLY{k}")
        for _hit in range(3):
            guest.accept()
            if guest.accepted is not None:  # else it was turned away
                guest.submit()
    rows = Assignment.objects.filter(batch=world.abroad, state="submitted").select_related("batch__project", "hit")
    first, *others = rows.order_by("pk")
    assignment_approval.approve(first)
    payments.sweep()
    world.bonuses.add(key := f"bonus {first.pk} 0")
    assignment_approval.add_payment(first, "bonus", Decimal("0.10"), key=key)
    for number, row in enumerate(others):
        assignment_approval.reject(row, text="No.") if number % 2 else assignment_approval.approve(row)
    add_assignments.add_assignments(world.abroad, base=world.abroad.next_ticket)


def agreed(there: FakeMTurk) -> Iterator[str]:
    """What both sides have is the same: each HIT published once, nothing paid twice, nothing paid that is not ours."""
    for name, number in Counter(hit["RequesterAnnotation"] for hit in there.hits.values()).items():
        if number > 1:
            yield f"HIT {name} is published {number} times"
    for key, row in there.assignments.items():
        if row.get("approvals", 0) > 1:
            yield f"assignment {key} was approved there {row['approvals']} times"
    for reason, number in Counter(bonus["Reason"] for bonus in there.bonuses).items():
        if number > 1:
            yield f"bonus “{reason}” was paid there {number} times"
    rows = _published()
    yield from (f"HIT {key} counts as published, and is not there" for (key,) in rows if key not in there.hits)
    paid = Payment.objects.filter(state="paid", assignment__arrival__isnull=False)
    for payment in paid.filter(kind="reward").select_related("assignment__arrival"):
        key = payment.assignment.arrival.external_assignment
        if there.assignments.get(key, {}).get("AssignmentStatus") != "Approved":
            yield f"payment {payment.pk} counts as paid, and assignment {key} is not approved there"
    ours = sum((p.amount for p in paid.filter(kind="bonus")), Decimal(0))
    theirs = sum((Decimal(bonus["BonusAmount"]) for bonus in there.bonuses), Decimal(0))
    if ours > theirs:
        yield f"bonuses of {ours} count as paid, there are {theirs}"


@compiled
def _published() -> QuerySet[Publication, Any]:
    return Publication.objects.filter(state="published").values_list("external_id")
