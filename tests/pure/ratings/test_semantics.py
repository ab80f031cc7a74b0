"""What rubrics ask and hide: chains of `if`, marks of another list, other names of fields, numbers, empty values."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict

from annotation.pure.data.example import Example
from annotation.pure.ratings.responses import asked_of, missing, read
from annotation.pure.ratings.results import aggregated
from annotation.pure.ratings.rubric import InvalidRubric, parse
from annotation.pure.ratings.showing import LeftOut, payload_of
from tasks.rate.form import Form

EXTRA = {"steps": [{"text": "One.", "meta": {"ok": "SECRET", "by": "me"}}], "notes": ["a", "b"]}


def payload(*criteria: dict[str, Any], show: tuple[str, ...] = (), **extra: Any) -> dict[str, Any]:
    named = [{"name": f"c{k}", "ask": "?", **criterion} for k, criterion in enumerate(criteria)]
    example = Example("x", "Why?", (), ("so",), extra={**EXTRA, **extra})
    return payload_of(parse({"show": list(show), "criteria": named}), example)


def test_what_depends_on_something_that_is_not_asked_is_not_asked() -> None:
    shown = payload(
        {"choice": ["yes", "no"]},
        {"choices": ["x", "y"], "each": "notes", "if": {"c0": ["yes"]}},
        {"text": "short", "each": "notes", "if": {"c1": ["y"]}},
    )
    answer = {"c0": "yes", "c1": [["x"], ["x", "y"]], "c2": ["kept", "b"]}
    assert list(asked_of(shown, answer)) == [("c0", None), ("c1", 0), ("c1", 1), ("c2", 1)]
    assert read(shown, answer)["c2"] == [None, "b"]
    assert read(shown, {**answer, "c0": "no"}) == {"c0": "no", "c1": [None, None], "c2": [None, None]}


def test_thirty_criteria_that_depend_on_all_before_are_asked_at_once() -> None:
    """Looked up from each, they would be asked half a billion times."""
    shown = payload(*({"scale": [1, 2], "if": {f"c{j}": [1] for j in range(k)}} for k in range(30)))
    assert len(asked_of(shown, dict.fromkeys((f"c{k}" for k in range(30)), 1))) == 30


def test_words_of_one_list_are_marked_for_each_of_another() -> None:
    shown = payload({"choice": ["yes", "no"], "each": "steps"}, {"mark": "steps", "each": "notes"})
    marks = [[{"part": 0, "start": 0, "end": 3}], []]
    assert not list(missing(shown, {"c0": ["yes"], "c1": marks}))
    assert [cell["value"] for cell in aggregated(shown, [{"c0": ["yes"], "c1": marks}])["ratings"]["c1"]] == [
        [{"part": 0, "start": 0, "end": 4}],
        [],
    ]


@pytest.mark.parametrize("empty", ["", [], " ", None])
def test_an_optional_value_of_a_program_that_says_nothing_is_none(empty: Any) -> None:
    shown = payload({"scale": [1, 4], "required": False}, {"choice": ["yes", "no"]})
    answer = read(shown, {"c0": empty, "c1": "no"})
    assert answer == {"c0": None, "c1": "no"}
    assert aggregated(shown, [answer])["ratings"]["c0"] == {"value": None, "n": 1, "votes": {}}


@pytest.mark.parametrize(
    ("text", "value"),
    [("3,5", 3.5), ("-2", -2), ("+3.", 3.0), ("1e2", 100.0), (" 7 ", 7), ("0,125", 0.125), ("1,0000", 1.0)],
)
def test_numbers_are_read_alike_from_pages_and_programs(text: str, value: float) -> None:
    shown = payload({"number": [-5, 1000]})
    posted = QueryDict(mutable=True)
    posted["r-c0"] = text
    assert Form(shown, posted).answer() == read(shown, {"c0": text}) == {"c0": value}


@pytest.mark.parametrize("text", ["+-3", "1_0", "nan", "inf", "٣", "9" * 5000, "1.2.3", "three", "1,000", " -2,500"])
@pytest.mark.parametrize("required", [True, False])
def test_what_is_no_number_is_refused(text: str, required: bool) -> None:
    shown = payload({"number": [-5, 1000], "required": required})
    posted = QueryDict(mutable=True)
    posted["r-c0"] = text
    assert list(missing(shown, Form(shown, posted).answer()))
    assert list(missing(shown, read(shown, {"c0": text})))


@pytest.mark.parametrize(
    ("show", "gold", "place"),
    [
        ("steps", "extra.steps", "show[0]"),
        ("extra.steps", "steps", "show[0]"),
        ("steps.text", "steps", "show[0]"),
        ("answer", "answers", "show[0]"),
    ],
)
def test_gold_is_not_shown_by_another_name(show: str, gold: str, place: str) -> None:
    with pytest.raises(InvalidRubric) as refused:
        payload({"choice": ["yes", "no"], "gold": gold}, show=(show,))
    assert refused.value.place == place


def test_systems_are_not_shown_by_another_name() -> None:
    with pytest.raises(InvalidRubric, match="shown without its name"):
        payload({"best": ["left", "right"]}, show=("extra.left",))


@pytest.mark.parametrize(
    "criterion",
    [
        {"each": "steps", "choice": ["yes", "no"]},
        {"text": "short", "prefill": "steps"},
        {"text": "short", "prefill": "steps", "each": "notes"},
        {"order": "steps"},
    ],
)
@pytest.mark.parametrize("gold", ["steps.meta.ok", "extra.steps.meta.ok"])
def test_gold_deep_in_what_is_shown_is_left_out_of_it(criterion: dict[str, Any], gold: str) -> None:
    steps = [{"name": name, "meta": {"ok": "SECRET", "by": "me"}} for name in ("one", "two")]
    told = str(payload({**criterion, "gold": gold}, steps=steps))
    assert "SECRET" not in told
    assert "by: me" in told


@pytest.mark.parametrize(
    "criterion",
    [
        {"number": [0, float("inf")]},
        {"number": [0, 10**400]},
        {"scale": [10**400, 10**400 + 1]},
        {"number": [float("nan"), 1]},
    ],
)
def test_numbers_beyond_all_bounds_are_refused(criterion: dict[str, Any]) -> None:
    with pytest.raises(InvalidRubric):
        payload(criterion)


def test_an_item_without_anything_to_ask_is_left_out_with_the_reason() -> None:
    with pytest.raises(LeftOut, match="Nothing is left to ask"):
        payload({"scale": [1, 3], "each": "notes"}, notes=[])
    assert [
        each["name"] for each in payload({"scale": [1, 3], "each": "notes"}, {"scale": [0, 1]}, notes=[])["criteria"]
    ] == ["c1"]
