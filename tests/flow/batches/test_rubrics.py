"""A rubric through page, API and commands: refused alike, checked with the items, used again, frozen."""

from __future__ import annotations

import hashlib
import json
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_import, item_editing, response_files
from annotation.flow.errors import Refused
from annotation.flow.reports import methods_facts, preregistration
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch, Dataset, Item
from annotation.pure.data.column_mapping import ColumnMapping
from annotation.pure.reports import methods
from annotation.pure.text import structured
from tests.api.calling import caller
from tests.batches import create_batch
from tests.management.conftest import Run, run
from tests.views.batches.test_launch import form

pytestmark = pytest.mark.django_db
__all__ = ["run"]

ROWS: list[dict[str, Any]] = [
    {"summary": "The well was dug in 1802.", "steps": ["Read.", "Sum."], "label": "good", "long": "x" * 10},
    {"summary": "The inn is new.", "steps": ["Guess."], "label": "bad", "long": "x" * 10},
    {"summary": "The port is closed.", "steps": [], "label": "bad", "long": "x" * 300_000},
]
STEP = {"name": "step", "each": "steps", "ask": "Is it sound?", "choice": ["yes", "no"]}
RUBRIC: dict[str, Any] = {
    "title": "Check summaries",
    "show": ["summary"],
    "criteria": [STEP],
}
YAML = """
title: Check summaries
show: [summary]
criteria:
  - name: step
    each: steps
    ask: Is it sound?
    choice: [yes, no]
"""
BROKEN: list[tuple[Any, str]] = [
    ("{'a': 1,,}", "This is neither JSON nor YAML: line 1, column 2"),
    (
        RUBRIC | {"criteria": [RUBRIC["criteria"][0] | {"choice": ["no", "no"]}]},
        "criteria[0].choice: “no” stands twice.",
    ),
    (RUBRIC | {"show": ["text"]}, "show[0]: Items have no field “text”; they have summary, steps, label, long."),
    (
        {"criteria": [STEP | {"each": "summary"}]},
        "criteria[0].each: Items have no list “summary”; they have summary, steps, label, long.",
    ),
]


@pytest.fixture
def records(project: Any, tmp_path: Path) -> Dataset:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    dataset_import.import_dataset(project, file, format="jsonl", name="records", mapping=ColumnMapping())
    return Dataset.objects.get(slug="records")


def posted(dataset: Dataset, rubric: Any, **other: Any) -> dict[str, Any]:
    text = rubric if isinstance(rubric, str) else json.dumps(rubric)
    given = {"option-rubric": text, "option-agree": "0", "proposed_for": f"rate.{dataset.pk}"}
    return form(dataset, task="rate", **given | other)


@pytest.mark.parametrize(("rubric", "text"), BROKEN)
def test_a_wrong_rubric_is_refused_by_all_doors_in_the_same_words(
    rubric: Any, text: str, client: Any, alice: Any, records: Dataset, run: Run, tmp_path: Path
) -> None:
    client.force_login(alice)
    page = client.post(reverse("batch-new", args=["wells"]), posted(records, rubric))
    html = unescape(page.content.decode())
    assert page.status_code == 422
    assert text in html.partition('id="id_option-rubric_error"')[2].partition("</div>")[0]
    live = client.post(reverse("batch-consequences", args=["wells"]), posted(records, rubric))
    assert text in unescape(live.content.decode())
    sent = caller(alice).post("batches/", title="b", task="rate", datasets=["records"], options={"rubric": rubric})
    assert sent.status_code == 422
    [error] = sent.json()["errors"]
    assert (error["field"], text in error["detail"]) == ("options.rubric", True)
    file = tmp_path / "rubric.json"
    file.write_text(rubric if isinstance(rubric, str) else json.dumps(rubric))
    common = ("--dataset", "records", "--project", "wells")
    for command in (("create_batch", "b", "--task", "rate", "--rubric", file), ("rubric", file)):
        ended = run(*command, *common)
        assert (ended.code, text in ended.err) == (1, True)
    assert not Batch.objects.exists()


def test_yaml_is_read_as_json_is_and_its_yes_and_no_stay_texts(
    client: Any, alice: Any, records: Dataset, run: Run, tmp_path: Path
) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), posted(records, YAML))
    upload = SimpleUploadedFile("rubric.yaml", YAML.encode())
    files = {"option-rubric-file": upload, "title": "Uploaded"}
    assert client.post(reverse("batch-new", args=["wells"]), posted(records, "", **files)).status_code == 303
    (tmp_path / "r.yaml").write_text(YAML)
    made = ("create_batch", "c", "--task", "rate", "--rubric", tmp_path / "r.yaml", "--dataset", "records")
    assert run(*made, "--project", "wells").code == 0
    assert [batch.options["rubric"] for batch in Batch.objects.order_by("pk")] == [RUBRIC] * 3


@pytest.mark.parametrize(
    "text", ["a: &x [1]\nb: [*x, *x]", "a: b: c", "just words", "", "[" * 5000, "a: !!python/object:x {}"]
)
def test_what_is_no_plain_object_is_refused(text: str) -> None:
    with pytest.raises(structured.NotStructured):
        structured.read(text)


def test_without_the_library_yaml_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(structured.NotStructured, match="pip install pyyaml"):
        structured.read(YAML)
    assert structured.read('{"a": 1}') == {"a": 1}


def test_an_uploaded_rubric_and_that_of_an_earlier_batch_fill_the_field(
    client: Any, alice: Any, project: Any, records: Dataset
) -> None:
    client.force_login(alice)
    create_batch(project, "first", task="rate", datasets=[records], options={"rubric": RUBRIC})
    asked = posted(records, "")
    shown = client.post(reverse("batch-consequences", args=["wells"]), asked | {"again": "first"}).content.decode()
    assert "&quot;Check summaries&quot;" in shown
    assert '<option value="first">' in shown
    upload = {"option-rubric-file": SimpleUploadedFile("rubric.yaml", YAML.encode())}
    assert (
        "title: Check summaries"
        in client.post(reverse("batch-consequences", args=["wells"]), asked | upload).content.decode()
    )
    other = client.post(reverse("batch-consequences", args=["wells"]), asked | {"task": "answer"}).content.decode()
    assert 'name="again"' not in other


def test_items_are_left_out_with_their_own_reasons(
    client: Any, alice: Any, project: Any, records: Dataset, run: Run, tmp_path: Path
) -> None:
    wide = {
        "show": ["summary", "long"],
        "criteria": [*RUBRIC["criteria"], {"name": "fine", "ask": "?", "scale": [1, 4]}],
    }
    plain = create_batch(project, "plain", task="rate", datasets=[records], options={"rubric": RUBRIC})
    assert [row["why"] for row in batch_launch.launch(plain)["left_out"]] == ["Nothing is left to ask about it."]
    large = create_batch(project, "large", task="rate", datasets=[records], options={"rubric": wide})
    assert "Too much for one page" in batch_launch.launch(large)["left_out"][0]["why"]
    client.force_login(alice)
    live = client.post(reverse("batch-consequences", args=["wells"]), posted(records, RUBRIC, sample=""))
    assert "Nothing is left to ask about it." in live.content.decode()
    (tmp_path / "r.json").write_text(json.dumps(RUBRIC))
    told = run("rubric", tmp_path / "r.json", "--dataset", "records", "--project", "wells", "--json").document
    assert (told["rated"], told["left_out"]) == (2, {"Nothing is left to ask about it.": 1})
    assert told["items"][0]["shows"] == {"summary": "The well was dug in 1802."}
    assert told["items"][0]["asks"] == {"step": "Is it sound? choice [yes, no] (2 × steps)"}
    assert told["most_controls"] == 4
    words = run("rubric", tmp_path / "r.json", "--dataset", "records", "--project", "wells").out
    assert "1 items are left out: Nothing is left to ask about it." in words


def test_a_launch_checks_the_rubric_with_the_items_as_they_are_then(project: Any, records: Dataset) -> None:
    batch = create_batch(project, "late", task="rate", datasets=[records], options={"rubric": RUBRIC})
    for item in records.items.all():
        example = item.example
        item_editing.edit(item, item_editing.read(example.as_json() | {"extra": {"summary": example.extra["summary"]}}))
    with pytest.raises(Refused, match="Items have no field “steps”"):
        batch_launch.launch(batch)
    assert Batch.objects.get().state == Batch.State.DRAFT


def test_a_rubric_is_fixed_at_the_launch(alice: Any, project: Any, records: Dataset) -> None:
    batch = create_batch(project, "fixed", task="rate", datasets=[records], options={"rubric": RUBRIC})
    other = {"rubric": RUBRIC | {"title": "Other"}}
    assert caller(alice).patch("batches/fixed/", options=other).status_code == 200
    batch.refresh_from_db()
    batch_launch.launch(batch)
    refused = caller(alice).patch("batches/fixed/", options={"rubric": RUBRIC})
    assert refused.status_code in (409, 422)
    batch.refresh_from_db()
    assert batch.options["rubric"]["title"] == "Other"


def test_a_rubric_that_shows_the_gold_answer_says_so(
    client: Any, alice: Any, dataset: Dataset, run: Run, tmp_path: Path
) -> None:
    said = "The rubric shows “answer”, so workers see the gold answer."
    shown = {"show": ["question", "answer"], "criteria": [{"name": "fine", "ask": "Fine?", "scale": [1, 4]}]}
    client.force_login(alice)
    page = client.post(reverse("batch-consequences", args=["wells"]), posted(dataset, shown))
    assert said in page.content.decode()
    (tmp_path / "r.json").write_text(json.dumps(shown))
    common = ("--dataset", dataset.slug, "--project", "wells")
    assert said in run("rubric", tmp_path / "r.json", *common).out
    assert said in run("create_batch", "told", "--task", "rate", "--rubric", tmp_path / "r.json", *common).err


def test_gold_that_no_item_has_is_a_warning_at_every_door(
    client: Any, alice: Any, records: Dataset, run: Run, tmp_path: Path
) -> None:
    said = "criteria[0].gold: Items have no field “lable”; they have summary, steps, label, long."
    criterion = {"name": "good", "ask": "Good?", "choice": ["good", "bad"], "gold": "lable"}
    client.force_login(alice)
    common = ("--dataset", "records", "--project", "wells")
    for gold, is_told in (("lable", True), ("label", False)):
        rubric = {"show": ["summary"], "criteria": [criterion | {"gold": gold}]}
        page = client.post(reverse("batch-consequences", args=["wells"]), posted(records, rubric, sample=""))
        assert page.status_code == 200
        assert (said in unescape(page.content.decode())) == is_told
        (tmp_path / "r.json").write_text(json.dumps(rubric))
        ended = run("rubric", tmp_path / "r.json", *common)
        assert (ended.code, said in ended.out) == (0, is_told)
        made = run("create_batch", gold, "--task", "rate", "--rubric", tmp_path / "r.json", *common)
        assert (made.code, said in made.err) == (0, is_told)


def test_a_table_leaves_out_ids_unless_they_are_named(records: Dataset, run: Run, tmp_path: Path) -> None:
    lines = [{"claims": [{"id": "c1", "says": "Dry."}, {"says": "Wet."}], "meta": {"id": "m1", "year": 1802}}]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    dataset_import.import_dataset(
        records.project, tmp_path / "claims.jsonl", format="jsonl", name="claims", mapping=ColumnMapping()
    )
    show = ["claims", "meta", "claims.id", "meta.id"]
    rubric = {"show": show, "criteria": [{"name": "fine", "ask": "Fine?", "scale": [1, 4]}]}
    (tmp_path / "r.json").write_text(json.dumps(rubric))
    told = run("rubric", tmp_path / "r.json", "--dataset", "claims", "--project", "wells", "--json").document
    shows = told["items"][0]["shows"]
    assert json.loads(shows["claims"]) == {"columns": ["says"], "rows": [["Dry."], ["Wet."]]}
    assert json.loads(shows["meta"]) == {"columns": ["year"], "rows": [["1802"]]}
    assert (json.loads(shows["claims.id"]), shows["meta.id"]) == (["c1", ""], "m1")


def test_the_preview_is_answered_as_a_test(client: Any, alice: Any, records: Dataset) -> None:
    client.force_login(alice)
    looked = client.post(reverse("batch-new", args=["wells"]), posted(records, YAML, look="1", sample=""))
    page = client.get(looked.url)
    assert "Is it sound?" in page.content.decode()
    assert "good" not in page.content.decode().partition("<main")[2]
    answers = {f"r-step-{k}": "yes" for k in range(2)}
    tested = client.post(looked.url, answers)
    assert "Your test answer is complete" in tested.content.decode()
    assert Item.objects.count() == len(ROWS)


def test_the_hash_of_the_rubric_stands_in_exports_methods_preregistration_and_settings(
    client: Any, alice: Any, project: Any, records: Dataset, tmp_path: Path
) -> None:
    batch = create_batch(project, "hashed", task="rate", datasets=[records], options={"rubric": RUBRIC})
    canonical = json.dumps(RUBRIC, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    client.force_login(alice)
    assert preregistration.settings_of(batch)["options"]["rubric_sha256"] == sha256
    batch_launch.launch(batch)
    rows = tmp_path / "given.jsonl"
    rows.write_text(json.dumps({"dataset": "records", "item": 1, "worker": "ada", "answer": {"step": ["no"]}}) + "\n")
    import_responses(batch, rows)
    for format in ("jsonl", "csv"):
        response_files.export_responses(batch, tmp_path / f"out.{format}", format=format)
        assert sha256 in (tmp_path / f"out.{format}").read_text()
    again = create_batch(project, "again", task="rate", datasets=[records], options={"rubric": RUBRIC})
    batch_launch.launch(again)
    assert import_responses(again, tmp_path / "out.jsonl")["accepted"] == 1
    facts = methods_facts.facts_of(batch, {})
    assert any(sha256[:12] in str(sentence) for sentence in methods.sentences(facts))
    page = client.get(reverse("batch-settings", args=["wells", "hashed"])).content.decode()
    assert sha256 in page
    assert "of each of steps" in page
    assert "{&#x27;" not in page
