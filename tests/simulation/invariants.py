"""What must be true between any two steps, computed from scratch from what is committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum

from annotation.flow.money import ledger, ledger_audit
from annotation.flow.work import leases, prefetch
from annotation.marketplaces.flow import visit_pay, visit_states
from annotation.marketplaces.models import Publication
from annotation.models import (
    Account,
    Assignment,
    Batch,
    Hit,
    Job,
    Participation,
    Payment,
    PayoutLine,
    PrefetchedHit,
    WorkerResponse,
)
from annotation.models.compiled import compiled
from annotation.models.fields import to_text
from annotation.webhooks.models import Delivery, Webhook, WebhookEvent
from tests.process import world as process_world
from tests.simulation import marketplace, model_endpoint, moves, recount, visit_books
from tests.simulation.world import World

Check = Callable[[World], Iterator[str]]


def violations(world: World, tables: Collection[str] | None = None) -> Iterator[str]:
    """A sentence for each invariant that does not hold; of all, or of those that these tables may break."""
    for check, broken_by in CHECKS.items():
        if tables is None or not broken_by.isdisjoint(tables):
            yield from check(world)
    yield from moves.unknown(world, tables)


def counters(_world: World) -> Iterator[str]:
    yield from (f"{name}: {found}" for name, found in process_world.contradictions().items() if found)
    yield from (f"worker {worker} has {n} leases in batch {batch}" for worker, batch, n in _doubled_leases())


@compiled
def _doubled_leases() -> QuerySet[Assignment, Any]:
    leases_of = Assignment.objects.filter(state="accepted", batch__on_marketplace=False).values("worker", "batch")
    return leases_of.annotate(n=Count("pk")).filter(n__gt=1).values_list("worker", "batch", "n")


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
    of_visits = {key for key in asked if key.startswith((visit_pay.REST, visit_pay.PART))}
    yield from (f"bonus {key} was never asked for" for key in sorted(asked - world.bonuses - of_visits))
    books = ledger_audit.books(world.project)
    paid = Payment.objects.filter(batch__on_marketplace=False).aggregate(sum=Sum("amount"))["sum"] or 0
    if paid != books.owed + books.on_its_way + books.paid_out:
        yield f"paid {paid}, but the books have {books}"


def times(world: World) -> Iterator[str]:
    """Nothing ends before it begins, and no lease outlives the sweeps that end it.

    On PostgreSQL one may skip what is locked.
    """
    most = 2 if connection.vendor == "postgresql" else 0
    outlived = {lease: number for lease, number in world.outlived.items() if number > most}
    for pk, until in Assignment.objects.filter(state="accepted").values_list("pk", "lease_until"):
        if number := outlived.get((leases.expire_due.__name__, pk, until)):
            yield f"assignment {pk} has a lease until {until}, after {number} sweeps"
    for hit, until in PrefetchedHit.objects.values_list("hit", "expires_at"):
        if number := outlived.get((prefetch.let_go_overdue.__name__, hit, until)):
            yield f"HIT {hit} is held until {until}, after {number} sweeps"
    for row in Assignment.objects.filter(Q(submitted_at__lt=F("accepted_at")) | Q(ended_at__lt=F("accepted_at"))):
        yield f"assignment {row.pk} ended before it began"
    for row in Assignment.objects.filter(state="expired", ended_at__lt=F("lease_until")):
        yield f"assignment {row.pk} expired at {row.ended_at}, before the end of its lease at {row.lease_until}"


def jobs_done(world: World) -> Iterator[str]:
    """A job ends once, unless somebody tries it again."""
    for row in Job.objects.order_by("pk"):
        if row.ended_at is None:
            world.ended.pop(row.pk, None)
            continue
        before = world.ended.setdefault(row.pk, (row.state, row.ended_at))
        if (row.state, row.ended_at) != before:
            yield f"job {row.pk} ended as {before} and again as {row.state, row.ended_at}"


def webhooks(world: World) -> Iterator[str]:
    """What was sent has happened, and the project knows which events its webhooks want."""
    world.events |= {event for (event,) in _events()}
    yield from (f"webhook {event} was sent, but never happened" for event in sorted(world.received - world.events))
    wanted = {kind for row in Webhook.objects.filter(active=True) for kind in row.kinds}
    stored = type(world.project).objects.values_list("webhook_kinds", flat=True).get()
    if set(stored.split()) != wanted:
        yield f"the project writes events of {stored}, its webhooks want {sorted(wanted)}"
    unsent = Delivery.objects.filter(state="delivered").exclude(event__public_id__in=world.received)
    yield from (f"delivery {row.pk} counts as delivered, but never came" for row in unsent)


@compiled
def _events() -> QuerySet[WebhookEvent, Any]:
    return WebhookEvent.objects.values_list("public_id")


def outside(world: World) -> Iterator[str]:
    """What the other sides saw: no gold, nothing twice."""
    yield from world.seen_outside
    yield from marketplace.agreed(world.there)
    yield from visit_books.agreed(world.panel) if world.studies else ()


def models(world: World) -> Iterator[str]:
    """What models cost and predicted."""
    yield from model_endpoint.violations(world.models)


CHECKS: dict[Check, frozenset[str]] = {
    counters: frozenset({"hit", "assignment", "prefetchedhit", "participation", "workerresponse"}),
    responses: frozenset({"workerresponse"}),
    money: frozenset({"payment", "entry", "account", "payout", "payoutline"}),
    times: frozenset({"assignment", "prefetchedhit"}),
    jobs_done: frozenset({"job"}),
    webhooks: frozenset({"webhook", "webhookevent", "delivery", "project"}),
    recount.conclusions: frozenset({"hit", "workerresponse", "adjudication", "review"}),
    recount.batches: frozenset({"hit", "batch"}),
    recount.reports: frozenset({"batchreport"}),
    outside: frozenset({"publication", "payment", "panelstudy", "visit", "visitbonus"}),
    models: frozenset({"modelrun", "modelcall", "modelprediction"}),
}


def unsettled() -> Iterator[str]:
    """What is still under way after everything had the time to end."""
    yield from (f"HIT {held.hit_id} is held" for held in PrefetchedHit.objects.all())
    yield from (f"assignment {row.pk} has a lease" for row in Assignment.objects.filter(state="accepted"))
    yield from (f"job {row.pk} is {row.state}" for row in Job.objects.exclude(state__in=["done", "failed"]))
    yield from (f"delivery {row.pk} is {row.state}" for row in Delivery.objects.filter(state="due"))
    yield from (f"event {row.pk} was never spread" for row in WebhookEvent.objects.filter(spread=False))
    refused = Payment.objects.filter(kind="reward", state="failed").values("assignment")  # its bonuses wait for it
    waiting = Payment.objects.unsettled().exclude(kind="bonus", assignment__in=refused)
    waiting = waiting.exclude(assignment__visited__visit__remote_state__in=visit_states.OVER)
    waiting = waiting.exclude(assignment__visited__visit__decision="return")  # of a participant, who need not answer
    yield from (f"payment {row.pk} is {row.state}" for row in waiting)
    unsent = Publication.objects.unsent().filter(hit__batch__state="open")
    yield from (f"publication {row.pk} is {row.state}" for row in unsent)
    yield from model_endpoint.unsettled()
    yield from visit_books.unsettled()
    yield from (f"batch {row.slug} is launching" for row in Batch.objects.filter(state="launching"))


def counts() -> dict[str, Any]:
    """What a history came to."""
    return {
        "responses": WorkerResponse.objects.count(),
        "HITs done": Hit.objects.filter(done__gte=F("wanted")).count(),
        "payments": Payment.objects.count(),
        "payout lines": PayoutLine.objects.count(),
        "jobs": Job.objects.count(),
        "webhook events": WebhookEvent.objects.count(),
        "participations": Participation.objects.count(),
    }
