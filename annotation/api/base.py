"""What every view of the API is: signed in, inside one project, within what role and token allow."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from annotation.flow import proving
from annotation.models import ApiToken, Member, Project
from annotation.pure import roles


def memberships(request: Request) -> Any:
    """The viewer's parts in projects, as far as their token reaches."""
    rows = Member.objects.filter(user=request.user, project__removed_at=None).select_related("project")
    only = request.auth.project if isinstance(request.auth, ApiToken) else None
    return rows.filter(project=only) if only else rows


class Private(GenericAPIView):
    """What it tells is for whoever calls: neither proxies nor browsers keep it."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers.setdefault("Cache-Control", "private, no-store")
        return super().finalize_response(request, response, *args, **kwargs)


class SignedInView(Private):
    """A view of whoever calls. A token that may only read writes nowhere."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        token = request.auth
        writes = request.method not in SAFE_METHODS
        if writes and isinstance(token, ApiToken) and token.scope == ApiToken.Scope.READ:
            raise PermissionDenied(_("This token may only read."))


class ProjectView(Private):
    """A view below `/projects/<slug>/`. `project` and `role` stand before a method runs; another's does not exist.

    `act` is what a role must allow for a method that writes (pure/roles), `reads` for one that only reads.
    """

    act = roles.RUN
    reads = roles.SEE
    project: Project
    role: str

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        member = memberships(request).filter(project__slug=kwargs["slug"]).first()
        if member is None:
            raise Http404
        if proving.is_missing(member.project, request.user):  # by token too: the password alone makes tokens
            raise PermissionDenied(_("This project asks two factors of its members: set yours up on your account."))
        self.project, self.role = member.project, member.role
        self.allow(self.reads if request.method in SAFE_METHODS else self.act)
        if request.method in SAFE_METHODS:
            self.find(**kwargs)

    def find(self, **kwargs: Any) -> None:
        """Find what the address names, or raise Http404.

        Before a method that reads; `@repeatable` does it for one that writes, since what was removed under a key
        is not there when the same is sent again.
        """

    def allow(self, act: str) -> None:
        """Raises PermissionDenied, saying what is missing."""
        token = self.request.auth
        writes = self.request.method not in SAFE_METHODS
        if writes and isinstance(token, ApiToken) and token.scope == ApiToken.Scope.READ:
            raise PermissionDenied(_("This token may only read."))
        if not roles.may(self.role, act):
            text = _("Your role in this project (%(role)s) may not do that; it takes the right to “%(act)s”.")
            raise PermissionDenied(text % {"role": self.role, "act": act})
