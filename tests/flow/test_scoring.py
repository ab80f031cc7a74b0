"""Reports: tables worked out by hand, what is left out and why, and models beside people."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from annotation.flow import batching, flagging, scoring
from annotation.flow.collecting import import_judgments
from annotation.flow.importing import import_dataset
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Hit, PredictionSet
from tests.conftest import records
from tests.flow.acting import answer_all
from tests.flow.test_collecting import lines
from tests.pure.formats.samples import HOTPOT, twins

pytestmark = pytest.mark.django_db

MEASURES = ["human_score", "upper_bound", "agreement", "average"]
PARTS = {"em", "f1"}
CELL = {"value", "low", "high", "n"}


def imported(project: Any, folder: Path, name: str, found: list[Any], *, format: str = "jsonl") -> Dataset:
    import_dataset(project, lines(folder / f"{name}.in", found), format=format, name=name)
    return project.datasets.get(slug=name)


def opened(project: Any, *datasets: Dataset, name: str = "study", **settings: Any) -> Batch:
    batch = batching.create_batch(
        project, name, task="answer", datasets=datasets, guide="", assignments_per_hit=3, **settings
    )
    batching.launch(batch)
    return batch


def say(batch: Batch, folder: Path, said: dict[tuple[str, int], list[tuple[str, str, Any]]]) -> None:
    """Judgments: {(dataset, item): [(worker, text, support or whole answer)]}."""
    rows = []
    for (dataset, item), given in said.items():
        for worker, text, support in given:
            answer = support if isinstance(support, dict) else {"support": support}
            rows.append({"dataset": dataset, "item": item, "worker": worker, "answer": {"text": text, **answer}})
    import_judgments(batch, lines(folder / f"{batch.slug}.said", rows))


WORKED = {
    ("wells", 0): [("a", "Tower 0", [0, 1]), ("b", "tower 0.", [1, 0]), ("c", "Farrow", [1])],
    ("wells", 1): [("a", "Tower 1", [0, 1]), ("b", "the tower", [0]), ("c", "Well 1", [2])],  # a tie of three
    ("wells", 2): [("a", "Tower 2", [0, 1])],  # one annotation
    ("wells", 3): [("a", "Tower 3", [0, 1]), ("b", "Tower 3", [0, 1])],  # will be voided
}  # and nobody answers item 4


@pytest.fixture
def worked(project: Any, tmp_path: Path) -> Batch:
    batch = opened(project, imported(project, tmp_path, "wells", [r | {"shape": "2hop"} for r in records(5)]))
    say(batch, tmp_path, WORKED)
    flagging.void(batch.hits.get(item__position=3), reason="Two towers stand there")
    return batch


def values(found: dict[str, Any], part: str) -> dict[str, tuple[float, float]]:
    return {m: (found[part][m]["em"]["value"], found[part][m]["f1"]["value"]) for m in MEASURES}


def close(one: dict[str, tuple[float, float]], other: dict[str, tuple[str, str]]) -> bool:
    exact = {m: tuple(float(Fraction(share)) for share in pair) for m, pair in other.items()}
    return all(one[m] == pytest.approx(exact[m], abs=1e-12) for m in MEASURES)


def test_the_figures_are_those_worked_out_by_hand(worked: Batch) -> None:
    found = scoring.score_batch(worked)["datasets"]["wells"]
    assert close(
        values(found, "answer"),
        {
            "human_score": ("7/9", "49/54"),
            "upper_bound": ("1", "1"),
            "agreement": ("1/3", "23/36"),
            "average": ("2/3", "43/54"),
        },
    )
    assert close(
        values(found, "support"),
        {
            "human_score": ("7/9", "23/27"),
            "upper_bound": ("1", "1"),
            "agreement": ("1/3", "2/3"),
            "average": ("2/3", "22/27"),
        },
    )


def test_what_is_left_out_is_counted_with_its_reason(worked: Batch) -> None:
    found = scoring.score_batch(worked)["datasets"]["wells"]
    assert (found["n"], found["excluded"]) == (3, 2)
    assert found["exclusions"] == {"Two towers stand there": 1, "no answer yet": 1}
    assert found["one_annotation"] == 1
    counts = {m: found["answer"][m]["f1"]["n"] for m in MEASURES}
    assert counts == {"human_score": 3, "upper_bound": 3, "agreement": 2, "average": 3}


def test_the_report_has_the_layout_that_scripts_rely_on(worked: Batch) -> None:
    report = scoring.score_batch(worked)
    assert report["task"] == "answer"
    assert list(report["datasets"]) == ["wells"]
    found = report["datasets"]["wells"]
    assert {"n", "excluded", "scorer", "support_level", "answer", "support"} <= set(found)
    assert {"by_hops", "by_shape", "by_worker"} <= set(found)
    assert (found["scorer"], found["support_level"]) == ("musique/1", "paragraph")
    tables = [found, *found["by_hops"].values(), *found["by_shape"].values()]
    for table in tables:
        for part in ("answer", "support"):
            assert list(table[part]) == MEASURES
            for cells in table[part].values():
                assert set(cells) == PARTS
                assert all(set(cell) == CELL for cell in cells.values())
    figures = [cell for m in found["answer"].values() for cell in m.values() if cell["low"] is not None]
    assert all(0 <= f["low"] <= f["value"] <= f["high"] <= 1 for f in figures)
    assert list(found["by_hops"]) == ["2"]
    assert found["by_hops"]["2"]["n"] == sum(part["n"] for part in found["by_shape"].values()) == 3
    assert report["table4"][0]["dataset"] == "wells"
    assert report["table4"][0]["answer"]["human_score"] == found["answer"]["human_score"]["f1"]
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_each_worker_is_shown_by_pseudonym_with_their_own_figures(worked: Batch) -> None:
    by_worker = scoring.score_batch(worked)["datasets"]["wells"]["by_worker"]
    people = {w.external_id: by_worker[w.pseudonym] for w in worked.project.workers.all()}
    assert {name: found["n"] for name, found in people.items()} == {"a": 3, "b": 2, "c": 2}
    assert people["a"]["answer"]["average"]["em"]["value"] == 1
    agreement = people["a"]["answer"]["agreement"]["f1"]
    assert (agreement["value"], agreement["n"]) == (pytest.approx(float(Fraction("5/6"))), 2)
    assert people["c"]["answer"]["average"]["f1"]["value"] == pytest.approx(1 / 4)
    assert people["c"]["support"]["agreement"]["f1"]["value"] == pytest.approx(1 / 3)


def test_the_hits_on_which_people_differ_most_come_first(worked: Batch) -> None:
    scoring.score_batch(worked)
    order = worked.hits.order_by("-disagreement").values_list("item__position", flat=True)
    assert list(order)[:2] == [1, 0]
    assert Hit.objects.get(item__position=1).disagreement == pytest.approx(1 - (11 / 18 + 4 / 9) / 2)


def test_the_same_judgments_give_the_same_report_whoever_came_first(
    project: Any, worked: Batch, tmp_path: Path
) -> None:
    again = opened(project, worked.datasets.get(), name="again")
    say(again, tmp_path, {key: list(reversed(given)) for key, given in reversed(WORKED.items())})
    flagging.void(again.hits.get(item__position=3), reason="Two towers stand there")
    first, second = scoring.score_batch(worked), scoring.score_batch(again)
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert first == scoring.score_batch(worked)


def test_a_kept_report_stands_until_something_changes(worked: Batch, bob: Any) -> None:
    assert scoring.cached_report(worked) is None
    report = scoring.score_batch(worked)
    assert scoring.cached_report(worked) == report
    answer_all(bob, worked, most=1)
    assert scoring.cached_report(worked) is None
    scoring.score_batch(worked)
    flagging.restore(worked.hits.get(item__position=3))
    assert scoring.cached_report(worked) is None
    assert "Two towers stand there" not in scoring.score_batch(worked)["datasets"]["wells"]["exclusions"]


def test_a_revision_counts_instead_of_what_was_said_before(batch: Batch, bob: Any) -> None:
    from tests.flow.acting import submit

    answer_all(bob, batch)
    assert scoring.score_batch(batch)["datasets"]["wells"]["answer"]["human_score"]["em"]["value"] == 1
    for assignment in batch.assignments.all():
        submit(assignment, {"kind": "typed", "text": "nothing", "support": [2], "facts": []}, key="1.x", base=1)
    found = scoring.score_batch(batch)["datasets"]["wells"]
    assert found["answer"]["human_score"]["em"]["value"] == 0
    assert found["answer"]["human_score"]["em"]["n"] == 4


def test_hidden_gold_leaves_only_the_agreement(project: Any, tmp_path: Path) -> None:
    hidden = [{k: v for k, v in r.items() if k not in ("answers", "supports", "hops")} for r in records(2)]
    batch = opened(project, imported(project, tmp_path, "wells", hidden))
    say(batch, tmp_path, {("wells", k): [("a", "Farrow", [0]), ("b", "Farrow", [1])] for k in range(2)})
    found = scoring.score_batch(batch)["datasets"]["wells"]
    assert found["answer"]["human_score"]["em"] == {"value": None, "low": None, "high": None, "n": 0}
    assert found["support"]["upper_bound"]["f1"]["value"] is None
    assert (found["answer"]["agreement"]["em"]["value"], found["answer"]["agreement"]["em"]["n"]) == (1, 2)
    assert found["support"]["agreement"]["f1"]["value"] == 0
    assert (found["n"], found["by_hops"]) == (2, {})


def test_unanswerable_twins_are_scored_in_pairs(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "twins", twins(), format="musique"))
    right, wrong = [("a", "tin", [0, 2]), ("b", "tin", [0, 2]), ("c", "", [])], [("d", "", []), ("e", "Farrow", [0])]
    say(batch, tmp_path, {("twins", 0): right, ("twins", 1): [*wrong, ("f", "", [])]})
    found = scoring.score_batch(batch)["datasets"]["twins"]
    assert (found["n"], found["excluded"]) == (1, 1)
    assert found["exclusions"] == {"unanswerable: scored in pairs": 1}
    assert found["pairs"]["n"] == 1
    assert found["pairs"]["answer"]["em"]["value"] == 1
    assert found["pairs"]["support"]["f1"]["value"] == 1
    assert found["pairs"]["answerability"]["value"] == 1


def test_a_pair_whose_answerability_most_people_missed_scores_nothing(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "twins", twins(), format="musique"))
    said = {("twins", 0): [("a", "tin", [0, 2])], ("twins", 1): [("d", "tin", [0]), ("e", "tin", [0]), ("f", "", [])]}
    say(batch, tmp_path, said)
    pairs = scoring.score_batch(batch)["datasets"]["twins"]["pairs"]
    assert (pairs["answer"]["f1"]["value"], pairs["answerability"]["value"]) == (0, 0)


def hotpot(project: Any, folder: Path, name: str) -> Dataset:
    return imported(project, folder, name, [HOTPOT, HOTPOT | {"_id": f"{name}-2"}], format="hotpotqa")


FACTS = {"support": [], "facts": [[0, 0], [1, 0]]}  # gold is the second sentence of paragraph 1


def test_sentences_are_compared_where_the_batch_asked_for_them(project: Any, tmp_path: Path) -> None:
    batch = opened(project, hotpot(project, tmp_path, "isle"), options={"sentences": True})
    say(batch, tmp_path, {("isle", 0): [("a", "tin", FACTS)], ("isle", 1): [("a", "tin", FACTS)]})
    found = scoring.score_batch(batch)["datasets"]["isle"]
    assert (found["support_level"], found["scorer"]) == ("sentence", "hotpotqa/1")
    assert found["support"]["human_score"]["f1"]["value"] == 0.5
    assert found["support"]["human_score"]["em"]["value"] == 0


def test_several_datasets_are_told_apart_and_compared_by_paragraph(project: Any, tmp_path: Path) -> None:
    batch = opened(
        project, hotpot(project, tmp_path, "isle"), hotpot(project, tmp_path, "reef"), options={"sentences": True}
    )
    say(batch, tmp_path, {("isle", 0): [("a", "tin", FACTS)], ("reef", 1): [("b", "salt", FACTS)]})
    report = scoring.score_batch(batch)
    isle, reef = report["datasets"]["isle"], report["datasets"]["reef"]
    assert {isle["support_level"], reef["support_level"]} == {"paragraph"}
    assert isle["support"]["human_score"]["em"]["value"] == reef["support"]["human_score"]["em"]["value"] == 1
    assert (isle["answer"]["human_score"]["em"]["value"], reef["answer"]["human_score"]["em"]["value"]) == (1, 0)
    assert (isle["n"], isle["excluded"]) == (1, 1)
    assert [row["dataset"] for row in report["table4"]] == ["isle", "reef"]


def test_figures_are_kept_apart_by_hops_and_shape(project: Any, tmp_path: Path) -> None:
    found = records(3)
    found[2]["hops"] = [*found[2]["hops"], {"question": "Where is #2?", "answer": "Farrow", "support": 2}]
    found[2] |= {"answers": ["Farrow"], "supports": [0, 1, 2], "shape": "3hop1"}
    batch = opened(project, imported(project, tmp_path, "wells", found))
    say(batch, tmp_path, {("wells", k): [("a", f"Tower {k}", [0, 1])] for k in range(3)})
    parts = scoring.score_batch(batch)["datasets"]["wells"]
    ems = {hops: (t["n"], t["answer"]["human_score"]["em"]["value"]) for hops, t in parts["by_hops"].items()}
    assert ems == {"2": (2, 1.0), "3": (1, 0.0)}
    assert parts["by_shape"]["3hop1"]["support"]["human_score"]["f1"]["value"] == pytest.approx(0.8)


def predictions(folder: Path, texts: dict[str, str]) -> Path:
    rows = [
        {"id": key, "predicted_answer": text, "predicted_support_idxs": [0, 1], "predicted_answerable": True}
        for key, text in texts.items()
    ]
    return lines(folder / "predicted.jsonl", rows)


def test_a_model_stands_beside_people_with_the_paired_gap(worked: Batch, tmp_path: Path) -> None:
    file = predictions(tmp_path, {f"well-{k}": "Tower 0" for k in range(4)})
    dataset = worked.datasets.get()
    told = scoring.import_predictions(dataset, file, format="musique", model="my reader")
    assert told == {"read": 4, "accepted": 4, "missing": 1, "already_there": False}
    found = scoring.score_batch(worked)["datasets"]["wells"]
    model = found["models"]["my reader"]
    assert model["n"] == 3
    assert model["answer"]["em"]["value"] == pytest.approx(1 / 3)
    assert model["answer"]["f1"]["value"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert model["support"]["em"]["value"] == 1
    human = found["answer"]["human_score"]
    assert model["gap"]["answer"]["em"]["value"] == pytest.approx(human["em"]["value"] - 1 / 3)
    assert model["gap"]["support"]["f1"]["value"] == pytest.approx(found["support"]["human_score"]["f1"]["value"] - 1)


def test_a_gap_is_taken_on_the_questions_that_both_answered(worked: Batch, tmp_path: Path) -> None:
    file = predictions(tmp_path, {"well-1": "Tower 1", "well-4": "Tower 4"})
    scoring.import_predictions(worked.datasets.get(), file, format="musique", model="m")
    model = scoring.score_batch(worked)["datasets"]["wells"]["models"]["m"]
    assert (model["n"], model["answer"]["em"]["value"]) == (1, 1)
    assert model["gap"]["answer"]["em"]["value"] == pytest.approx(1 / 3 - 1)


def test_predictions_come_in_whole_or_not_at_all(dataset: Dataset, tmp_path: Path) -> None:
    file = predictions(tmp_path, {"well-0": "Tower 0", "well-9": "Tower 9"})
    with pytest.raises(Refused, match="well-9 has no item"):
        scoring.import_predictions(dataset, file, format="musique", model="m")
    assert not PredictionSet.objects.exists()
    good = predictions(tmp_path, {"well-0": "Tower 0"})
    scoring.import_predictions(dataset, good, format="musique", model="m")
    assert scoring.import_predictions(dataset, good, format="musique", model="m")["already_there"]
    other = predictions(tmp_path, {"well-1": "Tower 1"})
    with pytest.raises(Refused, match="m has other predictions here already"):
        scoring.import_predictions(dataset, other, format="musique", model="m")
    assert scoring.import_predictions(dataset, other, format="musique", model="m2")["accepted"] == 1


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_predictions_that_break_off_leave_nothing(
    dataset: Dataset, tmp_path: Path, failure: type[BaseException]
) -> None:
    def fail(done: int, total: int) -> None:
        raise failure

    file = predictions(tmp_path, {"well-0": "Tower 0"})
    with pytest.raises(failure):
        scoring.import_predictions(dataset, file, format="musique", model="m", tell=fail)
    assert not PredictionSet.objects.exists()


def test_predictions_that_are_not_all_in_are_not_scored(worked: Batch, tmp_path: Path) -> None:
    scoring.import_predictions(
        worked.datasets.get(), predictions(tmp_path, {"well-0": "x"}), format="musique", model="m"
    )
    PredictionSet.objects.update(ready=False)
    assert scoring.score_batch(worked)["datasets"]["wells"]["models"] == {}


def test_a_batch_that_nobody_answered_has_a_report_without_figures(batch: Batch) -> None:
    found = scoring.score_batch(batch)["datasets"]["wells"]
    assert (found["n"], found["exclusions"]) == (0, {"no answer yet": 4})
    assert found["answer"]["human_score"]["f1"] == {"value": None, "low": None, "high": None, "n": 0}
