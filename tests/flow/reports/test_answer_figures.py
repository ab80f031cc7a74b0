"""Judges of answers in a batch's report: beside a second implementation, and on EVOUNA's published judgments."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.reports.model_predictions import import_predictions
from annotation.flow.review import problem_reports
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import cell_text, note_of
from annotation.registry import presets
from tests.batches import create_batch
from tests.flow.reports.test_model_figures import near, rows_of
from tests.flow.review.test_response_import import lines
from tests.flow.scored import imported
from tests.replaying import replayed
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]
RUBRIC = json.loads(presets("rate")["same-answer"].read_text())
PUBLISHED = {"fid": 69.0, "gpt35": 64.0, "chatgpt": 73.5, "gpt4": 76.0, "newbing": 81.0}
WRONG_GOLD = "the answer is wrong"


def asked(project: Any, folder: Path, told: dict[str, list[str]], gold: list[list[str]], *, control: float) -> Batch:
    """A batch of same-answer about the answers of systems to questions with these gold answers."""
    records = [
        {"id": f"q{k}", "question": f"Question {k}?", "paragraphs": [], "answers": of} for k, of in enumerate(gold)
    ]
    dataset = imported(project, folder, "questions", records)
    for system, texts in told.items():
        rows = [
            {"id": f"q{k}", "predicted_answer": text, "predicted_support_idxs": [], "predicted_answerable": True}
            for k, text in enumerate(texts)
        ]
        file = lines(folder / f"{system}.jsonl", rows)
        batch_scores.import_predictions(dataset, file, format="musique", model=system)
    options = {"predictions": ",".join(told), "control": control}
    derive_dataset(dataset, how="candidates", name="judged", options=options, seed=1)
    batch = create_batch(
        project,
        "same",
        task="rate",
        datasets=[project.datasets.get(slug="judged")],
        assignments_per_hit=1,
        instructions="Read.",
        options={"rubric": RUBRIC},
    )
    batch_launch.launch(batch)
    return batch


def say(batch: Batch, folder: Path, said: dict[int, str], worker: str = "ana") -> None:
    """What a person says of the items at these positions."""
    more = {WRONG_GOLD: {"cause": "an error"}}
    rows = [
        {"dataset": "judged", "item": k, "worker": worker, "answer": {"same": one} | more.get(one, {})}
        for k, one in said.items()
    ]
    import_responses(batch, lines(folder / f"{worker}.said", rows))


def predict(batch: Batch, folder: Path, said: dict[int, str], model: str) -> None:
    rows = [{"item": k, "answer": {"same": one}} for k, one in said.items()]
    import_predictions(batch, batch.datasets.get(), lines(folder / "judged.jsonl", rows), model=model)


def items_of(batch: Batch) -> list[JSON]:
    return [item.example.extra | {"id": item.example.id} for item in batch.datasets.get().items.order_by("position")]


def found_by(content: JSON, judge: str) -> dict[str, JSON]:
    """The rows of a judge in the table of accuracies, by system."""
    rows = rows_of(content, "answer-accuracy-same")
    return {row["System"]: row for row in rows if cell_text(row["Judged by"]) == judge}


@pytest.fixture
def sampled(project: Any, tmp_path: Path) -> tuple[Batch, dict[int, str], dict[int, str]]:
    """400 questions, two systems, half of the equal answers asked, of all items 60 %; a good judge of everything."""

    def make() -> tuple[Batch, dict[int, str], dict[int, str]]:
        rng, size = random.Random(4), 400
        gold = [[f"Tarn {k}", f"the tarn {k} of Quill"] for k in range(size)]

        def answer(k: int, exact: float) -> str:
            texts = (f"It was Tarn {k}.", "Tarn", f"the well {k}", "Farrow", "")
            return f"tarn {k}" if rng.random() < exact else rng.choice(texts)

        told = {"one": [answer(k, 0.5) for k in range(size)], "two": [answer(k, 0.1) for k in range(size)]}
        batch = asked(project, tmp_path, told, gold, control=0.5)
        people, judge = {}, {}
        for k, item in enumerate(items_of(batch)):
            right = 0.95 if item["exact_match"] else 0.8 if "It was" in item["candidate"] else 0.15
            is_right = rng.random() < right
            other = rng.choice(["partly", "not", "not", WRONG_GOLD])
            if rng.random() < 0.6:
                people[k] = "same" if is_right else other
            judge[k] = "same" if is_right == (rng.random() < 0.93) else "not"
        say(batch, tmp_path, people)
        predict(batch, tmp_path, judge, "oracle")
        return batch, people, judge

    return replayed("answers of two systems", make, project)


class Second:
    """A second implementation: a system's questions by stratum, from the predictions and what was said."""

    def __init__(self, batch: Batch, system: str, people: dict[int, str], judge: dict[int, str]) -> None:
        counts = batch.datasets.get().report["figures"]["systems"][system]
        own = [(k, item) for k, item in enumerate(items_of(batch)) if system in item["given_by"]]
        strata = {exact: [k for k, item in own if item["exact_match"] is exact] for exact in (True, False)}
        self.size = {True: counts["matching"], False: len(strata[False])}
        self.n, self.empty = counts["questions"], counts["unanswered"]
        self.said = {exact: [people[k] for k in ks if k in people] for exact, ks in strata.items()}
        self.called = {exact: [judge[k] == "same" for k in ks] for exact, ks in strata.items()}
        self.both = {exact: [(people[k], judge[k]) for k in ks if k in people] for exact, ks in strata.items()}
        f1 = {True: [1.0] * counts["matching"], False: [item["f1"] for _k, item in own if not item["exact_match"]]}
        self.f1 = sum(map(sum, f1.values())) / self.n

    def share(self, values: dict[bool, list[Any]], label: Any) -> float:
        return sum(self.size[e] * fmean(v == label for v in values[e]) for e in (True, False)) / self.n

    @property
    def people(self) -> float:
        return self.share(self.said, "same")

    def rate(self, called: bool) -> float:
        """Sensitivity (called) or specificity; empty answers are wrong, and called so."""
        cells: defaultdict[tuple[bool, bool], float] = defaultdict(float)
        for exact, pairs in self.both.items():
            for person, judge in pairs:
                cells[person == "same", judge == "same"] += self.size[exact] / len(pairs)
        cells[False, False] += self.empty
        return cells[called, called] / (cells[called, True] + cells[called, False])

    @property
    def corrected(self) -> float:
        se, sp, q = self.rate(True), self.rate(False), self.share(self.called, True)
        return (q + sp - 1) / (se + sp - 1)


def test_systems_and_judges_are_those_of_a_second_implementation(sampled: Any) -> None:
    batch, people, judge = sampled
    content = batch_scores.score_batch(batch)
    assert json.loads(json.dumps(content["models"])) == content["models"], "it is stored as JSON"
    judges = {(cell_text(row["Judged by"]), row["System"]): row for row in rows_of(content, "answer-judges-same")}
    for system in ("one", "two"):
        own = Second(batch, system, people, judge)
        right = found_by(content, "People")[system]
        assert right["Accuracy or F1"]["value"] == near(own.people, abs=1e-9)
        assert right["Accuracy or F1"]["low"] < own.people < right["Accuracy or F1"]["high"]
        assert (right["Questions"], right["Answers judged"]) == (400, own.empty + sum(map(len, own.said.values())))
        without = own.people / (1 - own.share(own.said, WRONG_GOLD))
        left_out = found_by(content, "People, wrong gold left out")[system]
        assert left_out["Accuracy or F1"]["value"] == near(without, abs=1e-9)
        assert left_out["Questions"] is None, "nobody knows how many of the unjudged have wrong gold"
        exact = found_by(content, "Exact match")[system]
        assert (exact["Accuracy or F1"]["value"], exact["Answers judged"]) == (near(own.size[True] / 400), 400)
        assert found_by(content, "F1")[system]["Accuracy or F1"]["value"] == near(own.f1)
        assert found_by(content, "oracle")[system]["Accuracy or F1"]["value"] == near(
            own.share(own.called, True), abs=1e-9
        )
        row = judges["oracle", system]
        assert row["Sensitivity"]["value"] == near(own.rate(True), abs=1e-9)
        assert row["Specificity"]["value"] == near(own.rate(False), abs=1e-9)
        assert row["Corrected"]["value"] == near(own.corrected, abs=1e-9)
        assert row["Corrected"]["low"] < own.corrected < row["Corrected"]["high"]
        assert abs(own.corrected - own.people) < 0.1
    note = note_of(table_of(content, "answer-accuracy-same") or {})
    matching = sum(Second(batch, system, people, judge).size[True] for system in ("one", "two"))
    assert f"Answers that exact match calls equal to gold: {matching}, of which people judged " in note
    assert "not, or not yet, all of a random sample" in note, "of all items some were judged"


def test_kinds_say_where_exact_match_is_wrong(sampled: Any) -> None:
    batch, people, _judge = sampled
    rows = {
        cell_text(row["Answer and gold"]): row for row in rows_of(batch_scores.score_batch(batch), "answer-kinds-same")
    }
    assert list(rows) == [
        "Equal to it by exact match",
        "Contains it and says more",
        "Part of it",
        "Shares some of its words",
        "Shares no word with it",
    ]
    said = [
        people[k] == "same"
        for k, item in enumerate(items_of(batch))
        for _system in item["given_by"]
        if k in people and item["candidate"].startswith("It was")
    ]
    longer = rows["Contains it and says more"]
    assert (longer["Judged by people"], longer["Right by people"]["value"]) == (len(said), near(fmean(said), abs=0.02))
    assert longer["Right by people"]["low"] > rows["Part of it"]["Right by people"]["high"]
    counts = batch.datasets.get().report["figures"]["systems"]
    assert rows["Equal to it by exact match"]["Answers"] == sum(of["matching"] for of in counts.values())


def test_a_judge_no_better_than_chance_says_that_it_cannot_correct(sampled: Any, tmp_path: Path) -> None:
    batch, _people, judge = sampled
    rng = random.Random(1)
    predict(batch, tmp_path, {k: rng.choice(["same", "not"]) for k in judge}, "coin")
    rows = [row for row in rows_of(batch_scores.score_batch(batch), "answer-judges-same") if row["Judged by"] == "coin"]
    assert [row["Corrected"] for row in rows] == [None, None]
    assert all(cell_text(row["Remark"]).startswith("This judge cannot correct (") for row in rows)


def test_half_of_the_annotators_decide_nothing_and_an_excluded_item_is_in_no_figure(
    project: Any, tmp_path: Path
) -> None:
    told = {"one": ["Tarn", "a fell", "a ford"], "two": ["Tarn", "A fell.", "mine"]}
    batch = asked(project, tmp_path, told, [["Tarn"], ["Fell End"], ["Wick"]], control=1)
    assert [item["given_by"] for item in items_of(batch)] == [["one", "two"], ["one", "two"], ["one"], ["two"]]
    say(batch, tmp_path, {0: "same", 1: "same", 2: "not", 3: "same"})
    say(batch, tmp_path, {1: "partly", 3: "same"}, "ben")
    content = batch_scores.score_batch(batch)
    right = {
        name: (row["Accuracy or F1"]["value"], row["Answers judged"])
        for name, row in found_by(content, "People").items()
    }
    assert right == {"one": (near(1 / 3), 2), "two": (1, 2)}
    assert "as not judged (answers: 2)" in note_of(table_of(content, "answer-accuracy-same") or {})
    remarks = {
        row["System"]: cell_text(row["Remark"])
        for row in rows_of(content, "answer-judges-same")
        if cell_text(row["Judged by"]) == "Exact match"
    }
    assert remarks["two"] == "Of the answers that it judged, people called none wrong: no specificity."
    ranks = {name: (row["Rank"], row["Change of rank"]) for name, row in found_by(content, "Exact match").items()}
    assert ranks == {"one": (1.5, -0.5), "two": (1.5, 0.5)}
    problem_reports.exclude(batch.hits.get(item__position=0), reason="Two questions")
    content = batch_scores.score_batch(batch)
    assert [row["Questions"] for row in found_by(content, "Exact match").values()] == [2, 2]
    assert [row["Accuracy or F1"]["value"] for row in found_by(content, "Exact match").values()] == [0, 0]


def test_without_judged_answers_or_a_derived_dataset_there_is_no_table(project: Any, tmp_path: Path) -> None:
    batch = asked(project, tmp_path, {"one": ["Tarn", "a ford"]}, [["Tarn"], ["Wick"]], control=1)
    assert "models" not in batch_scores.score_batch(batch)
    records = [{"id": "a", "question": "Who?", "paragraphs": [], "answers": ["Pell"], "candidate": "Wray"}]
    plain = imported(project, tmp_path, "plain", records)
    terms: JSON = {"assignments_per_hit": 1, "instructions": "Read.", "options": {"rubric": RUBRIC}}
    other = create_batch(project, "other", task="rate", datasets=[plain], **terms)
    batch_launch.launch(other)
    import_responses(
        other, lines(tmp_path / "o", [{"dataset": "plain", "item": 0, "worker": "a", "answer": {"same": "not"}}])
    )
    assert "models" not in batch_scores.score_batch(other)


def test_page_and_files_have_the_tables(sampled: Any, alice: Any, client: Any) -> None:
    batch, *_rest = sampled
    batch_launch.close(batch)
    content = batch_scores.score_batch(batch)
    client.force_login(alice)
    html = client.get(reverse("report", args=[batch.project.slug, batch.slug])).content.decode()
    assert "Accuracy of systems: same" in html
    assert "Judges of answers: same" in html
    value = found_by(content, "People")["one"]["Accuracy or F1"]["value"]
    for suffix, words in (("csv", f"{100 * value:.6f}"), ("tex", f"{100 * value:.1f}"), ("md", f"{100 * value:.1f}")):
        address = reverse("report-table", args=[batch.project.slug, batch.slug, "answer-accuracy-same", suffix])
        assert words in client.get(address).content.decode()


def test_published_accuracies_by_people_come_from_a_stored_batch(project: Any, tmp_path: Path) -> None:
    records = json.loads(shared_data("judges/evouna_nq_200.json").read_text())
    told = {system: [record[f"answer_{system}"] for record in records] for system in PUBLISHED}
    batch = asked(project, tmp_path, told, [record["golden_answer"].split("/") for record in records], control=1)
    said = {}
    for k, item in enumerate(items_of(batch)):
        record = records[int(item["id"].rpartition("--")[0][1:])]
        said[k] = "same" if record[f"judge_{item['given_by'][0]}"] else "not"
    say(batch, tmp_path, said)
    content = batch_scores.score_batch(batch)
    found = {name: round(100 * row["Accuracy or F1"]["value"], 9) for name, row in found_by(content, "People").items()}
    assert found == PUBLISHED
    lexical = {
        name: round(100 * row["Accuracy or F1"]["value"], 9) for name, row in found_by(content, "Lexical match").items()
    }
    assert lexical == {"fid": 58.0, "gpt35": 49.5, "chatgpt": 58.5, "gpt4": 60.0, "newbing": 54.5}
    exact = {
        name: round(100 * row["Accuracy or F1"]["value"], 9) for name, row in found_by(content, "Exact match").items()
    }
    assert exact == {"fid": 55.0, "gpt35": 3.5, "chatgpt": 2.0, "gpt4": 0.0, "newbing": 0.0}
    assert found_by(content, "Lexical match")["newbing"]["Change of rank"] == 3
    assert "Corrected" not in rows_of(content, "answer-judges-same")[0], "people judged every answer"
    assert "random sample" not in note_of(table_of(content, "answer-accuracy-same") or {})


def test_equal_answers_without_an_item_count_for_the_dataset_they_come_from(project: Any, tmp_path: Path) -> None:
    """The control draws all of the first dataset's and none of the second's."""
    batch = asked(project, tmp_path, {"one": ["Tarn", "a ford"]}, [["Tarn"], ["Wick"]], control=1)
    records = [{"id": f"p{k}", "question": f"More {k}?", "paragraphs": [], "answers": ["Pell"]} for k in range(3)]
    more = imported(project, tmp_path, "more", records)
    row = {"predicted_support_idxs": [], "predicted_answerable": True}
    rows = [{"id": f"p{k}", "predicted_answer": "mine" if k else "Pell"} | row for k in range(3)]
    file = lines(tmp_path / "more.jsonl", rows)
    batch_scores.import_predictions(more, file, format="musique", model="one")
    derive_dataset(more, how="candidates", name="judged-more", options={"predictions": "one", "control": 0.0}, seed=1)
    both = create_batch(
        project,
        "both",
        task="rate",
        datasets=[*batch.datasets.all(), project.datasets.get(slug="judged-more")],
        assignments_per_hit=1,
        instructions="Read.",
        options={"rubric": RUBRIC},
    )
    batch_launch.launch(both)
    say(both, tmp_path, {0: "same"})
    assert found_by(batch_scores.score_batch(both), "Exact match")["one"]["Questions"] == 5
