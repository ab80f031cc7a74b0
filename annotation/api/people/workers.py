"""Workers of a project under pseudonyms: figures, qualifications, deactivation, blocks, messages."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation.api.operations import action, operation
from annotation.api.serializers import JSON, Input
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types, sign_up, worker_names, worker_profile
from annotation.models import Worker
from annotation.pure.people import roles


class HeldSerializer(serializers.Serializer):
    """A score that a worker holds."""

    id = serializers.CharField(help_text="The qualification's id.")
    name = serializers.CharField()
    value = serializers.IntegerField()


class WorkerSerializer(serializers.Serializer):
    """A worker. `name` and `block_reason` are null if the caller's role may not see names."""

    id = serializers.CharField(source="public_id", help_text="The worker id, as on a marketplace.")
    pseudonym = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    active = serializers.BooleanField(help_text="Whether they can take assignments.")
    blocked = serializers.BooleanField()
    block_reason = serializers.CharField(allow_null=True)
    submitted = serializers.IntegerField(help_text="Responses in all batches.")
    last_at_work = serializers.DateTimeField(allow_null=True)
    qualifications = HeldSerializer(many=True, source="held")
    joined_at = serializers.DateTimeField(source="created_at")


class BlockInput(Input):
    """The reason; workers never see it."""

    EXAMPLE = {"reason": "Answers at random."}

    reason = serializers.CharField(max_length=1000)


class MessageInput(Input):
    """A message."""

    EXAMPLE = {"subject": "Your answers", "text": "Thank you for your care."}

    subject = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(max_length=4096)


class SentSerializer(serializers.Serializer):
    """A sent message."""

    subject = serializers.CharField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class WorkerViewSet(ResourceViewSet):
    """The workers of a project, by pseudonym or worker id."""

    serializer_class = WorkerSerializer
    act = roles.PEOPLE
    lookup_field = "worker"
    row: Worker

    def get_queryset(self) -> QuerySet[Worker]:
        return self.project.workers.select_related("user", "block")

    def get_object(self) -> Worker:
        found = worker_names.worker_named(self.project, self.kwargs["worker"])
        return get_object_or_404(self.get_queryset(), pk=found and found.pk)

    def prepare(self, rows: list[Any]) -> list[Any]:
        """Add figures and qualifications, and names if the caller may see them."""
        known, named = worker_profile.of_workers(rows), roles.may(self.role, roles.PEOPLE)
        for worker in rows:
            block, activity = getattr(worker, "block", None), known[worker.pk]
            worker.blocked = block is not None
            worker.block_reason = block.reason if block and named else None
            worker.name = str(worker.user or worker.external_id or "") if named else None
            worker.submitted, worker.last_at_work = activity.submitted, activity.last
            # a plain attribute, because the relation of that name is a query
            worker.held = [{"id": id, "name": name, "value": value} for id, name, value in activity.held]
        return rows

    @operation(query=worker_profile.WorkerFilter)
    def list(self, wanted: worker_profile.WorkerFilter) -> Any:
        """List the workers of a project under pseudonyms, with their figures and qualifications.

        Names are included only for roles that may see them.
        """
        return wanted.narrow(self.project, self.get_queryset())

    @operation()
    def retrieve(self) -> None:
        """One worker, by pseudonym or worker id."""

    @action()
    def deactivate(self) -> None:
        """Deactivate a worker: no more assignments; their responses stay."""
        sign_up.set_active(self.row, active=False)

    @action()
    def activate(self) -> None:
        """Activate a worker again."""
        sign_up.set_active(self.row, active=True)

    @action(takes=BlockInput)
    def block(self, data: JSON) -> None:
        """Block a worker from all work of the project; a second block only changes the reason."""
        qualification_types.block(self.row, data["reason"])

    @action()
    def unblock(self) -> None:
        """Unblock a worker."""
        qualification_types.unblock(self.row)

    @action(takes=MessageInput, gives=SentSerializer, status=201)
    def message(self, data: JSON) -> Any:
        """Send a message to a worker."""
        return worker_messages.send(self.row, data["subject"], data["text"], author=self.request.user)
