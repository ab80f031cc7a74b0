"""What a model is asked by a rubric, as JSON: what a worker sees, the schema of a reply, the reply as a response.

A reply differs from a response where models cannot count or must not see names: candidates have letters in the order
shown, marked words are quoted, and elements of a list stand in the order shown. Predictions are also read from a
table's columns, and several runs are combined into one.
"""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Final

from annotation.pure.data.example import JSON
from annotation.pure.ratings.responses import candidates_of, is_empty, parts_of, prefilled, rows_of
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, TIE, Criterion
from annotation.pure.statistics.agreement import most_frequent
from annotation.pure.text.languages import worded

NULL: Final = {"type": "null"}


def content_of(shown: JSON) -> JSON:
    """What the page shows and asks, from a payload as it is shown (`showing.arranged`)."""
    content: JSON = {each["field"]: {"title": worded(each["title"]), "value": each["value"]} for each in shown["show"]}
    content |= {
        name: {"title": worded(each["title"]), "value": each["elements"]} for name, each in shown["lists"].items()
    }
    return {
        "shown": {name: each if each["title"] else each["value"] for name, each in content.items()},
        "questions": [_question(shown, each) for each in shown["criteria"]],
    }


def _question(shown: JSON, criterion: JSON) -> JSON:
    asked = {"name": criterion["name"], "question": worded(criterion["ask"]), "reply": _how(criterion)}
    more: JSON = {
        "labels": {str(value): worded(label) for value, label in criterion.get("labels", ())},
        "marks": {value: worded(label) for value, label in criterion.get("of", ())},
        "unit": worded(criterion.get("unit", "")),
        "help": worded(criterion.get("help", "")),
        "text to be corrected": _to_correct(shown, criterion),
        "of each": criterion["each"],
        "only if": criterion.get("if"),
        "candidates": dict(zip(ascii_uppercase, shown["candidates"].get(criterion["name"], ()), strict=False)),
    }
    return asked | {name: value for name, value in more.items() if value}


def _to_correct(shown: JSON, criterion: JSON) -> Any:
    """What stands in the field of a worker, in the order shown; nothing where they begin with an empty one."""
    rows = rows_of(shown, criterion)
    if "prefill" not in criterion or rows is None:
        return prefilled(criterion, None)
    return [prefilled(criterion, k) for k in shown.get("order", {}).get(criterion["each"], range(rows))]


def _how(criterion: JSON) -> str:
    kind, values = criterion["kind"], criterion["values"]
    says = {
        SCALE: f"a whole number from {values[0]} to {values[-1]}" if values else "",
        CHOICE: "one of the values",
        CHOICES: "a list of the values that apply",
        NUMBER: f"a number from {values[0]} to {values[-1]}" if values else "",
        TEXT: "a text",
        MARK: f"quotes from “{values[0]}”, word for word" if values else "",
        BEST: "the letter of the best candidate" + (f", or “{TIE}”" if criterion.get("tie") else ""),
        ORDER: "the letters of all candidates, the best first",
    }[kind]
    says += "; a list with one reply for each, in their order" if criterion["each"] else ""
    may_be_null = "if" in criterion or not criterion["required"]
    return says + ("; null if it is not asked or has no answer" if may_be_null else "")


def schema_of(shown: JSON) -> JSON:
    """The JSON schema of a reply, within what strict structured output allows."""
    properties = {}
    for criterion in shown["criteria"]:
        one = _schema(shown, criterion)
        if "if" in criterion or not criterion["required"]:
            one = {"anyOf": [one, NULL]}
        properties[criterion["name"]] = {"type": "array", "items": one} if criterion["each"] else one
    return object_schema(properties)


def object_schema(properties: JSON) -> JSON:
    """The schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _schema(shown: JSON, criterion: JSON) -> JSON:
    kind, values = criterion["kind"], criterion["values"]
    codes = list(ascii_uppercase[: len(shown["candidates"].get(criterion["name"], ()))])
    if kind == MARK:
        labels = [value for value, _label in criterion.get("of", ())]
        label = {"label": {"type": "string", "enum": labels}} if labels else {}
        mark = object_schema({"part": {"type": "integer"}, "quote": {"type": "string"}, **label})
        return {"type": "array", "items": mark}
    return {
        SCALE: {"type": "integer", "enum": values},
        CHOICE: {"type": "string", "enum": values},
        CHOICES: {"type": "array", "items": {"type": "string", "enum": values}},
        NUMBER: {"type": "number"},
        TEXT: {"type": "string"},
        BEST: {"type": "string", "enum": [*codes, *([TIE] if criterion.get("tie") else [])]},
        ORDER: {"type": "array", "items": {"type": "string", "enum": codes}},
    }[kind]


def answer_of(shown: JSON, reply: Any) -> JSON:
    """A reply as a response by the payload's positions, for `responses.read`. Raises ValueError."""
    if not isinstance(reply, Mapping):
        raise ValueError("must be an object from a question's name to its reply")
    named = {each["name"]: each for each in shown["criteria"]}
    if unknown := [name for name in reply if name not in named]:
        raise ValueError(f"has no question {unknown[0]!r}; it has {', '.join(named)}")
    return {name: _value(shown, named[name], value) for name, value in reply.items()}


def _value(shown: JSON, criterion: JSON, value: Any) -> Any:
    rows = rows_of(shown, criterion)
    if rows is None:
        return _one(shown, criterion, value, None)
    if not isinstance(value, list) or len(value) != rows:
        raise ValueError(f"{criterion['name']} must list a reply for each of the {rows} of {criterion['each']}")
    order = shown.get("order", {}).get(criterion["each"], range(rows))
    placed = [None] * rows
    for k, each in enumerate(value):
        placed[order[k]] = _one(shown, criterion, each, k)
    return placed


def _one(shown: JSON, criterion: JSON, value: Any, k: int | None) -> Any:
    if value is None:
        return None
    kind = criterion["kind"]
    if kind == MARK:
        return _marks(shown, criterion, value, k)
    if kind == BEST:
        return TIE if value == TIE else _candidate(shown, criterion, value)
    if kind == ORDER and isinstance(value, list):
        return [_candidate(shown, criterion, each) for each in value]
    return value


def _candidate(shown: JSON, criterion: JSON, code: Any) -> Any:
    known = candidates_of(shown, criterion)
    if not isinstance(code, str) or len(code) != 1 or code not in ascii_uppercase[: len(known)]:
        raise ValueError(f"{criterion['name']}: {str(code)[:40]!r} is no candidate's letter")
    place = ascii_uppercase.index(code)
    return known[shown.get("ranked", {}).get(criterion["name"], range(len(known)))[place]]


def _marks(shown: JSON, criterion: JSON, quotes: Any, k: int | None) -> list[JSON]:
    """Marks from quotes; each is the first place of its words, in order."""
    parts = parts_of(shown, criterion, k)
    order = shown.get("order", {}).get(criterion["values"][0])
    found = []
    for each in quotes if isinstance(quotes, list) else [quotes]:
        quote, part = (each.get("quote"), each.get("part")) if isinstance(each, Mapping) else (None, None)
        if len(parts) == 1:
            [part] = parts
        start = parts[part].find(quote) if isinstance(quote, str) and type(part) is int and part in parts else -1
        if start < 0 or not quote:
            raise ValueError(f"{criterion['name']}: {str(quote)[:60]!r} does not stand in the text, word for word")
        label = {"label": each["label"]} if "label" in each else {}
        found.append({"part": order[part] if order else part, "start": start, "end": start + len(quote), **label})
    return sorted(found, key=lambda mark: (mark["part"], mark["start"], mark["end"]))


def of_columns(payload: JSON, rows: Sequence[Mapping[str, Any]]) -> JSON:
    """The response that rows of a table hold in columns named as the criteria; `element` is a position from 0.

    Of a criterion with `each` every row has the value of its element, of any other one row has it. Raises ValueError.
    """
    found: JSON = {}
    for criterion in payload["criteria"]:
        name, size = criterion["name"], rows_of(payload, criterion)
        given = [(row, row[name]) for row in rows if not is_empty(row.get(name))]
        if size is None:
            if len({str(value) for _row, value in given}) > 1:
                raise ValueError(f"{name} has different values in the rows of one item")
            found[name] = given[0][1] if given else None
            continue
        found[name] = [None] * size
        for row, value in given:
            found[name][_element(row, size)] = value
    return found


def _element(row: Mapping[str, Any], size: int) -> int:
    text = str(row.get("element", ""))
    if not (text.isascii() and text.isdigit() and int(text) < size):
        raise ValueError(f"element must be a position from 0 to {size - 1}, not {text!r}")
    return int(text)


def combined(criteria: Sequence[Criterion], answers: Sequence[JSON]) -> tuple[JSON, float]:
    """The runs' values by criterion and element, and how large a share of runs gave the most frequent, on average.

    Scales and numbers: the mean; else the most frequent value, of several the first given. A value that less than
    half of the runs have is None.
    """
    found, shares = {}, []
    for criterion in criteria:
        values = [answer.get(criterion.name) for answer in answers]
        if criterion.each:
            size = max(len(value or ()) for value in values)
            cells = [_combined_value(criterion, [value[k] for value in values if value]) for k in range(size)]
            found[criterion.name] = [value for value, _share in cells]
        else:
            cells = [_combined_value(criterion, values)]
            found[criterion.name] = cells[0][0]
        shares += [share for value, share in cells if value is not None]
    return found, sum(shares) / len(shares) if shares else 1.0


def _combined_value(criterion: Criterion, values: Sequence[Any]) -> tuple[Any, float]:
    given = [value for value in values if value is not None]
    if 2 * len(given) < len(values) or not given:
        return None, 1.0
    value, share = most_frequent(given, repr)
    return sum(given) / len(given) if criterion.kind in (SCALE, NUMBER) else value, share
