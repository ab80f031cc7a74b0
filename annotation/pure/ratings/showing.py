"""What a rubric shows of one record: the payload of a HIT, and its order in one assignment.

Payload: {"show": [{"field", "look", "title", "value"}], "lists": {field: {"title", "look", "elements": [{"title",
"text"}], "ids"}}, "candidates": {criterion: [{"title", "text"}]}, "criteria": [...], "agree"}. A list that is rated
element by element stands in `lists` only. As shown, `order[field][k]` is the original position of what stands k-th, and
`ranked[criterion][k]` that of a candidate.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any, Final

from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.fields import element_of, fields_of, look_of, shown_as, value_of
from annotation.pure.ratings.rubric import BEST, EXTRA, MARK, ORDER, SCALE, Criterion, InvalidRubric, Rubric, Shown
from annotation.pure.text.translation_marks import gettext_noop as _

MOST_ELEMENTS: Final = 200
MOST_CONTROLS: Final = 2000
MOST_BYTES: Final = 200_000
TOO_LARGE = _("Too much for one page: at most 200 elements, 2,000 controls and 200 KB.")
NOTHING = _("Nothing is left to ask about it.")
MOST_KNOWN: Final = 600  # characters of the names in a message
NO_FIELD = _("Items have no field “%(name)s”; they have %(known)s.")
NO_LIST = _("Items have no list “%(name)s”; they have %(known)s.")
FEW = _("It has fewer than two to compare.")


class LeftOut(Exception):
    """A record cannot be rated by the rubric; the message is a gettext id."""


def payload_of(rubric: Rubric, example: Example, *, agree: int = 0) -> JSON:
    """The payload of a record. Raises LeftOut if nothing is left to ask, or it is too much for a page."""
    rated = {criterion.each for criterion in rubric.criteria if criterion.each}
    titles = {shown.field: shown.title for shown in rubric.show}
    lists = {name: _list(rubric, example, name, titles.get(name, "")) for name in sorted(rated)}
    criteria = [each for each in rubric.criteria if not each.each or lists[each.each]["elements"]]
    if not criteria:
        raise LeftOut(NOTHING)
    payload: JSON = {
        "show": [_shown(rubric, example, each) for each in rubric.show if each.field not in rated],
        "lists": lists,
        "candidates": {
            each.name: _candidates(rubric, each, example) for each in criteria if each.kind in (BEST, ORDER)
        },
        "criteria": [_asked(rubric, each, example) for each in criteria],
        "agree": agree,
    }
    payload["show"] = [each for each in payload["show"] if each["value"] not in ("", [], {"columns": [], "rows": []})]
    if any(len(each) < 2 for each in payload["candidates"].values()):
        raise LeftOut(FEW)
    if controls_of(payload) > MOST_CONTROLS or any(len(each["elements"]) > MOST_ELEMENTS for each in lists.values()):
        raise LeftOut(TOO_LARGE)
    if len(json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise LeftOut(TOO_LARGE)
    return payload


def passages_of(payload: JSON) -> JSON | None:
    """The first passages that are shown and not rated."""
    return next((part for part in payload["show"] if part["look"] == "passages"), None)


def controls_of(payload: JSON) -> int:
    """How many controls the page of a payload has."""
    rows = {name: len(each["elements"]) for name, each in payload["lists"].items()}
    sizes = [len(payload["candidates"].get(each["name"], ())) or len(each["values"]) for each in payload["criteria"]]
    return sum(size * rows.get(each["each"], 1) for size, each in zip(sizes, payload["criteria"], strict=True))


def check_fields(rubric: Rubric, examples: Iterable[Example]) -> None:
    """Whether records have what the rubric names. Raises InvalidRubric for a field that none of them has.

    Reads no more of them than it needs.
    """
    missing = {(name, False): place for name, place in rubric.fields.items()}
    missing |= {(name, True): place for name, place in rubric.lists.items()}
    for flaw in _lacking(missing, examples):
        raise flaw


def lacking_gold(rubric: Rubric, examples: Iterable[Example]) -> Iterator[InvalidRubric]:
    """The gold fields that none of the records has."""
    gold = {(each.gold, False): f"criteria[{k}].gold" for k, each in enumerate(rubric.criteria) if each.gold}
    return _lacking(gold, examples) if gold else iter(())


def _lacking(missing: dict[tuple[str, bool], str], examples: Iterable[Example]) -> Iterator[InvalidRubric]:
    """What is wrong with each (field, whether it must be a list), by its place, that none of the records has."""
    known: dict[str, None] = {}
    for example in examples:
        missing = {key: place for key, place in missing.items() if not _has(example, *key)}
        if not missing:
            return
        known |= dict.fromkeys(fields_of(example))
    for (name, is_list), place in missing.items() if known else ():
        message = NO_LIST if is_list and (name, False) not in missing else NO_FIELD
        yield InvalidRubric(place, message, name=name, known=", ".join(known)[:MOST_KNOWN])


def _has(example: Example, name: str, is_list: bool) -> bool:
    value = value_of(example, name)
    return isinstance(value, list) if is_list else value is not None


def _visible(rubric: Rubric, example: Example, field: str) -> Any:
    """The value of a field, without what is gold in its objects."""
    value, start = value_of(example, field), f"{field.removeprefix(EXTRA)}."
    for gold in (each.gold.removeprefix(EXTRA) for each in rubric.criteria if each.gold):
        if gold.startswith(start):
            value = _without(value, gold.removeprefix(start))
    return value


def _without(value: Any, key: str) -> Any:
    """A value without what its objects have at a key, or at "key.key"."""
    if isinstance(value, list):
        return [_without(each, key) for each in value]
    if not isinstance(value, Mapping):
        return value
    first, _dot, rest = key.partition(".")
    inner = {first: _without(value[first], rest)} if rest and first in value else {}
    return {name: each for name, each in value.items() if name not in (key, first)} | inner


def _shown(rubric: Rubric, example: Example, shown: Shown) -> JSON:
    value = _visible(rubric, example, shown.field)
    look = shown.look or look_of(shown.field, value)
    worded = shown_as(look, [] if value is None and look != "text" else value)
    return {"field": shown.field, "look": look, "title": shown.title, "value": worded}


def _list(rubric: Rubric, example: Example, name: str, title: Any) -> JSON:
    value = _visible(rubric, example, name)
    elements = value if isinstance(value, list) else []
    ids = [each.get("id") if isinstance(each, Mapping) else None for each in elements]
    return {
        "title": title,
        "look": look_of(name, elements),
        "elements": [element_of(each) for each in elements],
        "ids": ids if any(each is not None for each in ids) else None,
    }


def _candidates(rubric: Rubric, criterion: Criterion, example: Example) -> list[JSON]:
    """What is compared; fields without a value are left out only if the record has none of them."""
    if criterion.listed:
        value = _visible(rubric, example, criterion.values[0])
        return [element_of(each) for each in value] if isinstance(value, list) else []
    found = [_visible(rubric, example, name) for name in criterion.values]
    return [element_of(each) for each in found] if all(each is not None for each in found) else []


def _asked(rubric: Rubric, criterion: Criterion, example: Example) -> JSON:
    """A criterion as the page needs it; names of compared fields are not in it."""
    asked: JSON = {
        "name": criterion.name,
        "ask": criterion.ask,
        "kind": criterion.kind,
        "values": [] if criterion.kind in (BEST, ORDER) else list(criterion.values),
        "each": criterion.each,
        "required": criterion.required,
    }
    optional = {
        "if": {name: list(values) for name, values in criterion.condition.items()},
        "labels": [[value, label] for value, label in criterion.labels.items()],
        "ordered": criterion.ordered or criterion.kind == SCALE,
        "tie": criterion.tie,
        "of": [[value, label] for value, label in criterion.marks.items()] if criterion.kind == MARK else [],
        "unit": criterion.unit,
        "help": criterion.help,
        "systems": [] if criterion.listed or criterion.kind not in (BEST, ORDER) else list(criterion.values),
        "prefill": _prefill(rubric, criterion, example),
        "gold": criterion.gold,  # the field's name: what stands there is read where a response is graded
    }
    return asked | {name: value for name, value in optional.items() if value}


def _prefill(rubric: Rubric, criterion: Criterion, example: Example) -> Any:
    if not criterion.prefill:
        return ""
    value = _visible(rubric, example, criterion.prefill)
    if criterion.each and isinstance(value, list):
        return [element_of(each)["text"] for each in value]
    return element_of(value)["text"]


def arranged(payload: JSON, rng: Random) -> JSON:
    """The payload in the order of one assignment: passages and candidates are shuffled, other lists never."""
    shown = {**payload, "order": {}, "ranked": {}}
    shown["show"] = [_shuffled(each, "value", each["field"], shown["order"], rng) for each in payload["show"]]
    shown["lists"] = {
        name: _shuffled(each, "elements", name, shown["order"], rng) for name, each in payload["lists"].items()
    }
    shown["candidates"] = dict(payload["candidates"])
    orders: dict[str, list[int]] = {}  # criteria about the same candidates have them in the same order
    for name, texts in payload["candidates"].items():
        order = orders.setdefault(repr(texts), rng.sample(range(len(texts)), len(texts)))
        shown["ranked"][name] = order
        shown["candidates"][name] = [texts[k] for k in order]
    return shown


def _shuffled(part: JSON, key: str, field: str, orders: dict[str, list[int]], rng: Random) -> JSON:
    if part["look"] != "passages":
        return part
    orders[field] = order = rng.sample(range(len(part[key])), len(part[key]))
    ids = part.get("ids")
    return {**part, key: [part[key][k] for k in order]} | ({"ids": [ids[k] for k in order]} if ids else {})
