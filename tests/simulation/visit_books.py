"""What Prolific has of visits, beside what we have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.db.models import F, Max, Sum

from annotation.marketplaces.flow import studies, visit_pay
from annotation.marketplaces.models import Visit, VisitBonus
from annotation.models import Payment

if TYPE_CHECKING:
    from tests.simulation.prolific import Panel

UNPUBLISHED = {"UNPUBLISHED", "SCHEDULED"}


def cents(amount: Any) -> int:
    return round(float(amount) * 100)


def _paid_there(there: Panel, submission: str) -> Counter[int]:
    """Its bonuses in cents, with those that are paid and not listed yet."""
    late = (row[1] for _at, what, row in there.delayed if what == "bonus" and row[0] == submission)
    return Counter([*there.submissions[submission].bonuses, *late])


def amounts(visit: Visit, *states: str) -> Counter[int]:
    """The visit's bonuses here in cents, of these states."""
    return Counter(cents(row.amount) for row in visit.bonuses.all() if row.state in states)


def note_restored(there: Panel) -> None:
    """What is there when a copy is restored, and which bonuses were asked for before it: more comes only of others."""
    there.restored = {name: _paid_there(there, name) for name in there.submissions}
    asked = VisitBonus.objects.filter(called_at__isnull=False)
    again = {"intended", "prepared"}  # after a call that was refused for its rate: they are still to be paid
    there.asked = set(asked.exclude(state__in=again).values_list("pk", flat=True))


def agreed(there: Panel) -> Iterator[str]:
    """Each study is published once, nothing is paid twice, and what counts as paid is paid there."""
    published = [study for study in there.studies.values() if study["status"] not in UNPUBLISHED]
    for name, number in Counter(study["internal_name"].split(" ")[-1] for study in published).items():
        if number > 1:
            yield f"study {name} is published {number} times"
    for one in there.submissions.values():
        if one.approvals > 1:
            yield f"submission {one.id} was approved there {one.approvals} times"
    for bonus in there.bonuses.values():
        if bonus.calls > 1:
            yield f"bonus payment {bonus.id} was paid {bonus.calls} times"
    for visit in Visit.objects.prefetch_related("bonuses").order_by("pk"):
        theirs = _paid_there(there, visit.external_id)
        asked = [row for row in visit.bonuses.all() if row.called_at and row.pk not in there.asked]
        since = Counter(cents(row.amount) for row in asked if row.state not in {"refused", "not_paid"})
        most = there.restored.get(visit.external_id, Counter()) + since
        if not (certain := amounts(visit, "paid")) <= theirs <= most:
            yield f"visit {visit.pk} has bonuses of {theirs} there, here {certain} are paid, and {most} the most"
    of_visits = Payment.objects.exclude(visit_pay.is_bonus()).values(visit=F("assignment__visited__visit"))
    booked = of_visits.annotate(sum=Sum("amount"), whole=Max("assignment__visited__visit__study__reward"))
    for row in booked.filter(sum__gt=F("whole")):
        yield f"visit {row['visit']} is booked with {row['sum']}, its reward is {row['whole']}"
    paid = Payment.objects.filter(state="paid", amount__gt=0, assignment__visited__isnull=False)
    for payment in paid.exclude(visit_pay.is_bonus()).select_related("assignment__visited__visit"):
        name = payment.assignment.visited.visit.external_id
        if (status := there.submissions[name].status) not in {"APPROVED", "PARTIALLY APPROVED"}:
            yield f"payment {payment.pk} counts as paid, and submission {name} is {status} there"


def unsettled() -> Iterator[str]:
    """What is under way, unless it waits for a person: what was decided here and left there does."""
    yield from (f"study {row.pk} is {row.state}" for row in studies.unsettled())
    yield from (f"visit {row.pk} is live" for row in Visit.objects.filter(state="live"))
    undecided = Visit.objects.filter(remote_state__in=["reserved", "active", ""])
    yield from (f"visit {row.pk} is {row.remote_state or 'unknown'} there" for row in undecided)
    unsent = Visit.objects.filter(sent_at=None, remote_state="awaiting").exclude(decision="")
    yield from (f"visit {row.pk}: {row.decision} is not sent" for row in unsent)
    yield from (f"bonus {row.pk} is {row.state}" for row in VisitBonus.objects.filter(state__in=VisitBonus.IN_FLIGHT))
