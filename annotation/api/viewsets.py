"""The base of the API's ViewSets: the caller's role and token, the objects that the URL names, negotiation."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation import jobs
from annotation.api.operations import Operation
from annotation.api.parsers import FileParser, FormParser, ObjectParser
from annotation.flow.people import two_factor
from annotation.flow.projects.projects import project_named
from annotation.models import ApiToken, Job, Member, Project, User
from annotation.pure.people import roles

INSTALLATION = object()  # the `auth` of commands on the server that act in nobody's name, with every right
PARSERS = {parser.media_type: parser for parser in (ObjectParser, FormParser, FileParser)}


class CallerRequest(Request):
    """A request as operations get it; a name for annotations."""

    user: User | None  # type: ignore[assignment]  # None for INSTALLATION, as Known of calls.py sets it


def memberships(request: CallerRequest) -> Any:
    """The caller's memberships, as far as their token is valid for the projects."""
    rows = Member.objects.filter(user=request.user, project__removed_at=None).select_related("project")
    only = request.auth.project if isinstance(request.auth, ApiToken) else None
    return rows.filter(project=only) if only else rows


class ResourceViewSet(GenericViewSet):
    """A resource of a project, below `/projects/<slug>/`; or of the caller, if the URL names no project.

    `project` and `role` are set before a method runs; objects of other projects give 404. `act` is the permission
    needed for methods that write (pure/people/roles), `reads` for methods that only read. `get_queryset` returns the
    project's rows; `row` is the row named in the URL. The class's name is the noun of its operations' ids.
    """

    act = roles.RUN
    reads = roles.SEE
    list_serializer_class: type[serializers.Serializer] | None = None
    lookup_field = "public_id"
    lookup_value_converter = "slug"
    ordering = "pk"  # of a list without a ListFilter: a unique column
    single = False  # a single object of the project or of the parent, without a list
    request: CallerRequest
    project: Project
    role: str
    row: Any
    query: Any  # as the operation's `query` read it

    @property
    def caller(self) -> User:
        """Whoever calls, for what is always done in a person's name."""
        assert self.request.user is not None  # commands that act in nobody's name call nothing of that kind
        return self.request.user

    @property
    def operation(self) -> Operation:
        """The operation of the current method; an empty one if it has none."""
        return self._operation(
            getattr(self, "action", None) or self.action_map.get(str(self.request.method).lower(), "")
        )

    def _operation(self, action: str) -> Operation:
        return getattr(getattr(self, action, None), "operation", None) or Operation()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if self.operation.pages:
            self.pagination_class = self.operation.pages
        super().initial(request, *args, **kwargs)
        if "slug" in kwargs:
            self._enter(kwargs["slug"])
        token = request.auth
        if request.method not in SAFE_METHODS and isinstance(token, ApiToken) and token.scope == ApiToken.Scope.READ:
            raise PermissionDenied(_("This token is read-only."))
        if "slug" in kwargs:
            self.allow(self.operation.act or (self.reads if request.method in SAFE_METHODS else self.act))
        if request.method in SAFE_METHODS:
            self.find()

    def _enter(self, slug: str) -> None:
        if self.request.auth is INSTALLATION:
            self.project, self.role = project_named(slug), roles.OWNER
            return
        member = memberships(self.request).filter(project__slug=slug).first()
        if member is None:
            raise Http404
        if two_factor.is_missing(member.project, self.caller):  # tokens too: the password alone creates them
            raise PermissionDenied(
                _("This project requires two-factor authentication. Set it up on your account page.")
            )
        self.project, self.role = member.project, member.role

    def allow(self, act: str) -> None:
        """Raise PermissionDenied if the role does not allow `act`."""
        if not roles.may(self.role, act):
            text = _("Your role in this project (%(role)s) does not allow this. It requires the right to “%(act)s”.")
            raise PermissionDenied(text % {"role": self.role, "act": act})

    def find(self) -> None:
        """Load the objects named in the URL, or raise Http404.

        Called before a method that reads; for a method that writes, in the transaction of its Idempotency-Key, because
        an object deleted under a key is gone when the request is repeated.
        """
        if (self.lookup_url_kwarg or self.lookup_field) in self.kwargs:
            self.row = self.get_object()

    def enqueue(self, kind: str, title: str, arguments: dict[str, Any]) -> Job:
        """Queue a job of the project, or return the same job if it is already waiting or running."""
        return jobs.enqueue_once(kind, project=self.project, title=title, arguments=arguments, user=self.request.user)

    def shown(self) -> Any:
        """The row named by the URL, read again for its serializer."""
        row = self.row if self.request.method in SAFE_METHODS else self.get_object()
        return self.prepare([row])[0]

    def prepare(self, rows: list[Any]) -> list[Any]:
        """Add the values that the serializer needs to a page's rows, for all rows at once."""
        return rows

    def page(self, rows: QuerySet[Any] | Sequence[Any]) -> Response:
        """A page of the rows."""
        page = list(self.paginate_queryset(rows) or ())
        if self.operation.gives is None:
            page = self.prepare(page)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        own = self.list_serializer_class if self.operation.many else None
        return self.operation.gives or own or super().get_serializer_class()

    def get_parsers(self) -> list[Any]:
        """The operation's parsers; JSON by default."""
        takes = self.operation.takes
        return [PARSERS[kind]() for kind in takes] if isinstance(takes, dict) else super().get_parsers()

    def get_content_negotiator(self) -> Any:
        files = any(self._operation(action).files for action in self.action_map.values())
        return IgnoreAcceptHeader() if files else super().get_content_negotiator()

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers.setdefault("Cache-Control", "private, no-store")  # responses are for the caller only
        return super().finalize_response(request, response, *args, **kwargs)


class IgnoreAcceptHeader(BaseContentNegotiation):
    """Negotiation for files: any Accept header is fine, since the URL determines the type. Problems are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((parser for parser in parsers if request.content_type.startswith(parser.media_type)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
