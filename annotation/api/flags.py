"""What workers reported about items, and what a requester decides on it."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_base import BatchList, BatchView
from annotation.api.writing import repeatable
from annotation.flow import flagging
from annotation.flow.refusal import Conflict
from annotation.models import Flag
from annotation.pure import roles


class FlagFilter(serializers.Serializer):
    """Which reports."""

    state = serializers.ChoiceField(choices=Flag.State.values, required=False)


class FlagSerializer(serializers.Serializer):
    """A report that something is wrong with an item. `state`: open, kept (the item is in order) or voided."""

    id = serializers.IntegerField(source="pk")
    hit = serializers.CharField(source="assignment.hit.public_id")
    assignment = serializers.CharField(source="assignment.public_id")
    worker = serializers.CharField(source="assignment.worker.pseudonym", help_text="The worker's pseudonym.")
    reason = serializers.ChoiceField(choices=flagging.REASONS)
    text = serializers.CharField(allow_blank=True, help_text="What they wrote.")
    state = serializers.ChoiceField(choices=Flag.State.values)
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


def flags_of(batch: Any) -> Any:
    """The reports of a batch, with what they are told with."""
    rows = Flag.objects.filter(assignment__batch=batch).select_related("assignment__hit", "assignment__worker__project")
    return rows.defer("assignment__hit__payload", "assignment__draft")


class Flags(BatchList):
    """The reports of a batch."""

    serializer_class = FlagSerializer
    act = reads = roles.REVIEW

    def rows(self) -> Any:
        return flags_of(self.batch).filter(**self.query(FlagFilter))

    @extend_schema(parameters=[FlagFilter], responses=FlagSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """What workers reported about items, oldest first. Who agrees with a report voids its HIT."""
        return self.listed()


class _FlagView(BatchView):
    """One report: `flag` stands before a method runs."""

    serializer_class = FlagSerializer
    act = roles.REVIEW
    flag: Flag

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        self.flag = get_object_or_404(flags_of(self.batch).select_related("assignment__hit__batch"), pk=kwargs["pk"])

    def told(self) -> Response:
        return Response(FlagSerializer(flags_of(self.batch).get(pk=self.flag.pk)).data)


class Keep(_FlagView):
    """The item is in order."""

    @extend_schema(operation_id="closeBatchFlag", request=None, responses=FlagSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, pk: int) -> Response:
        """Close a report and leave its item as it is."""
        if not flagging.keep(self.flag) and not flags_of(self.batch).filter(pk=pk, state=Flag.State.KEPT).exists():
            raise Conflict(_("This problem was decided meanwhile."))
        return self.told()


class Reopen(_FlagView):
    """Undoing a decision."""

    @extend_schema(operation_id="reopenBatchFlag", request=None, responses=FlagSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, pk: int) -> Response:
        """Undo the decision on a report; a HIT that was voided for it counts again."""
        flagging.reopen(self.flag)
        return self.told()
