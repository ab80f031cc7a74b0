"""A task's options on the launching page and on the command line: choices, groups, and what does not go together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.forms.task_options import OptionsForm
from annotation.models import Batch
from annotation.registry import task_type
from tests.views.batches.test_launch import form
from tests.views.console import at


@dataclass(frozen=True, slots=True)
class Options:
    """Options of every type, some of which do not go together."""

    support: bool = field(default=True, metadata={"label": "Supports are asked for"})
    strict: str = field(
        default="some",
        metadata={"label": "How strict", "choices": {"none": "Not at all", "some": "Somewhat"}, "help": "Try it."},
    )
    low: int = field(default=3, metadata={"group": "Pay"})
    high: int = field(default=5, metadata={"group": "Pay"})
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
            raise ValueError("the lower pay must not exceed the higher")


@pytest.fixture(autouse=True)
def many_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(task_type("answer")), "Options", Options)


def posted(dataset: Any, **other: Any) -> dict[str, Any]:
    return form(dataset, **{"option-strict": "none", "option-low": "1", "option-high": "2"} | other)


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


def test_a_value_outside_the_choices_is_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match="option strict must be one of none, some, not 'very'"):
        task_type("answer").options({"strict": "very"})


def test_the_command_refuses_it_in_the_same_words(dataset: Any) -> None:
    given = ["wells-1", "--project", "wells", "--task", "answer", "--dataset", "wells", "--option", "strict=very"]
    with pytest.raises(CommandError, match="must be one of none, some"):
        call_command("create_batch", *given)
    assert not Batch.objects.exists()


def test_the_command_refuses_options_that_do_not_go_together(dataset: Any) -> None:
    given = ["wells-1", "--project", "wells", "--task", "answer", "--dataset", "wells", "--option", "low=9"]
    with pytest.raises(CommandError, match="must not exceed"):
        call_command("create_batch", *given)
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "result"),
    [
        ({"option-low": "9"}, "the lower pay must not exceed the higher"),
        ({"option-strict": "very"}, "not one of the available choices"),
        ({"option-high": "many"}, "Enter a whole number"),
    ],
)
def test_what_is_wrong_stands_among_the_options(
    client: Any, alice: Any, dataset: Any, wrong: dict[str, str], result: str
) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), posted(dataset, **wrong))
    html = response.content.decode()
    assert response.status_code == 422
    assert result in html[html.index('id="options"') : html.index("</fieldset>", html.index('id="options"'))]
    assert "Not saved yet" in html
    assert not Batch.objects.exists()


def test_a_number_left_empty_stays_as_proposed(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), posted(dataset, **{"option-low": "", "option-high": ""}))
    assert {name: Batch.objects.get().options[name] for name in ("low", "high")} == {"low": 3, "high": 5}


def test_options_of_a_group_stand_together_and_open_when_one_is_wrong() -> None:
    options = OptionsForm("answer", {"option-low": "x"})
    assert [field.name for field in options.loose][:2] == ["support", "strict"]
    assert [(g["title"], [f.name for f in g["fields"]], g["wrong"]) for g in options.grouped] == [
        ("Pay", ["low", "high"], True)
    ]
