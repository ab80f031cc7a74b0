"""The report's page: computed by a job, kept, quoted."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.review import problem_reports, review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.models import BatchReport, Job
from tests.one_line import one_line
from tests.views.console import answer, at, work_off


@pytest.fixture(autouse=True)
def unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores are shown although responses are missing (tests/views/test_folded_scores.py is about that)."""
    monkeypatch.setattr("annotation.flow.reports.score_looks.is_complete", lambda batch: True)


def _answered(bob: Any, carol: Any, batch: Any) -> None:
    for _ in range(4):
        answer(bob, batch)
        answer(carol, batch)


def test_a_batch_without_answers_says_what_the_report_is_for(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert "No responses yet" in client.get(at("report")).content.decode()


def test_looking_at_the_page_computes_nothing(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    html = one_line(client.get(at("report")).content.decode())
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
    html = one_line(response.content.decode())
    study = response.context["studies"][0]
    assert study["figures"]["n"] == 4
    assert study["tables"][0]["rows"][0][2]["text"] == "100.0"
    assert "100.0" in html
    assert bob.pseudonym in html
    assert "bob" not in html.lower()


def test_the_page_says_for_whom_the_intervals_are(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    page = client.get(at("report"))
    titles = [table["title"] for table in page.context["studies"][0]["tables"]]
    assert "How the figures depend on the annotators" in titles
    for words in ("hold for these 2 annotators", "at least 7 annotators, and only 2 took part"):
        assert words in page.context["paragraph"]
        assert words in page.content.decode()
    assert "intervals hold for these 2 annotators: they resample items" in page.context["methods"]["text"]
    overview = client.get(at("batch"))
    assert [one["value"] for one in overview.context["opening"]["headline"]] == [
        one["value"] for one in page.context["headline"]
    ]
    assert page.context["headline"][0]["interval"] in overview.content.decode()
    notes = [file for file in page.context["tables"][0]["files"] if file["label"] == ".tex"]
    table = client.get(notes[0]["url"]).content.decode()
    assert r"\caption{Human performance. In percent, with 95 \% intervals" in table
    assert "hold for these 2 annotators" in table


def test_the_table_can_be_copied_and_downloaded(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    table = client.get(at("report")).context["tables"][0]
    quotes = {quote["label"]: quote["text"] for quote in table["quotes"]}
    assert quotes["TSV"].splitlines()[1].startswith("wells\t4\t100.0 [")
    assert quotes["Markdown"].splitlines()[2].startswith("| wells | 4 | 100.0 [")
    assert r"wells & 4 & 100.0 [" in quotes["LaTeX"]
    for file, label in zip(table["files"], ("LaTeX", "Markdown", "CSV"), strict=True):
        response = client.get(file["url"])
        assert response.content.decode() == quotes[label]
        assert response["Content-Disposition"] == f'attachment; filename="wells-1-human-performance{file["label"]}"'
    assert client.get(at("report-table", "nothing", "tex")).status_code == 404
    assert client.get(at("report-table", "human-performance", "exe")).status_code == 404


def test_charts_are_drawn_from_the_kept_report_with_words_for_their_numbers(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    assert client.get(at("report-chart", "progress")).status_code == 404
    client.post(at("report-refresh"))
    work_off()
    page = client.get(at("report")).context
    entries = [entry for group in page["subjects"] for entry in group["entries"]]
    charts = [page["lead"], *(chart for entry in entries for chart in entry.get("charts", ()))]
    assert {"answer-by-count-wells", "support-by-count-wells", "workers-wells"} <= {one["name"] for one in charts}
    by_count = next(one for one in charts if one["name"] == "answer-by-count-wells")
    result = "Answer F1 by number of responses per item (k). Human score: k = 1 100.0 [51.0, 100.0], k = 2"
    assert by_count["plot"].as_text().startswith(result)
    address = by_count.get("file") or by_count["url"]
    response = client.get(address)
    assert response["Content-Type"] == "image/svg+xml"
    assert response.content.startswith(b"<?xml")
    assert b" style=" not in response.content
    assert client.get(address).content == response.content


def test_numbers_lead_to_the_responses_behind_them(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    _answered(bob, carol, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    tables = {table["title"]: table for table in client.get(at("report")).context["studies"][0]["tables"]}
    own = tables["By worker"]["rows"][0]
    assert own[0]["url"] == f"{at('batch-assignments')}?show=submitted&dataset=wells&worker={own[0]['text']}&counted=1"
    assert len(client.get(own[0]["url"]).context["page"].object_list) == int(own[1]["text"])
    assert not any(cell["url"] for cell in own[1:]), "a row has its link once"
    hops = tables["By number of hops"]
    assert not any(cell["url"] for row in hops["rows"] for cell in row), "all of the table is behind its “?”"
    [behind] = hops["why"]["rows"]
    assert (behind["text"], len(client.get(behind["url"]).context["page"].object_list)) == ("4 scored HITs", 4)


def test_numbers_lead_to_no_more_than_they_count(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    first, _second, third = (answer(bob, batch) for _ in range(3))
    for _ in range(2):
        answer(carol, batch)
    problem_reports.exclude(first.hit, reason="Two towers")
    review_decisions.decide(third, 1, Decision("discarded", {}, reason="A guess."), reviewer=alice)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    response = client.get(at("report"))
    tables = [*response.context["tables"], *response.context["studies"][0]["tables"]]
    counted = [
        (t["title"], row[1]["text"], row[0]["url"] or t["why"]["rows"][0]["url"])
        for t in tables for row in t["rows"] if t["title"] in ("Human performance", "By number of hops", "By worker")
    ]  # fmt: skip
    assert {title for title, _n, _url in counted} == {"Human performance", "By number of hops", "By worker"}
    for title, n, url in counted:
        assert (title, n) == (title, str(client.get(url).context["page"].paginator.count))
    assert {n for title, n, _url in counted if title != "By worker"} == {"2"}


def test_the_methods_paragraph_states_what_the_rows_say(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    _answered(bob, carol, batch)
    problem_reports.exclude(batch.hits.first(), reason="50% doubt")
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    methods = client.get(at("report")).context["methods"]
    for words in (
        (
            "The data are 4 items of the dataset wells. Each question requires 2 hops. In all, 2 "
            "annotators submitted 8 responses."
        ),
        "Each item was assigned to 2 different annotators.",
        "The median active time per response was 30 seconds.",
        "Agreement on the answer (F1) is 100.0 % (n = 3; 95 % interval",
        "Krippendorff's alpha of the answer (distance 1 − F1) is",
        "The results exclude one of 4 items: 50% doubt. The figures therefore count 6 of the 8 responses.",
    ):
        assert words in methods["text"]
    assert r"one of 4 items: 50\% doubt." in methods["latex"]
    paragraph = client.get(at("report")).context["paragraph"]
    assert "wells (n = 3, 95 % intervals in brackets)" in paragraph
    assert "Not counted here: 2 responses to one excluded HIT." in paragraph
    assert "paid" not in methods["text"]
    batch.assignments.filter(worker=carol).update(revision=2)
    assert "Agreement on" not in client.get(at("report")).context["methods"]["text"]


def test_a_report_of_a_part_is_computed_and_kept_beside_the_whole(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    _answered(bob, carol, batch)
    batch.assignments.filter(worker=carol).update(submitted_at="2020-05-05T23:30Z")
    client.force_login(alice)
    part = "?hops=2&until=2020-05-05"
    assert client.get(at("report") + part).context["report"] is None
    assert client.post(at("report-refresh") + part).url == at("report") + "?hops=2&until=2020-05-05"
    work_off()
    response = client.get(at("report") + part)
    assert [row[0]["text"] for row in response.context["studies"][0]["tables"][2]["rows"]] == [carol.pseudonym]
    assert "only part of the batch" in response.content.decode()
    assert {row.content["datasets"]["wells"]["n"] for row in BatchReport.objects.all()} <= {4}
    table = client.get(response.context["tables"][0]["files"][2]["url"])
    assert table.content.decode().splitlines()[1].startswith("wells,4,100.0,")
    assert client.get(at("report") + "?hops=7&dataset=nothing").context["part"].key == ""


def test_the_progress_loads_the_page_anew_once_the_report_is_there(
    client: Any, alice: Any, bob: Any, batch: Any
) -> None:
    answer(bob, batch)
    client.force_login(alice)
    started = client.post(at("report-refresh"), headers={"HX-Request": "true"})
    assert "HX-Refresh" not in started.headers
    work_off()
    assert client.get(at("report-progress")).headers["HX-Refresh"] == "true"


def test_whole_figures_are_not_loaded_anew_while_they_are_computed_again(
    client: Any, alice: Any, bob: Any, batch: Any
) -> None:
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    assert client.get(at("report")).context["job"] is not None
    work_off()
    client.post(at("report-refresh"))
    response = client.get(at("report"))
    assert response.context["job"] is None
    assert "every 1s" not in response.content.decode()


def test_a_report_says_that_responses_came_since(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    assert client.get(at("report")).context["fresh"] is True
    answer(carol, batch)
    response = client.get(at("report"))
    assert response.context["fresh"] is False
    assert "There are newer responses or decisions" in response.content.decode()


def test_what_is_left_out_stands_beside_the_figures_with_its_reason(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    _answered(bob, carol, batch)
    problem_reports.exclude(batch.hits.first(), reason="Two towers")
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    html = one_line(client.get(at("report")).content.decode())
    assert "1 Two towers" in html
    assert "1 HIT is excluded:" in html


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


def test_a_german_report_says_levels_and_reasons_in_german(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    response = client.get(at("report"), headers={"Accept-Language": "de"})
    for words in ("Belege auf Ebene: Absatz", "3 noch ohne Antwort"):
        assert words in one_line(response.content.decode())
    assert "Absatz" in response.context["paragraph"]


def test_excluded_hits_are_not_named_among_those_where_workers_differ(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    for _ in range(2):
        answer(bob, batch)
        answer(carol, batch, kind="none", text="", paragraph=None)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    worst = client.get(at("report")).context["worst"]
    assert len(worst) == 2
    problem_reports.exclude(worst[0], reason="Two towers")
    assert client.get(at("report")).context["worst"] == worst[1:]


def test_what_is_undefined_is_left_out_of_the_paragraph(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    paragraph = client.get(at("report")).context["paragraph"]
    assert "the human score is" in paragraph
    assert "agreement" not in paragraph
    assert "–" not in paragraph
