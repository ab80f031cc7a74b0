"""Fields of requests and resources made of settings, with their limits and words."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.serializers import JSON, Filter, KindField, dollars
from annotation.flow.lists import ListFilter
from annotation.flow.setting_values import help_text
from annotation.pure.setting_fields import Setting, settings_of

FIELDS: dict[type, Callable[..., serializers.Field]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    Decimal: dollars,
    date: serializers.DateField,
    datetime: serializers.DateTimeField,
    str: serializers.CharField,
}

WORDS = {bool: "boolean", int: "integer", float: "number", str: "string", object: "object"}
KINDS = {"dataset": "dataset", "datasets": "datasets", "upload": "file", "mix": "shares"}


class DescribedSerializer(serializers.Serializer):
    """An option that a task or derivation has, with its default and limits."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=[])
    default = serializers.JSONField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name
    help = serializers.CharField(allow_blank=True)
    least = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)
    choices = serializers.ListField(child=serializers.CharField())
    needed = serializers.BooleanField(help_text="Whether it is required.")


def described(one: Setting) -> JSON:
    """An option as a list of tasks or derivations describes it."""
    return {
        "name": one.name,
        "type": KINDS.get(one.kind) or WORDS[one.type],
        "default": one.default,
        "label": _(one.label),
        "help": help_text(one),
        "least": one.least,
        "most": one.most,
        "choices": list(one.choices or ()),
        "needed": one.required,
    }


def description(one: Setting) -> str:
    """Label and help in one text."""
    return f"{one.label}. {one.help}".strip()


def input_field(one: Setting, **more: Any) -> serializers.Field:
    """The field of a request in which the setting may be left out; `more` are arguments of its class."""
    limits: dict[str, Any] = {}
    if one.choices is None and one.type in (int, float, Decimal):
        limits = {"min_value": one.least, "max_value": one.most}
    elif one.choices is None and one.type is str:
        limits = {"max_length": one.length, "trim_whitespace": not one.multiline}
    return _field(one, required=False, **limits, **more)


def output_field(one: Setting) -> serializers.Field:
    """The field of a resource that shows the setting."""
    return _field(one, read_only=True)


def _field(one: Setting, **given: Any) -> serializers.Field:
    given = {"help_text": description(one)} | ({"allow_null": True} if one.optional else {}) | given
    if one.choices is not None:
        return (KindField if one.installed else serializers.ChoiceField)(choices=list(one.choices.items()), **given)
    return FIELDS[one.type](**given)


@cache
def filter_of(kind: type[ListFilter]) -> type[Filter]:
    """The parameters of a list that its page has too; they are validated to the filter itself."""
    made: dict[str, Any] = {"ALIASES": kind.ALIASES, "VALUE_ALIASES": kind.VALUE_ALIASES, "__doc__": kind.__doc__}
    for one in settings_of(kind).values():
        default = {"default": one.default} if one.default not in ("", None) else {}
        made[one.name] = input_field(replace(one, optional=False), help_text=one.help or None, **default)
    return type(kind.__name__, (Filter,), made | {"validate": lambda _self, data: kind(**data)})
