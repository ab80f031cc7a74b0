"""Fields of a record as a rubric names them, and how their values are shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.rubric import EXTRA

ROLES: Final = ("question", "answer", "answers", "paragraphs", "hops", "options")
MOST_SAMPLED: Final = 60  # characters of a sample
_SPEAKER, _SAID = "role", ("content", "text")  # keys of a turn of a conversation
_TEXTS = ("text", "sentence", "content")  # keys of the text of an object with a title


def value_of(example: Example, name: str) -> Any:
    """The value of a field; None without it. Roles come before other fields of the same name."""
    if name in ROLES and (value := _role(example, name)) not in (None, "", []):
        return value
    plain = name.removeprefix(EXTRA)
    if plain in example.extra and not plain.startswith("@"):
        return example.extra[plain]
    field, _dot, key = plain.rpartition(".")  # "steps.label": a list of what each of the steps has there
    elements = value_of(example, field) if field else None
    if isinstance(elements, list) and all(isinstance(each, Mapping) for each in elements):
        return [each.get(key) for each in elements]
    return elements.get(key) if isinstance(elements, Mapping) else None


def _role(example: Example, name: str) -> Any:
    if name == "paragraphs":
        return [{"title": each.title, "text": each.text} for each in example.paragraphs]
    if name == "hops":
        return [{"question": hop.question, "answer": hop.answer} for hop in example.hops]
    value = getattr(example, name)
    return list(value) if isinstance(value, tuple) else value


def fields_of(example: Example) -> list[str]:
    """The names of the fields that the example has: roles, then others."""
    own = (name for name in example.extra if not name.startswith("@"))  # those are ours
    return [*(name for name in ROLES if _role(example, name)), *own]


def look_of(name: str, value: Any) -> str:
    """How a value is shown unless the rubric says so: one of rubric.LOOKS."""
    if not isinstance(value, list):
        return "table" if isinstance(value, Mapping) else "text"
    if name == "paragraphs":
        return "passages"
    if value and all(isinstance(each, Mapping) for each in value):
        return "turns" if all(_SPEAKER in each for each in value) else "table"
    return "list"


def shown_as(look: str, value: Any) -> Any:
    """The value in the form that its look is made from.

    text, markdown, html: a text; list: texts; turns: [{"role", "text"}]; table: {"columns", "rows" of texts},
    without the column `id`;
    passages: [{"title", "text"}].
    """
    if look in ("text", "markdown", "html"):
        return text_of(value)
    elements: Sequence[Any] = value if isinstance(value, list) else [value]
    if look == "table":
        objects = [each if isinstance(each, Mapping) else {"": each} for each in elements]
        columns = list(dict.fromkeys(key for each in objects for key in each if key != "id"))
        rows = [[text_of(each.get(key)) for key in columns] for each in objects] if columns else []
        return {"columns": columns, "rows": rows}
    if look == "turns":
        return [{"role": text_of(_get(each, _SPEAKER)), "text": _first(each, _SAID)} for each in elements]
    if look == "passages":
        return [{"title": text_of(_get(each, "title")), "text": _first(each, _TEXTS)} for each in elements]
    return [text_of(each) for each in elements]


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _first(value: Any, keys: Sequence[str]) -> str:
    for key in keys if isinstance(value, Mapping) else ():
        if key in value:
            return text_of(value[key])
    return text_of(value)


def element_of(value: Any) -> JSON:
    """An element of a list as {"title", "text"}: of an object its title and text, or all it has, a line each."""
    if isinstance(value, Mapping) and not isinstance(value.get("title"), str | None):
        return {"title": "", "text": text_of(value)}
    if isinstance(value, Mapping) and any(isinstance(value.get(key), str) for key in _TEXTS):
        return {"title": value.get("title") or "", "text": _first(value, _TEXTS)}
    return {"title": "", "text": text_of(value)}


def text_of(value: Any) -> str:
    """A value in words; of an object one line for each key but `id`."""
    if isinstance(value, Mapping):
        kept = {key: each for key, each in value.items() if key != "id" and each is not None}
        return "\n".join(f"{key}: {text_of(each)}" for key, each in kept.items())
    if isinstance(value, list):
        return "\n".join(text_of(each) for each in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def strata_of(example: Example, name: str) -> str | list[str]:
    """The value of a field in words, as the stratum of a record; of a list those of its elements."""
    value = value_of(example, name)
    return list(map(text_of, value)) if isinstance(value, list) else text_of(value)


@dataclass(frozen=True, slots=True)
class FieldSample:
    """A field of some records and the beginning of a value."""

    name: str
    text: str
    is_list: bool


def sampled_fields(examples: Iterable[Example]) -> list[FieldSample]:
    """The fields that records have, each with its first value, and then what the objects of their lists have."""
    found: dict[str, FieldSample] = {}
    inner: dict[str, FieldSample] = {}
    for example in examples:
        for name in fields_of(example):
            value = value_of(example, name)
            if value in (None, "", [], {}):
                continue
            found.setdefault(name, _sample(name, value))
            first = value[0] if isinstance(value, list) else value
            for key in first if isinstance(first, Mapping) else ():
                inner.setdefault(f"{name}.{key}", _sample(f"{name}.{key}", first[key], is_list=isinstance(value, list)))
    return [*found.values(), *inner.values()]


def _sample(name: str, value: Any, *, is_list: bool = False) -> FieldSample:
    text = " ".join(text_of(value)[:MOST_SAMPLED].split())
    return FieldSample(name, text, is_list or isinstance(value, list))
