"""Samples drawn by a model's confidence: the draw, estimates beside a second implementation, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from scipy import optimize, stats

from annotation import jobs
from annotation.flow.batches import add_items, batch_drafts, batch_launch, experiments
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.batches.parsing import parse
from annotation.flow.batches.settings import stored
from annotation.flow.data.response_files import export_responses
from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores, dataset_documents, methods_facts, preregistration
from annotation.flow.reports.model_predictions import delete_predictions
from annotation.flow.review import results_dataset
from annotation.flow.review.response_import import import_responses
from annotation.flow.setting_values import InvalidSettings
from annotation.models import Batch, Hit
from annotation.pure.reports import methods
from annotation.pure.reports.headline import headline
from annotation.pure.reports.report_values import table_of, tables_of
from annotation.pure.reports.tables import cell_text, note_of
from tests.api.calling import caller
from tests.batches import create_batch
from tests.flow.reports.test_model_figures import CHOICE, SCALE, predict, rows_of
from tests.flow.review.test_response_import import lines
from tests.flow.scored import imported
from tests.management.conftest import Run, run  # noqa: F401 - a fixture
from tests.replaying import replayed

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]
near = pytest.approx
ITEMS, SAMPLE = 300, 90
TERMS: JSON = {"task": "rate", "instructions": "Read.", "assignments_per_hit": 2, "sample": SAMPLE, "seed": 5}
RNG = random.Random(11)
TRUTH = [RNG.random() < 0.4 for _item in range(ITEMS)]
SURE = [round(RNG.uniform(0.5, 1), 3) for _item in range(ITEMS)]
SAID = ["yes" if TRUTH[i] == (RNG.random() < SURE[i]) else "no" for i in range(ITEMS)]
PREDICTED = [{"item": i, "answer": {"sound": SAID[i]}, "confidence": SURE[i]} for i in range(ITEMS)]


def drafted(project: Any, folder: Path, criteria: list[JSON] | None = None, **other: Any) -> Batch:
    """A draft of ratings whose sample is to be drawn by confidence."""
    records = [{"id": f"i{k}", "question": f"Question {k}?", "paragraphs": [], "answers": []} for k in range(ITEMS)]
    datasets = [project.datasets.filter(slug="reviews").first() or imported(project, folder, "reviews", records)]
    options = {"rubric": {"show": ["question"], "criteria": criteria or [CHOICE]}}
    return create_batch(
        project, "judged", datasets=datasets, options=options, **{**TERMS, "sample_by": "confidence"} | other
    )


def answer(batch: Batch, folder: Path, people: int = 3) -> None:
    """People's responses to what was drawn, mostly right."""
    rng = random.Random(3)
    rows = []
    for item in sorted(batch.hits.values_list("item__position", flat=True)):
        for w in range(people):
            said = "yes" if TRUTH[item] == (rng.random() < 0.9) else "no"
            rows.append({"dataset": "reviews", "item": item, "worker": f"w{w}", "answer": {"sound": said}})
    import_responses(batch, lines(folder / "said", rows))


@pytest.fixture
def drawn(project: Any, tmp_path: Path) -> Batch:
    def make() -> Batch:
        batch = drafted(project, tmp_path)
        predict(batch, tmp_path, PREDICTED)
        batch_launch.launch(batch)
        answer(batch, tmp_path)
        return batch

    return replayed("drawn by confidence", make, project)


def chances_of(batch: Batch) -> dict[int, float]:
    return dict(batch.hits.values_list("item__position", "inclusion_probability"))


def test_chances_follow_the_confidence_and_are_those_of_a_second_implementation(drawn: Batch) -> None:
    size = np.sqrt(np.array(SURE) * (1 - np.array(SURE)))
    least = 0.1 * SAMPLE / ITEMS
    scale = optimize.brentq(lambda x: np.clip(x * size, least, 1).sum() - SAMPLE, 0, 1e3, xtol=1e-15)
    chances = np.clip(scale * size, least, 1)
    found = chances_of(drawn)
    assert len(found) == SAMPLE
    assert [found[item] for item in sorted(found)] == near([chances[item] for item in sorted(found)], abs=1e-9)
    assert fmean(SURE[item] for item in found) < fmean(SURE) - 0.02
    with pytest.raises(IntegrityError), transaction.atomic():
        drawn.hits.update(inclusion_probability=1.01)
    with pytest.raises(IntegrityError), transaction.atomic():
        drawn.hits.update(inclusion_probability=0)


def test_the_estimate_weighs_items_as_a_second_implementation_does(drawn: Batch) -> None:
    content = batch_scores.score_batch(drawn)
    assert json.loads(json.dumps(content)) == content
    chances = chances_of(drawn)
    items = sorted(chances)
    said: dict[int, list[float]] = {}
    for row in drawn.assignments.submitted().select_related("hit__item"):
        said.setdefault(row.hit.item.position, []).append(row.responses.get().answer["sound"] == "yes")
    y, f = np.array([fmean(said[i]) for i in items]), np.array([one == "yes" for one in SAID], dtype=float)
    own, w = f[items], np.array([1 / chances[i] for i in items])
    share = w / w.sum()
    together = share @ ((y - share @ y) * (own - share @ own))
    rate = together / f.var(ddof=1)
    rest = y - rate * own
    value = rate * f.mean() + share @ rest
    variance = rate**2 * f.var() / ITEMS + share**2 @ (rest - share @ rest) ** 2
    half = stats.t.ppf(0.975, SAMPLE - 1) * np.sqrt(variance)
    rows = [row for row in rows_of(content, "people-and-model-sound") if row["Label"] == "yes"]
    both, people = rows[0]["Share"], rows[1]["Share"]
    assert (both["value"], both["low"], both["high"]) == near((value, value - half, value + half), abs=1e-9)
    assert people["value"] == near(share @ y, abs=1e-9)
    assert rows[0]["Items used, judged by the model"] == ITEMS
    assert rows[0]["Effective n"] == round(w.sum() ** 2 / (w**2).sum())
    gain = (share @ (rest - share @ rest) ** 2 / SAMPLE) / (share**2 @ (rest - share @ rest) ** 2)
    assert gain > 1
    assert cell_text(rows[0]["Uniform n (gain)"]) == f"{SAMPLE * gain:.0f} (+{100 * (gain - 1):.0f} %)"
    note = note_of(table_of(content, "people-and-model-sound") or {})
    assert "drawn by the confidence of oracle; each weighs 1/π" in note
    assert "random sample" not in note
    [first] = headline(content)
    assert first.figure["value"] == near(value, abs=1e-9)


def test_all_other_figures_are_refused_with_the_reason(drawn: Batch, alice: Any, client: Any) -> None:
    batch_launch.close(drawn)
    content = batch_scores.score_batch(drawn)
    names = {table["name"] for table in tables_of(content)}
    assert "people-and-model-sound" in names
    assert not {name for name in names if re.match("criteria|alpha|agreement|model-|alternative|gold|by-", name)}
    reason = "are left out: human score, upper bound, shares, alpha and other agreement"
    client.force_login(alice)
    address = reverse("report", args=[drawn.project.slug, drawn.slug])
    page = client.get(address).content.decode()
    assert reason in page
    assert "Judged by people and a model: sound" in page
    markdown = client.get(reverse("report-export", args=[drawn.project.slug, drawn.slug, "markdown"])).content.decode()
    assert reason in markdown
    reply = caller(alice).get("batches/judged/report/").json()
    assert reason in reply["content"]["warnings"][0]["message"]
    assert "criteria" not in {table["name"] for table in reply["tables"]}
    compared = client.get(reverse("compare", args=[drawn.project.slug]), {"one": "judged"}).content.decode()
    assert "were drawn by a model’s confidence. A comparison needs a uniform sample" in compared
    of = {"of": "answerers", "batch": "judged", "one": drawn.project.pseudonym(drawn.assignments.all()[0].worker_id)}
    compared = client.get(reverse("compare", args=[drawn.project.slug]), of).content.decode()
    assert "A comparison needs a uniform sample" in compared
    assert "<td" not in compared


def test_a_part_of_the_batch_has_the_reason_and_no_figures(drawn: Batch, alice: Any, client: Any) -> None:
    batch_launch.close(drawn)
    content = batch_scores.score_batch(drawn, part=BatchPart.of({"dataset": "reviews"}).of_report)
    assert "models" not in content
    client.force_login(alice)
    page = client.get(reverse("report", args=[drawn.project.slug, drawn.slug]), {"dataset": "reviews"})
    assert "need a uniform sample and are left out" in page.content.decode()
    assert "<pre>" not in page.content.decode()


def test_exports_datasets_documents_and_the_api_say_how_items_were_drawn(
    drawn: Batch, alice: Any, tmp_path: Path
) -> None:
    chances = chances_of(drawn)
    export_responses(drawn, tmp_path / "r.csv", format="csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert {int(row["item"]): float(row["inclusion_probability"]) for row in rows} == near(chances)
    export_responses(drawn, tmp_path / "long.jsonl", format="jsonl", long=True)
    row = json.loads((tmp_path / "long.jsonl").read_text().splitlines()[0])
    assert row["inclusion_probability"] == near(chances[row["item"]])
    made = results_dataset.create_results_dataset(drawn, name="checked")
    dataset = drawn.project.datasets.get(slug="checked")
    steps = {one.source_id: one.example.extra["provenance"][-1] for one in dataset.items.all()}
    assert {int(name[1:]): step["inclusion_probability"] for name, step in steps.items()}.items() <= chances.items()
    assert steps, made
    hit = caller(alice).get("batches/judged/hits/").json()["results"][0]
    assert hit["inclusion_probability"] == near(chances[hit["item"]])
    dataset_documents.export_datasheet(dataset, tmp_path / "sheet.md")
    assert "How its items were drawn: by the confidence of the model `oracle`" in (tmp_path / "sheet.md").read_text()
    assert "drawn by the confidence c of the model oracle" in methods.in_words(methods_facts.facts_of(drawn, None))
    assert preregistration.settings_of(drawn)["sample_by"] == "confidence"


def test_the_draw_is_seeded_and_a_uniform_batch_has_no_chances(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path)
    predict(batch, tmp_path, PREDICTED)
    first = sorted(hit.item_id for hit in batch_drafts.samples(batch, ITEMS))
    batch_launch.launch(batch)
    assert sorted(batch.hits.values_list("item", flat=True)) == first
    clone = add_items.clone(batch)
    assert (clone.sample_by, add_items.next_items(batch, 5).sample_by) == ("confidence", "uniform")
    with pytest.raises(Refused, match="import a model’s predictions with their confidence"):
        batch_launch.launch(clone)
    uniform = create_batch(project, "plain", datasets=batch.datasets.all(), options=batch.options, **TERMS)
    batch_launch.launch(uniform)
    assert set(uniform.hits.values_list("inclusion_probability", flat=True)) == {None}
    assert len(set(uniform.hits.values_list("item", flat=True)) & set(first)) < SAMPLE


def test_what_was_predicted_after_the_draw_is_in_no_estimate_and_the_rest_stays(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path)
    predict(batch, tmp_path, PREDICTED[:200])
    told = batch_launch.launch(batch)["warnings"]
    assert "oracle has no confidence for 100 of 300 items, so these cannot be drawn and are in no estimate." in told
    assert max(chances_of(batch)) < 200
    answer(batch, tmp_path)
    predict(batch, tmp_path, PREDICTED[200:])
    predict(batch, tmp_path, PREDICTED, model="another")
    rows = rows_of(batch_scores.score_batch(batch), "people-and-model-sound")
    assert {row["Items used, judged by the model"] for row in rows} <= {200, SAMPLE, 0}
    assert {row["Model"] for row in rows} == {"oracle", "another"}
    with pytest.raises(Refused, match="drawn by the confidence of oracle, so its predictions stay"):
        delete_predictions(batch, "oracle")
    assert delete_predictions(batch, "another") == ITEMS


def sure(rows: list[JSON], **other: Any) -> list[JSON]:
    return [{**row, **other} for row in rows]


UNLAUNCHED: list[tuple[list[tuple[str, list[JSON]]], JSON, str]] = [
    ([], {}, "import a model’s predictions with their confidence"),
    ([("oracle", sure(PREDICTED, confidence=None))], {}, "import a model’s predictions with their confidence"),
    ([("one", PREDICTED), ("two", PREDICTED)], {}, r"Several models have a confidence \(one, two\)"),
    ([("oracle", PREDICTED)], {"sample": ITEMS}, "The sample takes all items"),
    ([("oracle", PREDICTED[:50])], {}, "The sample takes all items"),
]


@pytest.mark.parametrize(("models", "terms", "why"), UNLAUNCHED)
def test_a_launch_is_refused_without_one_model_by_which_to_draw(
    models: list[tuple[str, list[JSON]]], terms: JSON, why: str, project: Any, tmp_path: Path, alice: Any, client: Any
) -> None:
    batch = drafted(project, tmp_path, **terms)
    for name, rows in models:
        predict(batch, tmp_path, rows, name)
    with pytest.raises(Refused, match=why):
        batch_launch.launch(batch)
    batch.refresh_from_db()
    assert (batch.state, Hit.objects.count()) == (Batch.State.DRAFT, 0)
    reply = caller(alice).post("batches/judged/launch/")
    assert reply.status_code == 202
    jobs.run_due_work()
    job = caller(alice).get(f"jobs/{reply.json()['id']}/").json()
    assert job["state"] == "failed"
    assert re.search(why, job["error"])
    client.force_login(alice)
    assert client.get(reverse("batch-edit", args=[project.slug, "judged"])).status_code == 200


def test_items_that_other_batches_hold_back_stop_the_draw(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path, unseen_only=True)
    same = {"datasets": batch.datasets.all(), "options": batch.options}
    other = create_batch(project, "before", **same, **TERMS | {"sample": 9})
    batch_launch.launch(other)
    predict(batch, tmp_path, PREDICTED)
    with pytest.raises(Refused, match="Other batches use or reserve 9 of the items for which oracle has a confidence"):
        batch_launch.launch(batch)


def test_several_runs_give_the_confidence(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path)
    runs = [[said, said, said if i % 3 else "no"] for i, said in enumerate(SAID)]
    predict(batch, tmp_path, [{"item": i, "answer": {"sound": s}} for i, own in enumerate(runs) for s in own])
    batch_launch.launch(batch)
    split = {i for i, own in enumerate(runs) if len(set(own)) > 1}
    found = chances_of(batch)
    assert min(found[i] for i in found if i in split) > max(found[i] for i in found if i not in split)


UNFIT: list[tuple[JSON, str]] = [
    ({"task": "answer", "options": {}}, "Its own, such as the human score and the upper bound, need a uniform sample."),
    ({"sample": None}, "Enter how many items to draw."),
    ({"sample_by": "chance"}, "is not a valid choice"),
]


@pytest.mark.parametrize(("changed", "why"), UNFIT)
def test_settings_that_do_not_allow_it_are_refused_beside_the_field(
    changed: JSON, why: str, project: Any, dataset: Any, alice: Any, tmp_path: Path
) -> None:
    batch = drafted(project, tmp_path)
    datasets = {"datasets": [dataset]} if "task" in changed else {}
    with pytest.raises(InvalidSettings) as refused:
        parse(project, stored(batch) | {"name": "other"} | changed | datasets)
    assert why in refused.value.problems["sample_by"][0]
    names = {"datasets": ["wells"]} if "task" in changed else {}
    reply = caller(alice).patch("batches/judged/", **changed, **names)
    assert reply.status_code == 422
    assert "sample_by" in {row["field"] for row in reply.json()["errors"]}


def test_arms_need_uniform_samples(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path)
    other = add_items.clone(batch, sample_by="uniform")
    with pytest.raises(Refused, match="scores of arms need a uniform sample"):
        experiments.join(project, "arms", [batch, other])
    Batch.objects.filter(pk=batch.pk).update(sample_by="uniform")
    experiments.join(project, "arms", [batch, other])
    batch.refresh_from_db()
    with pytest.raises(InvalidSettings, match="Arms of an experiment"):
        parse(project, {"sample_by": "confidence"}, batch=batch)


def test_the_page_offers_it_only_to_a_draft_with_confidences(
    project: Any, tmp_path: Path, alice: Any, client: Any
) -> None:
    client.force_login(alice)
    assert 'name="sample_by"' not in client.get(reverse("batch-new", args=[project.slug])).content.decode()
    batch = drafted(project, tmp_path, sample_by="uniform")
    edit = reverse("batch-edit", args=[project.slug, "judged"])
    predict(batch, tmp_path, sure(PREDICTED, confidence=None), "unsure")
    assert 'name="sample_by"' not in client.get(edit).content.decode()
    predict(batch, tmp_path, PREDICTED)
    assert 'name="sample_by"' in client.get(edit).content.decode()


def test_commands_draft_predict_and_launch(project: Any, tmp_path: Path, run: Run) -> None:  # noqa: F811
    batch = drafted(project, tmp_path, sample_by="uniform")
    rubric = tmp_path / "rubric.json"
    rubric.write_text(json.dumps(batch.options["rubric"]))
    create = ["create_batch", "drawn", "--project", project.slug, "--task", "rate", "--rubric", rubric, "--dataset"]
    create += ["reviews", "--sample", SAMPLE, "--sample-by", "confidence", "--assignments", 2]
    refused = run(*create)
    assert refused.code == 1
    assert "import a model’s predictions with their confidence" in refused.err
    assert "import a model’s predictions with their confidence" in run(*create, "--quote").err
    assert not Batch.objects.filter(slug="drawn").exists(), "it was only made to be launched"
    assert run(*create, "--draft").code == 0
    predictions = lines(tmp_path / "p.jsonl", PREDICTED)
    stored_ = run("import_predictions", "reviews", predictions, "--model", "oracle", "--batch", "drawn", "--project",
                  project.slug)  # fmt: skip
    assert stored_.code == 0, stored_.err
    assert run(*create, "--quote").code == 0
    launched = run(*create)
    assert launched.code == 0, launched.err
    made = Batch.objects.get(slug="drawn")
    assert (made.state, made.models.count(), sum(one is not None for one in chances_of(made).values())) == (
        "open", 1, SAMPLE,
    )  # fmt: skip


def test_means_have_the_estimate_on_their_scale(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path, [SCALE])
    rng = random.Random(2)
    stars = [rng.randint(1, 5) for _item in range(ITEMS)]
    predict(batch, tmp_path, [{"item": i, "answer": {"stars": s}, "confidence": SURE[i]} for i, s in enumerate(stars)])
    batch_launch.launch(batch)
    chances = chances_of(batch)
    rows = [
        {"dataset": "reviews", "item": i, "worker": "w", "answer": {"stars": min(5, stars[i] + i % 2)}}
        for i in chances
    ]  # fmt: skip
    import_responses(batch, lines(tmp_path / "said", rows))
    content = batch_scores.score_batch(batch)
    [first] = headline(content)
    row = rows_of(content, "people-and-model-stars")[0]
    assert (first.figure["value"], first.figure["points"]) == (row["Mean"]["value"], True)
    people = rows_of(content, "people-and-model-stars")[1]["Mean"]["value"]
    weights = np.array([1 / chances[i] for i in chances])
    values = np.array([min(5, stars[i] + i % 2) for i in chances])
    assert people == near(weights @ values / weights.sum(), abs=0.0006)
    assert cell_text(row["Rests on"]).startswith("People and the model")


def test_it_goes_with_no_suggestions(project: Any, tmp_path: Path) -> None:
    batch = drafted(project, tmp_path)
    predict(batch, tmp_path, PREDICTED)
    with pytest.raises(InvalidSettings, match="needs a uniform sample"):
        parse(project, stored(batch) | {"suggest": "judge"}, batch=batch)
