"""The HITs of a batch: what was asked, how far it is answered, what people mean together."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.assignments import AssignmentSerializer, with_answers
from annotation.api.batch_base import BatchList, HitView
from annotation.api.lists import Wish, asked, dollars
from annotation.api.verdicts import VerdictSerializer
from annotation.api.writing import repeatable
from annotation.flow import concluding, flagging, watching
from annotation.models import Hit
from annotation.pure import roles

STATES = {
    "open": Q(voided_at__isnull=True) & (Q(room__gt=0) | Q(live__gt=0)),
    "done": Q(voided_at__isnull=True, room__lte=0, live=0),
    "void": Q(voided_at__isnull=False),
}


class HitFilter(serializers.Serializer):
    """Which HITs."""

    state = serializers.ChoiceField(choices=[(state, state) for state in STATES], required=False)
    dataset = serializers.CharField(max_length=100, required=False)
    hops = serializers.IntegerField(required=False, min_value=0, max_value=100)
    shape = serializers.CharField(max_length=60, required=False)
    disagreement = serializers.FloatField(
        required=False, min_value=0, max_value=1, help_text="At least so much, as of the last report."
    )
    checks = serializers.BooleanField(default=False, help_text="The hidden gold instead of the batch's own HITs.")


class HitSerializer(serializers.Serializer):
    """An item put before people."""

    id = serializers.CharField(source="public_id")
    dataset = serializers.CharField(source="item.dataset.slug")
    item = serializers.IntegerField(source="item.position", help_text="The item's place in its dataset, from 0.")
    item_id = serializers.CharField(source="item.source_id")
    question = serializers.CharField(source="item.question")
    hops = serializers.IntegerField(source="item.hops")
    shape = serializers.CharField(source="item.shape")
    state = serializers.SerializerMethodField()
    wanted = serializers.IntegerField(help_text="How many assignments it asks for.")
    in_work = serializers.IntegerField(source="live")
    done = serializers.IntegerField()
    disagreement = serializers.FloatField(allow_null=True, help_text="0..1, as of the last report.")
    reward = dollars(help_text="The most that an assignment earns.")
    check = serializers.BooleanField(source="check_item", help_text="Whether it is hidden gold.")
    void_reason = serializers.CharField()
    voided_at = serializers.DateTimeField(allow_null=True)

    def get_state(self, hit: Hit) -> str:
        """open, done or void."""
        if hit.voided_at:
            return "void"
        return "done" if hit.room <= 0 and not hit.live else "open"


class OneHitSerializer(HitSerializer):
    """The same with what was shown, the item with its gold, everybody's work, and the verdict as it stands."""

    payload = serializers.DictField(help_text="What people see, as it was frozen at the launch.")
    example = serializers.DictField(source="item.content", help_text="The item with its gold.")
    assignments = AssignmentSerializer(many=True, source="work")
    verdict = VerdictSerializer()


class VoidWish(Wish):
    """Why a HIT is left out of the scores."""

    reason = serializers.CharField(max_length=500)


class Hits(BatchList):
    """The HITs of a batch."""

    serializer_class = HitSerializer

    def rows(self) -> Any:
        wish = self.query(HitFilter)
        names = {"dataset": "item__dataset__slug", "hops": "item__hops", "shape": "item__shape"}
        names["disagreement"] = "disagreement__gte"
        narrowed = {path: wish[name] for name, path in names.items() if name in wish}
        rows = self.batch.hits.filter(STATES.get(wish.get("state", ""), Q()), check_item=wish["checks"], **narrowed)
        return rows.select_related("item__dataset").defer("payload", "item__content", "item__dataset__report")

    @extend_schema(parameters=[HitFilter], responses=HitSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """The HITs of a batch."""
        return self.listed()


class _HitView(HitView):
    """One HIT with everything of it."""

    serializer_class = OneHitSerializer
    act = roles.REVIEW

    def shown(self) -> Response:
        hit: Any = self.hit
        hit.refresh_from_db()
        rows = hit.assignments.all() if hit.check_item else watching.assignments_of(self.batch).filter(hit=hit)
        hit.work = with_answers(self.project, rows.order_by("pk"))
        hit.verdict = concluding.conclude(self.batch, [hit])[0]
        return Response(OneHitSerializer(hit).data)


class OneHit(_HitView):
    """One HIT."""

    @extend_schema(responses=OneHitSerializer)
    def get(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """One HIT with what was shown, its gold, everybody's work, and the verdict as it stands."""
        return self.shown()


class Void(_HitView):
    """Leaving a HIT out."""

    @extend_schema(request=VoidWish, responses=OneHitSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Take a HIT out of the scores and off the queue, with the reason that the report gives.

        Its answers stay, and it can be restored.
        """
        flagging.void(self.hit, reason=asked(VoidWish, request.data)["reason"])
        return self.shown()


class Restore(_HitView):
    """Letting a HIT count again."""

    @extend_schema(request=None, responses=OneHitSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Let a voided HIT count again and, if it has room, be offered again."""
        flagging.restore(self.hit)
        return self.shown()
