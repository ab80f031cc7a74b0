"""The controls of a rubric: they say the same as the rubric, whatever it holds, and change only what was changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.pure.data.example import Example
from annotation.pure.ratings import builder, rubric
from annotation.pure.ratings.fields import sampled_fields
from annotation.pure.ratings.rubric import parse
from annotation.registry import presets
from tests.browser import rated

TRANSLATED = {
    "title": {"en": "Check", "de": "Prüfen"},
    "show": [{"field": "note", "as": "markdown", "title": "Note"}, "question"],
    "criteria": [
        {"name": "a", "ask": {"en": "Good?", "de": "Gut?"}, "scale": [-1, 1], "labels": {"0": {"de": "so"}}},
        {"name": "b", "ask": "Why: how?", "text": "short", "required": True, "if": {"a": [1, -1]}},
        {"name": "c", "ask": "Which?", "choice": ["a: b", "c"], "labels": {"a: b": "A", "c": "C: D"}},
        {"name": "d", "ask": "Mark", "mark": "note", "of": ["x", "y: z"]},
        {"name": "e", "ask": "How much?", "number": [0.5, 2]},
    ],
    "practice": [],
}
WRONG = {
    "criteria": [
        {"name": "odd", "ask": 3, "number": ["x"], "odd": 1},
        {"name": "two", "ask": "Best", "best": ["one"], "tie": "no", "number": "x", "if": {"odd": 7, "none": [1]}},
    ]
}
RUBRICS: list[Any] = [
    TRANSLATED,
    *(json.loads(file.read_text()) for file in presets("rate").values()),
    *(each for each in vars(rated).values() if isinstance(each, dict) and "criteria" in each),
]


def posted(given: Any) -> dict[str, list[str]]:
    """What a form posts whose controls show the rubric, with the line ends of browsers."""
    fields = {"title": builder.texts_of(given.get("title")), "show": builder.shown_names(given)}
    for k, criterion in enumerate(given["criteria"]):
        fields[f"{k}-kind"] = [builder.kind_of(criterion)]
        for control in builder.controls(given["criteria"], k):
            fields[f"{k}-{control.name}"] = [text.replace("\n", "\r\n") for text in control.values]
    return fields


def built(given: Any, **changes: list[str]) -> Any:
    fields = posted(given) | {name.replace("_", "-", 1).removeprefix("of"): value for name, value in changes.items()}
    return builder.built(given, lambda name: fields.get(name, []))


@pytest.mark.parametrize("given", [*RUBRICS, WRONG], ids=lambda given: given["criteria"][0]["name"])
def test_controls_that_nobody_changed_say_the_same_rubric(given: Any) -> None:
    assert builder.is_buildable(given)
    assert built(given) == given


@pytest.mark.parametrize("given", RUBRICS, ids=lambda given: given["criteria"][0]["name"])
def test_each_control_stands_where_the_check_says_what_is_wrong(given: Any) -> None:
    for k, criterion in enumerate(given["criteria"]):
        places = {control.place for control in builder.controls(given["criteria"], k)}
        assert {f"criteria[{k}].{key}" for key in criterion} <= places


SIMPLE: dict[str, Any] = {
    "show": ["question"],
    "criteria": [
        {"name": "natural", "ask": "Is it natural?", "choice": ["yes", "no"]},
        {"name": "why", "ask": "Why not?", "text": "long", "if": {"natural": ["no"]}},
    ],
}


def test_what_is_typed_becomes_the_values_of_the_file() -> None:
    found = built(
        SIMPLE,
        of0_value=["yes\r\n\r\n no \r\npartly"],
        of0_labels=["yes: Yes, it is"],
        of0_ordered=["on"],
        of0_required=[],
        of0_help=["Read twice."],
        of1_required=["on"],
        title=["Check"],
    )
    parse(found)
    assert found["title"] == "Check"
    assert found["criteria"][0] == {
        "name": "natural", "ask": "Is it natural?", "choice": ["yes", "no", "partly"],
        "labels": {"yes": "Yes, it is"}, "ordered": True, "required": False, "help": "Read twice.",
    }  # fmt: skip
    assert found["criteria"][1]["required"] is True


def test_another_kind_keeps_what_goes_with_it_and_begins_with_values_that_are_right() -> None:
    several = built(SIMPLE, of0_kind=["choices"], of0_labels=["yes: Yes"])["criteria"][0]
    assert several == {"name": "natural", "ask": "Is it natural?", "choices": ["yes", "no"], "labels": {"yes": "Yes"}}
    number = built(SIMPLE, of0_kind=["number"], of0_ordered=["on"])["criteria"][0]
    assert number == {"name": "natural", "ask": "Is it natural?", "number": [0, 100]}


def test_a_condition_follows_a_new_name_and_a_changed_value_is_said_to_be_wrong() -> None:
    found = built(SIMPLE, of0_name=["fluent"])
    assert found["criteria"][1]["if"] == {"fluent": ["no"]}
    with pytest.raises(rubric.InvalidRubric) as wrong:
        parse(built(SIMPLE, of0_value=["yes\nnever"]))
    assert wrong.value.place == "criteria[1].if.natural"


def test_a_name_is_made_of_the_question_and_is_no_other_ones() -> None:
    added, focus = builder.changed({}, "add", sampled_fields([Example("a", "Who?", (), extra={"note": "x"})]))
    assert (added["show"], focus) == (["question"], "0-ask")
    first = built(added, of0_ask=["Ist’s schön & neu?"])
    assert first["criteria"][0]["name"] == "ists_schon_neu"
    assert built(first, of0_ask=["2 or more?"])["criteria"][0]["name"] == "or_more"
    second, _focus = builder.changed(first, "add", ())
    assert built(second, of1_ask=["Ists schön neu?"])["criteria"][1]["name"] == "ists_schon_neu_2"
    assert len(built(second, of1_ask=["word " * 90])["criteria"][1]["name"]) <= rubric.LONGEST_NAME


def test_rows_move_and_go_and_a_button_of_another_page_does_nothing() -> None:
    names = lambda found: [each["name"] for each in found["criteria"]]  # noqa: E731
    assert builder.changed(SIMPLE, "up:criteria:1", ())[1] == "criteria-0-up"
    assert names(builder.changed(SIMPLE, "up:criteria:1", ())[0]) == ["why", "natural"]
    assert names(builder.changed(SIMPLE, "down:criteria:1", ())[0]) == ["natural", "why"]
    assert names(builder.changed(SIMPLE, "remove:criteria:0", ())[0]) == ["why"]
    for strange in ("up:criteria:9", "up:practice:0", "up:criteria:-1", "up:criteria:x", "download", ""):
        assert builder.changed(SIMPLE, strange, ()) == (SIMPLE, "")


@pytest.mark.parametrize(
    "strange",
    [[], {"criteria": {}}, {"show": [1]}, {"criteria": [1]}, {"criteria": [{"name": []}]}, {"criteria": [{"if": 1}]}],
    ids=str,
)
def test_what_has_not_the_shape_of_a_rubric_stays_text(strange: Any) -> None:
    assert not builder.is_buildable(strange)


def test_values_of_any_type_make_controls() -> None:
    strange = [{key: value} for key in (*rubric.KINDS, *rubric.ALLOWED, "ask") for value in (1, [1, {}], {"a": [1]})]
    given = {"criteria": [each for each in strange if builder.is_buildable({"criteria": [each]})]}
    for k in range(len(given["criteria"])):
        assert builder.controls(given["criteria"], k)


def test_a_new_kind_and_a_new_key_are_written_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "KINDS", (*rubric.KINDS, "draw"))
    monkeypatch.setattr(builder, "ALLOWED", rubric.ALLOWED | {"colour": ("draw",)})
    drawn = built(SIMPLE, of0_kind=["draw"])
    controls = {each.name: each for each in builder.controls(drawn["criteria"], 0)}
    assert controls["value"].form == controls["colour"].form == "object"
    found = built(drawn, of0_value=['{"width": 3}'], of0_colour=["red"])["criteria"][0]
    assert (found["draw"], found["colour"]) == ({"width": 3}, "red")
