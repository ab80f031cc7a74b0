"""Approval: paid responses with their deadlines, and decisions on one or many."""

import hashlib
import secrets
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.examples import ANSWER
from annotation.api.idempotency import HEADER
from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input, dollars, refuse_unknown, texts
from annotation.api.viewsets import CallerRequest, ResourceViewSet
from annotation.api.work import with_answers
from annotation.flow.review import approval_queue, assignment_approval
from annotation.models import Assignment, clock
from annotation.pure.people import roles

ACTS = [approval_queue.APPROVE, approval_queue.REJECT, approval_queue.OVERRIDE, approval_queue.RETURN]
ACTS += [approval_queue.BONUS]


def bonus_amount(**more: Any) -> serializers.DecimalField:
    return dollars(min_value=Decimal("0.01"), max_value=approval_queue.MOST_BONUS, **more)


class ApprovalSerializer(serializers.Serializer):
    """A submitted response of a paid batch."""

    assignment = serializers.CharField(source="public_id")
    batch = serializers.CharField(source="batch.slug")
    hit = serializers.CharField(source="hit.public_id")
    worker = serializers.CharField(source="worker_name")
    revision = serializers.IntegerField()
    approval = serializers.ChoiceField(
        choices=["", *Assignment.Approved.values], help_text="The decision on its pay; empty: none yet."
    )
    earns = dollars(help_text="What the response earns as it is.")
    submitted_at = serializers.DateTimeField()
    auto_approve_at = serializers.DateTimeField(help_text="When it is approved automatically, unless decided before.")
    pressing = serializers.BooleanField(help_text="Whether that is within two days.")
    approved_at = serializers.DateTimeField(allow_null=True)
    rejected_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.DictField()


class ApproveInput(Input):
    """An optional message to the worker."""

    EXAMPLE = {"text": "Thank you."}

    text = serializers.CharField(max_length=approval_queue.LONGEST_REASON, required=False, allow_blank=True, default="")
    override = serializers.BooleanField(default=False, help_text="Reverse a rejection of the last 30 days.")


class RejectInput(Input):
    """The reason, which the worker reads."""

    EXAMPLE = {"text": "The support is missing."}

    text = serializers.CharField(max_length=approval_queue.LONGEST_REASON)


class BonusInput(Input):
    """A bonus; the worker reads the reason."""

    EXAMPLE = {"amount": "1.50", "reason": "For a second look."}

    amount = bonus_amount()
    reason = serializers.CharField(max_length=approval_queue.LONGEST_REASON)


class ReturnInput(Input):
    """The changes requested of the revision that you read."""

    EXAMPLE = {"revision": 1, "message": "Please tick the second paragraph too."}

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    message = serializers.CharField(max_length=5000)


class ManyInput(Input):
    """A decision on many responses."""

    EXAMPLE = {"assignments": [ANSWER], "act": "bonus", "text": "Very careful.", "amount": "0.50"}

    assignments = texts(32, allow_empty=False, max_length=500)
    act = serializers.ChoiceField(choices=ACTS)
    text = serializers.CharField(max_length=approval_queue.LONGEST_REASON, required=False, allow_blank=True, default="")
    amount = bonus_amount(required=False, help_text="The amount of a bonus, for each response.")

    def validate(self, data: JSON) -> JSON:
        if data["act"] == approval_queue.BONUS and "amount" not in data:
            raise ValidationError({"amount": [_("Give an amount.")]})
        if data["act"] not in {approval_queue.APPROVE, approval_queue.OVERRIDE} and not data["text"].strip():
            raise ValidationError({"text": [_("Write a message for the workers.")]})
        return data


class OutcomeSerializer(serializers.Serializer):
    """How many were decided, and why others were not."""

    done = serializers.IntegerField()
    refused = serializers.ListField(child=serializers.CharField())


class PaidSerializer(serializers.Serializer):
    """A payment."""

    kind = serializers.CharField()
    amount = dollars()
    fee = dollars()
    state = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


def form_of(request: CallerRequest) -> str:
    """The key that makes a bonus unique: the Idempotency-Key, so that it holds after the stored response expired."""
    key = request.headers.get(HEADER)
    own = f"{request.user and request.user.pk}/{key}"  # per user, because another user's equal key is a different one
    return hashlib.sha256(own.encode()).hexdigest()[:32] if key else secrets.token_hex(16)


class ApprovalViewSet(ResourceViewSet):
    """Approval of responses."""

    serializer_class = ApprovalSerializer
    act = reads = roles.PAY
    row: Assignment

    def get_queryset(self) -> Any:
        return approval_queue.project_rows(self.project)

    def get_object(self) -> Assignment:
        row: Assignment = super().get_object()
        row.batch.project = self.project
        return row

    def prepare(self, rows: list[Any]) -> list[Any]:
        """Add to each response what it earns and its deadline."""
        rows = with_answers(self.project, rows)
        for row in rows:
            row.earns = assignment_approval.worth(row, row.answer)
            row.pressing = not row.approval and row.auto_approve_at - clock.now() < approval_queue.ALARM
        return rows

    @operation(query=approval_queue.ApprovalFilter)
    def list(self, wanted: approval_queue.ApprovalFilter) -> Any:
        """List submitted responses of paid batches with their deadlines, by default those to decide on."""
        return approval_queue.listed(self.project, wanted)

    @action(detail=False, takes=ManyInput, gives=OutcomeSerializer)
    def decide(self, data: JSON) -> JSON:
        """Approve, reject, pay a bonus for, or request changes of up to 500 responses, each on its own.

        Those that cannot be decided do not hold up the others; those already decided stay as they are.
        """
        rows = list(self.get_queryset().filter(public_id__in=data["assignments"]).order_by("pk"))
        known = {row.public_id for row in rows}
        text = _("No such response awaits approval in this batch.")
        refuse_unknown("assignments", data["assignments"], known, text)
        terms = {"text": data["text"], "amount": data.get("amount", Decimal(0)), "form": form_of(self.request)}
        decision = approval_queue.BulkDecision(data["act"], **terms)
        outcome = approval_queue.decide_all(rows, decision, user=self.request.user)
        return {"done": outcome.done, "refused": outcome.refused}

    @operation()
    def retrieve(self) -> None:
        """One response with what it earns and its deadline."""

    @action(takes=ApproveInput, id="approveAssignment")
    def approve(self, data: JSON) -> None:
        """Approve and pay a response; an approval is final."""
        act = approval_queue.OVERRIDE if data["override"] else approval_queue.APPROVE
        approval_queue.decide(self.row, act, text=data["text"], user=self.request.user)

    @action(takes=RejectInput, id="rejectAssignment")
    def reject(self, data: JSON) -> None:
        """Reject a response with a reason that the worker reads; this can be reversed within 30 days."""
        approval_queue.decide(self.row, approval_queue.REJECT, text=data["text"], user=self.request.user)

    @action(takes=BonusInput, gives=PaidSerializer, status=201, id="payBonus")
    def bonus(self, data: JSON) -> Any:
        """Pay a bonus for a response at once, in addition to its reward."""
        terms = {"reason": data["reason"], "form": form_of(self.request), "user": self.request.user}
        return approval_queue.bonus(self.row, data["amount"], **terms)

    @action(url_path="return", takes=ReturnInput, id="returnAssignment")
    def send_back(self, data: JSON) -> None:
        """Request changes of a response; its deadline begins anew."""
        approval_queue.send_back(self.row, data["revision"], message=data["message"], user=self.request.user)
