"""The API's operations by their ids, called in this process: without network, with the same code as over HTTP."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.core.files.base import File
from django.http.response import HttpResponseBase
from django.test.client import RequestFactory
from django.urls import URLPattern
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.field_descriptions import DESCRIPTIONS
from annotation.api.idempotency import HEADER
from annotation.api.operations import Operation, QueuedSerializer, description_of, operation_id, summary_of
from annotation.api.problems import problem
from annotation.api.routers import API
from annotation.api.urls import pages
from annotation.api.viewsets import INSTALLATION
from annotation.models import User

PART = re.compile(r"<(?:(\w+):)?(\w+)>")
FORM, JSON_BODY = "multipart/form-data", "application/json"
KINDS: tuple[tuple[type[serializers.Field], str], ...] = (
    (serializers.BooleanField, "true or false"),
    (serializers.IntegerField, "whole number"),
    (serializers.FloatField, "number"),
    (serializers.DecimalField, "dollars"),
    (serializers.DateTimeField, "time"),
    (serializers.DateField, "date"),
    (serializers.FileField, "@FILE"),
    (serializers.CharField, "text"),
    (serializers.ListField, "list"),
)
TEXTS = (
    serializers.CharField, serializers.ChoiceField, serializers.DecimalField, serializers.DateField,
    serializers.DateTimeField,
)  # fmt: skip
LIMITS = (("min_value", "at least"), ("max_value", "at most"), ("max_length", "length at most"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation: part of the path, of the query, or field of the body; `kind` in words."""

    name: str
    place: str
    kind: str
    help: str = ""
    required: bool = False
    field: Any = None

    @property
    def is_file(self) -> bool:
        return self.kind == "@FILE"

    @property
    def is_list(self) -> bool:
        return isinstance(self.field, serializers.ListField | serializers.ListSerializer)

    def value(self, texts: Sequence[str]) -> Any:
        """The value that texts stand for: in a JSON body themselves where the field holds text, else what they say."""
        if self.place != "body":
            return texts[0] if len(texts) == 1 else list(texts)
        if self.is_list:
            whole = _loaded(texts[0]) if len(texts) == 1 else None
            return whole if isinstance(whole, list) else [_value(self.field.child, text) for text in texts]
        return _value(self.field, texts[0]) if len(texts) == 1 else list(texts)


def _value(field: Any, text: str) -> Any:
    is_text = isinstance(field, TEXTS) and not (text == "null" and field.allow_null)
    return text if is_text else _loaded(text)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text  # the operation says what is wrong with it


class Known(BaseAuthentication):
    """Authentication of a caller who is known already."""

    def __init__(self, user: User | None) -> None:
        self.user = user

    def authenticate(self, request: Request) -> tuple[User | None, object]:
        return self.user, None if self.user else INSTALLATION


@dataclass(frozen=True)
class Call:
    """An operation that can be called: its id, HTTP method, URL and ViewSet's method."""

    id: str
    method: str
    page: URLPattern
    callback: Any  # the page's, with what DRF keeps in it
    action: str

    @property
    def view(self) -> Any:
        return self.callback.cls

    @property
    def noun(self) -> str:
        """What the operation's object is, in words."""
        return re.sub("(?<!^)([A-Z])", r" \1", self.view.__name__.removesuffix("ViewSet")).lower()

    @property
    def what(self) -> Operation:
        return cast(Operation, getattr(self.view, self.action).operation)

    @property
    def subject(self) -> str:
        """The subject that the operation is of, or the app behind the engine."""
        return str(self.view.__module__.removeprefix("annotation.").removeprefix("api.").partition(".")[0])

    @property
    def summary(self) -> str:
        return summary_of(self.view, self.action)

    @property
    def description(self) -> str:
        return description_of(self.view, self.action)

    @property
    def is_job(self) -> bool:
        """Whether the operation queues a job."""
        return self.what.gives is QueuedSerializer

    @property
    def forms(self) -> Mapping[str, Any]:
        """{media type: serializer or schema} of the body; none: it has no body."""
        takes = self.what.takes
        return takes if isinstance(takes, dict) else {JSON_BODY: takes} if takes else {}

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name; the project is none of them."""
        bodies = [self.forms[media] for media in (FORM, JSON_BODY) if media in self.forms]
        found = [
            *self._path(),
            *(one for kind in [self.what.query] if kind for one in _fields(kind, "query")),
            *self._paging(),
            *(one for kind in bodies for one in _fields(kind, "body", partial=self.method == "patch")),
        ]
        return {one.name: one for one in sorted(found, key=lambda one: not one.required)}

    def _path(self) -> Iterator[Parameter]:
        for kind, name in PART.findall(str(self.page.pattern)):
            if name != "slug":
                choices = ", ".join(sorted(self.what.choices.get(name, ())))
                words = choices or {"int": "whole number"}.get(kind, "text")
                yield Parameter(name, "path", words, DESCRIPTIONS.get(name, ""), required=True)

    def _paging(self) -> Iterator[Parameter]:
        pages = self.what.pages or self.view.pagination_class
        for row in pages().get_schema_operation_parameters(self.view) if self.what.many else ():
            kind = {"integer": "whole number"}.get(row["schema"]["type"], "text")
            yield Parameter(row["name"], "query", kind, row["description"])

    def send(self, project: str, values: Mapping[str, Any], *, user: User | None, key: str = "") -> HttpResponseBase:
        """The operation's response; without a user it is done in the installation's name, with every right.

        `values` are by parameter; those of no known name go where the operation complains of them.
        """
        request = self._request(project, values, key)
        match = self.page.resolve(request.path[1:])
        if match is None:
            return problem(HTTPStatus.NOT_FOUND, "Not found.")
        settings_of_view = self.callback.initkwargs | {
            "authentication_classes": [partial(Known, user)],
            "throttle_classes": [],
        }
        if user is None:
            settings_of_view["permission_classes"] = [AllowAny]
        view = self.view.as_view(self.callback.actions, **settings_of_view)
        return cast(HttpResponseBase, view(request, *match.args, **match.kwargs))

    def _request(self, project: str, values: Mapping[str, Any], key: str) -> Any:
        rest = "body" if self.forms else "query"
        places: dict[str, dict[str, Any]] = {"path": {"slug": project}, "query": {}, "body": {}}
        for name, value in values.items():
            places[self.parameters[name].place if name in self.parameters else rest][name] = value
        path = PART.sub(lambda part: quote(str(places["path"].get(part[2], "")), safe=""), str(self.page.pattern))
        site = urlsplit(settings.PUBLIC_URL)
        headers = {"host": site.netloc} | ({HEADER: key} if key else {})
        make = partial(RequestFactory().generic, self.method.upper(), secure=site.scheme == "https", headers=headers)
        url = f"/{path}?{urlencode(places['query'], doseq=True)}"
        body = places["body"]
        if JSON_BODY in self.forms and not any(isinstance(value, File) for value in body.values()):
            return make(url, json.dumps(body), JSON_BODY)
        if self.forms:
            fields = {
                name: value if isinstance(value, str | File) else json.dumps(value) for name, value in body.items()
            }
            return RequestFactory().post(url, fields, secure=site.scheme == "https", headers=headers)
        return make(url)


def _fields(kind: Any, place: str, *, partial: bool = False) -> Iterator[Parameter]:
    """The parameters that a serializer, or a schema of a form, has."""
    if isinstance(kind, dict):
        for name in kind.get("properties", ()):
            yield Parameter(name, place, "@FILE", DESCRIPTIONS.get(name, ""), required=name in kind["required"])
        return
    noun = re.sub("(Serializer|Input|Filter)$", "", kind.__name__)
    for name, field in kind().fields.items():
        text = field.help_text or DESCRIPTIONS.get(f"{noun}.{name}") or DESCRIPTIONS.get(name, "")
        yield Parameter(name, place, in_words(field), str(text), field.required and not partial, field)


def in_words(field: Any) -> str:
    """What a field holds, with its limits."""
    if isinstance(field, serializers.ChoiceField):
        return ", ".join(map(str, field.choices))
    if isinstance(field, serializers.ListSerializer):
        return f"list of {in_words(field.child)}"
    if isinstance(field, serializers.Serializer):
        return f"JSON {{{', '.join(field.fields)}}}"
    kind = next((words for kind, words in KINDS if isinstance(field, kind)), "JSON")
    limits = [f"{words} {most}" for name, words in LIMITS if (most := getattr(field, name, None)) is not None]
    return ", ".join([kind, *limits])


def operations() -> dict[str, Call]:
    """Every operation of the API by its id, in the order of the URLs."""
    found = {}
    for page in pages:
        callback: Any = page.callback
        for method, action in (getattr(callback, "actions", None) or {}).items():
            if str(page.pattern).startswith(API) and hasattr(getattr(callback.cls, action), "operation"):
                name = operation_id(callback.cls, action, detail=callback.initkwargs["detail"])
                found[name] = Call(name, method, page, callback, action)
    return found


def plain(response: HttpResponseBase) -> Any:
    """What a response holds, as plain JSON values; {} if it holds nothing, None if it is a file."""
    if not isinstance(response, Response):
        return None
    return {} if response.data is None else json.loads(JSONRenderer().render(response.data))
