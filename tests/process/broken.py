"""Three claims that look right and are not; the hammer must report each (tests/process/test_claims.py)."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from annotation.models import Assignment, Hit, Participation


def count_then_insert(participation: Participation) -> Assignment | None:
    """Look how many there are, then add one. Between the two, others look too."""
    hit = _with_room(participation).first()
    return None if hit is None else _insert(participation, hit)


@transaction.atomic
def count_then_insert_in_a_transaction(participation: Participation) -> Assignment | None:
    """The same in a transaction, which at READ COMMITTED hides nothing and holds nobody back."""
    return count_then_insert(participation)


@transaction.atomic
def lock_then_count(participation: Participation) -> Assignment | None:
    """The HIT's row is locked, but what changes are other rows: a stale count passes."""
    hit = _with_room(participation).select_for_update(of=("self",), skip_locked=True).first()
    return None if hit is None else _insert(participation, hit)


def _with_room(participation: Participation) -> QuerySet[Hit]:
    given = Assignment.objects.filter(hit=OuterRef("pk")).order_by().values("hit").annotate(n=Count("pk")).values("n")
    mine = Assignment.objects.filter(hit=OuterRef("pk"), worker=participation.worker_id)
    hits = Hit.objects.filter(batch=participation.batch_id).exclude(Exists(mine))
    taken = Coalesce(Subquery(given, output_field=IntegerField()), 0)
    return hits.alias(taken=taken).filter(taken__lt=F("wanted")).order_by("ticket")


def _insert(participation: Participation, hit: Hit) -> Assignment:
    return Assignment.objects.create(
        batch_id=participation.batch_id,
        hit=hit,
        worker_id=participation.worker_id,
        group_key=hit.group_key,
        lease_until=Now() + timedelta(hours=1),
    )


CLAIMS = {f.__name__: f for f in (count_then_insert, count_then_insert_in_a_transaction, lock_then_count)}
