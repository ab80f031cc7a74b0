"""Bases of the API's serializers: strictly validated bodies and queries, fields of kinds, aliases of former names."""

from collections.abc import Callable, Container, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any, ClassVar, cast

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.models.fields import JSONTextField

JSON = dict[str, Any]
# Schemas of files.
TEXT: JSON = {"type": "string"}
BINARY: JSON = {"type": "string", "format": "binary"}
FILE: JSON = {  # input of an operation with a file: a part of a form, or the body itself
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "properties": {"file": BINARY},
    },
    "application/octet-stream": BINARY,
}


def schema_of(shape: Any) -> Callable[[Any], Any]:
    """Give a field, or the method that computes one, its schema: what drf-spectacular's `extend_schema_field` does.

    drf-spectacular only writes the schema; the server runs without it.
    """

    def decorate(target: Any) -> Any:
        target._spectacular_annotation = {"field": shape}
        return target

    return decorate


class Aliased(serializers.Serializer):
    """Accepts renamed fields and values under their former names too.

    `ALIASES` is {old name of a field: its name}, `VALUE_ALIASES` {field: {old value: its value}}. Responses and the
    schema carry the new names only.
    """

    ALIASES: ClassVar[dict[str, str]] = {}
    VALUE_ALIASES: ClassVar[dict[str, dict[str, str]]] = {}

    def current(self, data: Any) -> JSON:
        """The data under today's names. Raises ValidationError if a field is given under both of its names."""
        given = dict(data) if isinstance(data, Mapping) else {}
        for old, new in self.ALIASES.items():
            if old in given and new in given:
                text = _("This is the former name of “%(name)s”. Give one of them.")
                raise ValidationError({old: [text % {"name": new}]})
            if old in given:
                given[new] = given.pop(old)
        for name, values in self.VALUE_ALIASES.items():
            if isinstance(value := given.get(name), list):
                given[name] = [values.get(item, item) if isinstance(item, str) else item for item in value]
            elif isinstance(value, str):
                given[name] = values.get(value, value)
        return given


class ModelResource(serializers.ModelSerializer):
    """A resource that shows columns of a model as they are, and a related row by its name in addresses.

    The columns' limits and checks are of forms, and their descriptions in `field_descriptions`.
    """

    serializer_field_mapping = serializers.ModelSerializer.serializer_field_mapping | {
        JSONTextField: serializers.DictField
    }

    def get_fields(self) -> JSON:
        return deepcopy(_model_fields(type(self)))

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        kind, given = super().build_standard_field(field_name, model_field)
        if issubclass(kind, serializers.DecimalField):
            return dollars, {}
        return kind, {name: given[name] for name in ("choices", "allow_null") if name in given}

    def build_relational_field(self, field_name: str, relation_info: Any) -> Any:
        columns = {column.name for column in relation_info.related_model._meta.get_fields()}
        name = "slug" if "slug" in columns else "public_id"
        given = {"allow_null": True} if relation_info.model_field.null else {}
        return serializers.CharField, {"source": f"{field_name}.{name}", **given}


@cache
def _model_fields(kind: type[ModelResource]) -> JSON:
    """The fields of a resource, made once: looking the columns up takes longer than copying them."""
    return serializers.ModelSerializer.get_fields(kind())


class Input(Aliased):
    """What a JSON body asks for. A field that is not known, or of another type, is a mistake.

    So no typing error goes unnoticed, and what is stored is what was sent. `texts`: it also comes as a form or in an
    address, where all values are text. `EXAMPLE` is a body that fits, for the schema.
    """

    texts = False
    EXAMPLE: ClassVar[JSON | None] = None

    def to_internal_value(self, data: Any) -> Any:
        given = self.current(data)
        flaws = {name: [_("There is no such field.")] for name in sorted(set(map(str, given)) - set(self.fields))}
        for name, field in self.fields.items():
            check = _text_error if self.texts else _unlike
            if name in given and (text := check(field, given[name])):
                flaws[name] = [text]
        if flaws:
            raise ValidationError(flaws)
        return super().to_internal_value(given if isinstance(data, Mapping) else data)


class Filter(Aliased):
    """What a query narrows a list to. A field's `source` is its lookup, so that `rows.filter(**query)` narrows them.

    A name that is not known is a mistake: an unheeded filter would tell of everything.
    """

    def to_internal_value(self, data: Any) -> Any:
        given = self.current(data)
        unknown = sorted(given.keys() - self.fields.keys() - {"cursor", "limit"})
        if unknown:
            raise ValidationError({name: [_("There is no such field.")] for name in unknown})
        return super().to_internal_value(given)


TYPES: tuple[tuple[type[serializers.Field], tuple[type, ...]], ...] = (
    (serializers.BooleanField, (bool,)),
    (serializers.IntegerField, (int, float)),  # 5.0 is the integer 5 in JSON
    (serializers.FloatField, (int, float)),
    (serializers.DecimalField, (str,)),  # amounts are text, so that no cent is rounded away
    (serializers.CharField, (str,)),
)


def _unlike(field: serializers.Field, value: Any) -> str:
    """The error of a value with another JSON type than the field's, or of an unfit text; "" if it is valid."""
    inner = getattr(field, "child", None)
    if inner is not None and isinstance(value, list | Mapping):
        values = value.values() if isinstance(value, Mapping) else value
        return next((text for inner_value in values if (text := _unlike(inner, inner_value))), "")
    wanted = next((types for kind, types in TYPES if isinstance(field, kind)), None)
    fits = wanted is None or value is None or (isinstance(value, wanted) and (bool in wanted) is (type(value) is bool))
    if not fits and isinstance(field, serializers.DecimalField):
        return _("Give the amount as text, such as “0.25” in quotes.")
    return _text_error(field, value) if fits else str(field.error_messages["invalid"])


def _text_error(field: serializers.Field, value: Any) -> str:
    """The error of a text that is valid only without its outer spaces; "" if it is valid."""
    if not isinstance(value, str):
        return ""
    if isinstance(field, serializers.SlugField) and value != value.strip():
        return str(field.error_messages["invalid"])
    most = getattr(field, "max_length", None)
    return str(field.error_messages["max_length"]).format(max_length=most) if most and len(value) > most else ""


def validate_input(
    kind: type[serializers.Serializer], given: Any, *, partial: bool = False, context: JSON | None = None
) -> JSON:
    """Validate a body or a query. Raises ValidationError, naming the invalid fields."""
    plain = given
    if isinstance(given, QueryDict):  # unchanged, because a QueryDict with an empty value would count as not given
        once(given)
        plain = given.dict()
    read = kind(data=plain, partial=partial, context=context or {})
    _name_choices(read)
    read.is_valid(raise_exception=True)
    return cast(JSON, read.validated_data)


def _name_choices(read: serializers.Serializer) -> None:
    """Let errors on choices list the valid ones."""
    for field in read.fields.values():
        inner = getattr(field, "child", field)
        if isinstance(inner, serializers.ChoiceField):
            choices = ", ".join(map(str, inner.choices)).replace("{", "{{").replace("}", "}}")
            text = _("“{input}” is not a valid choice. Choose one of: %(choices)s.")
            inner.error_messages["invalid_choice"] = text % {"choices": choices}


def once(given: QueryDict) -> None:
    """Raise ValidationError for a parameter given twice."""
    twice = [name for name, values in given.lists() if len(values) > 1]
    if twice:
        raise ValidationError({name: [_("Give this only once.")] for name in twice})


def refuse_unknown(field: str, names: Sequence[Any], known: Container[Any], text: str) -> None:
    """Raise ValidationError for each name that is not known; `text` may contain %(name)s."""
    unknown = {f"{field}.{k}": [text % {"name": name}] for k, name in enumerate(names) if name not in known}
    if unknown:
        raise ValidationError(unknown)


def posted_file(sent: Any, empty: str) -> Any:
    """The uploaded file: the body itself or a part of a form. Raises ValidationError if it is empty."""
    file = sent.get("file")
    if not getattr(file, "size", 0):
        raise ValidationError({"file": [empty]})
    return file


def posted_file_and_fields(request: Any, kind: type[Input], empty: str) -> tuple[Any, JSON]:
    """The uploaded file, and the validated fields of `kind` from the query and the form around it."""
    sent, query = request.data, request.query_params
    together = query.copy()
    if isinstance(sent, QueryDict):
        together.update(sent)
    once(together)
    given = dict(query.items()) | {key: sent[key] for key in sent if key != "file"}
    return posted_file(sent, empty), validate_input(kind, given)


def texts(longest: int, **more: Any) -> serializers.ListField:
    """A list of texts, each of at most `longest` characters."""
    return serializers.ListField(child=serializers.CharField(max_length=longest), **more)


def dollars(**more: Any) -> serializers.DecimalField:
    """An amount of US dollars to the cent, as text: "0.25"."""
    return serializers.DecimalField(max_digits=14, decimal_places=2, coerce_to_string=True, **more)


FORMAT = "The name of a file format, such as `musique` or `jsonl`."


@schema_of(TEXT)
class KindField(serializers.ChoiceField):
    """The name of a kind that is installed; the schema lists none, so that a new one does not change it."""
