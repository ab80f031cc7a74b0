"""The report's page: computed by a job, kept, quoted."""

from __future__ import annotations

from typing import Any

from annotation.flow import flagging
from annotation.models import BatchReport, Job
from tests.views.console import answer, at, work_off


def _answered(bob: Any, carol: Any, batch: Any) -> None:
    for _ in range(4):
        answer(bob, batch)
        answer(carol, batch)


def test_a_batch_without_answers_says_what_the_report_is_for(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert "No answers yet" in client.get(at("report")).content.decode()


def test_looking_at_the_page_computes_nothing(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    html = client.get(at("report")).content.decode()
    assert at("report-refresh") in html
    assert not Job.objects.exists()


def test_the_report_is_computed_by_one_job_and_shown(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    for _ in range(2):
        assert client.post(at("report-refresh")).url == at("report")
    assert Job.objects.count() == 1
    assert "hx-get" in client.get(at("report")).content.decode()
    work_off()
    response = client.get(at("report"))
    html = response.content.decode()
    study = response.context["studies"][0]
    assert study["found"]["n"] == 4
    assert study["measures"][0]["cells"][1]["value"] == 1
    assert "100.0" in html
    assert bob.pseudonym in html
    assert "bob" not in html.lower()


def test_the_table_can_be_quoted_in_three_forms(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    quotes = {quote["label"]: quote["text"] for quote in client.get(at("report")).context["quotes"]}
    assert quotes["TSV"].splitlines()[1].startswith("wells\t4\t100.0 [")
    assert quotes["Markdown"].splitlines()[2].startswith("| wells | 4 | 100.0 [")
    assert r"wells & 4 & 100.0 [" in quotes["LaTeX"]


def test_the_progress_loads_the_page_anew_once_the_report_is_there(
    client: Any, alice: Any, bob: Any, batch: Any
) -> None:
    answer(bob, batch)
    client.force_login(alice)
    started = client.post(at("report-refresh"), headers={"HX-Request": "true"})
    assert "HX-Refresh" not in started.headers
    work_off()
    assert client.get(at("report-progress")).headers["HX-Refresh"] == "true"


def test_a_report_says_that_judgments_came_since(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    assert client.get(at("report")).context["fresh"] is True
    answer(carol, batch)
    response = client.get(at("report"))
    assert response.context["fresh"] is False
    assert "Judgments or decisions came since" in response.content.decode()


def test_what_is_left_out_stands_beside_the_figures_with_its_reason(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    _answered(bob, carol, batch)
    flagging.void(batch.hits.first(), reason="Two towers")
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    html = client.get(at("report")).content.decode()
    assert "1 Two towers" in html
    assert "(1 left out)" in html


def test_a_report_of_another_layout_is_shown_as_it_is(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    BatchReport.objects.create(batch=batch, stand="x", content={"task": "other", "figures": [1, 2]})
    client.force_login(alice)
    assert "figures" in client.get(at("report")).content.decode()


def test_the_report_is_for_requesters(client: Any, bob: Any, batch: Any) -> None:
    client.force_login(bob.user)
    for page in ("report", "report-progress"):
        assert client.get(at(page)).status_code == 404
    assert client.post(at("report-refresh")).status_code == 404
    assert not Job.objects.exists()
