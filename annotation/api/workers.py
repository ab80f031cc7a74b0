"""The workers of a project, under pseudonyms: what they did and hold, whether they may work; words to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import ProjectList, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import joining, knowing, messaging, naming, qualifying
from annotation.models import Worker
from annotation.pure import roles


class WorkerFilter(serializers.Serializer):
    """Which workers."""

    active = serializers.BooleanField(required=False)
    blocked = serializers.BooleanField(required=False)
    qualification = serializers.CharField(max_length=64, required=False, help_text="Who hold this one, by its id.")


class HeldSerializer(serializers.Serializer):
    """A score that a worker holds."""

    id = serializers.CharField(help_text="The qualification's.")
    name = serializers.CharField()
    value = serializers.IntegerField()


class WorkerSerializer(serializers.Serializer):
    """A worker. `name` and `block_reason` are null to those whose role does not deal with people."""

    id = serializers.CharField(source="public_id", help_text="The worker id, as on a marketplace.")
    pseudonym = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    active = serializers.BooleanField(help_text="Whether they may take assignments.")
    blocked = serializers.BooleanField()
    block_reason = serializers.CharField(allow_null=True)
    submitted = serializers.IntegerField(help_text="Answers, in all batches.")
    last_at_work = serializers.DateTimeField(allow_null=True)
    qualifications = HeldSerializer(many=True, source="held")
    joined_at = serializers.DateTimeField(source="created_at")


class BlockWish(Wish):
    """Why; workers never see it."""

    reason = serializers.CharField(max_length=1000)


class MessageWish(Wish):
    """A letter."""

    subject = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(max_length=4096)


class SentSerializer(serializers.Serializer):
    """A letter that was sent."""

    subject = serializers.CharField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


def told(workers: Sequence[Any], *, named: bool) -> list[Any]:
    """Workers as they are shown, with names where the caller may know them. Their `user` and `block` are loaded."""
    known = knowing.of_workers(workers)
    for worker in workers:
        block = getattr(worker, "block", None)
        mine = known[worker.pk]
        worker.blocked = block is not None
        worker.block_reason = block.reason if block and named else None
        worker.name = str(worker.user or worker.external_id or "") if named else None
        worker.submitted, worker.last_at_work = mine.submitted, mine.last
        # a plain attribute: the relation of that name is for querying
        worker.held = [{"id": id, "name": name, "value": value} for id, name, value in mine.held]
    return list(workers)


class Workers(ProjectList):
    """The workers of a project."""

    serializer_class = WorkerSerializer

    def rows(self) -> Any:
        wish = self.query(WorkerFilter)
        rows = self.project.workers.select_related("user", "block")
        if "active" in wish:
            rows = rows.filter(active=wish["active"])
        if "blocked" in wish:
            rows = rows.filter(block__isnull=not wish["blocked"])
        if "qualification" in wish:
            held = {"type__public_id": wish["qualification"], "state": "Granted", "type__deleted_at": None}
            rows = rows.filter(**{f"qualifications__{name}": value for name, value in held.items()})
        return rows

    def told(self, rows: list[Any]) -> list[Any]:
        for worker in rows:
            worker.project = self.project
        return told(rows, named=roles.may(self.role, roles.PEOPLE))

    @extend_schema(parameters=[WorkerFilter], responses=WorkerSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The workers of a project, under pseudonyms, with what they did and hold.

        Their names come only to those whose role deals with people.
        """
        return self.listed()


class WorkerView(ProjectView):
    """One worker, by pseudonym or worker id: `worker` stands before a method runs."""

    serializer_class = WorkerSerializer
    act = roles.PEOPLE
    worker: Worker

    def find(self, **kwargs: Any) -> None:
        found = naming.worker_named(self.project, kwargs["worker"])
        if found is None:
            raise Http404
        self.worker = found

    def shown(self) -> Response:
        row = self.project.workers.select_related("user", "block").get(pk=self.worker.pk)
        row.project = self.project
        return Response(WorkerSerializer(told([row], named=roles.may(self.role, roles.PEOPLE))[0]).data)


class OneWorker(WorkerView):
    """One worker."""

    @extend_schema(responses=WorkerSerializer)
    def get(self, request: Request, slug: str, worker: str) -> Response:
        """One worker, by pseudonym or worker id."""
        return self.shown()


class Deactivate(WorkerView):
    """Taking a worker out."""

    @extend_schema(request=None, responses=WorkerSerializer)
    @repeatable
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Give a worker no more assignments; what they submitted stays."""
        joining.set_active(self.worker, active=False)
        return self.shown()


class Activate(WorkerView):
    """Letting a worker in again."""

    @extend_schema(request=None, responses=WorkerSerializer)
    @repeatable
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Let a worker take assignments again."""
        joining.set_active(self.worker, active=True)
        return self.shown()


class Block(WorkerView):
    """Blocking a worker."""

    @extend_schema(request=BlockWish, responses=WorkerSerializer)
    @repeatable
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Give a worker no more work in the project; a second block only changes the reason."""
        qualifying.block(self.worker, asked(BlockWish, request.data)["reason"])
        return self.shown()


class Unblock(WorkerView):
    """Lifting a block."""

    @extend_schema(request=None, responses=WorkerSerializer)
    @repeatable
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Lift the block of a worker."""
        qualifying.unblock(self.worker)
        return self.shown()


class MessageTo(WorkerView):
    """Writing to a worker."""

    @extend_schema(request=MessageWish, responses={201: SentSerializer})
    @repeatable
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Write to a worker."""
        wish = asked(MessageWish, request.data)
        sent = messaging.send(self.worker, wish["subject"], wish["text"], author=request.user)
        return Response(SentSerializer(sent).data, status=201)
