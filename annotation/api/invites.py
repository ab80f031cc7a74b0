"""Invites: links by which people come into a project."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import Newest, ProjectList, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import joining
from annotation.models import Invite
from annotation.pure import roles


class InviteWish(Wish):
    """Whom to invite, for how long."""

    role = serializers.ChoiceField(choices=Invite.Role.choices, default=Invite.Role.WORKER)
    places = serializers.IntegerField(min_value=1, max_value=1000, default=1)
    days = serializers.IntegerField(min_value=1, max_value=365, default=14)
    note = serializers.CharField(max_length=200, required=False, allow_blank=True, default="", help_text="For you.")


class InviteSerializer(serializers.Serializer):
    """An invite. `url` is null where the caller may not invite anybody as such."""

    id = serializers.IntegerField(source="pk")
    role = serializers.ChoiceField(choices=Invite.Role.choices)
    state = serializers.CharField(help_text="open, used, over or revoked.")
    url = serializers.SerializerMethodField()
    places = serializers.IntegerField()
    used = serializers.IntegerField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()

    def get_url(self, invite: Invite) -> str | None:
        view = self.context["view"]
        if not roles.may_invite(view.role, invite.role):
            return None
        address: str = view.request.build_absolute_uri(reverse("join", args=[invite.token]))
        return address


class Invites(ProjectList):
    """The invites of a project."""

    serializer_class = InviteSerializer
    pagination_class = Newest
    act = reads = roles.PEOPLE

    def rows(self) -> Any:
        return self.project.invites.all()

    @extend_schema(responses=InviteSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The links by which people come in, newest first."""
        return self.listed()

    @extend_schema(request=InviteWish, responses={201: InviteSerializer})
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Make a link that lets people in, as annotators unless you say otherwise."""
        wish = asked(InviteWish, request.data)
        if not roles.may_invite(self.role, wish["role"]):
            raise PermissionDenied(_("Only an owner of the project may invite somebody as that."))
        made = joining.invite(self.project, by=request.user, **wish)
        made.refresh_from_db()
        return Response(self.get_serializer(made).data, status=201)


class OneInvite(ProjectView):
    """One invite."""

    serializer_class = InviteSerializer
    act = reads = roles.PEOPLE

    def shown(self) -> Invite:
        found: Invite = get_object_or_404(self.project.invites, pk=self.kwargs["pk"])
        return found

    @extend_schema(responses=InviteSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One invite."""
        return Response(self.get_serializer(self.shown()).data)

    @extend_schema(operation_id="revokeInvite", responses={204: None})
    @repeatable
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Close a link; who joined with it stays."""
        joining.revoke_invite(self.shown())
        return Response(status=204)
