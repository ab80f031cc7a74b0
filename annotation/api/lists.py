"""Lists below a project: narrowed by their query, a page at a time; and bodies that mean what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.paging import Pages

JSON = dict[str, Any]


class Newest(Pages):
    """The same with what came last first."""

    ordering = "-pk"


class Whole(Pages):
    """For lists that come whole, in one page."""

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []


class Wish(serializers.Serializer):
    """What a JSON body asks for. A field that is not known, or of another type, is a mistake.

    So no typing error goes unnoticed, and what is stored is what was sent. `texts`: it also comes as a form or in an
    address, where all values are text.
    """

    texts = False

    def to_internal_value(self, data: Any) -> Any:
        given = data if isinstance(data, Mapping) else {}
        flaws = {name: [_("There is no such field here.")] for name in sorted(set(map(str, given)) - set(self.fields))}
        for name, field in self.fields.items():
            judge = _unfit if self.texts else _unlike
            if name in given and (text := judge(field, given[name])):
                flaws[name] = [text]
        if flaws:
            raise ValidationError(flaws)
        return super().to_internal_value(data)


TYPES: tuple[tuple[type[serializers.Field], tuple[type, ...]], ...] = (
    (serializers.BooleanField, (bool,)),
    (serializers.IntegerField, (int, float)),  # 5.0 is the integer 5 in JSON
    (serializers.FloatField, (int, float)),
    (serializers.DecimalField, (str,)),  # amounts are text, so that no cent is rounded away
    (serializers.CharField, (str,)),
)


def _unlike(field: serializers.Field, value: Any) -> str:
    """What to say of a value of another JSON type than the field's, or of an unfit text; nothing where it fits."""
    inner = getattr(field, "child", None)
    if inner is not None and isinstance(value, list | Mapping):
        values = value.values() if isinstance(value, Mapping) else value
        return next((text for one in values if (text := _unlike(inner, one))), "")
    wanted = next((types for kind, types in TYPES if isinstance(field, kind)), None)
    fits = wanted is None or value is None or (isinstance(value, wanted) and (bool in wanted) is (type(value) is bool))
    if not fits and isinstance(field, serializers.DecimalField):
        return _("Give an amount as text, such as “0.25” in quotes.")
    return _unfit(field, value) if fits else str(field.error_messages["invalid"])


def _unfit(field: serializers.Field, value: Any) -> str:
    """What to say of a text that fits only once its outer spaces are cut off; nothing where it fits."""
    if not isinstance(value, str):
        return ""
    if isinstance(field, serializers.SlugField) and value != value.strip():
        return str(field.error_messages["invalid"])
    most = getattr(field, "max_length", None)
    return str(field.error_messages["max_length"]).format(max_length=most) if most and len(value) > most else ""


def asked(kind: type[serializers.Serializer], given: Any, *, partial: bool = False) -> JSON:
    """What a body or a query says, checked. Raises ValidationError, naming the fields at fault."""
    plain = given
    if isinstance(given, QueryDict):  # as it is, what is empty would count as not said
        once(given)
        plain = given.dict()
        if not issubclass(kind, Wish):
            known(given, kind().fields)
    read = kind(data=plain, partial=partial)
    _name_choices(read)
    read.is_valid(raise_exception=True)
    wish: JSON = read.validated_data
    return wish


def _name_choices(read: serializers.Serializer) -> None:
    """Let a choice that there is not be answered with those that there are."""
    for field in read.fields.values():
        inner = getattr(field, "child", field)
        if isinstance(inner, serializers.ChoiceField):
            there = ", ".join(map(str, inner.choices)).replace("{", "{{").replace("}", "}}")
            text = _("“{input}” is not there to choose. Give one of: %(choices)s.")
            inner.error_messages["invalid_choice"] = text % {"choices": there}


def once(given: QueryDict) -> None:
    """Raises ValidationError for what an address or a form says twice."""
    twice = [name for name, values in given.lists() if len(values) > 1]
    if twice:
        raise ValidationError({name: [_("Say this once.")] for name in twice})


def known(given: QueryDict, names: Iterable[str]) -> None:
    """Raises ValidationError for what an address names besides these and a page: an unheeded filter tells too much."""
    unknown = sorted(set(given) - set(names) - {"cursor", "limit"})
    if unknown:
        raise ValidationError({name: [_("There is no such field here.")] for name in unknown})


class ProjectList(ProjectView):
    """A list below a project. `rows()` gives them; `told()` adds to those of one page what it takes to show them."""

    narrowed = False  # whether the address was read for filters

    def rows(self) -> Any:
        raise NotImplementedError

    def told(self, rows: list[Any]) -> list[Any]:
        return rows

    def listed(self) -> Response:
        """A page of the rows."""
        rows = self.rows()
        if not self.narrowed:
            known(self.request.query_params, ())
        page = self.told(list(self.paginate_queryset(rows) or ()))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def whole(self, rows: Iterable[Any]) -> Response:
        """All rows as the only page, where there are never many or no order by key."""
        if not self.narrowed:
            known(self.request.query_params, ())
        told = self.get_serializer(list(rows), many=True).data
        return Response({"next": None, "previous": None, "results": told})

    def query(self, kind: type[serializers.Serializer]) -> JSON:
        """The filters of the address."""
        self.narrowed = True
        return asked(kind, self.request.query_params)


class AnyType(BaseContentNegotiation):
    """For files: whatever the caller accepts, the address says what there is. Problems are JSON all the same."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((parser for parser in parsers if request.content_type.startswith(parser.media_type)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


def dollars(**more: Any) -> serializers.DecimalField:
    """US dollars to the cent, as text: "0.25"."""
    return serializers.DecimalField(max_digits=14, decimal_places=2, coerce_to_string=True, **more)
