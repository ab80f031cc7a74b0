"""The HITs of a batch: their content, progress and responses; and those reserved for chosen workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.examples import HIT, WORKER
from annotation.api.operations import action, operation
from annotation.api.review.adjudications import AggregateSerializer, blind_aggregates, hidden_from
from annotation.api.serializers import JSON, Input, dollars, refuse_unknown, texts
from annotation.api.work import AssignmentSerializer, with_answers
from annotation.flow.batches import batch_progress, reserved_hits
from annotation.flow.batches.hit_filters import HitFilter
from annotation.flow.people import worker_names
from annotation.flow.reports import score_looks
from annotation.flow.review import gold_looks, problem_reports
from annotation.formats.fields import without_gold
from annotation.models import Assignment, Hit, Worker
from annotation.pure.people import roles


class HitSerializer(serializers.Serializer):
    """A HIT."""

    id = serializers.CharField(source="public_id")
    dataset = serializers.CharField(source="item.dataset.slug")
    item = serializers.IntegerField(source="item.position")
    item_id = serializers.CharField(source="item.source_id")
    question = serializers.CharField(source="item.question")
    hops = serializers.IntegerField(source="item.hops")
    shape = serializers.CharField(source="item.shape")
    state = serializers.SerializerMethodField()
    wanted = serializers.IntegerField(help_text="How many assignments it asks for.")
    in_work = serializers.IntegerField(source="live")
    done = serializers.IntegerField()
    disagreement = serializers.FloatField(
        allow_null=True,
        help_text="How far its responses differ, 0 to 1, as of the last report; null before all responses are in, and "
        "while the account is still to adjudicate it.",
    )
    inclusion_probability = serializers.FloatField(
        allow_null=True, help_text="The chance with which the item was drawn by confidence; null: uniformly."
    )
    reward = dollars(help_text="The most that an assignment can earn.")
    check = serializers.BooleanField(source="check_item", help_text="Whether it is hidden gold.")
    exclusion_reason = serializers.CharField()
    excluded_at = serializers.DateTimeField(allow_null=True)

    def get_state(self, hit: Hit) -> str:
        """`open`, `done` or `excluded`."""
        if hit.excluded_at:
            return "excluded"
        return "done" if hit.room <= 0 and not hit.live else "open"


class OneHitSerializer(HitSerializer):
    """A HIT with its content, the item with its gold, all its assignments, and the aggregated response."""

    payload = serializers.DictField(help_text="What workers see, frozen at launch.")
    example = serializers.DictField(source="item.content", help_text="The item with its gold, unless that is hidden.")
    gold_hidden = serializers.BooleanField(
        default=False,
        help_text="Whether gold, names and the aggregated response are left out, since the account is still to "
        "adjudicate the HIT.",
    )
    assignments = AssignmentSerializer(many=True, source="work")
    aggregate = AggregateSerializer()


class ExcludeInput(Input):
    """Why the HIT is excluded."""

    EXAMPLE = {"reason": "Its paragraph is empty."}

    reason = serializers.CharField(max_length=500)


class BatchHitViewSet(BatchPartViewSet):
    """The HITs of a batch."""

    serializer_class = OneHitSerializer
    list_serializer_class = HitSerializer
    act = roles.REVIEW
    row: Hit

    def get_queryset(self) -> Any:
        return self.batch.hits.select_related("item__dataset", "batch")

    def prepare(self, rows: list[Any]) -> list[Any]:
        hidden, folded = hidden_from(self.request.user, rows), not score_looks.is_complete(self.batch)
        for hit in rows:
            hit.gold_hidden = hit.pk in hidden
            hit.disagreement = None if folded or hit.gold_hidden else hit.disagreement
        for hit in () if self.operation.many else rows:
            work = hit.assignments if hit.check_item else batch_progress.assignments_of(self.batch).filter(hit=hit)
            # in random order, as on pages, where names are hidden
            order = "public_id" if hit.gold_hidden else "pk"
            hit.work = with_answers(self.project, work.order_by(order), self.request.user)
            [hit.aggregate] = blind_aggregates(self.batch, [hit], hidden)
            if hit.gold_hidden:
                hit.item.content = without_gold(hit.item.example).as_json()
        return rows

    @operation(query=HitFilter)
    def list(self, wanted: HitFilter) -> Any:
        """List the HITs of a batch."""
        rows = wanted.hits(self.batch)
        if wanted.disagreement is not None and not score_looks.is_complete(self.batch):
            rows = rows.none()
        return rows.select_related("item__dataset").defer("payload", "item__content", "item__dataset__report")

    @operation()
    def retrieve(self) -> None:
        """One HIT with its content, its gold, all its assignments, and the aggregated response."""

    @action(takes=ExcludeInput)
    def exclude(self, data: JSON) -> None:
        """Exclude a HIT from results and stop offering it; the report lists the reason.

        Its answers stay, and it can be restored.
        """
        problem_reports.exclude(self.row, reason=data["reason"])

    @action(id="openHitGold")
    def open(self) -> None:
        """Open the gold of a HIT that the account is still to adjudicate, which is logged."""
        gold_looks.record_looks([self.row], self.request.user)

    @action()
    def restore(self) -> None:
        """Restore an excluded HIT; it is offered again if it wants more assignments."""
        problem_reports.restore(self.row)


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
