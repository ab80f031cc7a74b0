"""What a model replies about an item as it is shown is the response that a worker would have given."""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema
import pytest

from annotation import registry
from annotation.tasktype import Rated, Structured, capabilities
from tests.tasks.test_contract import cases, prepared

JSON = dict[str, Any]
STRUCTURED = {
    kind for kind, task in registry.task_types().items() if isinstance(task, Structured) and not isinstance(task, Rated)
}


def as_shown(payload: JSON, shown: JSON, name: str, value: Any) -> Any:
    """A field of a response with the numbers of what is shown."""
    number = shown["order"].index if "order" in shown else lambda place: place
    if name == "chosen":
        return None if value is None else number(value)
    if name == "support":
        return [number(place) for place in value]
    if name == "facts":
        return [[number(place), sentence] for place, sentence in value]
    if name == "rationale":
        return [payload["paragraphs"][place]["text"][start:end] for place, start, end in value]
    return value


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "case"), [one for one in cases() if one.values[0] in STRUCTURED])
def test_a_reply_in_the_order_shown_is_the_response_that_it_means(kind: str, case: JSON, seed: int) -> None:
    task, example, _options, payload = prepared(kind, case)
    assert isinstance(task, Structured)
    response = capabilities.imitate(task, payload, example, Random(seed), right=seed > 0)
    shown = capabilities.arrange(task, payload, Random(seed))
    schema = task.reply_schema(shown)
    names = [name for name in schema["properties"] if name in response]
    reply = {name: as_shown(payload, shown, name, response[name]) for name in names}
    jsonschema.validate(reply | {name: None for name in schema["properties"] if name not in reply}, schema)
    stored = task.complete(payload, task.answer_of(shown, reply))
    assert {name: stored[name] for name in names} == {name: response[name] for name in names}
    assert "order" not in task.model_content(shown)


def test_tasks_with_small_responses_have_a_schema() -> None:
    without = {kind for kind, _title in registry.kinds()} - STRUCTURED - {"rate"}
    assert without == {"compose", "hops", "subquestions"}


def test_a_model_gets_sentences_as_texts_and_names_them_by_their_numbers() -> None:
    case = next(one.values[1] for one in cases() if one.values[1]["options"].get("sentences"))
    task, _example, _options, payload = prepared("answer", case)
    assert isinstance(task, Structured)
    shown = capabilities.arrange(task, payload, Random(5))
    asked = task.model_content(shown)["paragraphs"]
    place, sentence = 1, 0
    text = asked[place]["sentences"][sentence]
    stored = task.complete(payload, task.answer_of(shown, {"text": "x", "facts": [[place, sentence]]}))
    [[own, one]] = stored["facts"]
    start, end = payload["paragraphs"][own]["sentences"][one]
    assert payload["paragraphs"][own]["text"][start:end] == text
    assert [each["number"] for each in asked] == list(range(len(asked)))


@pytest.mark.parametrize("reply", [[], {"text": "x", "support": [99]}, {"text": "x", "support": "all"}])
def test_a_reply_about_nothing_that_is_shown_is_refused(reply: Any) -> None:
    case = next(one.values[1] for one in cases() if one.values[0] == "answer")
    task, _example, _options, payload = prepared("answer", case)
    assert isinstance(task, Structured)
    with pytest.raises(ValueError, match=r"\w"):
        task.complete(payload, task.answer_of(capabilities.arrange(task, payload, Random(5)), reply))
