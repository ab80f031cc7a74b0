"""Results of responses to a rubric: aggregated values, grades against gold, distances, and responses in words.

Definitions: shared by the report; scales are computed on (x - low) / (high - low). Aggregate of a scale or a number is
the median (of an even number the mean of the middle two), of a choice the most frequent value, of `choices` and marks
what more than half of those asked gave, of `best` the most frequent, of `order` the order of mean ranks.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.ratings.fields import value_of
from annotation.pure.ratings.responses import (
    blank,
    candidates_of,
    cells,
    is_asked,
    is_valid,
    parts_of,
    rows_of,
    value_at,
)
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, TIE, Text, worded
from annotation.pure.statistics.agreement import most_said
from annotation.pure.text.folding import fold

JSON = dict[str, Any]
MOST_SHOWN = 100  # characters of a candidate
_WORD = re.compile(r"\S+")
TIED, UNDECIDED, RATED = "tied", "undecided", "rated"


def key_of(criterion: JSON, value: Any) -> str:
    """A value as the key of its votes."""
    if isinstance(value, list) and criterion["kind"] != MARK:
        return " > ".join(map(str, value)) if criterion["kind"] == ORDER else ", ".join(map(str, value))
    return str(value)


def aggregated(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """{"kind", "answers", "ratings": {criterion: cell, or a list of cells by element}}.

    Cell: {"value", "n" (asked), "votes" {value: number}, "open" ("tied" or "undecided")}; None: nobody was asked.
    `kind` is the first open one's, "undecided" without answers, else "rated".
    """
    ratings: JSON = {}
    for criterion in payload["criteria"]:
        rows = rows_of(payload, criterion)
        if rows is None:
            ratings[criterion["name"]] = _cell(payload, criterion, None, answers)
        else:
            ratings[criterion["name"]] = [_cell(payload, criterion, k, answers) for k in range(rows)]
    kinds = [cell["open"] for cell in flat(ratings) if "open" in cell]
    kind = UNDECIDED if not answers else kinds[0] if kinds else RATED
    return {"kind": kind, "answers": len(answers), "ratings": ratings}


def flat(ratings: JSON) -> list[JSON]:
    """All cells of an aggregated response."""
    return [
        cell
        for cells in ratings.values()
        for cell in (cells if isinstance(cells, list) else [cells])
        if cell is not None
    ]


def _cell(payload: JSON, criterion: JSON, k: int | None, answers: Sequence[JSON]) -> JSON | None:
    asked = [answer for answer in answers if is_asked(payload, answer, criterion, k)]
    given = [value_at(answer, criterion, k) for answer in asked]
    values = [value for value in given if value is not None and value != ""]
    if not asked:
        return None
    kind = criterion["kind"]
    if kind == TEXT:
        return {"value": values, "n": len(asked)}
    if kind == MARK:
        return {"value": _marked(parts_of(payload, criterion["values"][0], k), values, len(asked)), "n": len(asked)}
    votes = Counter(key_of(criterion, value) for value in values)
    cell = {
        "value": _AGGREGATES[kind](payload, criterion, values),
        "n": len(asked),
        "votes": dict(sorted(votes.items())),
    }
    if not values:
        return cell if not criterion["required"] else {**cell, "open": UNDECIDED}
    if payload["agree"] and kind in (SCALE, CHOICE, BEST) and max(votes.values()) < payload["agree"]:
        return {**cell, "value": None, "open": UNDECIDED}
    return {**cell, "open": TIED} if cell["value"] is None else cell


def _most(_payload: JSON, _criterion: JSON, values: Sequence[Any]) -> Any:
    return most_said(values)


def _middle(_payload: JSON, _criterion: JSON, values: Sequence[Any]) -> Any:
    return median(values) if values else None


def _by_half(_payload: JSON, criterion: JSON, values: Sequence[Any]) -> list[Any]:
    return [each for each in criterion["values"] if 2 * sum(each in value for value in values) > len(values)]


def _by_mean_rank(payload: JSON, criterion: JSON, values: Sequence[Any]) -> list[Any]:
    known = candidates_of(payload, criterion)
    return sorted(known, key=lambda each: sum(value.index(each) for value in values)) if values else []


_AGGREGATES: dict[str, Callable[[JSON, JSON, Sequence[Any]], Any]] = {
    SCALE: _middle,
    NUMBER: _middle,
    CHOICE: _most,
    BEST: _most,
    CHOICES: _by_half,
    ORDER: _by_mean_rank,
}


def _marked(parts: Mapping[int, str], values: Sequence[list[JSON]], asked: int) -> list[JSON]:
    """The spans that more than half of those asked marked, by label."""
    found = []
    labels = sorted({mark.get("label", "") for marks in values for mark in marks})
    for part, text in parts.items():
        for label in labels:
            counts = [0] * (len(text) + 1)
            for marks in values:
                for at in {at for mark in _of(marks, part, label) for at in range(mark["start"], mark["end"])}:
                    counts[at] += 1
            found += [
                {"part": part, "start": start, "end": end} | ({"label": label} if label else {})
                for start, end in _stretches([2 * count > asked for count in counts])
            ]
    return sorted(found, key=lambda mark: (mark["part"], mark["start"], mark["end"]))


def _of(marks: Sequence[JSON], part: int, label: str) -> list[JSON]:
    return [mark for mark in marks if mark["part"] == part and mark.get("label", "") == label]


def _stretches(inside: Sequence[bool]) -> list[tuple[int, int]]:
    found, start = [], None
    for at, within in enumerate(inside):
        if within and start is None:
            start = at
        elif not within and start is not None:
            found.append((start, at))
            start = None
    return found


def agreeing(aggregate: JSON, answers: int) -> int:
    """How many responses agree on the least agreed scale, choice or best of the aggregated response."""
    most = [max(cell["votes"].values()) for cell in flat(aggregate["ratings"]) if cell.get("votes")]
    return min(most, default=answers)


def likeness(payload: JSON, criterion: JSON, k: int | None, one: Any, other: Any) -> float:
    """How alike two values are, 0 to 1: 1 - distance over range, equal or not, or the shared part of what is chosen."""
    kind, values = criterion["kind"], criterion["values"]
    if kind in (SCALE, NUMBER):
        low, high = values[0], values[-1]
        return 1 - min(1.0, float(abs(one - other) / (high - low)))
    if kind == TEXT:
        return float(fold(one).split() == fold(other).split())
    if kind == CHOICES:
        return _shared(set(one), set(other))
    if kind == MARK:
        return _shared(_words(payload, criterion, k, one), _words(payload, criterion, k, other))
    if kind == ORDER:
        return _in_order(one, other)
    return float(one == other)


def _shared(one: set[Any], other: set[Any]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _words(payload: JSON, criterion: JSON, k: int | None, marks: Sequence[JSON]) -> set[tuple[int, int, str]]:
    """(part, start, label) of the marked words; a word is marked if one of its characters is."""
    parts = parts_of(payload, criterion["values"][0], k)
    return {
        (mark["part"], word.start(), mark.get("label", ""))
        for mark in marks
        for word in _WORD.finditer(parts.get(mark["part"], ""))
        if word.start() < mark["end"] and mark["start"] < word.end()
    }


def _in_order(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of pairs that both put in the same order."""
    pairs = [(a, b) for k, a in enumerate(one) for b in one[k + 1 :] if a in other and b in other]
    return fmean(float(other.index(a) < other.index(b)) for a, b in pairs) if pairs else 1.0


def disagreement(payload: JSON, answers: Sequence[JSON]) -> float:
    """The mean distance of two responses over all that both were asked, 0 to 1."""
    found = []
    for criterion in payload["criteria"]:
        rows = rows_of(payload, criterion)
        for k in [None] if rows is None else range(rows):
            asked = [value_at(a, criterion, k) for a in answers if is_asked(payload, a, criterion, k)]
            if criterion["kind"] != TEXT and len(values := [each for each in asked if each is not None]) > 1:
                distance = [1 - likeness(payload, criterion, k, a, b) for i, a in enumerate(values) for b in values[:i]]
                found.append(fmean(distance))
    return fmean(found) if found else 0.0


def gold_of(payload: JSON, gold: Example) -> JSON:
    """{criterion: value, or a list of values} of the gold that fits; a value that does not fit is None."""
    found: JSON = {}
    for criterion in payload["criteria"]:
        if not (field := criterion.get("gold")):
            continue
        name, value, rows = criterion["name"], value_of(gold, field), rows_of(payload, criterion)
        if rows is None:
            found[name] = _fitting(payload, criterion, value, None)
        elif isinstance(value, list) and len(value) == rows:
            found[name] = [_fitting(payload, criterion, each, k) for k, each in enumerate(value)]
    return {name: value for name, value in found.items() if value is not None}


def _fitting(payload: JSON, criterion: JSON, value: Any, k: int | None) -> Any:
    if isinstance(value, bool) and criterion["kind"] == CHOICE:
        value = "yes" if value else "no"
    return value if value is not None and is_valid(payload, criterion, value, k) else None


def grade(payload: JSON, answer: JSON, gold: JSON) -> float:
    """The mean likeness with gold over what gold says; 0 for what was not asked, because of a wrong `if`."""
    given = {(criterion["name"], k): value for criterion, k, value in cells(payload, answer)}
    scores = []
    for criterion in payload["criteria"]:
        if (name := criterion["name"]) not in gold:
            continue
        rows = rows_of(payload, criterion)
        for k in [None] if rows is None else range(rows):
            wanted = value_at(gold, criterion, k)
            if wanted is not None and is_asked(payload, gold | _unknown(payload, gold, answer), criterion, k):
                value = given.get((name, k))
                scores.append(0.0 if value is None else likeness(payload, criterion, k, value, wanted))
    return fmean(scores) if scores else 0.0


def differing(payload: JSON, answer: JSON, gold: JSON) -> list[tuple[Text, str]]:
    """(question, the right value in words) of each criterion with gold whose response differs from it."""
    found: dict[str, tuple[Text, str]] = {}
    for criterion in payload["criteria"]:
        name, rows = criterion["name"], rows_of(payload, criterion)
        for k in [None] if rows is None else range(rows):
            value, wanted = value_at(answer, criterion, k), value_at(gold, criterion, k)
            asked = wanted is not None and is_asked(payload, gold | _unknown(payload, gold, answer), criterion, k)
            if asked and (value is None or likeness(payload, criterion, k, value, wanted) < 1):
                found.setdefault(name, (criterion["ask"], _in_words(payload, criterion, k, wanted)))
    return list(found.values())


def _in_words(payload: JSON, criterion: JSON, k: int | None, value: Any) -> str:
    if criterion["kind"] == MARK:
        parts = parts_of(payload, criterion["values"][0], k)
        return " … ".join(parts[mark["part"]][mark["start"] : mark["end"]] for mark in value) or "–"
    if criterion["kind"] in (BEST, ORDER) and value != TIE:
        known, texts = candidates_of(payload, criterion), payload["candidates"][criterion["name"]]
        chosen = value if isinstance(value, list) else [value]  # in its words, because a page must not name a system
        return " > ".join(f"“{texts[known.index(each)]['text'][:MOST_SHOWN]}”" for each in chosen)
    labels = {each[0]: each[1] for each in criterion.get("labels", [])}
    return worded(labels[value]) if not isinstance(value, list) and value in labels else key_of(criterion, value)


def compared(payload: JSON, answers: Sequence[JSON], gold: JSON) -> list[JSON]:
    """By criterion and element: {"ask", "element" (its text), "values" in words ("": not asked), "gold", "alike"}."""
    rows = []
    for criterion in payload["criteria"]:
        count = rows_of(payload, criterion)
        for k in [None] if count is None else range(count):
            asked = [is_asked(payload, answer, criterion, k) for answer in answers]
            values = [value_at(answer, criterion, k) for answer in answers]
            told = [
                "" if value is None or not is_given else _in_words(payload, criterion, k, value)
                for value, is_given in zip(values, asked, strict=True)
            ]
            wanted = value_at(gold, criterion, k)
            row = {"ask": criterion["ask"], "values": told, "alike": len(set(told)) < 2}
            row["element"] = "" if k is None else payload["lists"][criterion["each"]]["elements"][k]["text"]
            row["gold"] = "" if wanted is None else _in_words(payload, criterion, k, wanted)
            rows.append(row)
    return rows


def _unknown(payload: JSON, gold: JSON, answer: JSON) -> JSON:
    """The response's values of criteria without gold, by which others are asked or not."""
    return {each["name"]: answer.get(each["name"]) for each in payload["criteria"] if each["name"] not in gold}


def brief(payload: JSON, answer: JSON) -> str:
    """A response in a few words: criterion and value, of a list how many have each value."""
    said = []
    for criterion in payload["criteria"]:
        asked = [
            value for each, _k, value in cells(payload, answer) if each is criterion and value not in (None, [], "")
        ]
        words = [key_of(criterion, value) if criterion["kind"] != MARK else str(len(value)) for value in asked]
        if criterion["each"]:
            words = [f"{value} × {count}" for value, count in Counter(words).items()]
        if words:
            said.append(f"{criterion['name']}: {', '.join(words)}")
    return "; ".join(said) or "–"


def blank_answer(payload: JSON) -> JSON:
    """A response with nothing in it."""
    return {
        each["name"]: blank(each) if (rows := rows_of(payload, each)) is None else [blank(each) for _k in range(rows)]
        for each in payload["criteria"]
    }
