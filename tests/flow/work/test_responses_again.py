"""Judgments of every task go out and come in again, and the guide's minimal lines are taken as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation import registry
from annotation.flow.batches import add_items, batch_launch
from annotation.flow.data import response_files
from annotation.flow.data.dataset_import import ImportRefused, import_dataset
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch, WorkerResponse
from annotation.pure.data.example import Example
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import newcomer, submit, take
from tests.tasks.test_contract import cases, first_of_each

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parent.parent.parent.parent
KINDS = [kind for kind, _title in registry.kinds()]
LAUNCHED_CASES = [case for case in cases() if case.values[0] in KINDS]


def launched(project: Any, folder: Path, task: str, record: dict[str, Any], **settings: Any) -> Batch:
    """A batch over one item, of a dataset named `items`."""
    file = folder / "items.jsonl"
    file.write_text(json.dumps(record) + "\n")
    import_dataset(project, file, format="jsonl", name="items")
    datasets = list(project.datasets.all())
    batch = create_batch(project, "study", task=task, datasets=datasets, instructions="Read.", **settings)
    batch_launch.launch(batch)
    return batch


def answers_of(batch: Batch) -> list[Any]:
    rows = WorkerResponse.objects.filter(assignment__batch=batch).order_by("pk")
    return [row.answer for row in rows.select_related("assignment") if row.revision == row.assignment.revision]


@pytest.mark.parametrize(("kind", "case"), first_of_each(LAUNCHED_CASES))
def test_exported_responses_are_taken_by_a_clone_as_they_were(
    project: Any, tmp_path: Path, kind: str, case: dict[str, Any]
) -> None:
    answers = case["answers"]
    wish = {"options": case["options"], "assignments_per_hit": len(answers)}
    batch = launched(project, tmp_path, kind, case["example"], **wish)
    for number, answer in enumerate(answers):
        row = take(newcomer(project, f"ann-{number}"), batch)
        assert row is not None
        submit(row, answers[0])
        submit(row, answer, key="1.form", base=1)
    file = tmp_path / "out.jsonl"
    assert response_files.export_responses(batch, file, format="jsonl")["records"] >= len(answers)
    clone = add_items.clone(batch, unseen_only=False)
    batch_launch.launch(clone)
    report = import_responses(clone, file)
    assert (report["accepted"], report["warnings"]) == (len(answers), 0)
    assert answers_of(clone) == answers_of(batch)


def minimal(kind: str) -> str:
    """The line on the task's page."""
    page = (ROOT / "tasks" / kind / "README.md").read_text()
    found = re.search(r"^## An answer made elsewhere\n```json\n(.*?)\n```", page, re.S | re.M)
    assert found, f"tasks/{kind}/README.md has no line to take"
    return found[1]


def options_of(kind: str) -> dict[str, Any]:
    """The rubric on the task's page, if it needs one."""
    page = (ROOT / "tasks" / kind / "README.md").read_text()
    found = re.search(r"^cat > rubric\.json <<'END'\n(.*?)\nEND$", page, re.S | re.M)
    return {"rubric": json.loads(found[1])} if found else {}


def usable(kind: str) -> dict[str, Any]:
    """An item for most tasks, or the first example of one that needs an item of its own kind."""
    [record] = records(1)
    record["extra"] = {"compositions": ["Which tower?", "What stands by the well?"]}
    record["extra"] |= {"pair": {"supports": [1, 2], "of": 2, "others": 0}}
    record["paragraphs"] = record["paragraphs"][:2]
    task = registry.task_type(kind)
    if task.prepare(Example.from_json(record), task.options(options_of(kind)), Random(1)) is not None:
        return record
    return next(case.values[1]["example"] for case in LAUNCHED_CASES if case.values[0] == kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_minimal_line_of_the_instructions_is_taken(project: Any, tmp_path: Path, kind: str) -> None:
    batch = launched(project, tmp_path, kind, usable(kind), options=options_of(kind))
    file = tmp_path / "elsewhere.jsonl"
    file.write_text(minimal(kind) + "\n")
    assert import_responses(batch, file)["accepted"] == 1
    [answer] = answers_of(batch)
    problems = registry.task_type(kind).check(batch.hits.get().payload, answer)
    assert [problem for problem in problems if not problem.warning] == []


def test_a_check_that_warns_lets_the_line_in_and_is_counted(project: Any, tmp_path: Path) -> None:
    batch = launched(project, tmp_path, "compose", records(1)[0])
    file = tmp_path / "elsewhere.jsonl"
    lines = [json.loads(minimal("compose")) | {"worker": f"w{k}", "answer": {"question": "Where?"}} for k in range(5)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = import_responses(batch, file)
    assert (report["accepted"], report["warnings"]) == (5, 5)
    assert [(flaw["severity"], flaw["count"], flaw["lines"]) for flaw in report["flaws"]] == [("warning", 5, [1, 2, 3])]
    assert "The question does not ask enough about hop 1" in report["flaws"][0]["wrong"]
    assert not report["flaws"][0]["wrong"].endswith(".")


def test_a_check_that_is_an_error_keeps_the_file_out(project: Any, tmp_path: Path) -> None:
    batch = launched(project, tmp_path, "compose", records(1)[0], options={"no_question_mark": "error"})
    file = tmp_path / "elsewhere.jsonl"
    file.write_text(json.dumps(json.loads(minimal("compose")) | {"answer": {"question": "Say which tower"}}) + "\n")
    with pytest.raises(ImportRefused) as refused:
        import_responses(batch, file)
    said = str(refused.value)
    assert said.startswith("elsewhere.jsonl: 1 of the lines cannot be stored")
    assert "line 1, answer.question: There is no question mark." in said
    assert ".." not in said
    assert said.endswith("tasks/compose/README.md.")
