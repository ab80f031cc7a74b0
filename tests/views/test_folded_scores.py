"""Scores are hidden until all responses are in; looks before are logged, and what follows from them is said."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.flow.batches import add_assignments, batch_launch
from annotation.flow.reports import batch_scores, score_looks
from annotation.jobs import run_due_work
from annotation.models import AuditEntry, Batch, BatchReport, Hit
from tests.one_line import one_line
from tests.views.console import answer, at, work_off


@pytest.fixture
def half(bob: Any, carol: Any, batch: Batch) -> Batch:
    """Three of eight responses are in, and one HIT has both."""
    for worker in (bob, carol, bob):
        answer(worker, batch)
    return batch


def looks() -> list[int]:
    return [row.details["n"] for row in AuditEntry.objects.filter(act=score_looks.LOOK).order_by("pk")]


def methods(client: Any) -> str:
    client.post(at("report-refresh"))
    work_off()
    return str(client.get(at("report")).context["methods"]["text"])


def test_scores_stay_folded_until_somebody_opens_them(client: Any, alice: Any, half: Batch) -> None:
    client.force_login(alice)
    page = client.get(at("report"))
    assert page.context["folded"] == 8
    assert "Show the scores of 3 responses" in page.content.decode()
    assert "differing" not in page.context
    assert "Where workers differ" not in page.content.decode()
    assert "report" not in client.get(at("batch")).context or client.get(at("batch")).context["report"] is None
    assert looks() == []
    assert client.post(at("report-open")).url == at("report")
    assert looks() == [3]
    client.post(at("report-refresh"))
    work_off()
    assert client.get(at("report")).context["tables"]
    assert client.get(at("batch")).context["report"] is not None


def test_the_log_says_at_how_many_responses_somebody_looked_and_the_workers_page_why_it_has_no_scores(
    client: Any, alice: Any, half: Batch
) -> None:
    batch_scores.score_batch(half)
    client.force_login(alice)
    assert (
        "Scores are shown once all responses are in, or on request." in client.get(at("batch-workers")).content.decode()
    )
    client.post(at("report-open"))
    assert "as of the report of" in one_line(client.get(at("batch-workers")).content.decode())
    assert "responses: 3" in client.get(reverse("log", args=["wells"])).content.decode()


def test_a_file_of_scores_is_a_look_at_them(client: Any, alice: Any, half: Batch) -> None:
    batch_scores.score_batch(half)
    client.force_login(alice)
    assert client.get(at("report-table", "human-performance", "csv")).status_code == 200
    assert looks() == [3]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("report-table", ["human-performance", "csv"]),
        ("report-chart", ["measures-wells"]),
        ("report-export", ["latex"]),
    ],
)
def test_only_a_file_that_exists_is_a_look(client: Any, alice: Any, half: Batch, name: str, args: list[str]) -> None:
    client.force_login(alice)
    unknown = ["unknown", *args[1:]]
    assert [client.get(at(name, *which)).status_code for which in (args, unknown)] == [404, 404], "no report is stored"
    batch_scores.score_batch(half)
    missing = [at(name, *unknown), f"{at(name, *args)}?hops=9"]
    missing += [at(name, args[0], "docx")] if len(args) > 1 else []
    assert {client.get(address).status_code for address in missing} == {404}
    assert looks() == []
    assert client.get(at(name, *args)).status_code == 200
    assert looks() == [3]


def test_without_responses_there_is_nothing_to_look_at(client: Any, alice: Any, batch: Batch) -> None:
    client.force_login(alice)
    client.post(at("report-open"))
    call_command("score_batch", batch.slug, "--project", "wells")
    assert client.get(at("report-table", "human-performance", "csv")).status_code == 200
    assert looks() == []


def test_new_responses_fold_them_again(client: Any, alice: Any, carol: Any, half: Batch) -> None:
    client.force_login(alice)
    client.post(at("report-open"))
    assert "folded" not in client.get(at("report")).context
    answer(carol, half)
    assert client.get(at("report")).context["folded"] == 8


def test_what_others_opened_stays_folded_for_oneself_and_a_look_is_logged_once(
    client: Any, alice: Any, half: Batch
) -> None:
    client.force_login(alice)
    client.post(at("report-open"))
    client.post(at("report-open"))
    call_command("score_batch", half.slug, "--project", "wells")
    assert looks() == [3]
    client.logout()
    client.force_login(alice)
    assert client.get(at("report")).context["folded"] == 8


def test_complete_and_closed_batches_show_their_scores(client: Any, alice: Any, half: Batch) -> None:
    client.force_login(alice)
    batch_launch.close(half)
    assert "folded" not in client.get(at("report")).context
    batch_launch.resume(half)
    Hit.objects.filter(batch=half).update(wanted=2, done=2, room=0)
    assert "folded" not in client.get(at("report")).context
    assert looks() == []


def test_the_methods_paragraph_says_that_more_was_asked_after_a_look(client: Any, alice: Any, half: Batch) -> None:
    client.force_login(alice)
    client.post(at("report-open"))
    assert "look at the scores" not in methods(client)
    add_assignments.add_assignments(half, base=half.next_ticket)
    client.post(at("report-open"))
    said = "After a look at the scores of 3 responses, one item was assigned to more annotators."
    assert said in methods(client)


def test_the_methods_paragraph_says_that_collection_ended_after_a_look(client: Any, alice: Any, half: Batch) -> None:
    client.force_login(alice)
    client.post(at("report-open"))
    batch_launch.close(half)
    said = "Collection ended before all responses were in, after a look at the scores of 3 responses."
    assert said in methods(client)


def test_more_assignments_without_a_look_are_nothing_to_mention(client: Any, alice: Any, half: Batch) -> None:
    client.force_login(alice)
    add_assignments.add_assignments(half, base=half.next_ticket)
    batch_launch.close(half)
    assert "look at the scores" not in methods(client)


def test_a_finished_batch_has_its_report_without_being_asked(bob: Any, carol: Any, batch: Batch) -> None:
    for worker in (bob, carol):
        for _ in range(4):
            answer(worker, batch)
    run_due_work()
    run_due_work()
    assert BatchReport.objects.get().batch == batch
    before = BatchReport.objects.get().created_at
    run_due_work()
    assert BatchReport.objects.get().created_at == before


def test_a_comparison_leaves_out_folded_scores(client: Any, alice: Any, bob: Any, half: Batch) -> None:
    batch_scores.score_batch(half)
    client.force_login(alice)
    for query in ({"one": half.slug}, {"of": "answerers", "batch": half.slug, "one": bob.pseudonym}):
        page = client.get(reverse("compare", args=["wells"], query=query))
        assert (page.context["tables"], page.context["chart"]) == ([], None)
        assert "are hidden until all responses are in" in page.content.decode()
        assert client.get(reverse("compare-chart", args=["wells"], query=query)).status_code == 404
    client.post(at("report-open"))
    page = client.get(reverse("compare", args=["wells"], query={"one": half.slug}))
    assert page.context["tables"]
    assert "are hidden until" not in page.content.decode()
