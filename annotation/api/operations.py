"""`@operation` and `@action`: declare a ViewSet method's input and output for its calls and the schema.

A decorated method takes the validated input, and returns plain values or rows:

    @action(takes=BlockInput)
    def block(self, data: JSON) -> None:
        \"\"\"Give a worker no more work in the project; a second block only changes the reason.\"\"\"

Its docstring is the operation's summary and, after an empty line, its description. Its result is serialized by
`gives`, or by the ViewSet's own serializer; after None, the object in the URL is shown in its new state. A method
that writes runs at most once under an Idempotency-Key.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework import decorators, serializers
from rest_framework.pagination import BasePagination
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.idempotency import once_under_its_key
from annotation.api.serializers import Filter, Input, ModelResource, validate_input
from annotation.api.setting_fields import filter_of
from annotation.flow.lists import ListFilter
from annotation.models import Job

if TYPE_CHECKING:
    from rest_framework.decorators import ViewSetAction, _MixedCaseHttpMethod

Method = Callable[..., Any]
VERBS = {
    "list": "list", "retrieve": "get", "create": "create", "update": "edit", "partial_update": "change",
    "destroy": "remove",
}  # fmt: skip


class QueuedSerializer(ModelResource):
    """A queued job; its URL shows progress and result."""

    id = serializers.CharField(source="public_id")

    class Meta:
        model = Job
        fields = ["id", "kind", "title", "state", "created_at"]


@dataclass(frozen=True, slots=True)
class Operation:
    """Input and output of a ViewSet's method.

    `takes` is the body: an Input, passed to the method validated, or {media type: serializer or schema} of a body
    that the method reads itself. `query` is the Filter or ListFilter of the address, passed validated. `gives` is the
    serializer of the result (QueuedSerializer of a job: 202). `many`: the result is rows, which are paginated.
    `location` is the result's URL below the project, as a format string. `files` are the media types of a streamed
    result, with their schemas. `choices` are the allowed values of a part of the URL. `act` is the permission needed,
    if it differs from the ViewSet's. `parameters` are parts of the URL that the method reads itself.
    """

    takes: Any = None
    query: Any = None
    gives: type[serializers.Serializer] | None = None
    many: bool = False
    pages: type[BasePagination] | None = None
    status: int = 200
    location: str = ""
    files: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, Collection[str]] = field(default_factory=dict)
    act: str = ""
    id: str = ""
    parameters: tuple[type[serializers.Serializer], ...] = ()


def operation(**settings: Any) -> Callable[[Method], Method]:
    """Make a method of a ViewSet an operation of the API; its arguments are the fields of `Operation`."""
    if settings.get("gives") is QueuedSerializer:
        settings = {"status": 202, "location": "jobs/{0.public_id}/"} | settings

    def decorate(method: Method) -> Method:
        terms: dict[str, Any] = {"many": True} if method.__name__ == "list" else {}
        terms |= {"status": 201} if method.__name__ == "create" else {}
        terms |= {"status": 204} if method.__name__ == "destroy" else {}
        what = Operation(**terms | settings)
        if what.query and issubclass(what.query, ListFilter):
            what = replace(what, query=filter_of(what.query))

        @wraps(method)
        def done(view: Any, request: Request, **kwargs: Any) -> HttpResponseBase:
            def do() -> HttpResponseBase:
                _check_choices(what, kwargs)
                return _response(view, what, method(view, *_arguments(view, what)))

            if request.method in SAFE_METHODS:
                return do()

            def find_and_do() -> Any:
                view.find()
                return do()

            return once_under_its_key(request, find_and_do)

        done.operation = what  # type: ignore[attr-defined]  # where ViewSets, calls and schema find it
        return done

    return decorate


def action(
    method: "_MixedCaseHttpMethod" = "post", url_path: str = "", *, detail: bool = True, **settings: Any
) -> "Callable[[Method], ViewSetAction[Method]]":
    """DRF's `@action` for an operation: by default a POST below one row, under the method's own name."""

    def decorate(function: Method) -> "ViewSetAction[Method]":
        path = url_path or function.__name__.replace("_", "-")
        made = decorators.action(methods=[method], detail=detail, url_path=path)
        return made(operation(**settings)(function))

    return decorate


def operation_id(view: type, action: str, *, detail: bool) -> str:
    """`listWorkers`, `getWorker`, `blockWorker`, `decideApprovals`: the verb and the ViewSet's noun."""
    what: Operation = getattr(view, action).operation
    noun, verb = view.__name__.removesuffix("ViewSet"), VERBS.get(action, "")
    many = what.many or not (verb or detail)
    first, *words = (verb or action).split("_")
    own = first + "".join(word.capitalize() for word in words) + (_many(noun) if many else noun)
    return what.id or own


def _many(noun: str) -> str:
    """The plural of a noun of our operations."""
    for one, many in (("y", "ies"), ("ch", "ches")):
        if noun.endswith(one):
            return noun.removesuffix(one) + many
    return noun + "s"


def summary_of(view: type, action: str) -> str:
    """The first paragraph of the method's docstring."""
    return " ".join(_docstring(view, action).partition("\n\n")[0].split()).removesuffix(".")


def description_of(view: type, action: str) -> str:
    """The rest of the docstring."""
    return _docstring(view, action).partition("\n\n")[2].strip()


def _docstring(view: type, action: str) -> str:
    return inspect.cleandoc(getattr(view, action).__doc__ or "")


def _check_choices(what: Operation, parts: Mapping[str, Any]) -> None:
    if any(parts[name] not in values for name, values in what.choices.items()):
        raise Http404


def _arguments(view: Any, what: Operation) -> list[Any]:
    """The body and the query, validated, as far as the operation has them."""
    arguments, context = [], {"view": view}
    if isinstance(what.takes, type) and issubclass(what.takes, Input):
        partial = view.request.method == "PATCH"
        arguments.append(validate_input(what.takes, view.request.data, partial=partial, context=context))
    if what.query or what.many:
        view.query = validate_input(what.query or Filter, view.request.query_params, context=context)
        arguments += [view.query] if what.query else []
    return arguments


def _response(view: Any, what: Operation, result: Any) -> HttpResponseBase:
    if isinstance(result, HttpResponseBase):
        return result
    if what.many:
        return cast(HttpResponseBase, view.page(view.get_queryset() if result is None else result))
    if what.status == 204:
        return Response(status=204)
    if result is None:
        result = view.shown()
    elif what.gives is None:
        result = view.prepare([result])[0]
    where = f"/api/v1/projects/{view.project.slug}/{what.location.format(result)}" if what.location else ""
    data = view.get_serializer(result).data
    return Response(data, status=what.status, headers={"Location": where} if where else None)
