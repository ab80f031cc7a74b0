"""What a model is shown: as much as a worker sees, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.judges import prompts
from annotation.pure.data.example import Example
from annotation.pure.ratings import model_replies
from annotation.pure.ratings.rubric import parse
from annotation.pure.ratings.showing import arranged, payload_of
from annotation.registry import kinds, task_type
from tests.batches import create_batch
from tests.judges.double import Double, item_of

CANARY = "canary-7c1f"
FULL = {
    "show": ["question", {"field": "extra.passages", "as": "passages"}],
    "criteria": [
        {"name": "stars", "ask": "How many stars?", "scale": [1, 5], "labels": {"1": "bad", "5": "good"}},
        {"name": "kinds", "ask": "Which kinds?", "choices": ["a", "b"], "required": False},
        {"name": "why", "ask": "Why?", "text": "short", "if": {"stars": [1]}},
        {"name": "best", "ask": "Which is best?", "best": ["extra.one", "extra.two"], "tie": True},
        {"name": "words", "ask": "What is wrong?", "mark": "question", "of": {"odd": "Odd"}},
    ],
}


def example() -> Example:
    passages = [{"title": f"T{k}", "text": f"Text {k}."} for k in range(4)]
    extra = {"one": "First answer.", "two": "Second answer.", "passages": passages}
    record = {"id": "x", "question": "Was it odd, very odd?", "paragraphs": [], "answers": [CANARY], "extra": extra}
    return Example.from_json(record)


def shown(seed: int) -> tuple[Any, Any]:
    payload = payload_of(parse(FULL), example())
    return payload, arranged(payload, Random(seed))


@pytest.mark.parametrize("seed", range(4))
def test_a_reply_by_letters_and_quotes_becomes_the_response_that_it_means(seed: int) -> None:
    payload, page = shown(seed)
    asked = model_replies.content_of(page)
    letters = asked["questions"][3]["candidates"]
    first = next(letter for letter, each in letters.items() if each["text"] == "First answer.")
    reply = {
        "stars": 4,
        "kinds": ["a"],
        "why": None,
        "best": first,
        "words": [{"part": 0, "quote": "very odd", "label": "odd"}],
    }
    answer = task_type("rate").complete(payload, model_replies.answer_of(page, reply))
    assert answer["best"] == "extra.one"
    assert answer["words"] == [{"part": 0, "start": 12, "end": 20, "label": "odd"}]
    assert "extra.one" not in json.dumps(asked), "candidates have no names"


@pytest.mark.parametrize(
    "reply",
    [
        [],
        {"unknown": 1},
        {"best": "C"},
        {"best": "extra.one"},
        {"words": [{"part": 0, "quote": "not there"}]},
        {"words": [{"part": 7, "quote": ""}]},
        {"words": "odd"},
    ],
)
def test_a_reply_that_means_nothing_is_no_response(reply: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        model_replies.answer_of(shown(0)[1], reply)


def test_the_schema_is_closed_and_names_every_question() -> None:
    schema = model_replies.schema_of(shown(0)[1])
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"]) == ["stars", "kinds", "why", "best", "words"]
    assert schema["properties"]["stars"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert schema["properties"]["why"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["properties"]["best"]["enum"] == ["A", "B", "tie"]


def canaries(project: Any, tmp_path: Path) -> Any:
    """A dataset with gold, hops, ids and further fields that no worker may see."""
    from annotation.flow.data.dataset_import import import_dataset

    record = {
        "id": f"{CANARY}-id",
        "question": "Which tower stands beside the well?",
        "paragraphs": [{"title": "Well", "text": "Tower Nine stands there."}, {"title": "Inn", "text": "It is old."}],
        "answers": [f"{CANARY}-gold"],
        "supports": [0],
        "hops": [{"question": f"{CANARY}-hop", "answer": f"{CANARY}-hop-answer", "support": 0}],
        "group": f"{CANARY}-group",
        "extra": {"note": f"{CANARY}-extra"},
    }
    file = tmp_path / "canaries.jsonl"
    file.write_text(json.dumps(record) + "\n")
    import_dataset(project, file, format="jsonl", name="canaries")
    return project.datasets.get(slug="canaries")


def test_gold_names_comments_and_responses_never_leave(
    project: Any, alice: Any, tmp_path: Path, double: Double, impatient: None
) -> None:
    from annotation.flow.batches import batch_launch
    from annotation.flow.review import comments
    from annotation.judges import runs
    from tests.flow.acting import newcomer, submit, take
    from tests.judges.conftest import RUBRIC

    dataset = canaries(project, tmp_path)
    batch = create_batch(project, "rated", task="rate", datasets=[dataset], options={"rubric": RUBRIC})
    batch_launch.launch(batch)
    worker = newcomer(project, f"{CANARY}-worker")
    assignment = take(worker, batch)
    assert assignment is not None
    submit(assignment, {"clear": 2, "natural": "no"})
    comments.add(alice, f"{CANARY}-comment", hit=batch.hits.get())
    run = runs.draft(batch, endpoint=double.url, model="m", most_calls=9, every_item=True)
    runs.confirm(run, here=True)
    runs.carry_on(run, progress=lambda _done, _total: None)
    [request] = double.requests
    assert "Which tower stands beside the well?" in json.dumps(request)
    assert CANARY not in json.dumps(request)


@pytest.mark.parametrize("kind", [kind for kind, _title in kinds()])
def test_every_task_has_a_prompt_and_says_how_to_reply(kind: str) -> None:
    from annotation.models import Batch

    batch = Batch(task=kind, options={"rubric": FULL} if kind == "rate" else {}, description="Look twice.")
    prompt = prompts.default_prompt(batch)
    assert "Look twice." in prompt
    assert "Reply with one JSON object" in prompt
    assert kind == "rate" or "```json" in prompt


def test_a_prompt_can_be_edited_and_is_another_version(drafted: Callable[..., Any]) -> None:
    usual, edited = drafted(), drafted(prompt="Say what you think.\r\n")
    assert "Read it twice." in usual.prompt
    assert edited.prompt == "Say what you think."
    assert usual.pk != edited.pk
    assert usual.version != edited.version
    assert drafted(prompt="Say what you think.").pk == edited.pk


def test_a_fenced_reply_is_read(drafted: Callable[..., Any]) -> None:
    run = drafted()
    one = prompts.shown(run, prompts.item_keys(run)[0], 0)
    assert one is not None
    text = '```json\n{"clear": 3, "natural": "yes"}\n```'
    assert prompts.answer_in(run.batch, one, text) == {"clear": 3, "natural": "yes"}


def test_a_model_names_paragraphs_by_their_numbers_in_the_order_in_which_it_sees_them(
    batch: Any, double: Double
) -> None:
    from annotation.judges import runs
    from annotation.models import ModelPrediction

    def reply(request: Any) -> str:
        seen = json.loads(item_of(request))["paragraphs"]
        wells = [paragraph["number"] for paragraph in seen if paragraph["title"].startswith("Well")]
        return json.dumps({"text": "a", "support": wells})

    double.reply = reply
    run = runs.draft(batch, endpoint=double.url, model="m", most_calls=20)
    runs.confirm(run, here=True)
    runs.carry_on(run, progress=lambda _done, _total: None)
    schema = double.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["text", "support"]
    assert runs.counts(run)["answered"] == 4
    for row in ModelPrediction.objects.select_related("item"):
        named = [row.item.example.paragraphs[place].title for place in row.answer["support"]]
        assert named
        assert all(title.startswith("Well") for title in named)


def test_a_task_with_long_responses_has_no_schema(project: Any, dataset: Any, double: Double) -> None:
    from annotation.judges import runs

    hops = create_batch(project, "hops", task="hops", datasets=[dataset])
    run = runs.draft(hops, endpoint=double.url, model="m", most_calls=20)
    one = prompts.shown(run, prompts.item_keys(run)[0], 0)
    assert one is not None
    assert json.loads(prompts.body_of(run, one, 0))["response_format"] == {"type": "json_object"}
