"""Fields that name a task, a format or a derivation."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

FORMAT = "The name of a file format, such as `musique` or `jsonl`."


@extend_schema_field(OpenApiTypes.STR)
class KindField(serializers.ChoiceField):
    """The name of a kind that is installed; the schema lists none, so that a new one does not change it."""
