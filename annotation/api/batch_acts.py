"""What is done to a batch: quoting, launching, pausing, closing, topping up, gathering, its guide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs
from annotation.api.batch_base import BatchList, BatchView, GuideSerializer, OneBatchSerializer
from annotation.api.batches import whole
from annotation.api.dataset_base import no_page
from annotation.api.lists import JSON, Whole, Wish, asked
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.writing import repeatable
from annotation.flow import batching
from annotation.flow.refusal import Refused
from annotation.models import Batch, Job
from annotation.pure import lifecycle


class TopUpWish(Wish):
    """Which HITs get one annotation more."""

    only_disagreeing = serializers.BooleanField(
        default=False, help_text="Only finished HITs whose answers differ; else every finished one."
    )


class GatherWish(Wish):
    """The dataset to make of the verdicts."""

    name = serializers.SlugField(max_length=100, validators=[no_page])
    least = serializers.IntegerField(
        default=0, min_value=0, max_value=1000, help_text="How many answers must say what the verdict says."
    )


class GuideWish(Wish):
    """The text of a guide's next version, in Markdown."""

    text = serializers.CharField(max_length=100_000, trim_whitespace=False)


class _Act(BatchView):
    """Something that a job does to a batch."""

    serializer_class = QueuedSerializer

    def enqueue(self, kind: str, title: str, **arguments: Any) -> Response:
        """The job, or the same one that waits or runs already."""
        job: Job = jobs.enqueue_once(
            kind,
            project=self.project,
            title=title % {"batch": self.batch.title, **arguments},
            arguments={"batch": self.batch.pk, **arguments},
            user=self.request.user,
        )
        return queued(job)


class Quote(_Act):
    """What a batch would cost."""

    @extend_schema(
        operation_id="quoteBatch",
        tags=["batches"],
        summary="Count what a draft costs, every item looked at; the job's result has the amounts",
        request=None,
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        return self.enqueue("quote_batch", _("Quote of %(batch)s"))


class Launch(_Act):
    """Making a draft into HITs."""

    @extend_schema(
        operation_id="launchBatch",
        tags=["batches"],
        summary="Launch a draft by a job: make its HITs, set aside what they may cost, open it",
        request=None,
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        if self.batch.state not in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
            raise Refused(_("This batch was launched before."))
        return self.enqueue("launch_batch", _("Launch %(batch)s"))


class TopUp(_Act):
    """One annotation more."""

    @extend_schema(
        operation_id="topUpBatch",
        tags=["batches"],
        summary="Ask for one more annotation of each finished HIT, or of those whose answers differ",
        request=TopUpWish,
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        wish = asked(TopUpWish, request.data)
        return self.enqueue("top_up_batch", _("Top up %(batch)s"), base=self.batch.next_ticket, **wish)


class Gather(_Act):
    """A dataset of verdicts."""

    @extend_schema(
        operation_id="gatherBatch",
        tags=["batches"],
        summary="Make a dataset of the batch's verdicts, by a job",
        request=GatherWish,
        responses={202: QueuedSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        wish = asked(GatherWish, request.data)
        told = {name: value for name, value in wish.items() if value}
        return self.enqueue("gather_dataset", _("Make %(name)s of the verdicts of %(batch)s"), **told)


class _Move(BatchView):
    """A move of the batch's own: done at once. Where the batch stands so already, nothing happens."""

    serializer_class = OneBatchSerializer
    to: str = ""

    def moved(self, verb: Callable[[Batch], bool]) -> Response:
        if not verb(self.batch) and self.batch.state != self.to:
            self.batch.refresh_from_db()
            if self.batch.state != self.to:
                text = _("This batch is %(state)s, so this cannot be done to it.")
                raise Refused(text % {"state": self.batch.get_state_display()})
        return Response(whole(self.batch))


class Pause(_Move):
    """Stopping for a while."""

    to = lifecycle.PAUSED

    @extend_schema(
        operation_id="pauseBatch",
        tags=["batches"],
        summary="Stop giving out HITs; what is under way may be finished",
        request=None,
        responses=OneBatchSerializer,
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        return self.moved(batching.pause)


class Resume(_Move):
    """Going on."""

    to = lifecycle.OPEN

    @extend_schema(
        operation_id="resumeBatch",
        tags=["batches"],
        summary="Give out HITs again, also of a closed batch",
        request=None,
        responses=OneBatchSerializer,
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        return self.moved(batching.resume)


class Close(_Move):
    """Ending the work."""

    to = lifecycle.CLOSED

    @extend_schema(
        operation_id="closeBatch",
        tags=["batches"],
        summary="End the work: nothing is given out and no answer can be changed any more",
        request=None,
        responses=OneBatchSerializer,
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        return self.moved(batching.close)


class Guide(BatchList):
    """The instructions of a batch, version by version."""

    serializer_class = GuideSerializer
    pagination_class = Whole

    @extend_schema(
        operation_id="listGuideVersions",
        tags=["batches"],
        summary="Every version of the guide, the newest first",
        responses=GuideSerializer(many=True),
    )
    def get(self, request: Request, slug: str, batch: str) -> Response:
        return self.whole(self.batch.guides.order_by("-version"))

    @extend_schema(
        operation_id="writeGuide",
        tags=["batches"],
        summary="Write the guide's next version; whoever works on the batch reads it before going on",
        request=GuideWish,
        responses=GuideSerializer,
    )
    @repeatable
    def put(self, request: Request, slug: str, batch: str) -> Response:
        text: str = asked(GuideWish, request.data)["text"].replace("\r\n", "\n")
        told: JSON = GuideSerializer(batching.change_guide(self.batch, text, user=request.user)).data
        return Response(told)
