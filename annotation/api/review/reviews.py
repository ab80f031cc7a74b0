"""Reviews: responses drawn for review, and decisions on them."""

from typing import Any, cast

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input
from annotation.flow.errors import Refused
from annotation.flow.people import worker_names
from annotation.flow.review import approval_queue, review_decisions, review_samples, worker_feedback
from annotation.models import Assignment, Project
from annotation.pure.people import roles
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import capabilities


class DrawInput(Input):
    """How many responses per worker, or of one worker, to draw."""

    EXAMPLE = {"size": 20}

    size = serializers.IntegerField(min_value=1, max_value=review_samples.MOST, default=review_samples.SIZE)
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")


class DrawSerializer(serializers.Serializer):
    """The responses that were drawn."""

    number = serializers.IntegerField(help_text="The number of the draw, from 1.")
    drawn = serializers.IntegerField(help_text="How many responses were drawn.")


class DecisionInput(Input):
    """A decision on the revision that you read."""

    EXAMPLE = {"decision": "accepted", "revision": 1, "seen": 0}

    decision = serializers.ChoiceField(choices=[(word, word) for word in sorted(review_state.DECIDED)])
    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="The revision that you read.")
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**62,
        help_text="The `last` review that you saw; guards against another reviewer's decision.",
    )
    marks = serializers.DictField(
        child=serializers.BooleanField(), required=False, help_text="Whether each criterion is met, by its name."
    )
    text = serializers.CharField(
        max_length=5000, required=False, allow_blank=True, help_text="Your wording; only with `edited`."
    )
    reason = serializers.CharField(
        max_length=5000,
        required=False,
        allow_blank=True,
        help_text="Why it is excluded, or which changes are requested.",
    )
    approve = serializers.BooleanField(default=False, help_text="Also approve and pay it; only with `accepted`.")

    def validate(self, data: JSON) -> JSON:
        needs = {review_state.EDITED: "text", review_state.RETURNED: "reason", review_state.DISCARDED: "reason"}
        name = needs.get(data["decision"], "")
        if name and not data.get(name, "").strip():
            raise ValidationError({name: [_("This decision needs a text.")]})
        if data["approve"] and data["decision"] != review_state.ACCEPTED:
            raise ValidationError(
                {"approve": [_("Only responses accepted unchanged can be approved at the same time.")]}
            )
        return data


class RevisionInput(Input):
    """The revision that you read."""

    EXAMPLE = {"revision": 2}

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class FeedbackInput(Input):
    """Feedback, which the worker reads before the next assignment."""

    EXAMPLE = {"text": "Good, but please read the last paragraph as well."}

    text = serializers.CharField(max_length=worker_feedback.LONGEST)


class StandingSerializer(serializers.Serializer):
    """A response with its review."""

    assignment = serializers.CharField(source="assignment.public_id")
    hit = serializers.CharField(source="assignment.hit.public_id")
    worker = serializers.SerializerMethodField()
    revision = serializers.IntegerField(source="assignment.revision")
    state = serializers.CharField(
        help_text="`unread`, `repaired`, `changed`, `accepted`, `edited`, `returned` or `discarded`."
    )
    text = serializers.SerializerMethodField()
    answer = serializers.DictField(source="answer.answer")
    marks = serializers.SerializerMethodField()
    edited_text = serializers.CharField(source="review.text", default="")
    reason = serializers.CharField(source="review.reason", default="")
    reviewer = serializers.SerializerMethodField()
    last = serializers.SerializerMethodField()

    def get_worker(self, one: review_decisions.ResponseWithReview) -> str:
        """The worker's pseudonym."""
        return self._project.pseudonym(one.assignment.worker_id)

    def get_text(self, one: review_decisions.ResponseWithReview) -> str:
        """The text of the response, if the task has one."""
        task = task_type(one.assignment.batch.task)
        return str(capabilities.review(task, one.assignment.hit.payload, one.answer.answer)["text"])

    def get_marks(self, one: review_decisions.ResponseWithReview) -> dict[str, bool]:
        return dict(one.review.marks) if one.review else {}

    def get_reviewer(self, one: review_decisions.ResponseWithReview) -> str | None:
        """The reviewer's pseudonym."""
        who = one.review.reviewer_id if one.review else None
        return self._project.reviewer_pseudonym(who) if who else None

    def get_last(self, one: review_decisions.ResponseWithReview) -> int:
        """The number of the last review, including undone ones; 0: none."""
        return int(self.context["view"].last.get(one.assignment.pk, 0))

    @property
    def _project(self) -> Project:
        return cast(Project, self.context["view"].project)


class BatchReviewViewSet(BatchPartViewSet):
    """Responses of a launched batch for review."""

    serializer_class = StandingSerializer
    act = reads = roles.REVIEW
    row: Assignment
    last: dict[int, int]

    def find(self) -> None:
        super().find()
        if self.batch.launched_at is None or not review_decisions.is_reviewed(self.batch):
            raise Http404

    def get_queryset(self) -> Any:
        return self.batch.assignments.submitted().select_related("hit").defer("draft")

    def prepare(self, rows: list[Any]) -> list[Any]:
        for row in rows:
            row.batch = self.batch
        histories = review_decisions.reviews_of(rows)
        self.last = {pk: history[-1].pk for pk, history in histories.items() if history}
        return list(review_decisions.responses_with_reviews(rows))

    @operation(query=review_samples.ReviewFilter)
    def list(self, wanted: review_samples.ReviewFilter) -> Any:
        """List responses drawn for review, by default those to review.

        Only for tasks whose responses are reviewed (`reviewed` in `tasks/`).
        """
        places = review_samples.shown(review_samples.queue(self.batch), wanted.show)
        return wanted.narrow(self.project, self.get_queryset().filter(pk__in=[place.pk for place in places]))

    @action(detail=False, takes=DrawInput, gives=DrawSerializer, status=201, id="drawReviews")
    def draw(self, data: JSON) -> JSON:
        """Draw more responses for review, of all workers or of one."""
        worker = worker_names.worker_named(self.project, data["worker"]) if "worker" in data else None
        if "worker" in data and worker is None:
            raise ValidationError({"worker": [_("This project has no such worker.")]})
        made = review_samples.draw(self.batch, size=data["size"], worker=worker, user=self.request.user)
        return {"number": made.number, "drawn": made.assignments.count()}

    @operation()
    def retrieve(self) -> None:
        """One response with its review."""

    @operation(takes=DecisionInput, id="decideReview")
    def decide_one(self, data: JSON) -> None:
        """Review the revision that you read: accept it, edit it, request changes or exclude it."""
        unknown = sorted(set(data.get("marks", {})) - set(capabilities.criteria(task_type(self.batch.task))))
        if unknown:
            raise ValidationError({f"marks.{name}": [_("This task has no such criterion.")] for name in unknown})
        parts = {"marks": data.get("marks", {}), "text": data.get("text", ""), "reason": data.get("reason", "")}
        decision = review_decisions.Decision(data["decision"], **parts)
        user, seen = self.request.user, data.get("seen")
        if data["approve"]:
            self.allow(roles.PAY)
            approval_queue.accept_and_approve(self.row, data["revision"], decision, user=user, seen=seen)
        else:
            review_decisions.decide(self.row, data["revision"], decision, reviewer=user, seen=seen)

    @action()
    def undo(self) -> None:
        """Undo the review of a response."""
        if not review_decisions.undo(self.row, reviewer=self.request.user):
            raise Refused(_("Nothing to undo: the response has changed, or this was already undone."))

    @action(takes=RevisionInput)
    def choose(self, data: JSON) -> None:
        """Accept this one of several responses to a HIT; the others stay, not accepted."""
        review_decisions.choose(self.row, data["revision"], reviewer=self.request.user)

    @action(takes=FeedbackInput, gives=FeedbackInput, status=201, id="sendFeedback")
    def feedback(self, data: JSON) -> Any:
        """Give the worker feedback on a response, to be read before the next assignment."""
        terms = {"text": data["text"], "author": self.request.user, "assignment": self.row}
        return worker_feedback.feedback(self.row.worker, self.batch, **terms)
