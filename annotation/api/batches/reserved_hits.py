"""HITs reserved for chosen workers, who get them before any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.examples import HIT, WORKER
from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input, refuse_unknown, texts
from annotation.flow.batches import reserved_hits
from annotation.flow.people import worker_names
from annotation.models import Assignment, Hit, Worker

MOST_HITS = 500


class ReserveInput(Input):
    """The HITs, and the workers to reserve them for."""

    EXAMPLE = {"hits": [HIT], "workers": [WORKER]}

    hits = texts(32, allow_empty=False, max_length=MOST_HITS)
    workers = texts(64, allow_empty=False, max_length=MOST_HITS, help_text="Pseudonyms or worker ids.")


class ReleaseInput(Input):
    """The ids of reservations."""

    ALIASES = {"given": "reserved"}
    EXAMPLE = {"reserved": [12]}

    reserved = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**62), allow_empty=False, max_length=5000
    )


class ReservationSerializer(serializers.Serializer):
    """How many HITs were reserved; `skipped` counts the others by reason."""

    reserved = serializers.IntegerField()
    skipped = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="By reason: `had`, `met` (its group), `excluded` or `already` (reserved).",
    )


class ReleaseSerializer(serializers.Serializer):
    """How many reservations were cancelled; HITs that were begun stay."""

    changed = serializers.IntegerField()


class ReservedHitSerializer(serializers.Serializer):
    """A HIT reserved for a worker."""

    id = serializers.IntegerField(source="pk")
    hit = serializers.CharField(source="hit.public_id")
    worker = serializers.CharField(source="worker.pseudonym")
    state = serializers.ChoiceField(choices=["waiting", *Assignment.State.values])
    created_at = serializers.DateTimeField()
    taken_at = serializers.DateTimeField(allow_null=True)


class ReservedHitViewSet(BatchPartViewSet):
    """Reserved HITs."""

    serializer_class = ReservedHitSerializer
    ordering = "-pk"

    def prepare(self, rows: list[Any]) -> list[Any]:
        states = reserved_hits.states(rows)
        for row in rows:
            row.state, row.worker.project = states[row.pk], self.project
        return rows

    @operation()
    def list(self) -> Any:
        """List reserved HITs, newest first."""
        return reserved_hits.rows(self.batch)

    @operation(takes=ReserveInput, gives=ReservationSerializer, status=200, id="reserveHits")
    def create(self, data: JSON) -> JSON:
        """Reserve HITs for workers, who get them first and in this order; each adds an assignment."""
        hits, workers = self._hits(data["hits"]), self._workers(data["workers"])
        outcome = reserved_hits.reserve(self.batch, hits, workers, user=self.request.user)
        return {"reserved": outcome.reserved, "skipped": dict(outcome.skipped)}

    @action(detail=False, takes=ReleaseInput, gives=ReleaseSerializer, id="releaseHits")
    def release(self, data: JSON) -> JSON:
        """Cancel reservations that were not begun, and release their money."""
        return {"changed": reserved_hits.release(self.batch, data["reserved"])}

    def _hits(self, names: Sequence[str]) -> Sequence[Hit]:
        rows = self.batch.hits.filter(public_id__in=names).select_related("item").defer("payload", "item__content")
        hits = {hit.public_id: hit for hit in rows}
        refuse_unknown("hits", names, hits, _("This batch has no such HIT."))
        return [hits[name] for name in dict.fromkeys(names)]

    def _workers(self, names: Sequence[str]) -> Sequence[Worker]:
        able = set(reserved_hits.people(self.batch).values_list("pk", flat=True))
        named = worker_names.workers_named(self.project, names)
        workers = {name: worker for name, worker in named.items() if worker.pk in able}
        refuse_unknown("workers", names, workers, _("No worker with this name can work on this batch."))
        return list({workers[name].pk: workers[name] for name in names}.values())
