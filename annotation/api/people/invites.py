"""Invites: links by which people join a project."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from annotation.api.operations import operation
from annotation.api.serializers import JSON, Input, ModelResource
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.people import members
from annotation.models import Invite
from annotation.pure.people import roles


class InviteInput(Input):
    """Role, number of people and duration of an invite."""

    EXAMPLE = {"role": "worker", "places": 20, "days": 14, "note": "The seminar"}

    role = serializers.ChoiceField(choices=Invite.Role.choices, default=Invite.Role.WORKER)
    places = serializers.IntegerField(min_value=1, max_value=1000, default=1)
    days = serializers.IntegerField(min_value=1, max_value=365, default=14)
    note = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        default="",
        help_text="A note for the project; workers do not see it.",
    )


class InviteSerializer(ModelResource):
    """An invite. `url` is null if the caller may not invite people with this role."""

    id = serializers.IntegerField(source="pk")
    state = serializers.CharField(help_text="`open`, `used`, `over` or `revoked`.")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Invite
        fields = ["id", "role", "state", "url", "places", "used", "note", "created_at", "expires_at"]

    def get_url(self, invite: Invite) -> str | None:
        view = self.context["view"]
        if not roles.may_invite(view.role, invite.role):
            return None
        return str(view.request.build_absolute_uri(reverse("join", args=[invite.token])))


class InviteViewSet(ResourceViewSet):
    """The invites of a project."""

    serializer_class = InviteSerializer
    ordering = "-pk"
    act = reads = roles.PEOPLE
    lookup_field, lookup_value_converter = "pk", "int"

    def get_queryset(self) -> Any:
        return self.project.invites.all()

    @operation()
    def list(self) -> None:
        """List invites, newest first."""

    @operation(takes=InviteInput)
    def create(self, data: JSON) -> Invite:
        """Create an invite link, for workers by default."""
        if not roles.may_invite(self.role, data["role"]):
            raise PermissionDenied(_("Only an owner of the project can invite somebody with this role."))
        made = members.invite(self.project, by=self.request.user, **data)
        made.refresh_from_db()
        return made

    @operation()
    def retrieve(self) -> None:
        """One invite."""

    @operation(id="revokeInvite")
    def destroy(self) -> None:
        """Revoke an invite; people who joined with it stay."""
        members.revoke_invite(self.row)
