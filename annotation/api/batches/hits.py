"""The HITs of a batch: their content, their progress, their responses."""

from typing import Any

from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import action, operation
from annotation.api.review.adjudications import AggregateSerializer, blind_aggregates, hidden_from
from annotation.api.serializers import JSON, Input, dollars
from annotation.api.work.assignments import AssignmentSerializer, with_answers
from annotation.flow.batches import batch_progress
from annotation.flow.batches.hit_filters import HitFilter
from annotation.flow.reports import score_looks
from annotation.flow.review import gold_looks, problem_reports
from annotation.formats.without_gold import without_gold
from annotation.models import Hit
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
