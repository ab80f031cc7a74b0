"""Cursor pagination, which neither skips nor repeats rows while new ones come in."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from annotation.flow.lists import ListFilter


class ApiCursorPagination(CursorPagination):
    """Pages of `?limit=` rows, 100 by default, at most 1,000; `next` and `previous` are URLs."""

    page_size = 100
    page_size_query_param = "limit"
    max_page_size = 1000

    def get_page_size(self, request: Request) -> int:
        given = request.query_params.getlist(self.page_size_query_param)
        if not given:
            return self.page_size
        value = given[0] if len(given) == 1 else ""
        if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= self.max_page_size and len(value) < 9):
            text = _("Give a whole number from 1 to %(most)d.") % {"most": self.max_page_size}
            raise ValidationError({self.page_size_query_param: [text]})
        return int(value)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, TypeError, OverflowError, NotFound):
            message = _("This cursor is not valid. Follow `next` or `previous`.")
            raise ValidationError({self.cursor_query_param: [message]}) from None

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        return view.query.order[-1:] if isinstance(view.query, ListFilter) else (view.ordering,)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_page_size, "default": self.page_size}
        where = "Where to continue, from `next` or `previous` of another page."
        parameters: dict[str, tuple[dict[str, Any], str]] = {"cursor": ({"type": "string"}, where)}
        parameters["limit"] = (limit, "Rows per page.")
        return [
            {"name": name, "in": "query", "required": False, "description": text, "schema": schema}
            for name, (schema, text) in parameters.items()
        ]

    def get_paginated_response_schema(self, schema: Any) -> dict[str, Any]:
        address = {"type": "string", "nullable": True, "format": "uri"}
        rows = {"next": address, "previous": address, "results": schema}
        return {"type": "object", "required": list(rows), "properties": rows}


class SinglePage(ApiCursorPagination):
    """A single page, for lists that are always short or have no order by key."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        return list(queryset)

    def get_next_link(self) -> None:
        return None

    def get_previous_link(self) -> None:
        return None

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []
