"""Reports: tables worked out by hand, what is left out and why, and how long a report stands."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import add_assignments
from annotation.flow.reports import batch_scores
from annotation.flow.review import problem_reports
from annotation.models import Batch, Hit
from tests.conftest import records
from tests.flow.acting import answer_all
from tests.flow.scored import WORKED, imported, opened, say, worked

__all__ = ["worked"]
pytestmark = pytest.mark.django_db

MEASURES = ["human_score", "upper_bound", "agreement", "average"]
PARTS = {"em", "f1"}
CELL = {"value", "low", "high", "n"}


def values(found: dict[str, Any], part: str) -> dict[str, tuple[float, float]]:
    return {m: (found[part][m]["em"]["value"], found[part][m]["f1"]["value"]) for m in MEASURES}


def close(one: dict[str, tuple[float, float]], other: dict[str, tuple[str, str]]) -> bool:
    exact = {m: tuple(float(Fraction(share)) for share in pair) for m, pair in other.items()}
    return all(one[m] == pytest.approx(exact[m], abs=1e-12) for m in MEASURES)


def test_the_figures_are_those_worked_out_by_hand(worked: Batch) -> None:
    found = batch_scores.score_batch(worked)["datasets"]["wells"]
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
    found = batch_scores.score_batch(worked)["datasets"]["wells"]
    assert (found["n"], found["excluded"]) == (3, 2)
    assert found["exclusions"] == {"Two towers stand there": 1, "no response yet": 1}
    assert found["one_annotation"] == 1
    counts = {m: found["answer"][m]["f1"]["n"] for m in MEASURES}
    assert counts == {"human_score": 3, "upper_bound": 3, "agreement": 2, "average": 3}


def test_the_report_has_the_layout_that_scripts_rely_on(worked: Batch) -> None:
    report = batch_scores.score_batch(worked)
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
    by_worker = batch_scores.score_batch(worked)["datasets"]["wells"]["by_worker"]
    people = {w.external_id: by_worker[w.pseudonym] for w in worked.project.workers.all()}
    assert {name: found["n"] for name, found in people.items()} == {"a": 3, "b": 2, "c": 2}
    assert people["a"]["answer"]["average"]["em"]["value"] == 1
    agreement = people["a"]["answer"]["agreement"]["f1"]
    assert (agreement["value"], agreement["n"]) == (pytest.approx(float(Fraction("5/6"))), 2)
    assert people["c"]["answer"]["average"]["f1"]["value"] == pytest.approx(1 / 4)
    assert people["c"]["support"]["agreement"]["f1"]["value"] == pytest.approx(1 / 3)


def test_the_hits_on_which_people_differ_most_come_first(worked: Batch) -> None:
    batch_scores.score_batch(worked)
    order = worked.hits.order_by("-disagreement").values_list("item__position", flat=True)
    assert list(order)[:2] == [1, 0]
    assert Hit.objects.get(item__position=1).disagreement == pytest.approx(1 - (11 / 18 + 4 / 9) / 2)


def test_the_same_judgments_give_the_same_report_whoever_came_first(
    project: Any, worked: Batch, tmp_path: Path
) -> None:
    again = opened(project, worked.datasets.get(), name="again")
    say(again, tmp_path, {key: list(reversed(given)) for key, given in reversed(WORKED.items())})
    problem_reports.exclude(again.hits.get(item__position=3), reason="Two towers stand there")
    first, second = batch_scores.score_batch(worked), batch_scores.score_batch(again)
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert first == batch_scores.score_batch(worked)


def test_a_kept_report_stands_until_something_changes(worked: Batch, bob: Any) -> None:
    assert batch_scores.cached_report(worked) is None
    report = batch_scores.score_batch(worked)
    assert batch_scores.cached_report(worked) == report
    answer_all(bob, worked, most=1)
    assert batch_scores.cached_report(worked) is None
    batch_scores.score_batch(worked)
    problem_reports.restore(worked.hits.get(item__position=3))
    assert batch_scores.cached_report(worked) is None
    assert "Two towers stand there" not in batch_scores.score_batch(worked)["datasets"]["wells"]["exclusions"]


def test_a_kept_report_is_out_of_date_once_more_responses_are_wanted(worked: Batch) -> None:
    batch_scores.score_batch(worked)
    assert batch_scores.cached_report(worked)
    assert add_assignments.add_assignments(worked, base=worked.next_ticket)["hits"]
    assert batch_scores.cached_report(worked) is None, "agreement is computed with as many as all HITs want"


def test_a_revision_counts_instead_of_what_was_said_before(batch: Batch, bob: Any) -> None:
    from tests.flow.acting import submit

    answer_all(bob, batch)
    assert batch_scores.score_batch(batch)["datasets"]["wells"]["answer"]["human_score"]["em"]["value"] == 1
    for assignment in batch.assignments.all():
        submit(assignment, {"kind": "typed", "text": "nothing", "support": [2], "facts": []}, key="1.x", base=1)
    found = batch_scores.score_batch(batch)["datasets"]["wells"]
    assert found["answer"]["human_score"]["em"]["value"] == 0
    assert found["answer"]["human_score"]["em"]["n"] == 4


def test_support_that_was_not_asked_for_has_no_figures(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "wells", records(2)))
    say(batch, tmp_path, {("wells", k): [("a", "Farrow", []), ("b", "Farrow", [])] for k in range(2)})
    found = batch_scores.score_batch(batch)["datasets"]["wells"]
    assert found["answer"]["agreement"]["f1"]["value"] == 1
    assert {found["support"][measure]["f1"]["value"] for measure in MEASURES} == {None}
    assert not {"support", "supporting_paragraph"} & set(found["alpha"])


def test_hidden_gold_leaves_only_the_agreement(project: Any, tmp_path: Path) -> None:
    hidden = [{k: v for k, v in r.items() if k not in ("answers", "supports", "hops")} for r in records(2)]
    batch = opened(project, imported(project, tmp_path, "wells", hidden))
    say(batch, tmp_path, {("wells", k): [("a", "Farrow", [0]), ("b", "Farrow", [1])] for k in range(2)})
    found = batch_scores.score_batch(batch)["datasets"]["wells"]
    assert found["answer"]["human_score"]["em"] == {"value": None, "low": None, "high": None, "n": 0}
    assert found["support"]["upper_bound"]["f1"]["value"] is None
    assert (found["answer"]["agreement"]["em"]["value"], found["answer"]["agreement"]["em"]["n"]) == (1, 2)
    assert found["support"]["agreement"]["f1"]["value"] == 0
    assert (found["n"], found["by_hops"]) == (2, {})


def test_a_batch_that_nobody_answered_has_a_report_without_figures(batch: Batch) -> None:
    found = batch_scores.score_batch(batch)["datasets"]["wells"]
    assert (found["n"], found["exclusions"]) == (0, {"no response yet": 4})
    assert found["answer"]["human_score"]["f1"] == {"value": None, "low": None, "high": None, "n": 0}


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_report_is_out_of_date_when_a_hit_that_it_read_as_excluded_is_restored(
    worked: Batch, is_stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hit, compute = worked.hits.get(item__position=0), batch_scores._computed

    def meanwhile(*given: Any) -> dict[str, Any]:
        problem_reports.exclude(hit, reason="broken")
        content = compute(*given)
        if not is_stored:
            problem_reports.restore(hit)
        return content

    with monkeypatch.context() as patched:
        patched.setattr(batch_scores, "_computed", meanwhile)
        assert ["broken", 1, 3] in batch_scores.score_batch(worked)["excluded"]
    if is_stored:
        problem_reports.restore(hit)
    assert batch_scores.cached_report(worked) is None
    batch_scores.score_batch(worked)
    report = batch_scores.cached_report(worked)
    assert report is not None
    assert ["broken", 1, 3] not in report["excluded"]


def test_a_report_is_out_of_date_when_another_was_stored_while_it_was_computed(
    worked: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HITs keep the scores of the run that wrote them last, which need not be the one whose report is kept."""
    hit, compute = worked.hits.get(item__position=0), batch_scores._computed

    def meanwhile(*given: Any) -> dict[str, Any]:
        content = compute(*given)
        problem_reports.exclude(hit, reason="broken")
        monkeypatch.setattr(batch_scores, "_computed", compute)
        batch_scores.score_batch(worked)
        return content

    monkeypatch.setattr(batch_scores, "_computed", meanwhile)
    batch_scores.score_batch(worked)
    problem_reports.restore(hit)
    assert batch_scores.cached_report(worked) is None
