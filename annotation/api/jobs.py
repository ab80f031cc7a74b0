"""Jobs: how far each is, what came of it, and what a person may do about it."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs
from annotation.api.base import ProjectView
from annotation.api.lists import Newest, ProjectList
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.writing import repeatable
from annotation.flow import queueing, removing
from annotation.flow.refusal import Conflict
from annotation.models import Job


class JobSerializer(QueuedSerializer):
    """A job. `done` of `total` in its own unit; `result` is what its kind reports, `error` why it failed."""

    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="0: not known")
    result = serializers.DictField()
    error = serializers.CharField(allow_blank=True)
    due_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class JobFilters(serializers.Serializer):
    """Which jobs."""

    state = serializers.ChoiceField(choices=Job.State.choices, required=False)
    kind = serializers.ChoiceField(choices=sorted(jobs.VERBS), required=False)


class Jobs(ProjectList):
    """The jobs of a project."""

    serializer_class = JobSerializer
    pagination_class = Newest

    def rows(self) -> Any:
        return self.project.jobs.filter(**self.query(JobFilters))

    @extend_schema(parameters=[JobFilters], responses=JobSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The jobs of a project, newest first."""
        return self.listed()


class JobView(ProjectView):
    """One job: `job` stands before a method runs."""

    serializer_class = JobSerializer
    job: Job

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        self.job = get_object_or_404(self.project.jobs, public_id=kwargs["public_id"])
        self.job.project = self.project

    def told(self) -> Response:
        self.job.refresh_from_db()
        return Response(JobSerializer(self.job).data)


class OneJob(JobView):
    """One job."""

    @extend_schema(responses=JobSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One job: ask again until its state is done or failed."""
        return self.told()


class Again(JobView):
    """A failed job once more."""

    @extend_schema(operation_id="repeatJob", request=None, responses=JobSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Put a failed job back into the queue."""
        if not queueing.try_again(self.job):
            raise Conflict(_("This job has not failed, so there is nothing to do again."))
        jobs.ring(self.job)
        return self.told()


class Undo(JobView):
    """A removal taken back."""

    @extend_schema(operation_id="undoJob", request=None, responses=JobSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Take back the removal of a dataset while its job waits."""
        if self.job.kind != removing.KIND:
            raise Conflict(_("Only the removal of a dataset can be undone here."))
        if not removing.undo(self.job):
            raise Conflict(_("It was too late: the dataset is being removed or is gone."))
        return self.told()


class Import(JobView):
    """A checked file imported."""

    @extend_schema(operation_id="importFromJob", request=None, responses={202: QueuedSerializer})
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Import a file that was only checked, or the good records of one that was refused."""
        return queued(jobs.import_checked(self.job, user=request.user))
