"""Suggestions are drawn by the claim: balanced, stored before the page, and in no figure about people."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from annotation.flow.batches import add_assignments, batch_drafts, batch_launch, estimates, hidden_gold, suggestions
from annotation.flow.batches.parsing import parse
from annotation.flow.data import response_files
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.reports import batch_scores
from annotation.flow.reports.model_predictions import delete_predictions, store_predictions
from annotation.flow.review import conclusions, review_decisions
from annotation.flow.setting_values import InvalidSettings
from annotation.flow.work import leases, next_assignment, prefetch, submissions, suggestion_draws
from annotation.models import Assignment, Batch, Hit
from annotation.pure.people.consent_text import SUGGESTING
from tests.batches import create_batch, set_up_gold
from tests.flow.acting import dataset_of, newcomer, participation_of, take
from tests.flow.suggesting import MODEL, choose, consented, draft, predict, suggesting

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="arms are counted while the HIT is locked")]
YES, NO = {"sound": "yes"}, {"sound": "no"}


def submit(row: Assignment, answer: dict[str, Any]) -> None:
    submissions.submit(row, answer, key="0.form", base=0, active_seconds=9.0)


def work(batch: Batch, people: int, say: Any) -> None:
    """Let people take turns until nothing is left; `say` gives the answer to an assignment."""
    workers = [newcomer(batch.project, f"worker-{k}") for k in range(people)]
    while taken := [row for worker in workers if (row := take(worker, batch))]:
        for row in taken:
            submit(row, say(row))


def arms(batch: Batch, by: str) -> set[tuple[int, int]]:
    """(blind, suggested) of each HIT or worker."""
    found: dict[int, Counter[bool | None]] = {}
    for key, suggested in batch.assignments.filter(counts=True).values_list(by, "suggested"):
        found.setdefault(key, Counter())[suggested] += 1
    return {(of[False] + of[None], of[True]) for of in found.values()}


def test_arms_are_full_in_each_hit_and_balanced_for_each_worker(
    project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestion_draws, "random_seed", count().__next__)
    batch = suggesting(project, tmp_path, size=24, k=2)
    work(batch, 4, lambda row: YES)
    assert arms(batch, "hit") == {(2, 2)}
    assert max(abs(blind - suggested) for blind, suggested in arms(batch, "worker")) <= 6
    rows = batch.assignments.order_by("pk")
    assert len({row.suggested for row in rows[:8]}) == 2
    assert all(row.hit.suggestion == YES and row.suggestion == (YES if row.suggested else None) for row in rows)


def test_items_without_a_prediction_are_blind_only(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=4, k=2, without=1)
    assert sorted(batch.hits.values_list("wanted", flat=True)) == [2, 4, 4, 4]
    work(batch, 4, lambda row: YES)
    [alone] = batch.hits.filter(suggestion=None)
    assert set(alone.assignments.values_list("suggested", flat=True)) == {None}
    assert arms(batch, "hit") == {(2, 2), (2, 0)}


def test_what_is_shown_stays_what_it_was_when_predictions_are_deleted(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path)
    delete_predictions(batch, MODEL)
    work(batch, 4, lambda row: YES)
    assert arms(batch, "hit") == {(2, 2)}
    assert {row.suggestion["sound"] for row in batch.assignments.filter(suggested=True) if row.suggestion} == {"yes"}


def test_of_several_runs_the_most_frequent_is_shown(project: Any, tmp_path: Path) -> None:
    consented(project)
    made = draft(project, tmp_path, size=2)
    predict(made, {0: [YES, NO, NO], 1: [YES]})
    batch_launch.launch(choose(made))
    assert [hit.suggestion for hit in made.hits.order_by("item__position")] == [NO, YES]


def test_a_returned_assignment_frees_its_place_and_comes_back_only_to_its_own_arm(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=1, k=1)
    first, second, third = (newcomer(project, name) for name in ("ann", "ben", "eve"))
    row = take(first, batch)
    assert row is not None
    assert leases.return_assignment(row)
    other = take(second, batch)
    assert other is not None
    last = take(third, batch)
    assert last is not None
    assert {other.suggested, last.suggested} == {True, False}
    same = other if other.suggested == row.suggested else last
    different = last if same is other else other
    assert not next_assignment.take_up(row)
    leases.return_assignment(different)
    row.refresh_from_db()
    assert not next_assignment.take_up(row), "the HIT has room, but not in the arm of what the worker has seen"
    leases.return_assignment(same)
    assert next_assignment.take_up(row)
    row.refresh_from_db()
    assert row.state == "accepted"


def test_a_late_response_counts_only_if_its_arm_has_room(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=1, k=1)
    rows = [take(newcomer(project, name), batch) for name in ("ann", "ben")]
    late, on_time = sorted((row for row in rows if row), key=lambda row: bool(row.suggested))
    Assignment.objects.filter(pk=late.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert leases.expire_due() == 1
    again = take(newcomer(project, "eve"), batch)
    assert again is not None
    assert again.suggested == late.suggested
    leases.return_assignment(on_time)
    late.refresh_from_db()
    submit(late, YES)
    late.refresh_from_db()
    assert (late.late, late.counts) == (True, False)
    assert arms(batch, "hit") == {(1, 0)}


def test_figures_results_and_adjudication_are_of_blind_responses(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=6, k=2)
    work(batch, 4, lambda row: YES if row.suggested else NO)
    conclusions.catch_up(batch)
    assert set(batch.hits.values_list("standing", "open_kind")) == {(2, None)}
    content = batch_scores.score_batch(batch)
    assert content["counts"] == {"items": 6, "responses": 12, "workers": 4}
    assert set(batch.hits.values_list("disagreement", flat=True)) == {0.0}
    hits = list(batch.hits.select_related("batch"))
    said = [answer["sound"] for rows in review_decisions.answers_taking_part(hits).values() for _one, answer in rows]
    assert said == ["no"] * 12
    chosen = batch.assignments.filter(suggested=True)[0]
    with pytest.raises(Refused, match="started with a suggestion"):
        review_decisions.choose(chosen, 1, reviewer=None)


def test_pooling_is_chosen_and_said(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=6, k=2)
    work(batch, 4, lambda row: YES if row.suggested else NO)
    part = batch_scores.BatchPart.of({"pooled": "1"})
    content = batch_scores.score_batch(batch, part=part)
    assert content["counts"] == {"items": 6, "responses": 24, "workers": 4}
    assert content["pooled"]["values"] == {"blind": 12, "suggested": 12, "model": MODEL}
    assert content["warnings"][0] == content["paragraph"][0] == content["pooled"]
    assert "pooled" not in batch_scores.score_batch(batch)


def test_files_have_the_arm_and_what_was_shown(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=2, k=1, without=1)
    work(batch, 2, lambda row: YES if row.suggested else NO)
    rows = [json.loads(line) for line in b"".join(response_files.stream_responses(batch, "jsonl")).splitlines()]
    found = sorted((row["arm"], json.dumps(row["suggestion"]), row["answer"]["sound"]) for row in rows)
    assert found == [("", "null", "no"), ("blind", "null", "no"), ("suggested", '{"sound": "yes"}', "yes")]
    text = b"".join(response_files.stream_responses(batch, "csv")).decode()
    assert text.splitlines()[0].count(",arm,suggestion") == 1
    assert '"{""sound"": ""yes""}"' in text
    long = b"".join(response_files.stream_responses(batch, "csv", long=True)).decode().splitlines()
    assert long[0].endswith(",arm,suggestion")


def test_more_assignments_are_blind(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=3, k=1)
    work(batch, 2, lambda row: YES)
    batch.refresh_from_db()
    add_assignments.add_assignments(batch, base=batch.next_ticket)
    more = newcomer(project, "more")
    while row := take(more, batch):
        assert row.suggested is False
        submit(row, YES)
    assert arms(batch, "hit") == {(2, 1)}


def test_cost_plan_and_limits_count_both_arms(project: Any, tmp_path: Path) -> None:
    consented(project)
    ledger.deposit(project, 100, key="d")
    made = draft(project, tmp_path, size=4, k=3, reward="0.50", paid=True)
    predict(made, {place: [YES] for place in range(3)})
    before = estimates.estimate(made).quote.total
    choose(made)
    assert batch_drafts.plan_of(made).assignments_per_hit == 6
    quoted = estimates.estimate(made).quote.total
    assert quoted / before == pytest.approx((3 * 6 + 3) / 12)
    batch_launch.launch(made)
    assert batch_funds.held(made) == quoted


def test_hidden_gold_is_blind(project: Any, tmp_path: Path) -> None:
    gold = dataset_of(project, tmp_path, name="gold", size=4)
    study = dataset_of(project, tmp_path, name="study", size=8)
    consented(project)
    made = create_batch(project, "s", task="answer", datasets=[study], assignments_per_hit=1, instructions="Read.")
    set_up_gold(made, datasets=[gold], share=0.5, rule=hidden_gold.Rule(5, None, None))
    answer = {"kind": "text", "text": "Farrow", "support": [0]}
    keys = study.items.values_list("pk", flat=True)
    store_predictions(made, MODEL, [{"item": pk, "run": 1, "answer": answer} for pk in keys])
    batch_launch.launch(choose(made))
    assert made.hits.filter(check_item=True, suggestion__isnull=False).count() == 0
    for k in range(3):
        worker = newcomer(project, f"w{k}")
        while row := take(worker, made):
            submissions.submit(row, answer | {"support": []}, key="0.a", base=0, active_seconds=1)
    shown = made.assignments.values_list("hit__check_item", "suggested")
    assert {suggested for check, suggested in shown if check} == {None}
    assert {suggested for check, suggested in shown if not check} == {True, False}


def test_nothing_is_sent_ahead_of_its_draw(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=80)
    assert not prefetch.applies(batch)


REFUSED = [
    ({"suggest": "nobody"}, "nobody has no predictions for this draft"),
    ({"suggest": MODEL, "purpose": "qualification"}, "Qualification rounds show no suggestions"),
]


@pytest.mark.parametrize(("asked", "why"), REFUSED)
def test_what_cannot_show_suggestions_is_refused_with_the_reason(
    asked: dict[str, Any], why: str, project: Any, tmp_path: Path
) -> None:
    made = draft(project, tmp_path)
    predict(made, {0: [YES]})
    with pytest.raises(InvalidSettings, match=why):
        parse(project, asked, batch=made)


def test_tasks_in_steps_and_new_batches_are_refused(project: Any, tmp_path: Path, dataset: Any) -> None:
    asked = {"title": "T", "datasets": ["wells"], "suggest": MODEL}
    with pytest.raises(InvalidSettings, match="Save the draft without suggestions"):
        parse(project, asked | {"task": "answer"})
    for task in ("solvability", "hops", "compose"):
        assert "an answer leads to more" in suggestions.obstacle(None, {"task": task, "suggest": MODEL})


def test_a_launch_needs_the_consent_and_a_prediction(project: Any, tmp_path: Path) -> None:
    made = draft(project, tmp_path)
    predict(made, {0: [YES]})
    choose(made)
    with pytest.raises(Refused, match="shows suggestions, and the consent text"):
        batch_launch.launch(made)
    with pytest.raises(InvalidSettings, match=SUGGESTING[:40]):
        parse(project, {}, batch=made, launching=True)
    consented(project)
    delete_predictions(made, MODEL)
    with pytest.raises(Refused, match="no prediction for any of these items"):
        batch_launch.launch(made)
    made.refresh_from_db()
    assert (made.state, made.hits.count()) == ("draft", 0)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database")
@pytest.mark.django_db(transaction=True)
def test_claims_at_once_fill_both_arms_and_no_more(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=10, k=2)
    people = [participation_of(newcomer(project, f"p{k}"), batch) for k in range(4)]
    defects: list[BaseException] = []

    def run(number: int) -> None:
        rng = random.Random(number)
        try:
            while row := next_assignment.claim(next_assignment.join_batch(people[number].worker, batch)):
                if rng.random() < 0.2:
                    leases.return_assignment(row)
                else:
                    submit(row, YES)
        except BaseException as defect:
            defects.append(defect)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not defects
    for hit in Hit.objects.filter(batch=batch):
        counted = Counter(hit.assignments.filter(counts=True).values_list("suggested", flat=True))
        assert max(counted.values(), default=0) <= 2
        assert hit.live + hit.done == counted.total()
