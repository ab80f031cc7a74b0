"""HITs to adjudicate, reviewers' decisions on them, and the aggregated responses of a batch."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import transaction
from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.examples import ANSWER
from annotation.api.operations import action, operation
from annotation.api.pagination import SinglePage
from annotation.api.serializers import JSON, TEXT, Input
from annotation.flow.errors import Refused
from annotation.flow.projects import overview
from annotation.flow.review import adjudication, gold_looks, result_files
from annotation.models import Adjudication, Batch, Hit, User
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.review.disagreement_causes import CAUSES
from annotation.registry import task_type
from annotation.tasktype import capabilities


class AggregateSerializer(serializers.Serializer):
    """An aggregated response."""

    hit = serializers.CharField()
    dataset = serializers.CharField()
    item = serializers.IntegerField()
    item_id = serializers.CharField()
    kind = serializers.CharField(help_text="The kind of result in a word; empty without responses.")
    settled = serializers.BooleanField(help_text="Whether there is one; false: no majority, or no responses.")
    agreeing = serializers.IntegerField(
        allow_null=True,
        help_text="How many responses agree with it; null while the account is still to adjudicate the HIT.",
    )
    answers = serializers.IntegerField(help_text="Number of responses that count.")
    excluded = serializers.BooleanField()
    cause = serializers.CharField(help_text="The cause of the disagreement, if the adjudicator named one; else empty.")
    aggregate = serializers.DictField(
        allow_null=True,
        help_text="The aggregated response, as the task represents it; null: none, or still hidden as `agreeing` is.",
    )


def blind_aggregates(batch: Batch, rows: Sequence[Hit], hidden: Collection[int]) -> list[JSON]:
    """The aggregated responses of the HITs; of those hidden (keys) not what they are and how many agree."""
    found = zip(rows, result_files.aggregate_hits(batch, rows), strict=True)
    return [one | {"agreeing": None, "aggregate": None} if hit.pk in hidden else one for hit, one in found]


def hidden_from(viewer: User | None, rows: Iterable[Hit]) -> set[int]:
    """Keys of the HITs that the viewer is still to adjudicate and has not opened."""
    return gold_looks.hidden_keys([hit.pk for hit in rows], viewer)


class OpenSerializer(serializers.Serializer):
    """A HIT to adjudicate."""

    hit = serializers.CharField(source="public_id")
    kind = serializers.CharField(help_text="Why it is open, such as `tied`, `several` or `split`.")
    answers = serializers.IntegerField()
    both_decided = serializers.BooleanField(
        help_text="Whether two requesters have decided, and differently: the next decision is final."
    )


class PickInput(Input):
    """The response that becomes the aggregated one, as it is or in your own wording."""

    EXAMPLE = {"assignment": ANSWER, "revision": 1}

    assignment = serializers.CharField(max_length=32)
    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="The revision that you read.")
    text = serializers.CharField(
        max_length=5000, required=False, trim_whitespace=False, help_text="Your wording, if the task allows one."
    )
    cause = serializers.ChoiceField(
        list(CAUSES), required=False, default="", allow_blank=True, help_text="The cause of the disagreement."
    )
    saw_both = serializers.BooleanField(
        default=False, help_text="Required where two requesters have decided differently: your decision is final."
    )


class BatchAdjudicationViewSet(BatchPartViewSet):
    """HITs to adjudicate."""

    serializer_class = AggregateSerializer
    list_serializer_class = OpenSerializer
    pagination_class = SinglePage
    act = reads = roles.REVIEW
    row: Hit

    def find(self) -> None:
        super().find()
        if self.batch.launched_at is None:
            raise Http404

    def get_queryset(self) -> Any:
        return self.batch.hits.select_related("item__dataset", "batch")

    def prepare(self, rows: list[Any]) -> list[Any]:
        if self.operation.many:
            return rows
        return blind_aggregates(self.batch, rows, hidden_from(self.request.user, rows))

    @operation()
    def list(self) -> Any:
        """List HITs for you to adjudicate, in the order of their items, in one page.

        Where two requesters adjudicate, without those that wait for another requester's decision.
        """
        return adjudication.queue(self.batch, self.request.user)

    @operation()
    def retrieve(self) -> None:
        """The aggregated response of a HIT."""

    @operation(takes=PickInput, id="adjudicateHit")
    def decide_one(self, data: JSON) -> None:
        """Accept a response as the aggregated one, or write your own; an excluded HIT counts again.

        Where two requesters adjudicate, the first decision changes nothing yet. To leave a HIT out instead, exclude it
        (voidHit), which needs no second decision.
        """
        if "text" in data and not capabilities.writes(task_type(self.batch.task)):
            raise ValidationError({"text": [_("In this task you can only choose one of the given answers.")]})
        chosen = self.row.assignments.submitted().filter(public_id=data["assignment"]).first()
        if chosen is None:
            raise ValidationError({"assignment": [_("This HIT has no such response.")]})
        kinds = Adjudication.Decision
        made = Adjudication(
            hit=self.row,
            adjudicator=self.request.user,
            decision=kinds.EDITED if "text" in data else kinds.ACCEPTED,
            assignment=chosen,
            revision=data["revision"],
            text=data.get("text", ""),
            cause=data["cause"],
        )
        with transaction.atomic():
            if adjudication.decide(made, saw_both=data["saw_both"]):
                overview.decided(self.batch, "to_adjudicate")

    @action()
    def undo(self) -> None:
        """Undo the decision on a HIT."""
        undone = adjudication.undo(self.row, reviewer=self.request.user)
        if not undone:
            raise Refused(_("There is nothing to undo on this HIT."))
        if undone == "reopened":
            overview.decided(self.batch, "to_adjudicate", by=-1)


class BatchAggregateViewSet(BatchPartViewSet):
    """Aggregated responses of a batch."""

    serializer_class = AggregateSerializer

    def prepare(self, rows: list[Any]) -> list[Any]:
        return blind_aggregates(self.batch, rows, hidden_from(self.request.user, rows))

    @operation()
    def list(self) -> Any:
        """List the aggregated response of each HIT, as of now."""
        return result_files.hits_with_items(self.batch)

    @action("get", "export/jsonl", detail=False, files={"application/jsonl": TEXT}, id="exportAggregates")
    def export(self) -> HttpResponseBase:
        """All aggregated responses of a batch as JSON lines.

        For who is still to adjudicate its HITs, this opens all of them, which is logged.
        """
        gold_looks.look_at_all(self.batch, self.request.user)
        blocks, name = result_files.stream_aggregates(self.batch), f"{self.batch.slug}-aggregates.jsonl"
        return logged_download(self.request, self.batch, blocks, name=name, kind="application/jsonl")
