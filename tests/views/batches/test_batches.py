"""Launching, overseeing and steering a batch."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.models import Batch, Item, Job, Project, Worker
from tests.batches import create_batch
from tests.views.console import answer, at, take, work_off

BATCH_PAGES = [
    "batch",
    "hits",
    "batch-workers",
    "problem-reports",
    "report",
    "instructions",
    "batch-settings",
    "batch-assignments",
    "batch-preview",
]
PROJECT_PAGES = ["batches", "batch-new"]


@pytest.fixture
def draft(project: Any, dataset: Any) -> Batch:
    return create_batch(
        project,
        "draft",
        task="answer",
        datasets=[dataset],
        instructions="Read.",
        sample=3,
        seed=7,
        assignments_per_hit=1,
    )


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_page_opens_for_its_requester(client: Any, alice: Any, bob: Any, batch: Any, page: str) -> None:
    answer(bob, batch)
    client.force_login(alice)
    assert client.get(at(page)).status_code == 200


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_page_does_not_exist_for_a_worker(client: Any, bob: Any, batch: Any, page: str) -> None:
    client.force_login(bob.user)
    assert client.get(at(page)).status_code == 404


@pytest.mark.parametrize("page", BATCH_PAGES)
def test_a_batch_does_not_exist_in_another_project(client: Any, alice: Any, batch: Any, page: str) -> None:
    mills = Project.objects.create(slug="mills", title="Mills")
    mills.members.create(user=alice)
    client.force_login(alice)
    assert client.get(reverse(page, args=["mills", "wells-1"])).status_code == 404


@pytest.mark.parametrize("page", PROJECT_PAGES)
def test_the_list_and_the_launching_page_are_for_requesters(client: Any, alice: Any, bob: Any, page: str) -> None:
    assert client.get(reverse(page, args=["wells"])).status_code == 302
    client.force_login(bob.user)
    assert client.get(reverse(page, args=["wells"])).status_code == 404
    client.force_login(alice)
    assert client.get(reverse(page, args=["wells"])).status_code == 200


def test_pause_resume_close_and_reopen(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    client.force_login(alice)
    for move, state in [("pause", "paused"), ("resume", "open"), ("close", "closed"), ("resume", "open")]:
        assert client.post(at("batch-move", move)).status_code == 303
        batch.refresh_from_db()
        assert batch.state == state
    assert take(bob, batch) is not None


def test_a_paused_batch_gives_out_nothing(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "pause"))
    batch.refresh_from_db()
    assert take(bob, batch) is None


def test_a_draft_cannot_be_opened_by_resuming_it(client: Any, alice: Any, draft: Batch) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "resume", batch="draft"))
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_moves_are_posted_and_known(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    opened = client.get(at("batch-move", "pause"))
    assert (opened.status_code, opened["Allow"]) == (405, "POST")
    assert "Nothing was changed" in opened.content.decode()
    assert client.post(at("batch-move", "explode")).status_code == 404


def test_topping_up_asks_for_one_more_annotation(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    answer(carol, batch)
    client.force_login(alice)
    response = client.post(at("batch-add-assignments"), {"which": "all"})
    assert response.url == reverse("job", args=["wells", Job.objects.get().public_id])
    work_off()
    assert sorted(batch.hits.values_list("wanted", flat=True)) == [2, 2, 2, 3]


def test_the_numbers_of_the_overview_lead_to_what_they_count(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    answer(bob, batch)
    take(carol, batch)
    client.force_login(alice)
    html = client.get(at("batch")).content.decode()
    assert "1 of 8" in html
    for show in ("submitted", "in-work"):
        assert f"{at('batch-assignments')}?show={show}" in html
        page = client.get(at("batch-assignments") + f"?show={show}").context["page"]
        assert page.paginator.count == 1
    assert client.get(at("batch-assignments") + "?show=late").context["page"].paginator.count == 0


def test_workers_stand_there_by_pseudonym_only(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    html = client.get(at("batch-workers")).content.decode()
    assert bob.pseudonym in html
    assert "bob" not in html.lower()


def test_who_may_work_can_be_changed_while_people_work(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    client.force_login(alice)
    posted = {"title": "Wells again", "expected_minutes": "1.5", "who": "chosen", "workers": [carol.pk]}
    assert client.post(at("batch-settings"), posted).status_code == 303
    batch.refresh_from_db()
    assert (batch.title, batch.expected_seconds) == ("Wells again", 90)
    assert list(batch.workers.all()) == [carol]


def test_a_worker_of_another_project_cannot_be_chosen(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    mills = Project.objects.create(slug="mills", title="Mills")
    stranger = Worker.objects.create(project=mills, user=bob.user)
    client.force_login(alice)
    posted = {"title": "Wells", "expected_minutes": "2", "who": "chosen", "workers": [stranger.pk]}
    assert client.post(at("batch-settings"), posted).status_code == 422


def test_a_changed_instructions_is_a_new_version(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("instructions"), {"instructions": "Read twice."})
    client.post(at("instructions"), {"instructions": "Read twice."})
    assert [g.text for g in batch.instructions_versions.order_by("version")] == ["Read, then answer.", "Read twice."]


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_responses_come_out_as_a_file(client: Any, alice: Any, bob: Any, batch: Any, format: str) -> None:
    answer(bob, batch)
    client.force_login(alice)
    response = client.get(at("batch-export", format))
    assert f"wells-1-responses.{format}" in response["Content-Disposition"]
    body = b"".join(response.streaming_content)
    assert bob.pseudonym.encode() in body
    assert b"alice" not in body


def test_an_unknown_export_format_does_not_exist(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("batch-export", "xml")).status_code == 404


def test_the_list_says_how_far_each_batch_is(client: Any, alice: Any, bob: Any, batch: Any, draft: Batch) -> None:
    answer(bob, batch)
    client.force_login(alice)
    rows = {row["batch"]: row for row in _rows(client.get(reverse("batches", args=["wells"])).content.decode())}
    wanted = sum(batch.hits.values_list("wanted", flat=True))
    assert rows[batch.title]["responses"] == f"1 / {wanted}"
    assert rows[batch.title]["task"] == "Answer questions"
    assert rows[draft.title]["responses"] == "–"


def test_items_that_wait_for_their_question_go_by_those_of_their_hops(
    client: Any, alice: Any, bob: Any, batch: Any, dataset: Any
) -> None:
    answer(bob, batch)
    client.force_login(alice)
    places = [at("hits"), at("batch-assignments")]
    asked = [_queries(client, place) for place in places]
    Item.objects.filter(dataset=dataset).update(question="")
    item = Item.objects.filter(dataset=dataset).first()
    name = " · ".join(hop.question for hop in item.example.hops)
    assert str(item) == name
    for place, before in zip(places, asked, strict=True):
        assert _queries(client, place) <= before + 1
        assert name.partition(" · ")[2] in html.unescape(client.get(place).content.decode())


def _queries(client: Any, place: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(place).status_code == 200
    return len(asked)


def _rows(page: str) -> list[dict[str, str]]:
    """The batches of the list, each cell by the name of its column, without its markup."""
    table = page[page.index("<table") : page.index("</table>")]
    plain = [
        [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]
    return [dict(zip([name.lower() for name in plain[0]], row, strict=True)) for row in plain[1:]]


def test_large_numbers_are_written_alike_everywhere(client: Any, alice: Any, dataset: Any, batch: Any) -> None:
    client.force_login(alice)
    Batch.objects.filter(pk=batch.pk).update(size=12_000)
    type(dataset).objects.filter(pk=dataset.pk).update(size=12_000)
    for page in (reverse("batches", args=["wells"]), reverse("datasets", args=["wells"]), at("batch"), at("hits")):
        shown = client.get(page).content.decode()
        assert "12,000" in shown, page
        assert ">12000<" not in shown, page


def test_the_overview_shows_progress_with_a_forecast_once_responses_came_at_several_times(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Batch
) -> None:
    client.force_login(alice)
    first, second = answer(bob, batch), answer(carol, batch)
    page = client.get(at("batch"))
    assert page.context["progress"] is None
    assert "at the pace of" not in page.content.decode()  # one moment has no pace
    batch.assignments.filter(pk=first.pk).update(submitted_at=second.submitted_at - timedelta(hours=5))
    page = client.get(at("batch"))
    assert "left at the pace of the last 24 hours" in " ".join(page.content.decode().split())
    chart = page.context["progress"]
    done, forecast = chart.lines
    assert (done.points[0][1], done.points[1][1], done.points[-1][1]) == (0, 1, 2)
    assert (forecast.points[0][1], forecast.points[-1][1]) == (2, 8)
    assert forecast.dashed
    assert (chart.n, "Forecast: " in chart.as_text()) == ("2", True)
    batch_launch.close(batch)
    page = client.get(at("batch"))
    assert len(page.context["progress"].lines) == 1
    assert "at the pace of" not in page.content.decode()
