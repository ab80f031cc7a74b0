"""The practice items of every task: three or more, and what a worker hears after right and after typical answers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation import registry
from annotation.pure.data.example import Example
from annotation.pure.text.languages import in_texts
from annotation.tasktype import Remark, capabilities

ROOT = Path(__file__).resolve().parent.parent.parent
JSON = dict[str, Any]
LAUNCHED = [kind for kind, _title in registry.kinds()]
ASKED_OTHERWISE = {  # options of batches whose workers answer the same items in another way
    "answer": (
        {"support": False},
        {"sentences": True},
        {"choices": True},
        {"yes_no": True},
        {"no_answer": True},
        {"several": True},
    ),
    "answerability": ({"support": False}, {"sentences": True}, {"choices": True}, {"yes_no": True}),
    "sufficiency": ({"show_answer": False}, {"cannot_tell": True}, {"evidence": True}),
    "solvability": ({"show_original": True},),
}


READ = {"question", "title", "text", "sentences", "answers", "options", "answer", "compositions", "good", "chosen"}
VARIANTS = [(kind, variant) for kind in LAUNCHED for variant in capabilities.variants(registry.task_type(kind))]
WITH = {"": {}, "closed_book": {"context": "none"}, "without_support": {"support": False}}  # options of variants


@cache
def entries(kind: str, variant: str = "", language: str = "") -> list[JSON]:
    """The entries of a file of practice items, each with its variant; none of a file that only translates texts."""
    file = (ROOT / "tasks" / kind / f"{variant or 'practice'}.json").with_suffix(f"{language}.json")
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return [entry | {"variant": variant} for entry in found] if isinstance(found, list) else []


def items() -> list[Any]:
    return [
        pytest.param(kind, entry, id=f"{kind}-{entry['example']['id']}{language}")
        for kind, variant in VARIANTS
        for language in ("", ".de")
        for entry in entries(kind, variant, language)
    ]


every_task = pytest.mark.parametrize(("kind", "variant"), VARIANTS)
every_item = pytest.mark.parametrize(("kind", "entry"), items())


def shown(kind: str, example: Example, **options: Any) -> JSON:
    task = registry.task_type(kind)
    payload = task.prepare(example, task.options(options), Random(1))
    assert payload is not None, "the item is skipped"
    return payload


def heard(kind: str, entry: JSON, answer: JSON, **options: Any) -> list[Remark]:
    """The remarks on an answer, which must be one that the page accepts."""
    task, example = registry.task_type(kind), Example.from_json(entry["example"])
    payload = shown(kind, example, **{**WITH[entry["variant"]], **example.extra.get("needs", {}), **options})
    given = task.complete(payload, answer)
    assert task.check(payload, given) == []
    return capabilities.feedback(task, payload, given, example)


def said(remarks: list[Remark]) -> list[str]:
    return [remark.message % remark.values for remark in remarks if remark.good is False]


@every_task
def test_a_new_batch_has_at_least_three_items_with_names_of_their_own(kind: str, variant: str) -> None:
    task = registry.task_type(kind)
    if task.practice(task.options({})) is not None:
        pytest.skip("its practice items are the batch's own")
    every = registry.practice(kind, variant)
    found = [example for example in every if not example.extra.get("needs")]
    assert len(found) >= 3, f"tasks/{kind}/{variant or 'practice'}.json: three items that any batch can use"
    for example in found:
        shown(kind, example, **WITH[variant])
        assert variant == capabilities.variant(registry.task_type(kind), WITH[variant])
    assert len({example.id for example in every}) == len(every)


@every_item
def test_the_right_answer_hears_only_praise(kind: str, entry: JSON) -> None:
    for options in ({}, *ASKED_OTHERWISE.get(kind, ())):
        remarks = heard(kind, entry, entry["right"], **options)
        assert any(remark.good for remark in remarks), options
        assert said(remarks) == [], options


TRANSLATED = [
    pytest.param(file.parent.name, file.name.split(".")[0], file.suffixes[0][1:], id=f"{file.parent.name}-{file.name}")
    for file in sorted((ROOT / "tasks").glob("*/*.*.json"))
    if not file.name.startswith("tutorial.") and isinstance(json.loads(file.read_text(encoding="utf-8")), dict)
]
every_translation = pytest.mark.parametrize(("kind", "name", "language"), TRANSLATED)


def texts_of(value: Any, *, ours: bool = False) -> set[str]:
    """The texts in an item that workers read."""
    if isinstance(value, dict):
        found = [
            texts_of(each, ours=key in READ) for key, each in value.items() if key not in ("wrong", "notes", "why")
        ]
    elif isinstance(value, list):
        found = [texts_of(each, ours=ours) for each in value]
    else:
        found = [{value}] if ours and isinstance(value, str) else []
    return set().union(*found)


@every_translation
def test_right_answers_to_translated_items_hear_only_praise(kind: str, name: str, language: str) -> None:
    texts = json.loads((ROOT / "tasks" / kind / f"{name}.{language}.json").read_text(encoding="utf-8"))
    variant = "" if name == "practice" else name
    for entry in in_texts(entries(kind, variant), texts):
        for options in ({}, *ASKED_OTHERWISE.get(kind, ())):
            assert said(heard(kind, entry, entry["right"], **options)) == [], options


@every_translation
def test_a_translation_has_all_that_workers_read_and_nothing_else(kind: str, name: str, language: str) -> None:
    texts = json.loads((ROOT / "tasks" / kind / f"{name}.{language}.json").read_text(encoding="utf-8"))
    variant = "" if name == "practice" else name
    read = texts_of(entries(kind, variant))
    assert {text for text in read - set(texts) if text.count(" ") > 3} == set()
    assert set(texts) <= read
    assert registry.practice(kind, variant, language) != registry.practice(kind, variant)


@every_item
def test_a_typical_mistake_hears_its_advice_and_no_praise_for_it(kind: str, entry: JSON) -> None:
    assert entry["wrong"]
    praise = {remark.message % remark.values for remark in heard(kind, entry, entry["right"]) if remark.good}
    for wrong in entry["wrong"]:
        remarks = heard(kind, entry, wrong["answer"])
        assert any(wrong["says"] in advice for advice in said(remarks)), said(remarks)
        assert {remark.message % remark.values for remark in remarks if remark.good} <= praise
        assert all("  " not in advice for advice in said(remarks))


@every_item
def test_what_is_right_and_why_is_not_in_what_the_page_shows(kind: str, entry: JSON) -> None:
    example = Example.from_json(entry["example"])
    page = json.dumps(
        shown(kind, example, **WITH[entry["variant"]], **example.extra.get("needs", {})), ensure_ascii=False
    )
    for reason in (*filter(None, [example.extra.get("why")]), *example.extra.get("notes", ())):
        assert reason not in page
    for name in example.extra:
        assert name == "compositions" or f'"{name}"' not in page


@every_item
def test_a_simulated_worker_who_is_right_is_not_refused(kind: str, entry: JSON) -> None:
    task, example = registry.task_type(kind), Example.from_json(entry["example"])
    payload = shown(kind, example, **WITH[entry["variant"]], **example.extra.get("needs", {}))
    answer = capabilities.imitate(task, payload, example, Random(1), right=True)
    assert answer is not None
    assert task.check(payload, answer) == []
