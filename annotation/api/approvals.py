"""What waits to be paid for: the answers with their clock, and deciding on one or on many."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.assignments import with_answers
from annotation.api.base import ProjectView
from annotation.api.lists import JSON, ProjectList, Wish, asked, dollars
from annotation.api.writing import HEADER, repeatable
from annotation.flow import approving, awaiting, naming
from annotation.models import Assignment, Project, clock
from annotation.pure import roles

LEAST, MOST = Decimal("0.01"), awaiting.MOST_BONUS


class ApprovalFilter(serializers.Serializer):
    """Which answers."""

    show = serializers.ChoiceField(
        choices=[(show, show) for show in ("waiting", "approved", "rejected")], default="waiting"
    )
    batch = serializers.CharField(max_length=100, required=False)
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")


class ApprovalSerializer(serializers.Serializer):
    """A submitted answer that is for pay."""

    assignment = serializers.CharField(source="public_id")
    batch = serializers.CharField(source="batch.slug")
    hit = serializers.CharField(source="hit.public_id")
    worker = serializers.CharField(source="worker_name", help_text="The worker's pseudonym.")
    revision = serializers.IntegerField()
    approval = serializers.ChoiceField(choices=["", *Assignment.Approved.values], help_text="Empty: not decided.")
    earns = dollars(help_text="What the answer as it stands earns.")
    submitted_at = serializers.DateTimeField()
    auto_approve_at = serializers.DateTimeField(help_text="When it is approved by itself, unless decided before.")
    pressing = serializers.BooleanField(help_text="Whether that is within two days.")
    approved_at = serializers.DateTimeField(allow_null=True)
    rejected_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.DictField()


class ApproveWish(Wish):
    """A word to the worker, if you like."""

    text = serializers.CharField(max_length=awaiting.LONGEST_REASON, required=False, allow_blank=True, default="")
    override = serializers.BooleanField(default=False, help_text="Take a rejection of the last 30 days back.")


class RejectWish(Wish):
    """Why it is not paid; the worker reads it."""

    text = serializers.CharField(max_length=awaiting.LONGEST_REASON)


class BonusWish(Wish):
    """A bonus; the worker reads what it is for."""

    amount = dollars(min_value=LEAST, max_value=MOST)
    reason = serializers.CharField(max_length=awaiting.LONGEST_REASON)


class ReturnWish(Wish):
    """What is to be repaired in the revision that was read."""

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    message = serializers.CharField(max_length=5000)


class ManyWish(Wish):
    """What is to be done to many answers."""

    assignments = serializers.ListField(child=serializers.CharField(max_length=32), allow_empty=False, max_length=500)
    act = serializers.ChoiceField(
        choices=[
            (act, act)
            for act in (awaiting.APPROVE, awaiting.REJECT, awaiting.OVERRIDE, awaiting.RETURN, awaiting.BONUS)
        ]
    )
    text = serializers.CharField(max_length=awaiting.LONGEST_REASON, required=False, allow_blank=True, default="")
    amount = dollars(required=False, min_value=LEAST, max_value=MOST, help_text="Of a bonus, for each.")

    def validate(self, wish: JSON) -> JSON:
        if wish["act"] == awaiting.BONUS and "amount" not in wish:
            raise ValidationError({"amount": [_("Say how much.")]})
        if wish["act"] not in {awaiting.APPROVE, awaiting.OVERRIDE} and not wish["text"].strip():
            raise ValidationError({"text": [_("Write what the workers are to read.")]})
        return wish


class OutcomeSerializer(serializers.Serializer):
    """How many were decided now, and why others were not."""

    done = serializers.IntegerField()
    refused = serializers.ListField(child=serializers.CharField())


class PaidSerializer(serializers.Serializer):
    """A payment."""

    kind = serializers.CharField()
    amount = dollars()
    fee = dollars()
    state = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


def told(project: Project, rows: Iterable[Any]) -> list[Any]:
    """Answers with what they earn and how their clock stands."""
    rows = with_answers(project, rows)
    for row in rows:
        row.earns = approving.worth(row, row.answer)
        row.pressing = not row.approval and row.auto_approve_at - clock.now() < awaiting.ALARM
    return rows


class Approvals(ProjectList):
    """What is for pay."""

    serializer_class = ApprovalSerializer
    act = reads = roles.PAY

    def rows(self) -> Any:
        wish = self.query(ApprovalFilter)
        show = wish["show"]
        rows = awaiting.waiting(self.project) if show == "waiting" else awaiting.decided(self.project, show)
        if "batch" in wish:
            rows = rows.filter(batch__slug=wish["batch"])
        if "worker" in wish:
            rows = rows.filter(worker=naming.worker_named(self.project, wish["worker"]))
        return rows

    def told(self, rows: list[Any]) -> list[Any]:
        return told(self.project, rows)

    @extend_schema(parameters=[ApprovalFilter], responses=ApprovalSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Submitted answers that are for pay, with the clock of each; those that wait unless you ask for others."""
        return self.listed()


class Decide(ProjectView):
    """Deciding on many."""

    serializer_class = OutcomeSerializer
    act = roles.PAY

    @extend_schema(operation_id="decideApprovals", request=ManyWish, responses=OutcomeSerializer)
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Approve, reject, return or give a bonus to up to 500 answers, each by itself.

        One that cannot be decided keeps back no other; what was decided already stays as it is.
        """
        wish = asked(ManyWish, request.data)
        rows = list(awaiting.project_rows(self.project).filter(public_id__in=wish["assignments"]).order_by("pk"))
        known = {row.public_id for row in rows}
        unknown = [k for k, name in enumerate(wish["assignments"]) if name not in known]
        if unknown:
            raise ValidationError({f"assignments.{k}": [_("No such answer is for pay here.")] for k in unknown})
        amount = wish.get("amount", Decimal(0))
        meant = awaiting.Wish(wish["act"], text=wish["text"], amount=amount, form=form_of(request))
        outcome = awaiting.decide_all(rows, meant, user=request.user)
        return Response({"done": outcome.done, "refused": outcome.refused})


def form_of(request: Request) -> str:
    """Under which a bonus is paid once: the same for the same key, even after the key's answer is forgotten."""
    key = request.headers.get(HEADER)
    own = f"{request.user.pk}/{key}"  # as anywhere, somebody else's key is another one
    return hashlib.sha256(own.encode()).hexdigest()[:32] if key else secrets.token_hex(16)


class ApprovalView(ProjectView):
    """One answer that is for pay: `row` stands before a method runs."""

    serializer_class = ApprovalSerializer
    act = reads = roles.PAY
    row: Assignment

    def find(self, **kwargs: Any) -> None:
        self.row = get_object_or_404(awaiting.project_rows(self.project), public_id=kwargs["public_id"])
        self.row.batch.project = self.project

    def shown(self) -> Response:
        row = awaiting.project_rows(self.project).get(pk=self.row.pk)
        return Response(ApprovalSerializer(told(self.project, [row])[0]).data)


class OneApproval(ApprovalView):
    """One answer."""

    @extend_schema(responses=ApprovalSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One answer with what it earns and its clock."""
        return self.shown()


class Approve(ApprovalView):
    """Paying an answer."""

    @extend_schema(operation_id="approveAssignment", request=ApproveWish, responses=ApprovalSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Approve and pay what the answer earns; one that is approved stays so."""
        wish = asked(ApproveWish, request.data)
        act = awaiting.OVERRIDE if wish["override"] else awaiting.APPROVE
        awaiting.decide(self.row, act, text=wish["text"], user=request.user)
        return self.shown()


class Reject(ApprovalView):
    """Refusing to pay."""

    @extend_schema(operation_id="rejectAssignment", request=RejectWish, responses=ApprovalSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Refuse to pay, with a reason that the worker reads; within 30 days it can be taken back."""
        text = asked(RejectWish, request.data)["text"]
        awaiting.decide(self.row, awaiting.REJECT, text=text, user=request.user)
        return self.shown()


class Bonus(ApprovalView):
    """Paying more."""

    @extend_schema(operation_id="payBonus", request=BonusWish, responses={201: PaidSerializer})
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Pay a bonus for an answer, besides its reward, at once."""
        wish = asked(BonusWish, request.data)
        paid = awaiting.bonus(self.row, wish["amount"], reason=wish["reason"], form=form_of(request), user=request.user)
        return Response(PaidSerializer(paid).data, status=201)


class Return(ApprovalView):
    """Sending an answer back."""

    @extend_schema(operation_id="returnAssignment", request=ReturnWish, responses=ApprovalSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Return an answer to its worker for repair; its clock begins anew."""
        wish = asked(ReturnWish, request.data)
        awaiting.send_back(self.row, wish["revision"], message=wish["message"], user=request.user)
        return self.shown()
