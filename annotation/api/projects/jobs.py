"""Background jobs: progress and result, retry and undo."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation import jobs
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import JSON, Filter
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.data import dataset_removal
from annotation.flow.errors import Conflict
from annotation.flow.projects import job_queue
from annotation.models import Job


class JobSerializer(QueuedSerializer):
    """A job. `done` of `total` in its own unit; `result` depends on its kind, `error` says why it failed."""

    class Meta(QueuedSerializer.Meta):
        fields = [*QueuedSerializer.Meta.fields, "done", "total", "result", "error", "due_at", "ended_at"]


class JobFilter(Filter):
    """Filters of jobs."""

    VALUE_ALIASES = {
        "kind": {
            "gather_dataset": "create_results_dataset",
            "import_judgments": "import_responses",
            "rehearse_batch": "dry_run_batch",
            "top_up_batch": "add_assignments",
        }
    }

    state = serializers.ChoiceField(choices=Job.State.choices, required=False)
    kind = serializers.ChoiceField(choices=sorted(jobs.verbs()), required=False)


class JobViewSet(ResourceViewSet):
    """The jobs of a project."""

    serializer_class = JobSerializer
    ordering = "-pk"
    row: Job

    def get_queryset(self) -> Any:
        return self.project.jobs.all()

    @operation(query=JobFilter)
    def list(self, query: JSON) -> Any:
        """List the jobs of a project, newest first."""
        return self.get_queryset().filter(**query)

    @operation()
    def retrieve(self) -> None:
        """One job; poll until its state is done or failed."""

    @action(id="repeatJob")
    def again(self) -> None:
        """Retry a failed job."""
        if not job_queue.try_again(self.row):
            raise Conflict(_("Only a failed job can be repeated."))
        jobs.wake_worker(self.row)

    @action()
    def undo(self) -> None:
        """Undo the deletion of a dataset while its job waits."""
        if self.row.kind != dataset_removal.KIND:
            raise Conflict(_("Only the deletion of a dataset can be undone here."))
        if not dataset_removal.undo(self.row):
            raise Conflict(_("Too late: the dataset is being deleted or is already gone."))

    @action(url_path="import", gives=QueuedSerializer, id="importFromJob")
    def import_checked(self) -> Job:
        """Import a file that was only checked, or the valid records of one that was refused."""
        return jobs.import_checked(self.row, user=self.request.user)
