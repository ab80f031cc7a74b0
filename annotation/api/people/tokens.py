"""The caller's own API tokens. New ones are created on the project's page only."""

from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.serializers import ModelResource
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.projects import api_tokens
from annotation.models import ApiToken


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
