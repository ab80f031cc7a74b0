"""What presets are for, beyond ratings: relevance judgments, right chains, corrections, and comparisons on points."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.reports.comparisons import answerers
from annotation.flow.review import result_files
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch, Project
from annotation.pure.ratings import model_replies
from annotation.pure.ratings.results import compared
from annotation.pure.ratings.rubric import InvalidRubric, parse
from annotation.pure.statistics.metrics import word_edits
from annotation.registry import presets
from tasks.rate.task import Rate
from tests.api.calling import caller
from tests.batches import create_batch
from tests.management.conftest import Run, run

pytestmark = pytest.mark.django_db
__all__ = ["run"]
JSON = dict[str, Any]


def rubric_of(preset: str) -> JSON:
    found: JSON = json.loads(presets("rate")[preset].read_text())
    return found


def rated(project: Project, folder: Path, rubric: JSON, items: list[JSON], *given: list[JSON]) -> Batch:
    """A batch of these records with the responses of one worker after the other, by item."""
    name, file = "it", folder / "it.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in items))
    import_dataset(project, file, format="jsonl", name=name)
    datasets = [project.datasets.get(slug=name)]
    options = {"rubric": rubric}
    batch = create_batch(project, name, task="rate", datasets=datasets, options=options, assignments_per_hit=len(given))
    batch_launch.launch(batch)
    rows = [
        {"dataset": name, "item": item, "worker": f"w{k}", "answer": answer}
        for k, answers in enumerate(given)
        for item, answer in enumerate(answers)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_responses(batch, file)
    return batch


def tables_of(batch: Batch) -> dict[str, JSON]:
    return {each["name"]: each for each in batch_scores.score_batch(batch)["tables"]}


def read_qrels(text: str) -> dict[str, dict[str, int]]:
    """As trec_eval reads them: four columns between white space, of which the second is not used."""
    found: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        topic, _unused, document, grade = line.split()
        assert document not in found.setdefault(topic, {}), "a document is judged once"
        found[topic][document] = int(grade)
    return found


PASSAGES = [{"title": title, "text": f"Text {k}."} for k, title in enumerate(["Old mill", "Ship", "Ship"])]
QUESTIONS = [
    {"id": "q 1", "question": "Who built it?", "answers": ["Ana"], "paragraphs": PASSAGES},
    {"id": "q2", "question": "Who broke it?", "answers": ["Bo"], "paragraphs": PASSAGES[:2]},
    {"id": "q3", "question": "Who sold it?", "answers": ["Cy"], "paragraphs": PASSAGES[:1]},
]


def test_relevance_is_written_as_qrels_by_page_api_and_command(
    project: Project, tmp_path: Path, run: Run, client: Any, alice: Any
) -> None:
    one = [{"relevance": [3, 0, 1]}, {"relevance": [2, 1]}, {"relevance": [3]}]
    other = [{"relevance": [2, 0, 2]}, {"relevance": [2, 3]}, {"relevance": [0]}]
    batch = rated(project, tmp_path, rubric_of("relevance"), QUESTIONS, one, other)
    batch.hits.filter(item__position=2).update(excluded_at="2026-01-01T00:00Z", exclusion_reason="broken")
    out = tmp_path / "it.qrels"
    made = run("export_responses", "it", "--project", "wells", "--format", "qrels", "--out", str(out), "--json")
    assert (made.code, made.document["records"]) == (0, 5), made.err
    wanted = {"q_1": {"Old_mill": 2, "Ship#2": 0, "Ship#3": 1}, "q2": {"Old_mill": 2, "Ship": 2}}
    assert read_qrels(out.read_text()) == wanted
    client.force_login(alice)
    address = reverse("batch-export", args=["wells", "it", "qrels"])
    assert b"".join(client.get(address)) == out.read_bytes()
    assert f'href="{address}"' in client.get(reverse("batch", args=["wells", "it"])).content.decode()
    answer = caller(alice).get("batches/it/responses/export/qrels/")
    assert b"".join(answer) == out.read_bytes()


def test_an_item_without_elements_of_the_first_scale_has_no_judgments(project: Project, tmp_path: Path) -> None:
    criteria = [
        {"name": "relevance", "each": "paragraphs", "ask": "How relevant?", "scale": [0, 3]},
        {"name": "sound", "each": "steps", "ask": "How sound?", "scale": [0, 3]},
    ]
    bare = {"id": "q4", "question": "Who?", "answers": ["Di"], "paragraphs": [], "steps": ["One."]}
    answers = [{"relevance": [3, 0, 1], "sound": [1]}, {"sound": [2]}]
    records = [QUESTIONS[0] | {"steps": ["One."]}, bare]
    batch = rated(project, tmp_path, {"show": ["question"], "criteria": criteria}, records, answers)
    out = tmp_path / "it.qrels"
    result_files.export(batch, out, format="qrels")
    assert set(read_qrels(out.read_text())) == {"q_1"}


def test_texts_of_a_list_are_corrected_one_by_one(project: Project, tmp_path: Path) -> None:
    criterion = {"name": "better", "each": "steps", "ask": "Correct it.", "text": "long", "prefill": "drafts"}
    rubric = {"show": ["question"], "criteria": [criterion]}
    record = {"id": "q1", "question": "Who?", "steps": ["One.", "Two."], "drafts": ["A mill."]}
    batch = rated(project, tmp_path, rubric, [record], [{"better": ["A mill!", "A ship."]}])
    [edits] = [each for each in batch_scores.score_batch(batch)["tables"] if each["name"] == "edits"]
    assert edits["rows"][0][:3] == ["better", 1, 2]
    payload = batch.hits.get().payload
    [first, second] = compared(payload, [{"better": ["A mill!", "A ship."]}], {})
    assert [change.kind for change in second["changes"][0]] == ["in"], "nothing stood there"
    assert first["changes"][0] != second["changes"][0]
    [question] = model_replies.content_of(Rate().arrange(payload, Random(0)))["questions"]
    assert sorted(question["text to be corrected"]) == ["", "A mill."]


def test_a_batch_without_a_scale_of_passages_has_no_qrels(
    project: Project, tmp_path: Path, run: Run, client: Any, alice: Any
) -> None:
    answers = [{"clear": "yes"}] * 3
    rubric = {"show": ["question"], "criteria": [{"name": "clear", "ask": "Clear?", "choice": ["yes", "no"]}]}
    rated(project, tmp_path, rubric, QUESTIONS, answers)
    out = tmp_path / "none.qrels"
    made = run("export_responses", "it", "--project", "wells", "--format", "qrels", "--out", str(out))
    assert (made.code, out.exists()) == (1, False)
    assert "a scale for each element of a list" in made.err
    client.force_login(alice)
    assert "qrels" not in client.get(reverse("batch", args=["wells", "it"])).content.decode()
    assert client.get(reverse("batch-export", args=["wells", "it", "qrels"])).status_code == 303
    answer = caller(alice).get("batches/it/responses/export/qrels/")
    assert answer.status_code == 409


def test_texts_alone_are_in_no_agreement(project: Project, tmp_path: Path) -> None:
    rubric = {"show": ["question"], "criteria": [{"name": "why", "ask": "Why?", "text": "short"}]}
    batch = rated(project, tmp_path, rubric, QUESTIONS, [{"why": "So."}] * 3, [{"why": "No."}] * 3)
    assert batch_scores.score_batch(batch)["differing"] == []
    assert set(batch.hits.values_list("disagreement", flat=True)) == {None}
    pseudonym = batch.project.pseudonym(batch.assignments.first().worker_id)  # type: ignore[union-attr]
    everybody, person = answerers(batch, [pseudonym], [])
    assert (everybody.agreements, person.agreements) == ({}, {})


def test_a_tie_is_shown_in_the_words_of_the_page(project: Project, tmp_path: Path, client: Any, alice: Any) -> None:
    items = [{"question": f"Q{k}?", "system_a": "A.", "system_b": "B."} for k in range(3)]
    batch = rated(project, tmp_path, rubric_of("side-by-side"), items, [{"better": "tie"}] * 3)
    hit = batch.hits.order_by("pk")[0]
    client.force_login(alice)
    client.cookies["django_language"] = "de"
    with translation.override("de"):
        word = translation.gettext("Equally good")
    assert word != "Equally good"
    page = client.get(reverse("hit", args=["wells", "it", hit.public_id]))
    assert re.search(rf'<td dir="auto">\s*{word}\s*</td>', page.content.decode())


def test_corrections_are_shown_word_by_word_and_counted(
    project: Project, tmp_path: Path, client: Any, alice: Any
) -> None:
    one = [
        {"corrected": "Who has built it?", "changed": ["language"]},
        *({"corrected": each["question"], "changed": ["nothing"]} for each in QUESTIONS[1:]),
    ]
    batch = rated(project, tmp_path, rubric_of("post-edit"), QUESTIONS, one)
    [row] = tables_of(batch)["edits"]["rows"]
    name, items, responses, unchanged, edits, low, high = row
    assert (name, items, responses) == ("corrected", 3, 3)
    assert unchanged["value"] == pytest.approx(2 / 3)
    assert edits == pytest.approx(1 / 10, abs=1e-3), "one word more, of four and three and three"
    assert low <= edits <= high
    hit = batch.hits.get(item__position=0)
    client.force_login(alice)
    page = client.get(reverse("hit", args=["wells", "it", hit.public_id])).content.decode()
    assert re.search(r"<ins>.*has", page)
    assert not re.search(r"<ins>.*broke", page)


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("a b c", "a b c", (0, 3)),
        ("a b c", "a c", (1, 2)),
        ("a b", "c d e", (3, 3)),
        ("", "a", (1, 1)),
        ("a b", "", (2, 0)),
    ],
)
def test_edits_are_the_fewest_words_put_in_taken_out_or_replaced(old: str, new: str, edits: tuple[int, int]) -> None:
    assert word_edits(old, new) == edits


def test_a_chain_is_right_only_if_every_relevant_step_is(project: Project, tmp_path: Path) -> None:
    steps = ["One.", "Two.", "Three."]
    items = [
        {"question": f"Q{k}?", "paragraphs": PASSAGES[:1], "steps": steps, "correct": correct}
        for k, correct in enumerate([True, True, False, True])
    ]
    whole = {"relevant": ["yes"] * 3, "attribution": ["fully", "fully", "states no fact"]}
    aside = {"relevant": ["yes", "no", "yes"], "attribution": ["fully", None, "fully"]}
    broken = {"relevant": ["yes"] * 3, "attribution": ["fully", "partly", "unsupported"]}
    torn = {"relevant": ["yes", "yes", "no"], "attribution": ["fully", "fully", None]}
    answers = [whole, aside, broken]
    batch = rated(project, tmp_path, rubric_of("chain-attribution"), items, [*answers, whole], [*answers, torn])
    found = tables_of(batch)
    assert [row[1:4] for row in found["chains-attribution"]["rows"]] == [[2, 0, 1], [0, 1, 0]]
    assert [row[:2] for row in found["first-wrong-attribution"]["rows"]] == [[2, 1]]


def test_what_is_right_must_be_a_value_of_the_choice_and_wrong_gold_another_one() -> None:
    asked = {"name": "same", "ask": "Right?", "choice": ["yes", "no", "gold"]}
    for key, wrong in (
        ("right", {"right": ["maybe"]}),
        ("right", {"right": []}),
        ("wrong_gold", {"wrong_gold": ["gold"]}),
        ("wrong_gold", {"right": ["yes"], "wrong_gold": ["yes"]}),
        ("wrong_gold", {"right": ["yes"], "wrong_gold": "gold"}),
        ("wrong_gold", {"right": ["yes"], "wrong_gold": ["gold"], "each": "steps"}),
    ):
        with pytest.raises(InvalidRubric, match=rf"criteria\[0\]\.{key}"):
            parse({"show": ["question"], "criteria": [asked | wrong]})
    [one] = parse({"show": ["question"], "criteria": [asked | {"right": ["yes"], "wrong_gold": ["gold"]}]}).criteria
    assert (one.right, one.wrong_gold) == (("yes",), ("gold",))
