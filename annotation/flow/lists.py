"""Lists that a page and the API show: what narrows them, in which order, how many rows a page has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from annotation.flow.setting_values import read_values
from annotation.models import Project
from annotation.pure.setting_fields import setting, settings_of

YES_NO = {"1": "1", "yes": "1", "true": "1", "0": "0", "no": "0", "false": "0"}


@dataclass(frozen=True)
class ListFilter:
    """A list's filter: settings, with the `column` of each that a lookup narrows by, `…__isnull` if it has a value.

    Pages are in the `order`, `size` rows each. Its last column is unique: by it the API continues, so that it neither
    skips nor repeats a row. `ALIASES` and `VALUE_ALIASES` are former names, as of the API's serializers.
    """

    order: ClassVar[Any] = ("-pk",)  # columns; a property where it depends on the values
    size = 50
    ALIASES: ClassVar[dict[str, str]] = {}
    VALUE_ALIASES: ClassVar[dict[str, dict[str, str]]] = {}

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """The filter in the address of a page; what is not valid narrows nothing."""
        settings = settings_of(cls)
        given = {name: query.get(name, "").replace("\0", "").strip() for name in settings}
        given |= {name: values.get(given[name], given[name]) for name, values in cls.VALUE_ALIASES.items()}
        given |= {name: YES_NO.get(given[name].lower(), "") for name, one in settings.items() if one.type is bool}
        values, problems = read_values(settings.values(), {name: value for name, value in given.items() if value})
        return cls(**values | {name: settings[name].default for name in problems})

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address that narrows so; {} if it narrows nothing."""
        values = ((one.name, getattr(self, one.name), one.default) for one in settings_of(type(self)).values())
        return {name: "1" if value is True else str(value) for name, value, default in values if value != default}

    @property
    def key(self) -> str:
        """The same as a canonical query string."""
        return urlencode(sorted(self.query.items()))

    def narrow(self, project: Project, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that match, in the list's order."""
        for one in settings_of(type(self)).values():
            value = getattr(self, one.name)
            if one.column and value not in ("", None):
                found = project.workers_called(value) if one.name == "worker" else value
                rows = rows.filter(**{one.column: not value if one.column.endswith("__isnull") else found})
        return rows.order_by(*self.order)

    def page(self, rows: Any, query: Mapping[str, str]) -> Page[Any]:
        """The page of the rows that the address asks for, or the nearest."""
        return Paginator(rows, self.size).get_page(query.get("page"))


def worker_setting(column: str) -> Any:
    """Only rows of a worker."""
    text = gettext_noop("Start of a pseudonym, or ID")
    return setting("", help=text, length=64, column=column)
