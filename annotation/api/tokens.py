"""The caller's own tokens: which there are, and their end. New ones are made by people, on the project's page."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import SignedInView
from annotation.api.lists import Newest
from annotation.api.writing import repeatable
from annotation.flow import api_tokens
from annotation.models import ApiToken


class TokenSerializer(serializers.Serializer):
    """A token; its text is not stored, `ending` is what its owner knows it by."""

    id = serializers.IntegerField(source="pk")
    note = serializers.CharField(allow_blank=True)
    ending = serializers.CharField()
    scope = serializers.ChoiceField(choices=ApiToken.Scope.choices)
    project = serializers.CharField(source="project.slug", allow_null=True, help_text="null: all of yours")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="right to five minutes")
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


def own(request: Request) -> Any:
    """The caller's tokens; a token of one project sees those of that project."""
    rows = ApiToken.objects.filter(user=request.user).select_related("project")
    only = request.auth.project if isinstance(request.auth, ApiToken) else None
    return rows.filter(project=only) if only else rows


class Tokens(SignedInView):
    """The caller's tokens."""

    serializer_class = TokenSerializer
    pagination_class = Newest

    @extend_schema(responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your tokens, newest first, those of the past too."""
        page = self.paginate_queryset(own(request))
        return self.get_paginated_response(TokenSerializer(page, many=True).data)


class OneToken(SignedInView):
    """One token."""

    serializer_class = TokenSerializer

    @extend_schema(operation_id="revokeToken", responses={200: TokenSerializer})
    @repeatable
    def delete(self, request: Request, pk: int) -> Response:
        """Make a token worthless, also the one that this call was made with."""
        token = get_object_or_404(own(request), pk=pk)
        api_tokens.revoke(token)
        token.refresh_from_db()
        return Response(TokenSerializer(token).data)
