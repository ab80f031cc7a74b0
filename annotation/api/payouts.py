"""Payouts: what is owed, taken together to be paid by the lab's own way, and what came of it."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, Sum
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.judgments import BODIES
from annotation.api.lists import AnyType, Newest, ProjectList, Wish, asked, dollars
from annotation.api.reading import FileParser, FormParser
from annotation.api.writing import repeatable
from annotation.downloads import sent
from annotation.flow import naming, paying_out
from annotation.models import Payout, PayoutLine, Project
from annotation.pure import roles

OPEN = PayoutLine.State.OPEN


class PayoutSerializer(serializers.Serializer):
    """A payout."""

    number = serializers.IntegerField(help_text="1 for the project's first.")
    total = dollars()
    lines_open = serializers.IntegerField(help_text="Workers of whom it is not noted yet whether they were paid.")
    created_at = serializers.DateTimeField()


class LineSerializer(serializers.Serializer):
    """Whom to pay how much; names stand here, because whoever pays needs them."""

    worker = serializers.CharField(source="worker.pseudonym", help_text="The worker's pseudonym.")
    worker_id = serializers.CharField(source="worker.public_id")
    name = serializers.SerializerMethodField()
    amount = dollars()
    state = serializers.ChoiceField(choices=PayoutLine.State.choices)
    reference = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)

    def get_name(self, line: PayoutLine) -> str:
        return str(line.worker.user or line.worker.external_id or "")


class OnePayoutSerializer(PayoutSerializer):
    """A payout with its lines."""

    lines = LineSerializer(many=True, source="told_lines")


class LineWish(Wish):
    """What came of paying one worker."""

    worker = serializers.CharField(max_length=64, help_text="Pseudonym or worker id.")
    state = serializers.ChoiceField(choices=[(s, s) for s in (PayoutLine.State.PAID, PayoutLine.State.FAILED)])
    reference = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class ReconciledSerializer(serializers.Serializer):
    """Lines by what was done to them."""

    paid = serializers.IntegerField()
    failed = serializers.IntegerField()
    open = serializers.IntegerField()
    unchanged = serializers.IntegerField()


def summed(project: Project) -> Any:
    """The project's payouts with their sums."""
    return project.payouts.annotate(total=Sum("lines__amount"), lines_open=Count("lines", filter=Q(lines__state=OPEN)))


def numbered(project: Project, number: int) -> Payout:
    """The project's payout of that number; 404 otherwise."""
    found: Payout = get_object_or_404(summed(project), number__in=[number] if number < 2**31 else [])
    found.project = project
    return found


class Payouts(ProjectList):
    """The payouts of a project."""

    serializer_class = PayoutSerializer
    pagination_class = Newest
    act = reads = roles.PAY

    def rows(self) -> Any:
        return summed(self.project)

    @extend_schema(responses=PayoutSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The payouts of a project, newest first."""
        return self.listed()

    @extend_schema(operation_id="makePayout", request=None, responses={201: OnePayoutSerializer})
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Take together everything that is owed to workers."""
        made = paying_out.make_payout(self.project, user=request.user)
        return Response(_told(numbered(self.project, made.number)), status=201)


def _told(payout: Payout) -> Any:
    shown: Any = payout
    shown.told_lines = paying_out.lines_of(payout)
    return OnePayoutSerializer(shown).data


class PayoutView(ProjectView):
    """One payout: `payout` stands before a method runs."""

    serializer_class = OnePayoutSerializer
    act = reads = roles.PAY
    payout: Payout

    def find(self, **kwargs: Any) -> None:
        self.payout = numbered(self.project, kwargs["number"])


class OnePayout(PayoutView):
    """One payout."""

    @extend_schema(responses=OnePayoutSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """One payout: whom to pay how much, with names."""
        return Response(_told(self.payout))


class PayoutFile(PayoutView):
    """One payout as a file."""

    content_negotiation_class = AnyType

    @extend_schema(operation_id="exportPayout", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """One payout as CSV, which is also the form in which it is read back (`payouts/reconcile/`)."""
        name, content = f"{slug}-payout-{self.payout.number}.csv", paying_out.as_csv(self.payout)
        return sent(request, self.payout, content, name=name, kind="text/csv; charset=utf-8")


class Note(PayoutView):
    """What came of a line."""

    @extend_schema(operation_id="notePayoutLine", request=LineWish, responses=OnePayoutSerializer)
    @repeatable
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Note that a worker was paid, or that paying failed: then it is owed again."""
        wish = asked(LineWish, request.data)
        worker = naming.worker_named(self.project, wish["worker"])
        line = self.payout.lines.filter(worker=worker).select_related("payout__project", "worker").first()
        if worker is None or line is None:
            raise ValidationError({"worker": [_("No line of this payout is this worker's.")]})
        paying_out.decide(line, wish["state"], reference=wish["reference"], user=request.user)
        return Response(_told(numbered(self.project, number)))


class Reconcile(ProjectView):
    """Reading a payout back."""

    serializer_class = ReconciledSerializer
    parser_classes = [FormParser, FileParser]
    act = roles.PAY

    @extend_schema(operation_id="reconcilePayouts", request=BODIES, responses=ReconciledSerializer)
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Read a payout's file back, its states filled in: all of the file or nothing.

        The same file again changes nothing. What is wrong is told line by line in `report`.
        """
        upload = request.data.get("file")
        if not getattr(upload, "size", 0):
            raise ValidationError({"file": [_("The file is empty. Send the payout's file.")]})
        content = upload.read(paying_out.LONGEST + 1)
        return Response(paying_out.reconcile(self.project, content, user=request.user))
