"""Ratings by random rubrics of random records: nothing crashes, nothing is lost, nothing else is shown."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.data.example import Example
from annotation.pure.ratings import responses, results
from annotation.pure.ratings.rubric import KINDS, InvalidRubric, parse
from annotation.pure.ratings.showing import LeftOut, arranged, payload_of
from tasks.rate.form import Form
from tasks.rate.simulated import imitated
from tasks.rate.task import Rate

JSON = dict[str, Any]
FIELDS = ["question", "paragraphs", "steps", "notes", "meta", "turns", "empty"]
WORDS = st.text("ab c\n<&é😀", max_size=12)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**400, -(10**400), "\ud800", "\0", "yes", "extra.", "."])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.booleans(), inner, max_size=3),
    max_leaves=8,
)
PLAIN: JSON = {
    "title": "T",
    "show": ["question", {"field": "steps", "as": "table", "title": {"en": "S"}}],
    "criteria": [
        {"name": "a", "ask": "A?", "scale": [1, 4], "labels": ["low", "high"], "unit": "x", "help": "h"},
        {"name": "b", "ask": "B?", "choices": ["yes", "no"], "each": "steps", "if": {"a": [1]}, "gold": "steps.ok"},
        {"name": "c", "ask": "C?", "mark": "question", "of": {"x": "X"}, "required": True},
        {"name": "d", "ask": "D?", "best": ["one", "two"], "tie": True},
        {"name": "e", "ask": "E?", "number": [0, 1.5]},
        {"name": "f", "ask": "F?", "text": "long", "prefill": "notes"},
        {"name": "g", "ask": "G?", "choice": ["yes", "no"], "ordered": True, "labels": {"yes": "Y"}},
    ],
    "practice": [{"item": {"question": "Q"}, "answer": {"a": 1}, "why": "W"}],
}


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inner for found in places_in(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], by)
    return copy


@given(st.sampled_from(places_in(PLAIN)), JUNK)
@settings(max_examples=60, deadline=None)
def test_whatever_stands_in_a_rubric_it_is_read_or_refused(path: tuple[Any, ...], junk: Any) -> None:
    try:
        rubric = parse(replaced(PLAIN, path, junk))
        payload = payload_of(rubric, Example("x", "Q", (), extra={"steps": ["s"], "one": "1", "two": "2"}))
    except (InvalidRubric, LeftOut):
        return
    json.dumps(payload, allow_nan=False)
    check_results(payload, {}, Random(1), [])


@st.composite
def rubrics(draw: st.DrawFn) -> JSON:
    found: list[JSON] = []
    for k in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(KINDS))
        field = draw(st.sampled_from(FIELDS))
        value: Any = {
            "scale": [0, 3],
            "choice": ["yes", "no", "odd, one"],
            "choices": ["x", "y", "z"],
            "number": draw(st.sampled_from([[0, 1], [-2.5, 1e9]])),
            "text": draw(st.sampled_from(["short", "long"])),
            "mark": field,
            "best": draw(st.sampled_from([["one", "two"], "some"])),
            "order": draw(st.sampled_from([["one", "two"], "some"])),
        }[kind]
        criterion = {"name": f"c{k}", "ask": "?", kind: value}
        if draw(st.booleans()):
            criterion["required"] = draw(st.booleans())
        if draw(st.booleans()):
            criterion["each"] = draw(st.sampled_from(FIELDS))
        if kind == "mark" and draw(st.booleans()):
            criterion["of"] = ["x", "y"]
        if kind == "best":
            criterion["tie"] = draw(st.booleans())
        if kind == "text":
            criterion["prefill"] = draw(st.sampled_from(FIELDS))
        criterion["gold"] = draw(st.sampled_from(["steps.ok", "gold"])) if k else "extra.steps.ok"
        others = [each for each in found if {"scale", "choice", "choices"} & set(each)]
        others = [each for each in others if each.get("each") in (None, criterion.get("each"))]
        if others:
            criterion["if"] = {
                each["name"]: draw(st.sampled_from([[1], [1, 2]] if "scale" in each else [["yes"], ["no"]]))
                if "choices" not in each
                else draw(st.sampled_from([["x"], ["y", "z"]]))
                for each in draw(st.lists(st.sampled_from(others), max_size=2))
            }
        found.append(criterion)
    show = draw(st.lists(st.sampled_from(FIELDS), unique=True))
    named = {name: draw(st.sampled_from(["", "text", "list", "table", "passages", "turns"])) for name in show}
    return {"show": [{"field": name, "as": look} for name, look in named.items()], "criteria": found}


@st.composite
def records(draw: st.DrawFn) -> Example:
    texts = st.lists(WORDS, max_size=3)
    loose = JUNK.filter(lambda value: "\ud800" not in json.dumps(value, ensure_ascii=False, default=str))
    extra = {
        "steps": [{"id": k, "text": text, "ok": "SECRET"} for k, text in enumerate(draw(texts))],
        "notes": draw(texts | loose),
        "meta": {"left": draw(WORDS), "deep": [{"er": 1}]},
        "turns": [{"role": "user", "content": text} for text in draw(texts)],
        "paragraphs": [{"title": str(k), "text": text} for k, text in enumerate(draw(texts))],
        "one": draw(WORDS),
        "two": draw(WORDS),
        "some": draw(texts),
        "gold": draw(st.sampled_from([1, "yes", ["x"], "one", "SECRET", {"SECRET": 1}, math.nan])),
        "hidden": "SECRET",
    }
    return Example("x", draw(WORDS), (), extra=extra)


@given(rubrics(), records(), st.integers(0, 99), st.lists(JUNK, max_size=6))
@settings(max_examples=60, deadline=None)
def test_random_records_are_rated_by_random_rubrics(
    given_rubric: JSON, example: Example, seed: int, junk: list[Any]
) -> None:
    try:
        payload = payload_of(parse(given_rubric), example, agree=seed % 3)
    except (InvalidRubric, LeftOut):
        return
    assert "SECRET" not in json.dumps(payload)
    gold = results.gold_of(payload, example)
    check_results(payload, gold, Random(seed), junk)


def check_results(payload: JSON, gold: JSON, rng: Random, junk: list[Any]) -> None:
    """Responses of simulated workers and of nobody, through form and results."""
    answers = [imitated(payload, gold, rng, right=right) for right in (True, False, False)]
    shown = arranged(payload, rng)
    for answer in answers:
        json.dumps(answer, allow_nan=False)
        unmet = [(criterion, value) for criterion, _k in responses.missing(payload, answer) for value in [answer]]
        assert all(each["kind"] in ("mark", "best", "order") for each, _value in unmet), unmet
        posted = QueryDict(mutable=True)
        for name, values in Form(shown).posted(answer).items():
            posted.setlist(name, values)
        assert responses.settled(payload, Form(shown, posted).answer()) == answer
        assert Form(shown).shown(answer)["sections"]
        assert responses.read(payload, {k: v for k, v in answer.items() if v is not None}) == answer
        assert 0 <= results.grade(payload, answer, gold) <= 1
        assert results.brief(payload, answer)
        assert list(Rate().values(payload, answer))
        results.differing(payload, answer, gold)
    Form(shown).shown(None)
    for some in ([], answers[:1], answers):
        json.dumps(results.aggregated(payload, some), allow_nan=False)
        results.compared(payload, some, gold)
        results.agreed(payload, some)
        apart = results.disagreement(payload, some)
        assert apart is None or (len(some) > 1 and 0 <= apart <= 1)
    check_junk(payload, junk, answers[0])


def check_junk(payload: JSON, junk: list[Any], good: JSON) -> None:
    """Responses made elsewhere, of which values are anything: refused, or fit for all results."""
    for value in junk:
        for criterion in payload["criteria"]:
            rows = responses.rows_of(payload, criterion)
            given = {**good, criterion["name"]: value if rows is None else [value] * rows}
            read = responses.read(payload, given)
            if not Rate().check(payload, read):
                assert all(
                    value == responses.blank(each) or responses.is_valid(payload, each, value, k)
                    for each, k, value in responses.cells(payload, read)
                )
                json.dumps(results.aggregated(payload, [read, good]), allow_nan=False)
                results.compared(payload, [read, good], {})
                apart = results.disagreement(payload, [read, good])
                assert apart is None or 0 <= apart <= 1
