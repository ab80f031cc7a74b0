"""Ratings by a rubric through public doors: responses in, values, files, datasets out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import translation

from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_import
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.response_files import export_responses
from annotation.flow.errors import Refused
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.flow.setting_values import InvalidSettings
from annotation.flow.work import next_assignment
from annotation.models import Batch, Dataset
from annotation.registry import task_type
from annotation.templatetags.rating_tags import given_in
from annotation.views.response_words import words_of
from tests.api.calling import caller
from tests.batches import create_batch
from tests.replaying import replayed
from tests.tasks.html_form import read_form
from tests.views.console import work_off

pytestmark = pytest.mark.django_db
RUBRIC = {
    "show": ["question", "answer"],
    "criteria": [
        {"name": "faithful", "ask": "Is it faithful?", "scale": [1, 4]},
        {"name": "multihop", "ask": "More than one passage?", "choice": ["yes", "no"]},
        {"name": "why", "ask": "Why not?", "text": "short", "if": {"multihop": ["no"]}},
        {"name": "step", "each": "steps", "ask": "Supported?", "choice": ["yes", "no"]},
    ],
}
ITEMS = [
    {
        "id": "a",
        "question": "Who built it?",
        "answers": ["Ana"],
        "steps": [{"id": "s1", "text": "Ana."}, {"id": "s2", "text": "Bo."}],
    },
    {"id": "b", "question": "Who broke it?", "answers": ["Bo"], "steps": ["Only one."]},
    {"id": "c", "question": "Who sold it?", "answers": ["Cy"], "steps": []},
]
GIVEN = {
    "ada": [
        {"faithful": 4, "multihop": "yes", "step": ["yes", "no"]},
        {"faithful": 2, "multihop": "no", "why": "=HYPERLINK()", "step": ["yes"]},
        {"faithful": 3, "multihop": "yes"},
    ],
    "ben": [
        {"faithful": 3, "multihop": "yes", "step": ["yes", "yes"]},
        {"faithful": 1, "multihop": "no", "step": ["yes"]},
        {"faithful": 4, "multihop": "yes"},
    ],
}


@pytest.fixture
def rated(project: Any, tmp_path: Path) -> Batch:
    """Three items, each rated by two workers."""

    def make() -> Batch:
        file = tmp_path / "items.jsonl"
        file.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
        dataset_import.import_dataset(project, file, format="jsonl", name="made")
        batch = create_batch(
            project,
            "ratings",
            task="rate",
            datasets=[Dataset.objects.get(slug="made")],
            options={"rubric": RUBRIC},
            assignments_per_hit=2,
        )
        batch_launch.launch(batch)
        rows = [
            {"dataset": "made", "item": k, "worker": worker, "answer": answer}
            for worker, answers in GIVEN.items()
            for k, answer in enumerate(answers)
        ]
        responses = tmp_path / "responses.jsonl"
        responses.write_text("".join(json.dumps(row) + "\n" for row in rows))
        import_responses(batch, responses)
        return batch

    return replayed("ratings", make, project)


def long_rows(batch: Batch, path: Path) -> list[dict[str, Any]]:
    export_responses(batch, path, format="jsonl", long=True)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_worker_reads_the_words_of_the_page_in_the_list_of_responses() -> None:
    criterion = {
        "name": "hops", "kind": "choice", "ask": {"en": "More than one passage?", "de": "Mehr als ein Absatz?"},
        "each": None, "values": ["yes", "no"], "labels": [["yes", {"en": "Yes, two", "de": "Ja, zwei"}]], "if": {},
    }  # fmt: skip
    payload = {"criteria": [criterion], "lists": {}, "candidates": {}}
    assert words_of(task_type("rate"), payload, {"hops": "yes"}, to_worker=True) == "More than one passage? Yes, two"
    with translation.override("de"):
        assert words_of(task_type("rate"), payload, {"hops": "yes"}, to_worker=True) == "Mehr als ein Absatz? Ja, zwei"
    assert words_of(task_type("rate"), payload, {"hops": "yes"}) == "hops: yes"


def test_a_response_from_elsewhere_is_stored_without_what_was_not_asked(rated: Batch) -> None:
    stored = [row.current.answer for row in rated.assignments.filter(hit__item__position=1).order_by("pk")]
    assert stored[0] == {"faithful": 2, "multihop": "no", "why": "=HYPERLINK()", "step": ["yes"]}
    assert stored[1] == {"faithful": 1, "multihop": "no", "why": "", "step": ["yes"]}


def test_the_long_file_has_a_row_for_each_criterion_and_element(rated: Batch, tmp_path: Path) -> None:
    rows = long_rows(rated, tmp_path / "long.jsonl")
    # item a: faithful, multihop, why, two steps; item b: one step; item c: no step
    assert len(rows) == 2 * (5 + 4 + 3)
    first = [row for row in rows if row["item_id"] == "a" and row["value"] in ("yes", "no") and row["element"] == 1]
    assert [(row["criterion"], row["element_id"], row["value"], row["asked"]) for row in first] == [
        ("step", "s2", "no", True),
        ("step", "s2", "yes", True),
    ]
    unasked = [row for row in rows if not row["asked"]]
    assert {(row["criterion"], row["value"]) for row in unasked} == {("why", None)}
    assert len(unasked) == 4
    assert list(rows[0]) == [
        *["dataset", "item", "item_id", "hit", "worker", "revision", "current", "submitted_at", "excluded", "seconds"],
        *["criterion", "element", "element_id", "value", "asked"],
    ]


def test_tables_have_a_column_for_each_criterion_and_no_formula(rated: Batch, tmp_path: Path) -> None:
    export_responses(rated, tmp_path / "wide.csv", format="csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "wide.csv").read_text())))
    of_a = [row for row in rows if row["item_id"] == "a"]
    assert [(r["rating_faithful"], r["rating_multihop"], r["rating_why"], r["rating_step"]) for r in of_a] == [
        ("4", "yes", "", '["yes", "no"]'),
        ("3", "yes", "", '["yes", "yes"]'),
    ]
    assert "'=HYPERLINK()" in {row["rating_why"] for row in rows}
    export_responses(rated, tmp_path / "long.csv", format="csv", long=True)
    long = list(csv.DictReader(io.StringIO((tmp_path / "long.csv").read_text())))
    assert {row["value"] for row in long if row["criterion"] == "faithful"} == {"1", "2", "3", "4"}


def test_every_door_gives_the_ratings(rated: Batch, alice: Any, client: Any) -> None:
    got = caller(alice).get(f"batches/{rated.slug}/responses/export/csv/?long=true")
    client.force_login(alice)
    page = client.get(reverse("batch-export", args=["wells", rated.slug, "csv"]) + "?long=1")
    assert b"".join(got.streaming_content) == b"".join(page.streaming_content)
    assert page["Content-Disposition"] == 'attachment; filename="ratings-ratings.csv"'
    assert "A row for each rating" in client.get(reverse("batch", args=["wells", rated.slug])).content.decode()


def test_another_task_has_no_ratings(batch: Batch, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no ratings"):
        export_responses(batch, tmp_path / "none.csv", format="csv", long=True)
    assert not (tmp_path / "none.csv").exists()


def test_a_dataset_of_the_results_has_aggregates_votes_and_numbers(rated: Batch) -> None:
    create_results_dataset(rated, name="checked")
    # the two disagree on a step of item a, which is left out until somebody decides
    found = list(examples_of(Dataset.objects.whole().get(slug="checked")))
    assert [example.id for example in found] == ["b", "c"]
    assert found[0].extra["ratings"] == {
        "faithful": {"value": 1.5, "n": 2, "votes": {"1": 1, "2": 1}},
        "multihop": {"value": "no", "n": 2, "votes": {"no": 2}},
        "why": {"value": ["=HYPERLINK()"], "n": 2},
        "step": [{"value": "yes", "n": 2, "votes": {"yes": 2}}],
    }


def test_an_expression_says_which_results_are_kept(rated: Batch, alice: Any, client: Any) -> None:
    create_results_dataset(rated, name="good", keep="faithful >= 3 and multihop == yes")
    made = Dataset.objects.whole().get(slug="good")
    assert [example.id for example in examples_of(made)] == ["c"]
    assert made.lineage["keep"] == "faithful >= 3 and multihop == yes"
    assert made.report["dropped"] == {"tied": 1, "does not fulfil the expression": 1}
    client.force_login(alice)
    kept = reverse("results-dataset-kept", args=["wells", rated.slug])
    assert "Keeps 2 of 3 items" in client.get(kept, {"keep": "multihop == yes"}).content.decode()
    assert "no criterion “natural”" in client.get(kept, {"keep": "natural > 2"}).content.decode()
    wrong = caller(alice).post(f"batches/{rated.slug}/create-dataset/", name="x", keep="natural > 2")
    assert wrong.status_code == 409
    assert "no criterion “natural”" in wrong.json()["detail"]


def test_the_expression_holds_at_each_door(rated: Batch, alice: Any, client: Any) -> None:
    keep = "faithful >= 3 and multihop == yes"
    assert caller(alice).post(f"batches/{rated.slug}/create-dataset/", name="api", keep=keep).status_code == 202
    client.force_login(alice)
    page = client.post(reverse("results-dataset-new", args=["wells", rated.slug]), {"name": "page", "keep": keep})
    assert page.status_code == 303
    work_off()
    call_command("create_results_dataset", rated.slug, "--name", "command", "--keep", keep, "--project", "wells")
    for name in ("api", "page", "command"):
        assert [example.id for example in examples_of(Dataset.objects.whole().get(slug=name))] == ["c"], name


def test_other_tasks_cannot_be_selected_by_an_expression(batch: Batch) -> None:
    with pytest.raises(Refused, match="Only ratings"):
        create_results_dataset(batch, name="x", keep="faithful >= 3")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"natural": 3}, "no criterion 'natural'; it has faithful, multihop, why, step"),
        ({"faithful": 4, "multihop": "yes", "step": ["yes"]}, "step must list a value for each of the 2 of steps"),
        ({"faithful": 5, "multihop": "yes", "step": ["yes", "no"]}, "Choose a point of the scale."),
        (["yes"], "must be an object"),
    ],
)
def test_a_wrong_response_from_elsewhere_says_what_is_wrong(
    rated: Batch, tmp_path: Path, answer: Any, said: str
) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps({"dataset": "made", "item": 0, "worker": "cleo", "answer": answer}) + "\n")
    with pytest.raises(Exception, match=said.replace("(", r"\(")):
        import_responses(rated, file)


def test_who_adjudicates_decides_criterion_by_criterion(rated: Batch, alice: Any, client: Any) -> None:
    hit = rated.hits.get(item__position=0)
    page = reverse("adjudicate-hit", args=["wells", rated.slug, hit.public_id])
    client.force_login(alice)
    assert client.post(reverse("hit-open", args=["wells", rated.slug, hit.public_id])).status_code < 400
    html = client.get(page).content.decode()
    _action, fields = read_form(html, "decide")
    # what both say stands there, what they disagree about is open
    assert fields["r-multihop"] == ["yes"]
    assert fields["r-step-0"] == ["yes"]
    assert "r-faithful" not in fields
    assert "r-step-1" not in fields
    wrong = client.post(page, {**fields, "write": "1", "r-faithful": "4"})
    assert wrong.status_code == 422
    assert "“Supported?”: Choose one of the answers." in wrong.content.decode()
    assert read_form(wrong.content.decode(), "decide")[1]["r-faithful"] == ["4"]
    decided = client.post(page, {**fields, "write": "1", "r-faithful": "4", "r-step-1": "no"})
    assert decided.status_code == 303
    create_results_dataset(rated, name="checked")
    first = next(iter(examples_of(Dataset.objects.whole().get(slug="checked"))))
    assert first.id == "a"
    values = {name: cell and cell["value"] for name, cell in first.extra["ratings"].items() if name != "step"}
    assert values == {"faithful": 4, "multihop": "yes", "why": None}
    assert [cell["value"] for cell in first.extra["ratings"]["step"]] == ["yes", "no"]
    html = client.get(page).content.decode()
    assert "faithful: 4; multihop: yes; step: yes × 1, no × 1" in html


PRACTICE = {"item": {"question": "Who built it?", "answer": "Ana", "steps": ["Ana."]}, "why": "It says so."}


def test_a_worker_practises_with_the_rubrics_own_items(rated: Batch, bob: Any, client: Any) -> None:
    answer = {"faithful": 4, "multihop": "yes", "step": ["yes"]}
    own = create_batch(
        rated.project,
        "practised",
        task="rate",
        datasets=list(rated.datasets.all()),
        options={"rubric": {**RUBRIC, "practice": [{**PRACTICE, "answer": answer}]}},
        instructions="Read.",
    )
    batch_launch.launch(own)
    participation = next_assignment.join_batch(bob, own)
    next_assignment.read_instructions(participation, version=1)
    client.force_login(bob.user)
    page = reverse("practice", args=[own.pk, 1])
    html = client.get(page).content.decode()
    assert "Who built it?" in html
    assert "It says so." not in html
    wrong = client.post(page, {"r-faithful": "4", "r-multihop": "no", "r-step-0": "yes"}).content.decode()
    assert "“More than one passage?” Right is: yes. It says so." in wrong
    right = client.post(page, {"r-faithful": "4", "r-multihop": "yes", "r-step-0": "yes"}).content.decode()
    assert "Right. It says so." in right


@pytest.mark.parametrize(
    ("practice", "said"),
    [
        ({"answer": {"faithful": 9, "multihop": "yes", "step": ["yes"]}}, "practice[0].answer.faithful: “faithful”"),
        ({"answer": {"faithful": 4, "step": ["yes"]}}, "practice[0].answer.multihop: “multihop” has no value"),
        ({"answer": {"truth": 4}}, "practice[0].answer: has no criterion 'truth'"),
        ({}, "practice[0]: Give an object with “item”, “answer” and “why”."),
    ],
)
def test_a_practice_item_with_an_impossible_response_is_refused(project: Any, practice: Any, said: str) -> None:
    rubric = {**RUBRIC, "practice": [{**PRACTICE, **practice}]}
    with pytest.raises(InvalidSettings) as refused:
        create_batch(project, "x", task="rate", datasets=list(project.datasets.all()), options={"rubric": rubric})
    assert said in str(refused.value)


def test_an_export_read_again_has_the_same_results(rated: Batch, tmp_path: Path) -> None:
    export_responses(rated, tmp_path / "out.jsonl", format="jsonl")
    exported = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    again = create_batch(
        rated.project, "again", task="rate", datasets=list(rated.datasets.all()), options=rated.options,
        assignments_per_hit=2,
    )  # fmt: skip
    batch_launch.launch(again)
    rows = [{name: row[name] for name in ("dataset", "item", "worker", "answer")} for row in exported]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_responses(again, tmp_path / "in.jsonl")
    first, second = (score_batch(batch) for batch in (rated, again))
    tables = [{each["name"]: each["rows"] for each in content["tables"]} for content in (first, second)]
    for rows in tables:  # pseudonyms are new
        rows["by-worker"] = sorted((row[1:] for row in rows["by-worker"]), key=json.dumps)
    assert tables[0] == tables[1]


def test_marks_are_offered_once_for_all_who_made_them() -> None:
    given = [
        {"letter": "A", "fields": {"r-ev": "0:0:7"}},
        {"letter": "B", "fields": {"r-ev": "0:0:7"}},
        {"letter": "C", "fields": {"r-ev": "1:2:4"}},
        {"letter": "D", "fields": {"r-ev": ""}},
        {"letter": "E", "fields": {}},
    ]
    assert given_in(given, "r-ev") == {"0:0:7": "A, B", "1:2:4": "C"}
