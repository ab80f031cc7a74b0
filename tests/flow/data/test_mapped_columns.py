"""Files with columns of their own: what a mapping makes of them, what it refuses, and what is suggested."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.flow.data.dataset_import import suggestion
from annotation.formats import mapped as mapped_format
from annotation.models import Dataset
from annotation.pure.data.example import Example
from tests.flow.data.mapped_files import lines, mapped, mapping_words, table
from tests.management.conftest import Run, refused, run

pytestmark = pytest.mark.django_db
__all__ = ["run"]

WELL = "Mara Quell dug the well of Port Anselm in 1802, and her brothers built the wall around it."
PORT = "Port Anselm is a small harbour on the south coast, where Ada Brook was born in 1790."


ROW = {
    "qid": "w1",
    "q": "Who dug the well of Ada's town?",
    "ans": "Mara Quell",
    "passage_1": PORT,
    "passage_2": WELL,
    "passage_10": "",
    "title_1": "Port Anselm",
    "title_2": "The well",
    "title_10": "",
    "gold": "1, 2",
    "level": "hard",
}
MAPS = ["question=q", "answer=ans", "paragraph=passage_*", "title=title_*", "support_from_1=gold", "id=qid"]


def test_numbered_columns_become_paragraphs_with_titles_and_support(run: Run, tmp_path: Path) -> None:
    (example,) = mapped(run, table(tmp_path / "my.csv", [ROW]), *MAPS)
    assert (example.id, example.question, example.answers) == ("w1", ROW["q"], ("Mara Quell",))
    assert [(p.title, p.text) for p in example.paragraphs] == [("Port Anselm", PORT), ("The well", WELL)]
    assert example.supports == (0, 1)
    assert example.extra == {"level": "hard"}


def test_one_context_column_is_one_paragraph_and_an_item_without_id_gets_its_number(run: Run, tmp_path: Path) -> None:
    rows = [{"context": WELL, "q": "Who dug it?", "a": 1802}, {"context": PORT, "q": "Where is it?", "a": ""}]
    one, two = mapped(run, table(tmp_path / "my.tsv", rows), "question=q", "answer=a", "paragraph=context")
    assert [(each.id, each.answers, len(each.paragraphs), each.supports) for each in (one, two)] == [
        ("record 1", ("1802",), 1, None),
        ("record 2", (), 1, None),
    ]


NESTED = {
    "data": {"question": "Who dug the well?", "answers": ["Mara Quell", "Mara"]},
    "ctxs": [
        {"title": "Inn", "text": "The inn is old.", "is_gold": False, "score": 1},
        {"title": "The well", "text": WELL, "is_gold": True, "score": 2},
    ],
    "steps": [
        {"question": "Which well?", "answer": "that of Port Anselm"},
        {"question": "Who dug #1?", "answer": "Mara"},
    ],
}
NESTED_MAPS = [
    "question=data.question", "answer=data.answers", "paragraph=ctxs[].text", "title=ctxs[].title",
    "support=ctxs[].is_gold", "hop_question=steps[].question", "hop_answer=steps[].answer",
]  # fmt: skip


def nested(example: Example) -> None:
    assert example.answers == ("Mara Quell", "Mara")
    assert [p.title for p in example.paragraphs] == ["Inn", "The well"]
    assert example.supports == (1,)
    assert [(hop.question, hop.answer) for hop in example.hops] == [
        ("Which well?", "that of Port Anselm"),
        ("Who dug #1?", "Mara"),
    ]
    assert example.shape == "2hop"
    assert example.extra == {"ctxs": [{"score": 1}, {"score": 2}]}


def test_nested_fields_are_named_by_their_paths(run: Run, tmp_path: Path) -> None:
    nested(mapped(run, lines(tmp_path / "my.jsonl", [NESTED]), *NESTED_MAPS)[0])


def test_parquet_is_mapped_alike(run: Run, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([NESTED]), tmp_path / "my.parquet")
    nested(mapped(run, tmp_path / "my.parquet", *NESTED_MAPS)[0])


def test_cells_may_hold_lists_as_json(run: Run, tmp_path: Path) -> None:
    row = {
        "q": "Who?",
        "texts": json.dumps([[PORT, "So it is."], WELL]),
        "names": '["Port", "Well"]',
        "gold": '["Well"]',
    }
    file = table(tmp_path / "my.csv", [row | {"note": "[12]"}])
    (example,) = mapped(run, file, "question=q", "paragraph=texts", "title=names", "support=gold")
    assert [(p.title, p.sentences) for p in example.paragraphs] == [("Port", (PORT, "So it is.")), ("Well", None)]
    assert (example.supports, example.extra) == ((1,), {"note": "[12]"})


def test_cells_may_hold_lists_as_python_prints_them(run: Run, tmp_path: Path) -> None:
    row = {
        "q": "Who?",
        "texts": repr([["It's so.", PORT], WELL, None]),
        "names": "['Port', 'Well', 'None']",
        "gold": "[True, False, False]",
    }
    file = table(tmp_path / "my.csv", [row | {"note": "['a', ('b', 1)]", "aside": "[sic] he [said]"}])
    (example,) = mapped(run, file, "question=q", "paragraph=texts", "title=names", "support=gold")
    assert [(p.title, p.sentences) for p in example.paragraphs] == [("Port", ("It's so.", PORT)), ("Well", None)]
    assert (example.supports, example.extra) == ((0,), {"note": ["a", ["b", 1]], "aside": "[sic] he [said]"})


@pytest.mark.parametrize(
    "cell",
    [
        "[__import__('os').getcwd()]",
        "{'a', 'b'}",
        "[b'a']",
        "['\\ud800']",
        "['\\x00']",
        "[" * 5000 + "'a'" + "]" * 5000,
        "[1e999, 'a']",
        "['" + "a" * mapped_format.LONGEST_LITERAL + "']",
    ],
)
def test_other_cells_in_brackets_stay_texts(run: Run, tmp_path: Path, cell: str) -> None:
    file = table(tmp_path / "my.csv", [{"q": "Who?", "text": PORT, "note": cell}])
    (example,) = mapped(run, file, "question=q", "paragraph=text")
    assert example.extra == {"note": cell}


def test_a_title_without_a_text_is_refused(run: Run, tmp_path: Path) -> None:
    good = {"q": "Who?", "texts": [["Port", PORT], ["Empty", []], None, [None, None]]}
    file = lines(tmp_path / "my.jsonl", [good, {"q": "Where?", "texts": [["Port", PORT], [WELL, None]]}])
    ended = run("import_dataset", file, "--name", "mine", *mapping_words("question=q", "paragraph=texts"))
    refused(ended, "texts: found the title")
    for text in ("line 2", "with null as its text", "Give a text or a list of sentences beside it"):
        assert text in ended.err
    assert "line 1" not in ended.err


def test_what_was_mapped_is_exported_and_comes_back(run: Run, tmp_path: Path) -> None:
    before = mapped(run, lines(tmp_path / "my.jsonl", [NESTED]), *NESTED_MAPS)
    out = tmp_path / "out.jsonl"
    assert run("export_dataset", "mine", "--format", "jsonl", "--out", out).code == 0
    assert run("import_dataset", out, "--name", "back").code == 0
    assert [item.example for item in Dataset.objects.get(slug="back").items.all()] == before


def test_the_same_file_with_another_mapping_is_other_content(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "my.csv", [ROW])
    mapped(run, file, *MAPS)
    again = ["import_dataset", file, "--name", "mine", *mapping_words(*MAPS)]
    assert "already imported" in run(*again).out
    refused(run(*again[:-2]), "The name mine is taken by a dataset with different content")


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        ({"q": " "}, ["line 2 (id w1), q: there is no question."]),
        ({"passage_1": "", "passage_2": ""}, ["line 2 (id w1), gold: there is no paragraph 1."]),
        ({"gold": "3"}, ["line 2 (id w1), gold: there is no paragraph 3.", "Number the paragraphs from 1"]),
        ({"q": "[1"}, []),
    ],
)
def test_errors_say_the_line_the_column_and_the_fix(
    run: Run, tmp_path: Path, change: dict[str, str], texts: list[str]
) -> None:
    file = table(tmp_path / "my.csv", [ROW | change])
    ended = run("import_dataset", file, "--name", "mine", *mapping_words(*MAPS))
    assert ended.code == (1 if texts else 0)
    for text in texts:
        assert text in ended.err
    assert Dataset.objects.exists() is not bool(texts)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"data": {"question": 7, "answers": [{"a": 1}]}}, "data.answers: found an object."),
        ({"ctxs": [{"title": "T", "text": ["a", 1, "b"]}]}, "ctxs[].text: found a list."),
        ({"ctxs": [{"title": "T", "text": "t", "is_gold": "maybe"}]}, "ctxs[].is_gold: found the text 'maybe'."),
        ({"steps": [{"question": "One?"}, {"question": "Two?", "answer": "x"}]}, "1 answers for 2 questions of hops."),
    ],
)
def test_values_of_another_kind_are_named(run: Run, tmp_path: Path, change: dict[str, Any], text: str) -> None:
    file = lines(tmp_path / "my.jsonl", [NESTED, NESTED | change])
    ended = run("import_dataset", file, "--name", "mine", *mapping_words(*NESTED_MAPS))
    refused(ended, text)
    assert "line 2" in ended.err


@pytest.mark.parametrize(
    ("maps", "code", "texts"),
    [
        (["none", "question=q"], 2, ["'none' maps no column. Write ROLE=COLUMN"]),
        (["question=q", "question=ans", "paragraph=passage_*"], 2, ["Only one column can be the question"]),
        (["what=q"], 2, ["There is no role 'what'. Choose among question, answer"]),
        (["q"], 2, ["'q' maps no column. Write ROLE=COLUMN"]),
        (["question=query", "paragraph=passage_*"], 1, ["There is no column 'query'. The columns are qid, q, ans"]),
        (["question=title_*", "paragraph=passage_*"], 1, ["Only one column can be the question"]),
    ],
)
def test_a_mapping_that_makes_no_items_is_refused(
    run: Run, tmp_path: Path, maps: list[str], code: int, texts: list[str]
) -> None:
    file = table(tmp_path / "my.csv", [ROW])
    ended = run("import_dataset", file, "--name", "mine", *mapping_words(*maps))
    assert ended.code == code
    for text in texts:
        assert text in ended.err
    assert not Dataset.objects.exists()


def test_a_file_in_no_known_format_is_refused_with_the_flags_that_map_it(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "my.csv", [ROW])
    refused(
        run("import_dataset", file, "--name", "mine"),
        "No known format has the columns of my.csv: qid, q, ans, passage_*, title_*, gold, level.",
        "--map question=q --map answer=ans --map 'paragraph=passage_*' --map 'title=title_*' --map support_from_1=gold",
    )


def test_a_suggestion_is_printed_and_what_was_mapped_before_is_remembered(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "my.csv", [ROW])
    ended = run("import_dataset", file, "--map", "suggest")
    assert ended.code == 0
    assert ended.out.splitlines()[:3] == ["--map id=qid", "--map question=q", "--map answer=ans"]
    assert "Kept as they are: level" in ended.out
    mapped(run, file, "question=level", "paragraph=passage_*")
    other = table(tmp_path / "other.csv", [ROW | {"q": "Another?"}])
    again = run("import_dataset", other, "--map", "suggest", "--json").document
    assert (again["suggested"], again["remembered"]) == (["question=level", "paragraph=passage_*"], "mine")


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        ([NESTED], dict(word.split("=") for word in NESTED_MAPS)),
        (
            [{"frage": "Who dug the well?", "lsg": "Mara Quell", "quelle": WELL, "nr": 4}],
            {"question": "frage", "answer": "lsg", "paragraph": "quelle"},
        ),
        (
            [
                {
                    "q_text": "Who dug the well?",
                    "ctx1_heading": "Well",
                    "ctx1_body": WELL,
                    "ctx2_heading": "Inn",
                    "ctx2_body": "The inn is old.",
                    "gold": "Mara Quell",
                }
            ],
            {"question": "q_text", "title": "ctx*_heading", "paragraph": "ctx*_body", "answer": "gold"},
        ),
        (
            [{"Query": "Who?", "golden_answers": ["M"], "context": {"title": ["T"], "sentences": [["M.", "N."]]}}],
            {
                "question": "Query",
                "answer": "golden_answers",
                "paragraph": "context.sentences",
                "title": "context.title",
            },
        ),
    ],
)
def test_roles_are_suggested_from_names_and_values(
    project: Any, tmp_path: Path, rows: list[Any], roles: dict[str, str]
) -> None:
    found = suggestion(project, lines(tmp_path / "f.jsonl", rows))
    assert dict(word.split("=") for word in found["suggested"]) == roles


@pytest.mark.soak
def test_a_large_table_is_read_in_bounded_memory(run: Run, tmp_path: Path) -> None:
    rows = [ROW | {"qid": str(k), "passage_1": f"{PORT} {k} " * 5} for k in range(20_000)]
    file = table(tmp_path / "large.csv", rows)
    assert file.stat().st_size > 10_000_000
    del rows
    tracemalloc.start()
    try:
        ended = run("import_dataset", file, "--name", "mine", "--dry-run", *mapping_words(*MAPS))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ended.code == 0, ended.err
    assert peak < 10_000_000
