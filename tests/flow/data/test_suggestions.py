"""A suggested mapping is imported as it is, whatever the columns hold; a format's other fields are kept flat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data import dataset_files
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Dataset
from tests.flow.data.mapped_files import lines, mapping_words, table
from tests.management.conftest import Run, run

pytestmark = pytest.mark.django_db
__all__ = ["run"]
TEXT = "The kiln of Sedge Bay was fired in 1911 by Mina Roth, who sold its tiles far up the river."
ROW: dict[str, Any] = {"question": "Who fired the kiln?", "answer": "Mina Roth", "passage": TEXT}


@pytest.mark.parametrize(
    ("more", "lost"),
    [
        ({"gold": 77}, "gold"),
        ({"sub_answers": ["1911"]}, "sub_answers"),
        ({"titles": ["A", "B"]}, "titles"),
        ({"supporting_facts": [{"a": 1}]}, ""),
        ({"options": "A or B"}, ""),
    ],
)
def test_a_role_that_most_records_contradict_is_not_suggested(
    run: Run, tmp_path: Path, more: dict[str, Any], lost: str
) -> None:
    file = lines(tmp_path / "my.jsonl", [ROW | more] * 3)
    found = run("import_dataset", file, "--map", "suggest", "--json").document
    assert not [word for word in found["suggested"] if lost and word.endswith(f"={lost}")]
    ended = run("import_dataset", file, "--name", "mine", *mapping_words(*found["suggested"]))
    assert ended.code == 0, ended.err
    assert "3 records read, 3 accepted, 0 skipped" in ended.out


def test_questions_alone_are_a_dataset_without_contexts(run: Run, tmp_path: Path) -> None:
    file = table(tmp_path / "q.csv", [{"question": "Who fired the kiln?"}, {"question": "When?"}])
    found = run("import_dataset", file, "--map", "suggest", "--json").document
    assert found["suggested"] == ["question=question"]
    ended = run("import_dataset", file, "--name", "mine", "--map", "question=question")
    assert ended.code == 0
    assert "there is no paragraph" in ended.out
    assert [item.example.paragraphs for item in Dataset.objects.get().items.all()] == [(), ()]


def test_columns_without_a_question_are_told_so(run: Run, tmp_path: Path) -> None:
    file = lines(tmp_path / "my.jsonl", [{"text": TEXT, "label": 1}] * 2)
    assert "No column looks like the questions" in run("import_dataset", file, "--map", "suggest").out


def test_fields_that_our_format_lacks_are_flat_in_extra_named_and_written_again(project: Any, tmp_path: Path) -> None:
    record = {"id": "k", "question": "Who?", "paragraphs": [{"title": "", "text": TEXT}], "extra": {"era": "new"}}
    file = lines(tmp_path / "a.jsonl", [record | {"level": "easy", "source": {"page": 3}}])
    report = import_dataset(project, file, format="jsonl", name="kiln")
    assert report["kept"] == ["level", "source", "era"]
    dataset = Dataset.objects.get()
    extra = dataset.items.get().example.extra
    assert {key: extra[key] for key in ("era", "level", "source")} == {
        "era": "new",
        "level": "easy",
        "source": {"page": 3},
    }
    dataset_files.export_dataset(dataset, tmp_path / "b.jsonl", format="jsonl")
    assert (tmp_path / "b.jsonl").read_text().strip() == file.read_text().strip()


@pytest.mark.parametrize("spelling", ["true", "True", "TRUE", "Yes", "yes"])
def test_a_boolean_in_any_spelling_is_yes_unless_the_text_or_the_options_have_the_word(
    run: Run, tmp_path: Path, spelling: str
) -> None:
    rows = [ROW | {"answer": spelling}, ROW]
    file = table(tmp_path / "a.csv", rows)
    words = mapping_words("question=question", "answer=answer", "paragraph=passage")
    assert run("import_dataset", file, "--name", "mixed", *words).code == 0
    first = Dataset.objects.get(slug="mixed").items.get(position=0)
    assert first.example.answers == ("yes",)
    word = table(tmp_path / "b.csv", [ROW | {"answer": "True", "passage": f"{TEXT} The song is True."}, ROW])
    assert run("import_dataset", word, "--name", "song", *words).code == 0
    assert Dataset.objects.get(slug="song").items.get(position=0).example.answers == ("True",)
