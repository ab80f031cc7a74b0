"""Reading answers: what was drawn to be read, and what a reviewer makes of each."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_base import BatchList, BatchView
from annotation.api.lists import JSON, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import awaiting, naming, reviewing, sampling, telling
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Batch, Project
from annotation.pure import reading, roles
from annotation.registry import task_type

SHOWS = ("waiting", "decided", *sorted(reading.DECIDED), reading.REPAIRED, reading.CHANGED, "all")


class ReviewFilter(serializers.Serializer):
    """Which of the answers to read."""

    show = serializers.ChoiceField(choices=[(show, show) for show in SHOWS], default="waiting")
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")


class DrawWish(Wish):
    """How many answers of each worker, or of one of them, to draw."""

    size = serializers.IntegerField(min_value=1, max_value=sampling.MOST, default=sampling.SIZE)
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")


class DrawSerializer(serializers.Serializer):
    """What was drawn."""

    number = serializers.IntegerField(help_text="1 for the batch's first.")
    drawn = serializers.IntegerField(help_text="How many answers.")


class DecisionWish(Wish):
    """What becomes of the revision that was read."""

    decision = serializers.ChoiceField(choices=[(word, word) for word in sorted(reading.DECIDED)])
    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="That was read.")
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**62,
        help_text="The `last` review that was seen; guards against others.",
    )
    marks = serializers.DictField(child=serializers.BooleanField(), required=False, help_text="By criterion.")
    text = serializers.CharField(max_length=5000, required=False, allow_blank=True, help_text="Of an edit.")
    reason = serializers.CharField(
        max_length=5000, required=False, allow_blank=True, help_text="Why it is discarded, or what is to be repaired."
    )
    approve = serializers.BooleanField(default=False, help_text="Approve and pay it too; only with `accepted`.")

    def validate(self, wish: JSON) -> JSON:
        needs = {reading.EDITED: "text", reading.RETURNED: "reason", reading.DISCARDED: "reason"}
        name = needs.get(wish["decision"], "")
        if name and not wish.get(name, "").strip():
            raise ValidationError({name: [_("This decision needs words.")]})
        if wish["approve"] and wish["decision"] != reading.ACCEPTED:
            raise ValidationError({"approve": [_("Only what is accepted as it stands is approved with it.")]})
        return wish


class RevisionWish(Wish):
    """Which revision was read."""

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class FeedbackWish(Wish):
    """Words to the worker, who reads them before the next assignment."""

    text = serializers.CharField(max_length=telling.LONGEST)


class StandingSerializer(serializers.Serializer):
    """An answer with what was decided on it."""

    assignment = serializers.CharField(source="assignment.public_id")
    hit = serializers.CharField(source="assignment.hit.public_id")
    worker = serializers.SerializerMethodField()
    revision = serializers.IntegerField(source="assignment.revision")
    state = serializers.CharField(help_text="unread, repaired, changed, accepted, edited, returned or discarded")
    text = serializers.SerializerMethodField()
    answer = serializers.DictField(source="answer.answer")
    marks = serializers.SerializerMethodField()
    edited_text = serializers.CharField(source="review.text", default="")
    reason = serializers.CharField(source="review.reason", default="")
    reviewer = serializers.SerializerMethodField()
    last = serializers.SerializerMethodField()

    def get_worker(self, one: reviewing.Standing) -> str:
        """The worker's pseudonym."""
        return self._project.pseudonym(one.assignment.worker_id)

    def get_text(self, one: reviewing.Standing) -> str:
        """The wording that is read, where the task has one."""
        task = task_type(one.assignment.batch.task)
        return str(task.review(one.assignment.hit.payload, one.answer.answer)["text"])

    def get_marks(self, one: reviewing.Standing) -> dict[str, bool]:
        return dict(one.review.marks) if one.review else {}

    def get_reviewer(self, one: reviewing.Standing) -> str | None:
        """The reviewer's pseudonym."""
        who = one.review.reviewer_id if one.review else None
        return self._project.reviewer_pseudonym(who) if who else None

    def get_last(self, one: reviewing.Standing) -> int:
        """The number of the last review, undone ones too; 0: none."""
        return int(self.context["last"].get(one.assignment.pk, 0))

    @property
    def _project(self) -> Project:
        found: Project = self.context["project"]
        return found


def standings(batch: Batch, rows: Any) -> Any:
    """The serializer of these answers as they stand."""
    rows = list(rows)
    for row in rows:
        row.batch = batch
    histories = reviewing.reviews_of(rows)
    last = {pk: history[-1].pk for pk, history in histories.items() if history}
    context = {"project": batch.project, "last": last}
    return StandingSerializer(reviewing.standings(rows), many=True, context=context)


class _Reviewed:
    """Of a launched batch whose answers are for requesters to read."""

    batch: Batch
    act = reads = roles.REVIEW

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)  # type: ignore[misc]
        if self.batch.launched_at is None or not reviewing.is_reviewed(self.batch):
            raise Http404

    def answers(self) -> Any:
        rows = self.batch.assignments.submitted().select_related("hit")
        return rows.defer("draft")


class Reviews(_Reviewed, BatchList):
    """The answers to read."""

    serializer_class = StandingSerializer

    def rows(self) -> Any:
        wish = self.query(ReviewFilter)
        worker = None
        if "worker" in wish:
            worker = naming.worker_named(self.project, wish["worker"])
            if worker is None:
                return self.answers().none()
        places = sampling.queue(self.batch, worker=worker.pk if worker else None)
        return self.answers().filter(pk__in=[place.pk for place in sampling.shown(places, wish["show"])])

    @extend_schema(parameters=[ReviewFilter], responses=StandingSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """Answers that were drawn to be read, those that wait unless you ask for others.

        Only of tasks whose answers are read (`reviewed` in `tasks/`).
        """
        page = self.paginate_queryset(self.rows())
        return self.get_paginated_response(standings(self.batch, page).data)


class Draw(_Reviewed, BatchView):
    """Drawing answers to read."""

    serializer_class = DrawSerializer

    @extend_schema(operation_id="drawReviews", request=DrawWish, responses={201: DrawSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Draw more answers to read, of everybody or of one worker."""
        wish = asked(DrawWish, request.data)
        worker = naming.worker_named(self.project, wish["worker"]) if "worker" in wish else None
        if "worker" in wish and worker is None:
            raise ValidationError({"worker": [_("There is no such worker in this project.")]})
        made = sampling.draw(self.batch, size=wish["size"], worker=worker, user=request.user)
        return Response({"number": made.number, "drawn": made.drawn.count()}, status=201)


class _AnswerView(_Reviewed, BatchView):
    """One answer: `row` stands before a method runs."""

    serializer_class = StandingSerializer
    row: Assignment

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        self.row = get_object_or_404(self.answers(), public_id=kwargs["public_id"])
        self.row.batch = self.batch

    def shown(self) -> Response:
        self.row.refresh_from_db(fields=["revision"])
        return Response(standings(self.batch, [self.row]).data[0])


class OneReview(_AnswerView):
    """One answer to read."""

    @extend_schema(responses=StandingSerializer)
    def get(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """One answer with what was decided on it."""
        return self.shown()

    @extend_schema(operation_id="decideReview", request=DecisionWish, responses=StandingSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Decide on the revision that was read: accept, edit, return for repair or discard it."""
        wish = asked(DecisionWish, request.data)
        unknown = sorted(set(wish.get("marks", {})) - set(task_type(self.batch.task).criteria))
        if unknown:
            raise ValidationError({f"marks.{name}": [_("This task has no such criterion.")] for name in unknown})
        parts = {"marks": wish.get("marks", {}), "text": wish.get("text", ""), "reason": wish.get("reason", "")}
        decision = reviewing.Decision(wish["decision"], **parts)
        if wish["approve"]:
            self.allow(roles.PAY)
            awaiting.accept_and_approve(self.row, wish["revision"], decision, user=request.user, seen=wish.get("seen"))
        else:
            reviewing.decide(self.row, wish["revision"], decision, reviewer=request.user, seen=wish.get("seen"))
        return self.shown()


class Undo(_AnswerView):
    """Taking a decision back."""

    @extend_schema(request=None, responses=StandingSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Take back the decision on an answer."""
        if not reviewing.undo(self.row, reviewer=request.user):
            raise Refused(_("There is nothing to undo: the answer has changed or was undone already."))
        return self.shown()


class Choose(_AnswerView):
    """Choosing one of several."""

    @extend_schema(request=RevisionWish, responses=StandingSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Accept this one of several answers to a HIT; the others stay, and none of them is accepted."""
        revision = asked(RevisionWish, request.data)["revision"]
        reviewing.choose(self.row, revision, reviewer=request.user)
        return self.shown()


class Feedback(_AnswerView):
    """Words on an answer."""

    @extend_schema(operation_id="sendFeedback", request=FeedbackWish, responses={201: FeedbackWish})
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Tell the worker something about an answer, to be read before the next assignment."""
        text = asked(FeedbackWish, request.data)["text"]
        sent = telling.feedback(self.row.worker, self.batch, text=text, author=request.user, assignment=self.row)
        return Response({"text": sent.text}, status=201)
