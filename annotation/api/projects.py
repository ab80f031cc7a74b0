"""The caller's projects and API tokens; a project's settings, background jobs and audit log."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation import jobs
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import JSON, Filter, Input, ModelResource
from annotation.api.setting_fields import input_field, output_field
from annotation.api.viewsets import ResourceViewSet, memberships
from annotation.flow.data import dataset_removal
from annotation.flow.errors import Conflict
from annotation.flow.projects import api_tokens, audit_log_table, job_queue
from annotation.flow.projects.parsing import parse
from annotation.flow.projects.projects import change_project
from annotation.flow.projects.settings import SETTINGS, ProjectSettings, stored
from annotation.models import ApiToken, AuditEntry, Job
from annotation.pure.people import roles


class ProjectSerializer(serializers.Serializer):
    """A project, and the caller's role in it."""

    slug = serializers.CharField(source="project.slug")
    title = serializers.CharField(source="project.title")
    role = serializers.ChoiceField(choices=roles.MEMBERS)
    created_at = serializers.DateTimeField(source="project.created_at")


class ProjectViewSet(ResourceViewSet):
    """The caller's projects."""

    serializer_class = ProjectSerializer
    lookup_field, lookup_url_kwarg = "project__slug", "slug"

    def get_queryset(self) -> Any:
        return memberships(self.request)

    @operation()
    def list(self) -> None:
        """List your projects, as far as your token is valid for them."""

    @operation()
    def retrieve(self) -> None:
        """One project."""


class ProjectSettingsSerializer(serializers.Serializer):
    """The settings of a project."""

    def get_fields(self) -> dict[str, Any]:
        return {name: output_field(one) for name, one in SETTINGS.items()}


class ProjectSettingsInput(Input):
    """Settings of a project. Fields that are left out stay unchanged."""

    EXAMPLE = {"title": "Wells and towers", "wage_floor": "15.00"}

    def get_fields(self) -> dict[str, Any]:
        fields = {name: input_field(one) for name, one in SETTINGS.items() if name != "name"}
        return fields | {"consent": input_field(SETTINGS["consent"], allow_blank=True)}


class ProjectSettingsViewSet(ResourceViewSet):
    """The settings of a project."""

    serializer_class = ProjectSettingsSerializer
    act = reads = roles.OWN
    single = True

    @operation()
    def retrieve(self) -> ProjectSettings:
        """The settings of a project."""
        return stored(self.project)

    @operation(takes=ProjectSettingsInput)
    def partial_update(self, data: JSON) -> ProjectSettings:
        """Change settings of a project.

        Workers must accept another consent text before their next assignment.
        """
        change_project(self.project, parse(data, user=self.request.user, project=self.project))
        return stored(self.project)


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


class LogLineSerializer(serializers.Serializer):
    """An action. `key` and `name` are its object's; for workers, `name` is the pseudonym."""

    id = serializers.IntegerField(source="entry.pk")
    at = serializers.DateTimeField(source="entry.at")
    person = serializers.CharField(source="who", allow_blank=True, help_text="Who did it; empty: not a person.")
    via = serializers.ChoiceField(source="entry.via", choices=AuditEntry.Via.choices)
    act = serializers.CharField(source="entry.act")
    kind = serializers.CharField(source="entry.kind")
    key = serializers.CharField(source="entry.key")
    name = serializers.CharField(allow_blank=True)
    batch = serializers.CharField(source="entry.batch", allow_blank=True)
    details = serializers.DictField(source="entry.details")


class LogViewSet(ResourceViewSet):
    """The log of a project."""

    serializer_class = LogLineSerializer
    act = reads = roles.RUN

    def prepare(self, rows: list[Any]) -> list[Any]:
        return audit_log_table.display_rows(self.project, rows)

    @operation(query=audit_log_table.LogFilter, id="listLog")
    def list(self, wanted: audit_log_table.LogFilter) -> Any:
        """List who did what, newest first. Lines are never changed or removed."""
        return audit_log_table.entries(self.project, wanted)


class TokenSerializer(ModelResource):
    """A token. Its text is not stored; `ending` is its last four characters."""

    id = serializers.IntegerField(source="pk")

    class Meta:
        model = ApiToken
        fields = ["id", "note", "ending", "scope", "project", "created_at", "last_used_at", "expires_at", "revoked_at"]


class TokenViewSet(ResourceViewSet):
    """The caller's tokens; a token of one project lists those of that project."""

    serializer_class = TokenSerializer
    ordering = "-pk"
    lookup_field, lookup_value_converter = "pk", "int"

    def get_queryset(self) -> Any:
        rows = ApiToken.objects.filter(user=self.request.user).select_related("project")
        only = self.request.auth.project if isinstance(self.request.auth, ApiToken) else None
        return rows.filter(project=only) if only else rows

    @operation()
    def list(self) -> None:
        """List your tokens, newest first, including expired and revoked ones."""

    @operation(status=200, id="revokeToken")
    def destroy(self) -> None:
        """Revoke a token, including the one of this request."""
        api_tokens.revoke(self.row)
