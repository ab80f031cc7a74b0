"""Results of responses to a rubric: aggregated values, grades against gold, distances, and responses in words.

What values add up to is said in annotation/pure/statistics/ratings.py.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from annotation.pure.data.corrections import Change, bounded_difference
from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.fields import value_of
from annotation.pure.ratings.responses import (
    asked_of,
    candidates_of,
    cells,
    is_empty,
    is_valid,
    parts_of,
    places,
    prefilled,
    rows_of,
    value_at,
)
from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, TIE
from annotation.pure.statistics import ratings
from annotation.pure.text.languages import Text, worded
from annotation.pure.text.normalization import fold

MOST_SHOWN = 100  # characters of a candidate
WORD = re.compile(r"\S+")
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
    found: JSON = {each["name"]: [] if each["each"] else None for each in payload["criteria"]}
    is_decided = any(answer.get("accepted") for answer in answers)  # by a requester
    asked = [asked_of(payload, answer) for answer in answers]
    for criterion, k in places(payload):
        given = [values[criterion["name"], k] for values in asked if (criterion["name"], k) in values]
        cell = _cell(payload, criterion, k, given, is_decided) if given else None
        if k is None:
            found[criterion["name"]] = cell
        else:
            found[criterion["name"]].append(cell)
    kinds = [cell["open"] for cell in flat(found) if "open" in cell]
    kind = UNDECIDED if not answers else kinds[0] if kinds else RATED
    return {"kind": kind, "answers": len(answers), "ratings": found}


def flat(ratings: JSON) -> list[JSON]:
    """All cells of an aggregated response."""
    return [
        cell
        for cells in ratings.values()
        for cell in (cells if isinstance(cells, list) else [cells])
        if cell is not None
    ]


def _cell(payload: JSON, criterion: JSON, k: int | None, given: Sequence[Any], is_decided: bool) -> JSON:
    values = [value for value in given if value is not None and value != ""]
    kind = criterion["kind"]
    if kind == TEXT:
        return {"value": values, "n": len(given)}
    found = ratings.aggregated(kind, [rating_of(payload, criterion, k, value) for value in values])
    cell = {"value": _stored(payload, criterion, k, found), "n": len(given)}
    if kind == MARK:
        return cell
    votes = Counter(key_of(criterion, value) for value in values)
    cell["votes"] = dict(sorted(votes.items()))
    if not values:
        return cell if not criterion["required"] else {**cell, "open": UNDECIDED}
    if kind in (SCALE, CHOICE, BEST) and max(votes.values()) < payload["agree"] and not is_decided:
        return {**cell, "value": None, "open": UNDECIDED}
    return {**cell, "open": TIED} if found is None else cell


def rating_of(payload: JSON, criterion: JSON, k: int | None, value: Any) -> Any:
    """A stored value as statistics take it: sets of labels, or of words as (part, start, label), and tuples of ranks.

    A word is marked if one of its characters is.
    """
    if criterion["kind"] != MARK:
        return {CHOICES: frozenset, ORDER: tuple}.get(criterion["kind"], lambda same: same)(value)
    parts = parts_of(payload, criterion, k) if value else {}
    return frozenset(
        (mark["part"], word.start(), mark.get("label", ""))
        for mark in value
        for word in WORD.finditer(parts.get(mark["part"], ""))
        if word.start() < mark["end"] and mark["start"] < word.end()
    )


def _stored(payload: JSON, criterion: JSON, k: int | None, rating: Any) -> Any:
    """What ratings add up to, as a response has it; words beside each other are one span."""
    if not isinstance(rating, frozenset):
        return list(rating) if isinstance(rating, tuple) else rating
    if criterion["kind"] == CHOICES:
        return [each for each in criterion["values"] if each in rating]
    found = []
    for label in {label for _part, _start, label in rating}:
        for part, text in parts_of(payload, criterion, k).items():
            starts = {start for at, start, of in rating if (at, of) == (part, label)}
            spans = [{"part": part, "start": start, "end": end} for start, end in _runs(text, starts)]
            found += [span | ({"label": label} if label else {}) for span in spans]
    return sorted(found, key=lambda mark: (mark["part"], mark["start"], mark["end"]))


def _runs(text: str, starts: Collection[int]) -> Iterator[tuple[int, int]]:
    """The stretches of words of which each begins at one of these places."""
    for is_inside, run in groupby(WORD.finditer(text), lambda word: word.start() in starts):
        if is_inside:
            words = list(run)
            yield words[0].start(), words[-1].end()


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
    if kind == ORDER:
        return _in_order(one, other)
    one, other = (rating_of(payload, criterion, k, value) for value in (one, other))
    return len(one & other) / len(one | other) if one != other and kind in (CHOICES, MARK) else float(one == other)


def _in_order(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of pairs that both put in the same order."""
    pairs = [(a, b) for k, a in enumerate(one) for b in one[k + 1 :] if a in other and b in other]
    return fmean(float(other.index(a) < other.index(b)) for a, b in pairs) if pairs else 1.0


def counted(payload: JSON) -> frozenset[str]:
    """The criteria that grades and distances are about: all, or those that a comparison of batches names."""
    return frozenset(payload.get("counted") or (each["name"] for each in payload["criteria"]))


def disagreement(payload: JSON, answers: Sequence[JSON]) -> float | None:
    """The mean distance of two responses over all but texts that both were asked, 0 to 1; None without any."""
    found = []
    asked, names = [asked_of(payload, answer) for answer in answers], counted(payload)
    for criterion, k in places(payload):
        given = [values.get((criterion["name"], k)) for values in asked] if criterion["name"] in names else []
        if criterion["kind"] != TEXT and len(values := [each for each in given if each is not None]) > 1:
            distance = [1 - likeness(payload, criterion, k, a, b) for i, a in enumerate(values) for b in values[:i]]
            found.append(fmean(distance))
    return fmean(found) if found else None


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
    is_answer = value is not None and not (criterion["required"] and is_empty(value))
    return value if is_answer and is_valid(payload, criterion, value, k) else None


def grade(payload: JSON, answer: JSON, gold: JSON) -> float:
    """The mean likeness with gold over what gold says; 0 for what was not asked, because of a wrong `if`."""
    scores = [score for _criterion, _k, _wanted, score in _scores(payload, answer, gold)]
    return fmean(scores) if scores else 0.0


def differing(payload: JSON, answer: JSON, gold: JSON) -> list[tuple[Text, str]]:
    """(question, the right value in words) of each criterion with gold whose response differs from it."""
    found: dict[str, tuple[Text, str]] = {}
    for criterion, k, wanted, score in _scores(payload, answer, gold):
        if score < 1:
            found.setdefault(criterion["name"], (criterion["ask"], _in_words(payload, criterion, k, wanted)))
    return list(found.values())


def _scores(payload: JSON, answer: JSON, gold: JSON) -> Iterator[tuple[JSON, int | None, Any, float]]:
    """(criterion, element or None, gold, likeness) of what is asked where gold is right, 0 for what was not asked."""
    right = {name: value for name, value in answer.items() if name not in gold} | gold
    given, names = asked_of(payload, answer), counted(payload)
    for criterion, k, _value in cells(payload, right):
        wanted = value_at(gold, criterion, k)
        if wanted is not None and criterion["name"] in names:
            value = given.get((criterion["name"], k))
            yield criterion, k, wanted, 0.0 if value is None else likeness(payload, criterion, k, value, wanted)


def _in_words(payload: JSON, criterion: JSON, k: int | None, value: Any) -> str:
    if criterion["kind"] == MARK:
        parts = parts_of(payload, criterion, k)
        return " … ".join(parts[mark["part"]][mark["start"] : mark["end"]] for mark in value) or "–"
    if criterion["kind"] in (BEST, ORDER) and value != TIE:
        known, texts = candidates_of(payload, criterion), payload["candidates"][criterion["name"]]
        chosen = value if isinstance(value, list) else [value]  # in its words, because a page must not name a system
        return " > ".join(f"“{texts[known.index(each)]['text'][:MOST_SHOWN]}”" for each in chosen)
    labels = {each[0]: each[1] for each in criterion.get("labels", [])}
    return worded(labels[value]) if not isinstance(value, list) and value in labels else key_of(criterion, value)


def compared(payload: JSON, answers: Sequence[JSON], gold: JSON) -> list[JSON]:
    """By criterion and element: {"ask", "kind", "element" (its text), "values" in words, "changes", "gold", "alike"}.

    What was not asked is "", and a tie is TIE, since the page has the word for it.
    """
    rows = []
    asked = [asked_of(payload, answer) for answer in answers]
    for criterion, k in places(payload):
        values = [given.get((criterion["name"], k)) for given in asked]
        told = ["" if value is None else _in_words(payload, criterion, k, value) for value in values]
        wanted = value_at(gold, criterion, k)
        row = {"ask": criterion["ask"], "kind": criterion["kind"], "values": told, "alike": len(set(told)) < 2}
        row["element"] = "" if k is None else payload["lists"][criterion["each"]]["elements"][k]["text"]
        row["changes"] = [_change(criterion, k, given.get((criterion["name"], k))) for given in asked]
        row["gold"] = "" if wanted is None else _in_words(payload, criterion, k, wanted)
        rows.append(row)
    return rows


def _change(criterion: JSON, k: int | None, value: Any) -> list[Change] | None:
    """What became of a text that was there to be corrected; None of others."""
    if "prefill" not in criterion or not value:
        return None
    return bounded_difference(prefilled(criterion, k), value)


def brief(payload: JSON, answer: JSON) -> str:
    """A response in a few words: criterion and value, of a list how many have each value.

    `payload["tie"]`: what a tie is called in the reader's language. `payload["language"]`: say what the page asks and
    its labels in that language, not the names of criteria and values.
    """
    said, tie, language = [], payload.get("tie", TIE), payload.get("language")
    for criterion in payload["criteria"]:
        asked = [
            value for each, _k, value in cells(payload, answer) if each is criterion and value not in (None, [], "")
        ]
        words = [key_of(criterion, value) if criterion["kind"] != MARK else str(len(value)) for value in asked]
        if language:
            labels = {str(value): worded(label, language) for value, label in criterion.get("labels", ())}
            words = [labels.get(word, word) for word in words]
        if criterion["kind"] == BEST:
            words = [tie if word == TIE else word for word in words]
        if criterion["each"]:
            words = [f"{value} × {count}" for value, count in Counter(words).items()]
        if words:
            name = worded(criterion["ask"], language).rstrip(".:") if language else criterion["name"]
            said.append(f"{name}{'' if name.endswith('?') else ':'} {', '.join(words)}")
    return "; ".join(said) or "–"


def agreed(payload: JSON, answers: Sequence[JSON]) -> JSON:
    """The values that all responses have in common; None for the others."""
    found: JSON = {each["name"]: [] if each["each"] else None for each in payload["criteria"]}
    for criterion, k in places(payload):
        values = [value_at(answer, criterion, k) for answer in answers]
        common = values[0] if values and all(value == values[0] for value in values) else None
        if k is None:
            found[criterion["name"]] = common
        else:
            found[criterion["name"]].append(common)
    return found
