"""Long work asked for by a call: 202 with the job that will do it."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.response import Response

from annotation.models import Job


class QueuedSerializer(serializers.Serializer):
    """A job that was asked for; its own address tells how far it is and what came of it."""

    id = serializers.CharField(source="public_id")
    kind = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    created_at = serializers.DateTimeField()


def queued(job: Job) -> Response:
    """202 Accepted; Location is where the job is told of."""
    where = f"/api/v1/projects/{job.project.slug}/jobs/{job.public_id}/"
    return Response(QueuedSerializer(job).data, status=202, headers={"Location": where})
