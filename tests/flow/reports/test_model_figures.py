"""Models beside people in a batch's report: its figures beside a second implementation, and what it refuses to say."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from scipy import stats

from annotation.flow.batches import batch_launch
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports import batch_scores
from annotation.flow.reports.model_predictions import delete_predictions, import_predictions, store_predictions
from annotation.flow.review import problem_reports
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch
from annotation.pure.reports.model_estimates import REFUSED
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import cell_text, note_of
from tests.batches import create_batch
from tests.flow.review.test_response_import import lines
from tests.flow.scored import imported
from tests.replaying import replayed

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]
near = pytest.approx
ITEMS, JUDGED = 400, 120
CHOICE = {"name": "sound", "ask": "Is it sound?", "choice": ["yes", "no"]}
SCALE = {"name": "stars", "ask": "How many stars?", "scale": [1, 5]}
Given = dict[str, dict[int, Any]]  # person -> item -> value


def judged(
    project: Any,
    folder: Path,
    criteria: list[JSON],
    given: dict[str, dict[int, JSON]],
    size: int,
    *,
    fields: Callable[[int], JSON] = lambda _k: {},
    by: str = "",
) -> Batch:
    """A batch of ratings of items that have these fields, with people's responses; its report has strata `by` one."""
    blank = {"paragraphs": [], "answers": []}
    records = [{"id": f"i{k}", "question": f"Question {k}?", **blank, **fields(k)} for k in range(size)]
    dataset = imported(project, folder, "reviews", records)
    terms: JSON = {"assignments_per_hit": len(given), "instructions": "Read."}
    terms["options"] = {"rubric": {"show": ["question"], "criteria": criteria}, "by": by}
    batch = create_batch(project, "judged", task="rate", datasets=[dataset], **terms)
    batch_launch.launch(batch)
    rows = [
        {"dataset": "reviews", "item": item, "worker": person, "answer": answer}
        for person, own in given.items()
        for item, answer in own.items()
    ]
    import_responses(batch, lines(folder / "judged.said", rows))
    return batch


def predict(batch: Batch, folder: Path, rows: list[JSON], model: str = "oracle") -> None:
    import_predictions(batch, batch.datasets.get(), lines(folder / "p.jsonl", rows), model=model)


def study(seed: int, people: int = 3) -> tuple[Given, dict[int, str], dict[int, float]]:
    """People's labels of the first items, a model's of all, and its confidences."""
    rng = random.Random(seed)
    truth = [rng.random() < 0.4 for _item in range(ITEMS)]

    def label(item: int, right: float) -> str:
        return "yes" if truth[item] == (rng.random() < right) else "no"

    given = {f"w{w}": {i: label(i, 0.9) for i in range(JUDGED)} for w in range(people)}
    return given, {i: label(i, 0.85) for i in range(ITEMS)}, {i: round(rng.random(), 2) for i in range(ITEMS)}


def rows_of(content: JSON, name: str) -> list[JSON]:
    found = table_of(content, name)
    assert found, name
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


@pytest.fixture
def beside(project: Any, tmp_path: Path) -> tuple[Batch, Given, dict[int, str], dict[int, float]]:
    def make() -> tuple[Batch, Given, dict[int, str], dict[int, float]]:
        given, model, sure = study(7)
        people = {person: {i: {"sound": said} for i, said in own.items()} for person, own in given.items()}
        batch = judged(project, tmp_path, [CHOICE], people, ITEMS)
        predict(batch, tmp_path, [{"item": i, "answer": {"sound": model[i]}, "confidence": sure[i]} for i in model])
        return batch, given, model, sure

    return replayed("a model beside people", make, project)


def others_majority(given: Given, item: int, person: str = "") -> dict[str, float]:
    counts = Counter(own[item] for name, own in given.items() if name != person and item in own)
    top = [label for label in counts if counts[label] == max(counts.values())]
    return dict.fromkeys(top, 1 / len(top))


def test_model_and_annotators_stand_on_the_same_reference(beside: Any) -> None:
    batch, given, model, sure = beside
    content = batch_scores.score_batch(batch)
    assert json.loads(json.dumps(content["models"])) == content["models"], "it is stored as JSON"
    [row] = rows_of(content, "model-agreement-sound")
    shares = {
        who: fmean(
            fmean(others_majority(given, i, person).get(said(person, i), 0.0) for i in own)
            for person, own in given.items()
        )
        for who, said in (("people", lambda person, i: given[person][i]), ("model", lambda _person, i: model[i]))
    }
    assert row["Annotators with the other annotators"]["value"] == near(shares["people"])
    assert row["Model with the same annotators"]["value"] == near(shares["model"])
    assert row["Model minus annotators"]["value"] == near(shares["model"] - shares["people"])
    full = [others_majority(given, i).get(model[i], 0.0) for i in range(JUDGED)]
    assert row["Model with the majority of all"]["value"] == near(fmean(full))
    assert (row["Items"], row["Annotators"]) == (JUDGED, 3)
    assert "With fewer than seven annotators" in note_of(table_of(content, "model-agreement-sound") or {})

    counts: defaultdict[tuple[str, str], float] = defaultdict(float)
    for person, own in given.items():
        for i in own:
            for label, chance in others_majority(given, i, person).items():
                counts[label, model[i]] += chance
    cells = rows_of(content, "model-confusion-sound")
    assert {(r["Majority of the others"], r["Label"]): r["By the model"] for r in cells} == near(dict(counts), abs=0.05)
    yes, no = rows_of(content, "model-rates-sound")
    assert yes["Model says so"]["value"] == near(counts["yes", "yes"] / (counts["yes", "yes"] + counts["yes", "no"]))
    assert no["Model says so"]["value"] == near(counts["no", "no"] / (counts["no", "no"] + counts["no", "yes"]))
    brier = fmean((sure[i] - full[i]) ** 2 for i in range(JUDGED))  # three people, two labels: no ties
    assert rows_of(content, "model-calibration-sound")[-1]["Brier score"] == near(brier, abs=0.0006)


def test_the_estimate_is_that_of_a_second_implementation_beside_people_and_model_alone(beside: Any) -> None:
    batch, given, model, _sure = beside
    content = batch_scores.score_batch(batch)
    f = np.array([float(model[i] == "yes") for i in range(ITEMS)])
    y = np.array([fmean(float(own[i] == "yes") for own in given.values()) for i in range(JUDGED)])
    own, rest = f[:JUDGED], f[JUDGED:]
    n, others = len(own), len(rest)
    rate = np.mean((y - y.mean()) * (own - own.mean())) / ((1 + n / others) * np.var(f, ddof=1))
    value = rate * rest.mean() + (y - rate * own).mean()
    half = stats.t.ppf(0.975, n - 1) * np.sqrt(rate**2 * rest.var() / others + (y - rate * own).var() / n)
    rows = [row for row in rows_of(content, "people-and-model-sound") if row["Label"] == "yes"]
    both, people, alone, bias = (row["Share"] for row in rows)
    assert (both["value"], both["low"], both["high"]) == near((value, value - half, value + half), abs=1e-9)
    assert people["value"] == near(y.mean())
    assert alone["value"] == near(f.mean())
    assert bias["value"] == near((own - y).mean())
    assert both["high"] - both["low"] < people["high"] - people["low"]
    numbers = [(row["Items used, judged by people"], row["Items used, judged by the model"]) for row in rows]
    assert numbers == [(n, ITEMS), (n, 0), (0, ITEMS), (n, n)]
    assert cell_text(rows[0]["Rests on"]).startswith("People and the model: as precise as ")
    note = note_of(table_of(content, "people-and-model-sound") or {})
    assert "Items judged by oracle: 400; of these judged by people: 120; annotators: 3." in note
    assert "Where people judged more than 5 % of a model’s items" in note


def test_people_alone_are_printed_with_a_bound_where_the_model_hardly_differs(project: Any, tmp_path: Path) -> None:
    given, _model, _sure = study(7, people=1)
    people = {person: {i: {"sound": said} for i, said in own.items()} for person, own in given.items()}
    batch = judged(project, tmp_path, [CHOICE], people, ITEMS)
    same = given["w0"] | {0: "no" if given["w0"][0] == "yes" else "yes"}
    predict(batch, tmp_path, [{"item": i, "answer": {"sound": same.get(i, "no")}} for i in range(ITEMS)])
    content = batch_scores.score_batch(batch)
    first, alone = rows_of(content, "people-and-model-sound")[:2]
    assert first["Share"] == alone["Share"]
    assert first["Items used, judged by the model"] == 0
    most = 100 * stats.binomtest(1, JUDGED).proportion_ci(method="wilson").high
    said = cell_text(first["Rests on"])
    assert said == (
        "People alone: the model differed from people on 1 of 120 judged items: its error rate is at most "
        f"{most:.1f} % (upper 95 % limit)."
    )
    assert table_of(content, "model-agreement-sound") is None, "one annotator has no others"
    assert table_of(content, "alternative-annotator-sound") is None


def test_the_alternative_annotator_test_is_that_of_a_second_implementation(beside: Any) -> None:
    batch, given, model, _sure = beside
    content = batch_scores.score_batch(batch)
    chances, ahead = {}, {}
    for person, own in given.items():
        shares = [
            [fmean(given[p][i] == label for p in given if p != person) for label in (model[i], own[i])] for i in own
        ]
        f, h = (np.array([float(s[k] >= s[1 - k]) for s in shares]) for k in (0, 1))
        chances[batch.project.pseudonym(worker_of(batch, person))] = stats.ttest_1samp(
            h - f, 0.1, alternative="less"
        ).pvalue
        ahead[person] = f.mean()
    persons = {row["Worker"]: row for row in rows_of(content, "alternative-annotator-by-worker-sound")}
    assert {name: row["p"] for name, row in persons.items()} == near(chances, abs=0.00006)
    beaten = stats.false_discovery_control(list(chances.values()), method="by") <= 0.05
    [row] = rows_of(content, "alternative-annotator-sound")
    assert row["ω (%)"] == near(100 * beaten.mean(), abs=0.05)
    assert row["ρ (%)"] == near(100 * fmean(ahead.values()), abs=0.05)
    assert [cell_text(persons[name]["Model may replace"]) for name in chances] == [
        "yes" if one else "no" for one in beaten
    ]
    assert (row["Annotators tested"], row.get("With too few items", 0)) == (3, 0)
    assert "ε = 0.1 in all batches." in note_of(table_of(content, "alternative-annotator-sound") or {})


def worker_of(batch: Batch, person: str) -> int:
    return batch.assignments.filter(worker__external_id__endswith=person).values_list("worker", flat=True)[0]


def test_nothing_is_tested_below_thirty_items(project: Any, tmp_path: Path) -> None:
    given = {f"w{w}": {i: {"sound": "yes"} for i in range(29)} for w in range(2)}
    batch = judged(project, tmp_path, [CHOICE], given, 29)
    predict(batch, tmp_path, [{"item": i, "answer": {"sound": "yes"}} for i in range(29)])
    content = batch_scores.score_batch(batch)
    [row] = rows_of(content, "alternative-annotator-sound")
    assert "ω (%)" not in row
    assert (row["With too few items"], row.get("Annotators tested", 0)) == (2, 0)
    assert table_of(content, "alternative-annotator-by-worker-sound") is None
    assert "with at least 30 items" in note_of(table_of(content, "alternative-annotator-sound") or {})
    said = {cell_text(one["Rests on"]) for one in rows_of(content, "people-and-model-sound") if one["Rests on"]}
    assert said == {REFUSED["all judged"]}


def test_scales_have_means_in_their_points_and_several_runs_the_nearest_point(project: Any, tmp_path: Path) -> None:
    rng = random.Random(3)
    people = {f"w{w}": {i: {"stars": rng.randint(1, 5)} for i in range(60)} for w in range(2)}
    batch = judged(project, tmp_path, [SCALE, CHOICE | {"required": False}], people, 200)
    stars = {i: [rng.randint(1, 5) for _run in range(3)] for i in range(200)}
    rows = [{"item": i, "answer": {"stars": s}, "confidence": 0.9} for i, runs in stars.items() for s in runs]
    predict(batch, tmp_path, rows)
    content = batch_scores.score_batch(batch)
    both, alone, model, bias = rows_of(content, "people-and-model-stars")
    y = np.array([fmean(own[i]["stars"] for own in people.values()) for i in range(60)])
    f = np.array([fmean(runs) for runs in stars.values()])
    assert alone["Mean"]["value"] == near(y.mean(), abs=1e-9)
    assert model["Mean"]["value"] == near(f.mean(), abs=1e-9)
    assert bias["Mean"]["value"] == near((f[:60] - y).mean(), abs=1e-9)
    [of_people] = [row["Mean"] for row in rows_of(content, "criteria") if row["Criterion"] == "stars"]
    assert 1 < of_people["low"] < both["Mean"]["value"] == of_people["value"] < of_people["high"] < 5
    assert (both["Mean"]["low"], alone["Mean"]["low"]) == (None, None), "people alone: their interval is above"
    [row] = rows_of(content, "model-agreement-stars")
    nearest = {i: min(range(1, 6), key=lambda point: abs(point - f[i])) for i in range(60)}
    equal = [nearest[i] == own[i]["stars"] for own in people.values() for i in range(60)]
    assert row["Model with the same annotators"]["value"] == near(np.mean(equal))
    assert table_of(content, "model-calibration-stars") is None, "the confidence is about both criteria"
    assert table_of(content, "people-and-model-sound") is None, "nobody was asked"


def test_excluded_items_and_parts_of_a_batch_have_no_figures_of_models(beside: Any) -> None:
    batch, *_rest = beside
    problem_reports.exclude(batch.hits.get(item__position=0), reason="Two questions")
    content = batch_scores.score_batch(batch)
    counts = [row["Items used, judged by the model"] for row in rows_of(content, "people-and-model-sound")[:4]]
    assert counts == [ITEMS - 1, 0, ITEMS - 1, JUDGED - 1]
    part = BatchPart.of({"dataset": "reviews"})
    assert "models" not in batch_scores.score_batch(batch, part=part), "the part's others are unknown"


def test_a_report_is_out_of_date_once_predictions_come_or_go(beside: Any, tmp_path: Path) -> None:
    batch, *_rest = beside
    batch_scores.score_batch(batch)
    assert batch_scores.cached_report(batch)
    item = batch.datasets.get().items.order_by("pk")[0]
    store_predictions(batch, "another", [{"item": item.pk, "run": 1, "answer": {"sound": "yes"}}])
    assert batch_scores.cached_report(batch) is None
    batch_scores.score_batch(batch)
    delete_predictions(batch, "another")
    assert batch_scores.cached_report(batch) is None
    delete_predictions(batch, "oracle")
    assert "models" not in batch_scores.score_batch(batch)


def test_page_and_files_have_the_same_tables(beside: Any, alice: Any, client: Any) -> None:
    batch, *_rest = beside
    batch_launch.close(batch)
    content = batch_scores.score_batch(batch)
    client.force_login(alice)
    html = client.get(reverse("report", args=[batch.project.slug, batch.slug])).content.decode()
    assert "Judged by people and a model: sound" in html
    share = rows_of(content, "people-and-model-sound")[0]["Share"]["value"]
    for suffix, words in (("csv", f"{100 * share:.6f}"), ("tex", f"{100 * share:.1f}"), ("md", f"{100 * share:.1f}")):
        address = reverse("report-table", args=[batch.project.slug, batch.slug, "people-and-model-sound", suffix])
        assert words in client.get(address).content.decode()


def test_tasks_with_one_label_have_the_same_figures(project: Any, tmp_path: Path) -> None:
    texts = [{"title": "A", "text": "One."}, {"title": "B", "text": "Two."}]
    records = [
        {"id": f"i{k}", "question": f"Who is {k}?", "paragraphs": texts, "answers": ["One"], "answerable": True}
        for k in range(40)
    ]
    dataset = imported(project, tmp_path, "pairs", records)
    batch = create_batch(
        project, "pairs-1", task="sufficiency", datasets=[dataset], assignments_per_hit=2, instructions="Read."
    )
    batch_launch.launch(batch)
    label = {"verdict": "sufficient"}
    rows = [{"dataset": "pairs", "item": k, "worker": w, "answer": label} for k in range(30) for w in ("ana", "ben")]
    import_responses(batch, lines(tmp_path / "said", rows))
    predict(batch, tmp_path, [{"item": k, "answer": label} for k in range(40)])
    [row] = rows_of(batch_scores.score_batch(batch), "model-agreement-label")
    assert row["Model with the same annotators"]["value"] == 1
