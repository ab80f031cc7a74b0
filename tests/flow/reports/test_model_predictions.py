"""Models' predictions for a batch's task: checked as responses are, stored apart, several runs as one prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError

from annotation.flow.batches import batch_drafts, batch_launch
from annotation.flow.batches.confidence_draw import CombinedPrediction, predictions_of
from annotation.flow.batches.parsing import parse
from annotation.flow.data import dataset_import
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.errors import Refused
from annotation.flow.projects import recycle_bin
from annotation.flow.reports import batch_scores
from annotation.flow.reports.model_predictions import (
    delete_predictions,
    import_predictions,
    models_of,
    payloads_of,
    store_predictions,
)
from annotation.models import Assignment, AuditEntry, Batch, BatchModel, Dataset, ModelPrediction, Worker
from annotation.pure.data.column_mapping import ColumnMapping
from tests.batches import create_batch
from tests.conftest import write_records
from tests.flow.review.test_response_import import lines
from tests.management.conftest import Run, run
from tests.replaying import replayed

__all__ = ["run"]
pytestmark = pytest.mark.django_db

RUBRIC: dict[str, Any] = {
    "title": "Check summaries",
    "show": ["summary"],
    "criteria": [
        {"name": "fluent", "ask": "How fluent is it?", "scale": [1, 5]},
        {"name": "kind", "ask": "What kind?", "choice": ["fact", "story"]},
        {"name": "sound", "each": "steps", "ask": "Is it sound?", "choice": ["yes", "no"]},
    ],
}
GOOD = {"fluent": 4, "kind": "fact", "sound": ["yes", "no"]}


def dataset_of(project: Any, folder: Path, size: int) -> Dataset:
    rows = [{"id": f"s{k}", "summary": f"Summary {k}.", "steps": ["Read.", f"Sum {k}."]} for k in range(size)]
    file = lines(folder / "records.jsonl", rows)
    mapping = ColumnMapping.of([("id", "id")])
    dataset_import.import_dataset(project, file, format="jsonl", name="summaries", mapping=mapping)
    return Dataset.objects.get(slug="summaries")


@pytest.fixture
def rated(project: Any, tmp_path: Path) -> Batch:
    """A batch in which people see two of five items."""

    def make() -> Batch:
        dataset = dataset_of(project, tmp_path, 5)
        batch = create_batch(project, "rated", task="rate", datasets=[dataset], sample=2, options={"rubric": RUBRIC})
        batch_launch.launch(batch)
        batch.refresh_from_db()
        return batch

    return replayed("rated and predicted", make, project)


def brought(batch: Batch, folder: Path, rows: list[dict[str, Any]], model: str = "m") -> dict[str, Any]:
    return import_predictions(batch, batch.datasets.get(), lines(folder / "p.jsonl", rows), model=model)


def by_position(batch: Batch, model: str = "m") -> dict[int, CombinedPrediction]:
    positions = dict(batch.datasets.get().items.values_list("pk", "position"))
    return {positions[one.item_id]: one for one in predictions_of(batch, model)}


def test_a_model_judges_every_item_while_people_see_two(rated: Batch, tmp_path: Path) -> None:
    assert rated.hits.count() == 2
    rows = [{"item": f"s{k}", "answer": GOOD | {"fluent": k + 1}, "confidence": 0.5, "cost": 0.001} for k in range(5)]
    result = brought(rated, tmp_path, rows)
    assert (result["read"], result["accepted"], result["already_there"]) == (5, 5, False)
    found = by_position(rated)
    assert [found[k].answer["fluent"] for k in range(5)] == [1, 2, 3, 4, 5]
    assert {(one.confidence, one.runs) for one in found.values()} == {(0.5, 1)}
    assert models_of(rated) == ["m"]
    assert AuditEntry.objects.get(act="predictions imported").details == {"model": "m", "number": 5}


def test_predictions_are_no_responses(rated: Batch, tmp_path: Path) -> None:
    workers = Worker.objects.count()
    before = list(rated.hits.order_by("pk").values())
    brought(rated, tmp_path, [{"item": k, "answer": GOOD} for k in range(5)])
    assert not Assignment.objects.exists()
    assert Worker.objects.count() == workers
    assert list(rated.hits.order_by("pk").values()) == before


def test_the_same_file_again_changes_nothing_and_another_answer_is_refused(rated: Batch, tmp_path: Path) -> None:
    rows = [{"item": k, "answer": GOOD} for k in range(3)]
    brought(rated, tmp_path, rows)
    assert brought(rated, tmp_path, rows)["already_there"]
    assert brought(rated, tmp_path, [*rows, {"item": 3, "answer": GOOD}])["accepted"] == 1
    with pytest.raises(ImportRefused, match="m already has another prediction for an item in run 1"):
        brought(rated, tmp_path, [{"item": 4, "answer": GOOD}, {"item": 0, "answer": GOOD | {"fluent": 1}}])
    assert sorted(by_position(rated)) == [0, 1, 2, 3]
    assert brought(rated, tmp_path, [{"item": 0, "answer": GOOD | {"fluent": 1}}], model="other")["accepted"] == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"item": 9, "answer": GOOD}, "line 2, item: the dataset has no item 9"),
        ({"item": True, "answer": GOOD}, "line 2, item: not a position or an id"),
        ({"item": 1}, "line 2, answer.fluent: Choose a point of the scale"),
        ({"item": 1, "answer": GOOD | {"fluent": 6}}, "line 2, answer.fluent: Choose a point of the scale"),
        ({"item": 1, "answer": GOOD | {"sound": ["yes"]}}, "line 2, answer: sound must list a value for each of the 2"),
        ({"item": 1, "answer": GOOD | {"nice": 1}}, "line 2, answer: has no criterion 'nice'"),
        ({"item": 1, "answer": GOOD, "confidence": 70}, "line 2, confidence: not a number in the range"),
        ({"item": 1, "answer": GOOD, "cost": -1}, "line 2, cost: not a number in the range"),
        ({"item": 1, "answer": GOOD, "run": 0}, "line 2, run: not a whole number from 1"),
        ({"item": 1, "answer": GOOD, "run": "1e9999999"}, "line 2, run: not a whole number from 1"),
        ({"item": 0, "answer": GOOD, "run": 1}, "line 2, run: this item has a prediction of this run already"),
    ],
)
def test_a_wrong_line_is_named_with_its_field_and_nothing_is_stored(
    rated: Batch, tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ImportRefused) as refused:
        brought(rated, tmp_path, [{"item": 0, "answer": GOOD}, wrong])
    assert message in str(refused.value)
    assert not ModelPrediction.objects.exists()
    assert models_of(rated) == []


def test_several_runs_are_one_prediction(rated: Batch, tmp_path: Path) -> None:
    runs = [
        GOOD,
        GOOD | {"fluent": 5, "kind": "story", "sound": ["no", "no"]},
        GOOD | {"fluent": 5, "kind": "story", "sound": ["yes", "no"]},
    ]
    brought(rated, tmp_path, [{"item": 0, "answer": answer} for answer in runs])
    found = by_position(rated)[0]
    assert found.answer == {"fluent": pytest.approx(14 / 3), "kind": "story", "sound": ["yes", "no"]}
    assert found.runs == 3
    assert found.confidence == pytest.approx((2 / 3 + 2 / 3 + 2 / 3 + 1) / 4)
    given = [
        {"item": 1, "answer": answer, "confidence": share} for answer, share in zip(runs, (1, 0, 0.5), strict=True)
    ]
    brought(rated, tmp_path, given)
    assert by_position(rated)[1].confidence == pytest.approx(0.5)


def test_a_single_run_without_a_confidence_has_none(rated: Batch, tmp_path: Path) -> None:
    brought(rated, tmp_path, [{"item": 0, "answer": GOOD}])
    assert by_position(rated)[0].confidence is None


def test_ratings_stand_in_columns_with_a_line_for_each_element(rated: Batch, tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text(
        "item,element,fluent,kind,sound,confidence\ns0,0,4,fact,yes,0.8\ns0,1,,,no,\n1,1,2,story,no,\n1,0,,,yes,\n"
    )
    assert import_predictions(rated, rated.datasets.get(), file, model="m")["accepted"] == 2
    found = by_position(rated)
    assert (found[0].answer, found[0].confidence) == (GOOD, 0.8)
    assert found[1].answer == {"fluent": 2, "kind": "story", "sound": ["yes", "no"]}
    file.write_text("item,element,fluent,kind,sound\ns2,2,4,fact,yes\n")
    with pytest.raises(ImportRefused, match="line 2, answer: element must be a position from 0 to 1, not '2'"):
        import_predictions(rated, rated.datasets.get(), file, model="m")


def test_answers_of_another_task_are_checked_and_the_most_frequent_wins(batch: Batch, tmp_path: Path) -> None:
    answers = [{"kind": "answer", "text": text, "support": [0]} for text in ("Tower 0", "Tower", "Tower 0")]
    with pytest.raises(ImportRefused, match=r"line 1, answer"):
        brought(batch, tmp_path, [{"item": 0, "answer": {"kind": "perhaps"}}])
    brought(batch, tmp_path, [{"item": 0, "answer": answer} for answer in answers])
    [found] = predictions_of(batch, "m")
    assert found.answer["text"] == "Tower 0"
    assert found.confidence == pytest.approx(2 / 3)


def test_what_a_draft_asks_stays_once_models_have_predictions(project: Any, rated: Batch, tmp_path: Path) -> None:
    given = {"name": "draft", "title": "Draft", "task": "rate", "datasets": [rated.datasets.get()]}
    given |= {"options": {"rubric": RUBRIC}, "instructions": "Read."}
    draft = batch_drafts.create_batch(project, parse(project, given))
    checked = Batch.objects.get(pk=draft.pk)
    reworded = {"options": {"rubric": RUBRIC | {"title": "Reworded"}}}
    batch_drafts.change_batch(draft, parse(project, given | reworded, batch=draft))
    with pytest.raises(Refused, match="changed in the meantime"):
        store_predictions(checked, "m", [])
    batch_drafts.change_batch(draft, parse(project, given, batch=draft))
    brought(draft, tmp_path, [{"item": k, "answer": GOOD} for k in range(5)])
    for other in (reworded, {"seed": 7}):
        with pytest.raises(Refused, match=r"predictions for this draft \(m\), so its task, options, seed"):
            batch_drafts.change_batch(draft, parse(project, given | other, batch=draft))
    batch_drafts.change_batch(draft, parse(project, given | {"title": "Another", "sample": 2}, batch=draft))
    batch_launch.launch(draft)
    payloads = payloads_of(draft, draft.datasets.get().items.values_list("pk", flat=True))
    assert len(payloads) == len(by_position(draft)) == 5
    assert draft.hits.count() == 2


def test_a_draft_keeps_its_datasets_and_may_have_more_once_models_have_predictions(
    project: Any, batch: Batch, tmp_path: Path
) -> None:
    dataset_import.import_dataset(project, write_records(tmp_path / "more.jsonl", 2), format="jsonl", name="more")
    own, other = batch.datasets.get(), Dataset.objects.get(slug="more")
    given = {"name": "draft", "title": "Draft", "task": "answer", "datasets": [own]}
    draft = batch_drafts.create_batch(project, parse(project, given))
    brought(draft, tmp_path, [{"item": 0, "answer": {"kind": "answer", "text": "Tower 0", "support": [0]}}])
    with pytest.raises(Refused, match="datasets stay"):
        batch_drafts.change_batch(draft, parse(project, given | {"datasets": [other]}, batch=draft))
    batch_drafts.change_batch(draft, parse(project, given | {"datasets": [own, other]}, batch=draft))
    delete_predictions(draft, "m")
    batch_drafts.change_batch(draft, parse(project, given | {"datasets": [other]}, batch=draft))
    assert draft.datasets.get() == other


def test_a_foreign_dataset_is_refused(dataset: Dataset, rated: Batch, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="not a dataset of this batch"):
        import_predictions(rated, dataset, lines(tmp_path / "p.jsonl", [{"item": 0, "answer": GOOD}]), model="m")


def test_deleting_takes_one_model_and_says_so(rated: Batch, tmp_path: Path) -> None:
    for model in ("a", "b"):
        brought(rated, tmp_path, [{"item": 0, "answer": GOOD}], model=model)
    assert delete_predictions(rated, "a") == 1
    assert models_of(rated) == ["b"]
    with pytest.raises(Refused, match=r"no predictions of a\. Models with predictions: b"):
        delete_predictions(rated, "a")
    assert AuditEntry.objects.get(act="predictions deleted").details == {"model": "a", "number": 1}


def test_the_command_imports_and_refuses(rated: Batch, tmp_path: Path, run: Run) -> None:
    good = lines(tmp_path / "good.jsonl", [{"item": 0, "answer": GOOD}])
    bad = lines(tmp_path / "bad.jsonl", [{"item": 0, "answer": {}}])
    said = run(
        "import_predictions", "summaries", good, "--model", "m", "--project", "wells", "--batch", "rated", "--json"
    )
    assert json.loads(said.out)["accepted"] == 1
    said = run("import_predictions", "summaries", bad, "--model", "n", "--project", "wells", "--batch", "rated")
    assert (said.code, models_of(rated)) == (1, ["m"])
    assert "line 1, answer.fluent: Choose a point of the scale." in said.err
    for wrong in ((), ("--batch", "rated", "--format", "squad"), ("--batch", "rated", "--shown", "question")):
        assert run("import_predictions", "summaries", good, "--model", "m", *wrong).code == 2


def test_the_database_refuses_a_run_twice(rated: Batch, tmp_path: Path) -> None:
    brought(rated, tmp_path, [{"item": 0, "answer": GOOD}])
    stored = ModelPrediction.objects.get()
    stored.pk = None
    with pytest.raises(IntegrityError):
        stored.save()


def test_what_another_source_stores_is_stored_once(rated: Batch) -> None:
    item = rated.datasets.get().items.first()
    row = {"item": item.pk, "run": 1, "answer": GOOD}
    assert store_predictions(rated, "m", [row, row]) == 1
    assert store_predictions(rated, "m", [row, row | {"run": 2}]) == 1


def test_a_report_is_stale_once_predictions_come_or_go(rated: Batch, tmp_path: Path) -> None:
    batch_scores.score_batch(rated)
    assert batch_scores.cached_report(rated)
    brought(rated, tmp_path, [{"item": 0, "answer": GOOD}])
    assert batch_scores.cached_report(rated) is None
    batch_scores.score_batch(rated)
    brought(rated, tmp_path, [{"item": 0, "answer": GOOD}])
    assert batch_scores.cached_report(rated), "the same file again changes nothing"
    delete_predictions(rated, "m")
    assert batch_scores.cached_report(rated) is None


def test_predictions_go_with_their_batch(rated: Batch, tmp_path: Path) -> None:
    brought(rated, tmp_path, [{"item": 0, "answer": GOOD}])
    batch_launch.close(rated)
    recycle_bin.remove_batch(rated)
    assert ModelPrediction.objects.count() == 1, "the bin keeps them"
    recycle_bin.erase_batch(rated)
    assert not BatchModel.objects.exists()
    assert not ModelPrediction.objects.exists()
