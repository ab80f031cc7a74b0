"""A task's options at every door: words, limits, choices, groups, objects, and what does not go together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.forms.setting_fields import OptionsForm
from annotation.models import Batch
from annotation.pure.setting_fields import Flaw, read, setting, settings_of
from annotation.registry import task_type, task_types
from tests.api.calling import caller
from tests.views.batches.test_launch import form
from tests.views.console import at

RUBRIC = {"criteria": [{"name": "natural", "ask": "Does it sound natural? “Yes”"}]}


def wrong_rubric(value: Any) -> Iterator[Flaw]:
    if not isinstance(value, dict):
        yield Flaw("A rubric is an object.")
        return
    for number, one in enumerate(value["criteria"]):
        if "name" not in one:
            yield Flaw("Give it a name of at most %(most)s letters.", {"most": 40}, f"criteria[{number}].name")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of every type, some of which do not go together."""

    support: bool = setting(True, label="Supports are asked for")
    strict: str = setting(
        "some", label="How strict", help="Try it.", choices={"none": "Not at all", "some": "Somewhat"}
    )
    low: int = setting(3, label="Low", least=0, group="Pay")
    high: int = setting(5, label="High", least=0, most=90, group="Pay")
    share: float = setting(0.5, label="Share", least=0, most=1)
    code: str = setting("", label="Code", length=5)
    rubric: Mapping[str, Any] | None = setting(None, label="Rubric", length=200, check=wrong_rubric)
    yes_no: bool = False
    no_answer: bool = False
    choices: bool = False
    sentences: bool = False
    own_words: str = "refuse"
    context: str = "shown"
    confidence: bool = False
    several: bool = False
    as_of: bool = False

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("the lower pay must not exceed 90 % of the higher")


@pytest.fixture
def many_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(task_type("answer")), "Options", Options)


many = pytest.mark.usefixtures("many_options")


def posted(dataset: Any, **other: Any) -> dict[str, Any]:
    return form(dataset, **{"option-strict": "none", "option-low": "1", "option-high": "2"} | other)


@many
def test_an_option_with_choices_is_chosen_from_a_list(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    html = client.get(reverse("batch-new", args=["wells"])).content.decode()
    assert '<option value="some" selected>Somewhat</option>' in html
    assert "Try it." in html
    client.post(reverse("batch-new", args=["wells"]), posted(dataset))
    made = Batch.objects.get()
    assert (made.options["strict"], made.options["low"]) == ("none", 1)
    batch_launch.launch(made)
    assert "Not at all" in client.get(at("batch-settings", batch=made.slug)).content.decode()


WRONG: list[tuple[str, Any, str, str]] = [
    ("strict", "very", "“very” is not available. Choose one of: none, some.", "options.strict"),
    ("high", "many", "Enter a whole number.", "options.high"),
    ("high", 91, "Ensure this value is less than or equal to 90.", "options.high"),
    ("low", -1, "Ensure this value is greater than or equal to 0.", "options.low"),
    ("share", 1.5, "Ensure this value is less than or equal to 1.", "options.share"),
    ("share", "much", "Enter a number.", "options.share"),
    ("code", "abcdef", "Ensure this value has at most 5 characters (it has 6).", "options.code"),
    ("low", 9, "the lower pay must not exceed 90 % of the higher", "options"),
    (
        "rubric",
        "{",
        "This is neither JSON nor YAML: line 1, column 2: Expecting property name enclosed in double quotes.",
        "options.rubric",
    ),
    ("rubric", [1], "A rubric is an object.", "options.rubric"),
    ("rubric", {"criteria": [{}]}, "criteria[0].name: Give it a name of at most 40 letters.", "options.rubric"),
    ("rubric", {"criteria": [{"name": "a" * 300}]}, "at most 200 characters (it has 328)", "options.rubric"),
]


@many
@pytest.mark.parametrize(("name", "value", "result", "place"), WRONG)
def test_what_is_wrong_is_refused_by_all_doors_in_the_same_words(
    name: str, value: Any, result: str, place: str, client: Client, alice: Any, dataset: Any
) -> None:
    client.force_login(alice)
    text = value if isinstance(value, str) else json.dumps(value)
    page = client.post(
        reverse("batch-new", args=["wells"]), posted(dataset, **{"option-high": "5", f"option-{name}": text})
    )
    html = unescape(page.content.decode())
    assert page.status_code == 422
    assert html.count(result) == 1
    options = html.index('id="option-objects"')
    assert result in html[options : html.index('class="help"', html.index(result))]
    assert "Not saved yet" in html
    asked = {"title": "T", "task": "answer", "datasets": ["wells"], "options": {name: value}}
    [said] = caller(alice).post("batches/", **asked).json()["errors"]
    assert (said["field"], result in said["detail"]) == (place, True)
    given = ["wells-1", "--project", "wells", "--task", "answer", "--dataset", "wells", "--option", f"{name}={text}"]
    with pytest.raises(CommandError) as refused:
        call_command("create_batch", *given)
    assert result in str(refused.value)
    assert not Batch.objects.exists()


@many
@pytest.mark.parametrize("form_of", ["text", "file", "object"])
def test_an_object_is_given_as_text_file_or_object_and_comes_back(
    form_of: str, client: Client, alice: Any, dataset: Any, tmp_path: Path
) -> None:
    client.force_login(alice)
    if form_of == "text":
        client.post(reverse("batch-new", args=["wells"]), posted(dataset, **{"option-rubric": json.dumps(RUBRIC)}))
    elif form_of == "file":
        file = tmp_path / "rubric.json"
        file.write_text(json.dumps(RUBRIC, ensure_ascii=False), encoding="utf-8")
        given = ["--project", "wells", "--task", "answer", "--dataset", "wells", "--option", f"rubric=@{file}"]
        call_command("create_batch", "wells-1", *given)
    else:
        asked = {"title": "T", "task": "answer", "datasets": ["wells"], "options": {"rubric": RUBRIC}}
        assert caller(alice).post("batches/", **asked).json()["options"]["rubric"] == RUBRIC
    batch = Batch.objects.get()
    assert batch.options["rubric"] == RUBRIC
    Batch.objects.update(state=Batch.State.DRAFT, launched_at=None)
    shown = unescape(client.get(at("batch-edit", batch=batch.slug)).content.decode())
    assert '"ask": "Does it sound natural? “Yes”"' in shown
    assert "natural?" in client.get(at("batch-settings", batch=batch.slug)).content.decode()


@many
def test_the_server_s_files_are_not_read_for_other_doors(client: Client, alice: Any, dataset: Any) -> None:
    asked = {"title": "T", "task": "answer", "datasets": ["wells"], "options": {"rubric": f"@{__file__}"}}
    [said] = caller(alice).post("batches/", **asked).json()["errors"]
    assert said["detail"].startswith("This is neither JSON nor YAML: line 1, column 1")


def test_every_door_has_each_option_of_each_task_in_its_words_and_limits(alice: Any, project: Any) -> None:
    listed = {row["name"]: row["options"] for row in caller(alice).get("tasks/").json()["results"]}
    for kind, task in task_types().items():
        known = settings_of(task.Options)
        if not task.launched:
            continue
        page = OptionsForm(kind).fields
        assert list(page) == list(known) == [row["name"] for row in listed[kind]]
        for row, one in zip(listed[kind], known.values(), strict=True):
            field = page[one.name]
            limits = (getattr(field, "min_value", None), getattr(field, "max_value", None))
            assert (row["label"], row["help"], row["least"], row["most"]) == (one.label, one.help, one.least, one.most)
            assert (field.label, field.help_text, limits) == (one.label, one.help, (one.least, one.most))
            assert row["choices"] == list(one.choices or ()) == [value for value, _ in getattr(field, "choices", ())]
            assert row["default"] == one.default == field.initial
        if not any(one.required for one in known.values()):
            assert read(task.Options, {one.name: one.default for one in known.values()}) == task.Options()


@many
def test_a_number_left_empty_stays_as_proposed(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), posted(dataset, **{"option-low": "", "option-high": ""}))
    assert {name: Batch.objects.get().options[name] for name in ("low", "high")} == {"low": 3, "high": 5}


@many
def test_options_of_a_group_stand_together_and_open_when_one_is_wrong() -> None:
    options = OptionsForm("answer", {"option-low": "x"})
    assert [field.name for field in options.loose][:2] == ["support", "strict"]
    assert [(g["title"], [f.name for f in g["fields"]], g["wrong"]) for g in options.grouped] == [
        ("Pay", ["low", "high"], True)
    ]
