"""The caller's projects, and a project's settings."""

from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.serializers import JSON, Input
from annotation.api.setting_fields import input_field, output_field
from annotation.api.viewsets import ResourceViewSet, memberships
from annotation.flow.projects.parsing import parse
from annotation.flow.projects.projects import change_project
from annotation.flow.projects.settings import SETTINGS, ProjectSettings, stored
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
