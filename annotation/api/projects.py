"""Who calls, and the projects that they may see."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import Private, ProjectView, memberships
from annotation.models import Member
from annotation.pure import roles


class ProjectSerializer(serializers.ModelSerializer):
    """A project, and what the caller is in it."""

    slug = serializers.CharField(source="project.slug", read_only=True)
    title = serializers.CharField(source="project.title", read_only=True)
    role = serializers.ChoiceField(choices=roles.MEMBERS, read_only=True)
    created_at = serializers.DateTimeField(source="project.created_at", read_only=True)

    class Meta:
        model = Member
        fields = ["slug", "title", "role", "created_at"]


class Projects(Private, ListAPIView):
    """The projects that you take part in, as far as your token reaches."""

    serializer_class = ProjectSerializer

    def get_queryset(self) -> Any:
        return memberships(self.request) if self.request.user.is_authenticated else Member.objects.none()


class OneProject(ProjectView):
    """One project."""

    serializer_class = ProjectSerializer

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProjectSerializer(memberships(request).get(project=self.project)).data)
