"""Batches: what there is, a new draft, one of them, changing and discarding it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.batch_base import BatchSerializer, BatchView, OneBatchSerializer, batch_named
from annotation.api.batch_wishes import DraftWish, NewWish, TermsWish, launch_form, terms_form
from annotation.api.lists import JSON, Newest, ProjectList, asked
from annotation.api.writing import repeatable
from annotation.flow import attempts, batching, discarding, reserving, watching
from annotation.flow.refusal import Refused
from annotation.models import Batch


class BatchFilter(serializers.Serializer):
    """Which batches."""

    state = serializers.ChoiceField(choices=Batch.State.choices, required=False)
    task = serializers.CharField(required=False, help_text="The kind of a task, as in `tasks/`.")
    purpose = serializers.ChoiceField(choices=Batch.Purpose.choices, required=False)
    dataset = serializers.CharField(required=False, help_text="That ask about items of the dataset of this name.")


class Batches(ProjectList):
    """The batches of a project."""

    serializer_class = BatchSerializer
    pagination_class = Newest

    def rows(self) -> Any:
        wish = self.query(BatchFilter)
        if "dataset" in wish:
            wish["datasets__slug"] = wish.pop("dataset")
        rows = self.project.batches.filter(**wish).select_related("connection")
        return rows.prefetch_related("datasets", "checks", "workers")

    def told(self, rows: list[Any]) -> list[Any]:
        counts = watching.counts_by_batch(rows)
        for batch in rows:
            batch.project, batch.counts = self.project, counts[batch.pk]
        return rows

    @extend_schema(
        operation_id="listBatches",
        tags=["batches"],
        summary="List batches, newest first, with their counts",
        parameters=[BatchFilter],
        responses=BatchSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.listed()

    @extend_schema(
        operation_id="createBatch",
        tags=["batches"],
        summary="Write a draft; nobody sees it before it is launched",
        request=NewWish,
        responses={201: OneBatchSerializer},
    )
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        form = launch_form(self.project, asked(NewWish, request.data))
        saved = form.save_draft(request.user)
        where = reverse("api-batch", args=[slug, saved.slug])
        return Response(whole(batch_named(self.project, saved.slug)), status=201, headers={"Location": where})


class OneBatch(BatchView):
    """One batch."""

    serializer_class = OneBatchSerializer

    @extend_schema(
        operation_id="getBatch",
        tags=["batches"],
        summary="One batch with its counts, money and guide",
        responses=OneBatchSerializer,
    )
    def get(self, request: Request, slug: str, batch: str) -> Response:
        return Response(whole(self.batch))

    @extend_schema(
        operation_id="changeBatch",
        tags=["batches"],
        summary="Change a draft, or what may change after the launch: title, expected time, people, "
        "requirements, guide",
        request=DraftWish,
        responses=OneBatchSerializer,
    )
    @repeatable
    def patch(self, request: Request, slug: str, batch: str) -> Response:
        if self.batch.state == Batch.State.DRAFT:
            saved = self._change_draft(asked(DraftWish, request.data, partial=True))
        else:
            saved = self._change_terms(asked(DraftWish, request.data, partial=True))
        return Response(whole(batch_named(self.project, saved.slug)))

    def _change_draft(self, wish: JSON) -> Batch:
        if attempts.round_of(self.batch) is not None:
            raise Refused(
                _("This batch is a qualification round; its settings are changed on its page or by changeRound.")
            )
        return launch_form(self.project, wish, batch=self.batch).save_draft(self.request.user)

    @transaction.atomic
    def _change_terms(self, wish: JSON) -> Batch:
        late = sorted(set(wish) - set(TermsWish().fields))
        if late:
            text = _("This cannot be changed once the batch is launched.")
            raise ValidationError({name: [text] for name in late})
        form = terms_form(self.batch, wish)
        form.save()
        if "guide" in wish:
            batching.change_guide(self.batch, wish["guide"].replace("\r\n", "\n"), user=self.request.user)
        return self.batch

    @extend_schema(
        operation_id="discardBatch",
        tags=["batches"],
        summary="Put a draft or a closed batch into the bin, from where it can be restored",
        responses={204: None},
    )
    @repeatable
    def delete(self, request: Request, slug: str, batch: str) -> Response:
        discarding.remove_batch(self.batch)
        return Response(status=204)


class Restore(ProjectView):
    """Taking a batch out of the bin."""

    serializer_class = OneBatchSerializer

    @extend_schema(
        operation_id="restoreBatch",
        tags=["batches"],
        summary="Take a batch out of the bin",
        request=None,
        responses=OneBatchSerializer,
    )
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        found = get_object_or_404(Batch.everything.filter(project=self.project), slug=batch)
        discarding.restore_batch(found)
        return Response(whole(batch_named(self.project, batch)))


def whole(batch: Batch) -> JSON:
    """One batch as it is told."""
    rows: Any = batch
    rows.counts, rows.pay = watching.counts_of(batch), reserving.standing(batch)
    told: JSON = OneBatchSerializer(rows).data
    return told
