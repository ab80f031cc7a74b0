"""The caller's projects."""

from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.viewsets import ResourceViewSet, memberships
from annotation.models import Member
from annotation.pure.people import roles


class ProjectSerializer(serializers.ModelSerializer):
    """A project, and the caller's role in it."""

    slug = serializers.CharField(source="project.slug", read_only=True)
    title = serializers.CharField(source="project.title", read_only=True)
    role = serializers.ChoiceField(choices=roles.MEMBERS, read_only=True)
    created_at = serializers.DateTimeField(source="project.created_at", read_only=True)

    class Meta:
        model = Member
        fields = ["slug", "title", "role", "created_at"]


class ProjectViewSet(ResourceViewSet):
    """The caller's projects."""

    serializer_class = ProjectSerializer
    lookup_field, lookup_url_kwarg = "project__slug", "slug"

    def get_queryset(self) -> Any:
        return memberships(self.request)

    @operation()
    def list(self) -> Any:
        """List your projects, as far as your token is valid for them."""
        return self.get_queryset()

    @operation()
    def retrieve(self) -> None:
        """One project."""
