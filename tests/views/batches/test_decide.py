"""A batch's pages say what waits: one list, what is paid soonest first, and nothing that is not true."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.people import qualification_rounds
from annotation.flow.review import problem_reports, response_import
from annotation.models import (
    Assignment,
    Batch,
    BatchActivity,
    Member,
    ProblemReport,
    ReviewSample,
    SampledAssignment,
    User,
    Worker,
)
from tests.batches import create_round
from tests.one_line import one_line
from tests.views.console import answer, at, steps

SEVEN = ["Overview", "HITs", "Decide", "Workers", "Report", "Settings", "More"]


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def html(desk: Any, page: str = "batch") -> str:
    return one_line(desk.get(at(page)).content.decode())


def header(text: str) -> str:
    """The words of the header's next step."""
    [found] = re.findall(r'id="next-step">(.*?)</div>', text)
    return " ".join(re.sub(r"<[^>]*>", " ", found).split())


def imported(batch: Batch, path: Path, people: int) -> None:
    rows = [(item, worker) for item in range(batch.size) for worker in range(people)]
    texts = [
        {"dataset": "wells", "item": item, "worker": f"w{worker}", "answer": {"text": f"Tower {item}", "support": [0]}}
        for item, worker in rows
    ]
    path.write_text("\n".join(map(json.dumps, texts)))
    assert response_import.import_responses(batch, path)["accepted"] == len(rows)


@pytest.fixture
def busy(batch: Batch, bob: Any, carol: Any) -> Batch:
    """A batch where all five kinds wait; one response to review is paid sooner than those to approve."""
    Batch.objects.filter(pk=batch.pk).update(auto_approval=604_800)
    first, second = answer(bob, batch), answer(carol, batch)
    sample = ReviewSample.objects.create(batch=batch, number=1, seed=1, size=1)
    SampledAssignment.objects.create(sample=sample, assignment=first, position=0)
    now = timezone.now()
    Assignment.objects.filter(pk=first.pk).update(auto_approve_at=now + timedelta(days=2))
    Assignment.objects.filter(pk=second.pk).update(auto_approve_at=now + timedelta(days=1))
    problem_reports.report_problem(first, reason="unclear", text="")
    Assignment.objects.update(accepted_at=now - timedelta(hours=3), submitted_at=now - timedelta(hours=2))
    ProblemReport.objects.update(created_at=now - timedelta(hours=2))
    ReviewSample.objects.update(created_at=now - timedelta(hours=2))
    BatchActivity.objects.update_or_create(batch=batch, defaults={"to_adjudicate": 3, "in_doubt": 5})
    batch.refresh_from_db()
    return batch


ALL_FIVE = [
    "Approve 2 responses",
    "Review 1 response",
    "Read 1 problem report",
    "Adjudicate 3 HITs",
    "Check the gold of 5 items",
]


def test_all_decisions_are_one_list_with_what_is_paid_soonest_first(desk: Any, busy: Batch) -> None:
    text = html(desk, "batch-decide")
    assert steps(text) == ALL_FIVE
    assert "All responses are in, and they disagree." in text
    assert header(text) == "first automatic approval in 23 hours, 59 minutes Approve 2 responses"
    assert text.count("waiting for") == 3, "of adjudication and gold nothing is stored that waits"
    Assignment.objects.filter(sampled=None).update(approval="approved", approved_at=timezone.now())
    Batch.objects.filter(pk=busy.pk).update(auto_approval=None)
    assert steps(html(desk, "batch-decide")) == ALL_FIVE[1:]


def test_each_line_leads_to_its_page_and_the_tab_counts_them(desk: Any, busy: Batch) -> None:
    response = desk.get(at("batch-decide"))
    for row in response.context["waiting"]:
        assert desk.get(row["url"]).status_code == (404 if row["kind"] == "review" else 200), "answer has no review"
    [tab] = re.findall(r'<a href="[^"]*/decide/" aria-current="page">(.*?)</a>', one_line(response.content.decode()))
    assert re.sub(r"<[^>]*>", "", tab).split() == ["Decide", "12"]


def test_the_header_has_the_first_and_the_overview_the_others(desk: Any, busy: Batch) -> None:
    text = html(desk)
    assert header(text).endswith("Approve 2 responses")
    assert steps(text) == ALL_FIVE[1:]


def test_a_page_below_it_offers_the_next_thing_that_is_not_itself(desk: Any, busy: Batch) -> None:
    Batch.objects.filter(pk=busy.pk).update(auto_approval=None)
    SampledAssignment.objects.all().delete()
    assert header(html(desk, "problem-reports")) == "Adjudicate 3 HITs"
    assert header(html(desk, "hits")) == "Read 1 problem report"


def test_a_reviewer_sees_what_is_theirs(client: Any, busy: Batch) -> None:
    reader = User.objects.create_user("rita")
    Member.objects.create(project=busy.project, user=reader, role=Member.Role.REVIEWER)
    client.force_login(reader)
    text = html(client, "batch-decide")
    assert steps(text) == ALL_FIVE[1:]
    assert "/approvals/" not in text
    assert re.search(r'Decide <span class="quiet number">10</span>', text)


@pytest.mark.parametrize("page", ["batch", "adjudicate", "hits", "batch-settings", "instructions"])
def test_a_batch_has_seven_tabs_and_says_where_one_is(desk: Any, batch: Batch, page: str) -> None:
    [tabs] = re.findall(r'<nav class="tabs".*?</nav>', html(desk, page))
    named = re.findall(r"<a [^>]*>\s*([A-Z]\w+)", tabs.partition("<details")[0])
    assert [*named, *re.findall(r"<summary[^>]*>(\w+)", tabs)] == SEVEN
    assert tabs.count("aria-current") == 1


def test_a_fresh_batch_shows_its_first_step_only(desk: Any, batch: Batch) -> None:
    Worker.objects.update(active=False)
    text = html(desk)
    assert header(text) == "You need 2 workers and have 0. Invite 2 more"
    assert "4 HITs wait for responses (8 in all)." in text
    assert "Progress" not in text
    assert "Scores" not in text
    assert steps(text) == []


def test_a_fresh_batch_with_enough_workers_asks_for_nothing(desk: Any, batch: Batch, bob: Any, carol: Any) -> None:
    text = html(desk)
    assert header(text) == ""
    assert "Workers find the batch under “Your work”." in text
    assert "Invite workers" in text


def test_a_running_batch_shows_no_zeros(desk: Any, batch: Batch, bob: Any, carol: Any) -> None:
    answer(bob, batch)
    text = html(desk)
    assert '">Submitted</a> <b class="number">1</b>' in text
    for gone in (">Late<", ">Returned<", ">Surplus<", ">In progress<", "HITs excluded", "No responses yet"):
        assert gone not in text


def test_imported_responses_ask_nobody_to_come(desk: Any, batch: Batch, tmp_path: Path) -> None:
    Worker.objects.update(active=False)
    imported(batch, tmp_path / "r.jsonl", people=2)
    text = html(desk)
    assert header(text) == "No open HITs are left. Close the batch…"
    assert "You need" not in text
    assert "?places=" not in text


def test_responses_imported_in_part_are_not_asked_for_again(desk: Any, batch: Batch, tmp_path: Path) -> None:
    Worker.objects.update(active=False)
    imported(batch, tmp_path / "r.jsonl", people=1)
    assert header(html(desk)) == "You need 1 worker and have 0. Invite 1 more"


def test_a_closed_batch_asks_nobody_to_come_and_for_one_dataset(desk: Any, batch: Batch) -> None:
    Worker.objects.update(active=False)
    batch_launch.close(batch)
    text = html(desk)
    assert header(text) == "The batch is closed. Create a dataset…"
    assert "You need" not in text


def test_an_open_round_whose_hits_are_made_for_each_worker_is_not_to_be_closed(
    desk: Any, project: Any, dataset: Any
) -> None:
    round = create_round(
        project, "school", task="answer", datasets=[dataset], per_worker=2, tries=1, instructions="",
        grants=qualification_rounds.grant_type(project, "Readers"), disjoint=False, fresh_only=False,
    )  # fmt: skip
    batch_launch.launch(round.batch)
    assert not round.batch.hits.open().exists()
    assert header(one_line(desk.get(at("batch", batch="school")).content.decode())) == ""


def test_where_nothing_waits_the_pages_are_still_at_hand(desk: Any, batch: Batch) -> None:
    text = html(desk, "batch-decide")
    assert "Nothing waits for a decision" in text
    for page in ("adjudicate", "gold", "problem-reports"):
        assert f'href="{at(page)}"' in text
