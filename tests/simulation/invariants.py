"""What must be true between any two steps, computed from scratch from what is committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db.models import Count, F, Q, Sum

from annotation.flow.money import ledger, ledger_audit
from annotation.models import Account, Assignment, Hit, Job, Participation, Payment, PrefetchedHit, WorkerResponse
from annotation.models.fields import to_text
from annotation.webhooks.models import Delivery, WebhookEvent
from tests.process import world as process_world
from tests.simulation.world import World

EMPTY = ("over", "drift", "twice", "two_at_once", "participations", "half_written")


def violations(world: World) -> Iterator[str]:
    """A sentence for each invariant that does not hold."""
    found = process_world.audit()
    yield from (f"{name}: {found[name]}" for name in EMPTY if found[name])
    yield from responses(world)
    yield from money(world)
    yield from times()
    yield from jobs_done(world)
    known = set(WebhookEvent.objects.values_list("public_id", flat=True))
    yield from (f"webhook {event} was sent, but never happened" for event in sorted(world.received - known))


def responses(world: World) -> Iterator[str]:
    """Nothing acknowledged is lost, nothing stored changes."""
    now = {
        row.pk: (row.assignment_id, row.key, row.revision, to_text(row.answer))
        for row in WorkerResponse.objects.order_by("pk")
    }
    for pk, before in world.seen.items():
        if now.get(pk) != before:
            yield f"response {pk} was {before} and is {now.get(pk)}"
    world.seen = now
    stored = {(assignment, revision): answer for assignment, _key, revision, answer in now.values()}
    for (assignment, revision), said in world.acknowledged.items():
        if stored.get((assignment, revision)) != said:
            yield f"assignment {assignment}, revision {revision}: {said} was acknowledged, not what is stored"
    for assignment, number in Counter(assignment for assignment, *_more in now.values()).items():
        if number > len(world.forms[assignment]):
            yield f"assignment {assignment} has {number} responses of {len(world.forms[assignment])} forms"


def money(world: World) -> Iterator[str]:
    yield from (f"ledger: {fault}" for fault in ledger_audit.audit(world.project))
    yield from (
        f"account {row.name} is overdrawn"
        for row in Account.objects.filter(balance__lt=0)
        if row.name != ledger.OUTSIDE
    )
    rewards = Payment.objects.filter(kind="reward").values("assignment").annotate(n=Count("pk")).filter(n__gt=1)
    yield from (f"assignment {row['assignment']} is paid {row['n']} times" for row in rewards)
    asked = {key for (key,) in Payment.objects.filter(kind="bonus").values_list("key")}
    yield from (f"bonus {key} was never asked for" for key in sorted(asked - world.bonuses))
    books = ledger_audit.books(world.project)
    paid = Payment.objects.aggregate(sum=Sum("amount"))["sum"] or 0
    if paid != books.owed + books.on_its_way + books.paid_out:
        yield f"paid {paid}, but the books have {books}"


def times() -> Iterator[str]:
    """Nothing ends before it begins."""
    for row in Assignment.objects.filter(Q(submitted_at__lt=F("accepted_at")) | Q(ended_at__lt=F("accepted_at"))):
        yield f"assignment {row.pk} ended before it began"
    for row in Assignment.objects.filter(state="expired", ended_at__lt=F("lease_until")):
        yield f"assignment {row.pk} expired at {row.ended_at}, before the end of its lease at {row.lease_until}"


def jobs_done(world: World) -> Iterator[str]:
    """A job ends once."""
    for row in Job.objects.exclude(ended_at=None).order_by("pk"):
        before = world.ended.setdefault(row.pk, (row.state, row.ended_at))
        if (row.state, row.ended_at) != before:
            yield f"job {row.pk} ended as {before} and again as {row.state, row.ended_at}"


def unsettled() -> Iterator[str]:
    """What is still under way after everything had the time to end."""
    yield from (f"HIT {held.hit_id} is held" for held in PrefetchedHit.objects.all())
    yield from (f"assignment {row.pk} has a lease" for row in Assignment.objects.filter(state="accepted"))
    yield from (f"job {row.pk} is {row.state}" for row in Job.objects.exclude(state__in=["done", "failed"]))
    yield from (f"delivery {row.pk} is {row.state}" for row in Delivery.objects.filter(state="due"))
    yield from (f"event {row.pk} was never spread" for row in WebhookEvent.objects.filter(spread=False))


def counts() -> dict[str, Any]:
    """What a history came to."""
    return {
        "responses": WorkerResponse.objects.count(),
        "HITs done": Hit.objects.filter(done__gte=F("wanted")).count(),
        "payments": Payment.objects.count(),
        "jobs": Job.objects.count(),
        "webhook events": WebhookEvent.objects.count(),
        "participations": Participation.objects.count(),
    }
