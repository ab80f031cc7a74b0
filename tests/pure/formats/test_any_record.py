"""Whatever hypothesis thinks of goes in and comes out the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.formats import FORMATS
from annotation.pure.data.example import Example, Hop, Paragraph
from tests.long_forms import examples
from tests.pure.formats import samples
from tests.pure.formats.samples import JSONL, there_and_back, written


def keys(value: Any) -> list[list[str]]:
    return [list(record) for record in value]


SPELLED = {"true", "yes", "false", "no"}  # booleans, which are read as yes and no
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12).filter(
    lambda text: text.strip().lower() not in SPELLED
)
words = texts.filter(lambda text: bool(text.strip()))
positions = st.integers(0, 2)


@st.composite
def any_example(draw: st.DrawFn) -> Example:
    halves = st.one_of(
        st.builds(Paragraph, texts, texts),
        st.builds(Paragraph.of_sentences, texts, st.lists(texts, max_size=4).map(tuple)),
    )
    hop = st.builds(Hop, words, texts, st.none() | positions, st.none() | st.integers() | texts)
    return Example(
        id=draw(words),
        question=draw(words),
        paragraphs=tuple(draw(st.lists(halves, min_size=3, max_size=4))),
        answers=tuple(draw(st.lists(words, max_size=3))),
        supports=draw(st.none() | st.lists(positions, unique=True).map(lambda them: tuple(sorted(them)))),
        facts=draw(st.none() | st.just(())),
        hops=tuple(draw(st.lists(hop, max_size=4))),
        answerable=draw(st.none() | st.booleans()),
        options=tuple(draw(st.lists(texts, max_size=4))),
        group=draw(texts),
        shape=draw(texts),
        extra=draw(st.dictionaries(texts.filter(lambda key: key[:1] != "@"), st.none() | texts | st.integers())),
    )


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.lists(any_example(), max_size=3, unique_by=lambda example: example.id))
def test_our_own_format_loses_nothing(them: list[Example]) -> None:
    content = written("jsonl", them)
    if them:
        parsed, flaws = samples.read("jsonl", content)
        assert [str(flaw) for flaw in flaws if flaw.severity == "error"] == []
        assert [one.example for one in parsed] == them


sentences = st.lists(texts, max_size=3)
facts = st.lists(st.tuples(st.sampled_from(["A", "B", "elsewhere"]), st.integers(-1, 4)).map(list), max_size=3)
hotpot_records = st.fixed_dictionaries(
    {
        "_id": words,
        "question": words,
        "context": st.tuples(sentences, sentences, sentences).map(
            lambda them: [["A", them[0]], ["B", them[1]], ["A", them[2]]]
        ),
    },
    optional={
        "answer": st.none() | texts,
        "supporting_facts": st.none() | facts,
        "type": st.none() | texts,
        "level": texts,
        "evidences": st.lists(st.tuples(texts, texts, texts).map(list), max_size=2),
        "answerable": st.booleans(),
        "sub_idx": st.integers(0, 2),
        "sufficiency": st.sampled_from([1, 0, -1]),
    },
)


@settings(max_examples=examples(16, soak=80), deadline=None)
@given(hotpot_records, st.sampled_from(["hotpotqa", "2wikimultihopqa", "dire", "subqa"]), st.randoms())
def test_any_record_in_hotpotqas_layout_comes_back(record: dict[str, Any], name: str, order: Any) -> None:
    items = list(record.items())
    order.shuffle(items)
    assert keys(there_and_back(name, [dict(items)])) == keys([dict(items)])
    assert there_and_back(name, [dict(items)]) == [record]


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.lists(st.tuples(words, texts, texts, words, texts), min_size=1, max_size=4))
def test_any_table_of_texts_comes_back(cells: list[tuple[str, ...]]) -> None:
    them = [
        Example(
            id=f"{number}{question}",
            question=question,
            paragraphs=(Paragraph(title, text),),
            answers=(answer,) if answer else (),
            extra={"@csv": {"columns": ["id", "question", "answer", "title", "text", "more"]}, "more": more},
        )
        for number, (question, answer, title, text, more) in enumerate(cells)
    ]
    parsed, _ = samples.read("csv", written("csv", them))
    assert [{**p.example.as_json(), "extra": p.example.extra["more"]} for p in parsed if p.example] == [
        {**example.as_json(), "extra": example.extra["more"]} for example in them
    ]


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.lists(st.tuples(words, words, st.integers(0, 3), st.booleans()), min_size=1, max_size=5))
def test_any_tree_of_questions_comes_back(questions: list[tuple[str, str, int, bool]]) -> None:
    paragraphs: list[dict[str, Any]] = []
    for number, (question, answer, place, impossible) in enumerate(questions):
        qa: dict[str, Any] = {"id": str(number), "question": question, "is_impossible": impossible}
        start = len("ab " * place)
        qa["answers"] = [] if impossible else [{"text": answer, "answer_start": start}]
        paragraphs.append({"context": "ab " * place + answer + " " + answer, "qas": [qa]})
    tree = {"version": "v2.0", "data": [{"title": "T", "paragraphs": paragraphs}]}
    assert there_and_back("squad", tree) == tree


NOTES: list[Any] = [
    5,
    {},
    {"keys": 3},
    {"keys": [[1]], "fields": 2},
    {"keys": ["x"]},
    {"keys": ["id", "question"], "fields": {"context": 4, "paragraphs": [1]}},
    {"file": 1, "article": [], "paragraph": "x", "starts": 3, "columns": ["id", 4], "letter": 9},
]


@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize("name", FORMATS)
def test_a_note_that_no_import_made_does_no_harm(name: str, note: object) -> None:
    source = JSONL | {"paragraphs": [{"title": "T", "text": "a tin b"}], "answers": ["tin"]}
    source |= {"supports": [0], "facts": None, "hops": [], "extra": {f"@{name}": note}}
    source |= {"options": ["tin", "b"]} if name == "race" else {}
    source["extra"] |= {"fold": 1} if name == "disconnection" else {}
    [example] = [p.example for p in samples.read("jsonl", json.dumps(source).encode())[0]]
    if name == "jsonl":
        assert example is not None
    assert example
    [back] = [p.example for p in samples.read(name, written(name, [example]))[0]]
    assert back
    assert back.question == example.question
