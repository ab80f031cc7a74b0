"""Validation of requests and serialisation of responses by botocore's model of the service.

Operations get Python values: money as Decimal, times as aware datetimes. Constraints that boto3 leaves to the server
(patterns, maxima, enums) are checked here. botocore is loaded with the first request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from annotation.mturk_api.calls import JSON, RequestError
from annotation.pure.money.pricing import CENT, MOST_DOLLARS

if TYPE_CHECKING:
    from botocore.model import OperationModel, ServiceModel, Shape

FREE = ".questionId' failed"  # the model calls it an EntityId, but MTurk accepts any text
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not in XML 1.0


@cache
def model() -> ServiceModel:
    """The 39 operations with their shapes; loaded from botocore once."""
    return load("mturk")


def load(name: str) -> ServiceModel:
    """botocore's model of a service."""
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    return ServiceModel(Loader().load_service_model(name, "service-2"), name)


def operation_model(name: str) -> OperationModel | None:
    """The model of one operation, or None."""
    return model().operation_model(name) if name in model().operation_names else None


def read(operation: OperationModel, request: JSON) -> JSON:
    """The request's members, validated, as Python values; null members count as absent. Raises RequestError."""
    shape = operation.input_shape
    if shape is None:
        return {}
    request = _present(request)
    if message := _misshapen(request, shape):
        raise invalid(message)
    problems = list(_problems(request, shape, ""))
    if problems:
        counted = f"{len(problems)} validation error{'s' if len(problems) > 1 else ''} detected"
        raise invalid(f"{counted}: {'; '.join(problems)}")
    return dict(_read(request, shape))


def _misshapen(members: JSON, shape: Shape) -> str:
    """Errors that botocore's own check finds: types, required and unknown members, minima. "" if none."""
    from botocore.validate import ParamValidator

    try:
        errors = ParamValidator().validate(members, shape)
    except (RuntimeError, OverflowError):  # of an impossible time
        return "Invalid type for a parameter that must be a point in time"
    return errors.generate_report() if errors.has_errors() else ""


def invalid(message: str) -> RequestError:
    """The service's error for invalid members."""
    return RequestError(message, kind="ParameterValidationError", code="InvalidParameterValue")


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _present(member) for name, member in value.items() if member is not None}
    return [_present(member) for member in value] if isinstance(value, list) else value


def _problems(value: Any, shape: Shape, where: str) -> Iterator[str]:
    """Errors that botocore's own check does not find, in MTurk's words."""
    for rule in _broken(value, shape):
        shown = str(value) if len(str(value)) <= 200 else f"{str(value)[:200]}…"
        yield f"Value '{shown}' at '{where}' failed to satisfy constraint: Member must {rule}"
    if shape.type_name == "structure":
        for name, member in value.items():
            yield from _problems(member, shape.members[name], f"{where}.{name[:1].lower()}{name[1:]}".lstrip("."))
    if shape.type_name == "list":
        for place, member in enumerate(value, 1):
            yield from _problems(member, shape.member, f"{where}.{place}.member")


def _broken(value: Any, shape: Shape) -> Iterator[str]:
    kind, most = shape.type_name, shape.metadata.get("max")
    if kind == "string":
        yield from _broken_text(value, shape)
        if most is not None and len(value) > most:
            yield f"have length less than or equal to {most}"
    elif kind in {"integer", "long"}:
        if isinstance(value, bool):
            yield "be a number"
        elif most is not None and value > most:
            yield f"have value less than or equal to {most}"
        elif not -(2**31) <= value < (2**63 if kind == "long" else 2**31):
            yield "be a number that fits its type"
    elif kind == "timestamp" and _time(value) is None:
        yield "be a point in time"


def _broken_text(value: str, shape: Shape) -> Iterator[str]:
    pattern, enum = shape.metadata.get("pattern"), getattr(shape, "enum", [])
    if UNPRINTABLE.search(value):
        yield "contain only characters that XML 1.0 has"
    if pattern and not re.fullmatch(pattern, value):
        yield f"satisfy regular expression pattern: {pattern}"
    elif shape.name == "CurrencyAmount" and Decimal(value) > MOST_DOLLARS:
        yield f"be an amount of at most {MOST_DOLLARS}"
    if enum and value not in enum:
        yield f"satisfy enum value set: [{', '.join(enum)}]"


def _time(value: Any) -> datetime | None:
    from botocore.utils import parse_timestamp

    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        at: datetime = parse_timestamp(value)
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError, OSError, TypeError, RuntimeError):
        return None


def _read(value: Any, shape: Shape) -> Any:
    if shape.type_name == "structure":
        return {name: _read(member, shape.members[name]) for name, member in value.items()}
    if shape.type_name == "list":
        return [_read(member, shape.member) for member in value]
    if shape.type_name == "timestamp":
        return _time(value)
    return Decimal(value).quantize(CENT) if shape.name == "CurrencyAmount" else value


def write(operation: OperationModel, result: JSON, *, checked: bool = False) -> JSON:
    """The operation's result as JSON: times in epoch seconds, money as strings, without members that are None.

    `checked` raises ValueError for members that the model does not allow.
    """
    shape = operation.output_shape
    if shape is None:
        return {}
    written: JSON = _write(result, shape)
    if checked:
        misshapen = _misshapen(written, shape)
        shape_problems = (
            [] if misshapen else [problem for problem in _problems(written, shape, "") if FREE not in problem]
        )
        problems = [*_unknown(result, shape), *shape_problems, *([misshapen] if misshapen else [])]
        if problems:
            raise ValueError(f"{operation.name} answers what its model does not have: {'; '.join(problems)}")
    return written


def _unknown(value: Any, shape: Shape) -> list[str]:
    if shape.type_name == "list":
        return [name for member in value for name in _unknown(member, shape.member)]
    if shape.type_name != "structure":
        return []
    known = [(n, m) for n, m in value.items() if n in shape.members and m is not None]
    return [n for n in value if n not in shape.members] + [u for n, m in known for u in _unknown(m, shape.members[n])]


def _write(value: Any, shape: Shape) -> Any:
    if shape.type_name == "structure":
        named = ((name, value.get(name)) for name in shape.members)
        return {name: _write(member, shape.members[name]) for name, member in named if member is not None}
    if shape.type_name == "list":
        return [_write(member, shape.member) for member in value]
    if shape.type_name == "timestamp":
        seconds = round(value.timestamp(), 3)
        return int(seconds) if seconds.is_integer() else seconds
    return f"{value:.2f}" if isinstance(value, Decimal) else value
