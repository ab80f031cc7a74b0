"""JSON kept as text, so that SQLite and PostgreSQL hold the same bytes in the same order; times of one clock."""

import json
from typing import Any

from django.db import models

from annotation.models import clock


def to_text(value: Any) -> str:
    """Compact JSON text; raises ValueError for NaN and infinities, which are not JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class JSONTextField(models.TextField):
    """A JSON value at rest in a text column: exact, ordered, never queried into."""

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else to_text(value)

    def value_to_string(self, obj: models.Model) -> Any:
        return self.value_from_object(obj)  # serialisers write it as JSON, and `to_python` gets it back as it was


PLAIN = models.DateTimeField()


class TimestampField(models.DateTimeField):
    """When a row was made (auto_now_add) or written last (auto_now), by the database's clock."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        if self.auto_now or (self.auto_now_add and add):
            setattr(model_instance, self.attname, clock.now())
        return getattr(model_instance, self.attname)

    def get_col(self, alias: str | None, output_field: models.Field | None = None) -> Any:
        return super().get_col(alias, output_field or PLAIN)  # expressions may mix it with other times

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, kwargs  # the column is the same
