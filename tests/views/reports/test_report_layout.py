"""A report begins with its figures and a picture, and leaves as one file in any form."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.reports import batch_scores, score_looks
from annotation.models import AuditEntry, Batch
from annotation.pure.reports.tables import interval
from tests.flow.acting import launched
from tests.one_line import one_line
from tests.views.console import answer, at


@pytest.fixture
def reported(bob: Any, carol: Any, batch: Batch) -> Batch:
    """Four HITs with two responses each; on one of them the workers differ."""
    for number in range(4):
        answer(bob, batch)
        answer(carol, batch, **({"kind": "none", "text": "", "paragraph": None} if number in (0, 1) else {}))
    batch_scores.score_batch(batch)
    return batch


def test_figures_and_a_picture_come_first_then_the_table_and_the_rest_folded(
    client: Any, alice: Any, reported: Batch
) -> None:
    client.force_login(alice)
    page = client.get(at("report"))
    html = page.content.decode()
    assert [figure["label"] for figure in page.context["headline"]] == [
        "Human score", "Upper bound", "Agreement", "Support: Human score",
    ]  # fmt: skip
    assert page.context["lead"]["title"] == "Human performance"
    assert "8 responses to 4 items by 2 workers." in one_line(html)
    parts = ('class="figures"', 'class="chart fits"', 'id="table-human-performance"', "Methods paragraph")
    order = [html.index(part) for part in parts]
    assert order == sorted(order)
    folded = re.findall(r'class="entry" id="table-([\w-]+)"', html)
    assert {"musique-table-3", "by-position-in-sitting", "measures-wells", "workers-wells"} <= set(folded)


def test_where_workers_differ_is_a_map_with_a_table(client: Any, alice: Any, bob: Any, reported: Batch) -> None:
    client.force_login(alice)
    [table] = client.get(at("report")).context["differing"]["tables"]
    first, *workers = [column["label"] for column in table["columns"]]
    assert first == "Item"
    assert bob.pseudonym in workers
    assert len(table["rows"]) == 2
    assert "2 items with the most disagreement" in client.get(at("report")).content.decode()
    response = client.get(at("report-chart", "differing"))
    assert response.content.count(b"fill-opacity") == 4


def test_the_whole_report_leaves_in_every_form(client: Any, alice: Any, reported: Batch) -> None:
    client.force_login(alice)
    forms = list(client.get(at("report")).context["report_exports"])
    sent = {form: client.get(at("report-export", form)) for form in forms}
    assert {form: response["Content-Disposition"] for form, response in sent.items()} == {
        form: f'attachment; filename="wells-1-report.{suffix}"'
        for form, suffix in {
            "html": "html", "latex": "tex", "markdown": "md", "csv": "csv.zip", "svg": "svg.zip",
        }.items()
    }  # fmt: skip
    assert sent["latex"].content.decode().count(r"\begin{table}") > 5
    assert "# " in sent["markdown"].content.decode()
    assert "The data are 4 items of the dataset wells." in sent["markdown"].content.decode()
    for form, first in (("csv", "human-performance.csv"), ("svg", "measures-wells.svg")):
        with zipfile.ZipFile(io.BytesIO(sent[form].content)) as archive:
            assert archive.namelist()[0] == first
            assert archive.testzip() is None
    assert client.get(at("report-export", "docx")).status_code == 404
    assert AuditEntry.objects.filter(act="exported", details__contains="wells-1-report").count() == len(forms)


def test_the_page_as_a_file_needs_no_other_file(client: Any, alice: Any, reported: Batch) -> None:
    client.force_login(alice)
    html = client.get(at("report-export", "html")).content.decode()
    assert "<style>" in html
    assert "--accent" in html
    assert not re.findall(r"(?:href|src|action)=|<script|<form|<button(?!\s+class=\"why\")", html)
    assert html.count("<svg") > 3


def test_a_file_of_an_unfinished_batch_is_a_look_at_its_scores(client: Any, alice: Any, bob: Any, batch: Batch) -> None:
    answer(bob, batch)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    assert client.get(at("report-export", "latex")).status_code == 200
    assert AuditEntry.objects.get(act=score_looks.LOOK).details["n"] == 1
    batch_launch.close(batch)
    assert client.get(at("report-export", "csv") + "?hops=2").status_code == 404


def shown(page: Any) -> dict[str, Any]:
    """The tables of a report's page by their names."""
    studies = [table for study in page.context["studies"] for table in study["tables"]]
    return {table["name"]: table for table in (*page.context["tables"], *studies)}


def test_support_has_no_columns_where_nobody_was_asked_for_it(
    client: Any, alice: Any, bob: Any, project: Any, dataset: Any
) -> None:
    bare = launched(project, "wells-1", dataset, options={"support": False})
    answer(bob, bare, support=[])
    batch_launch.close(bare)
    batch_scores.score_batch(bare)
    client.force_login(alice)
    page = client.get(at("report"))
    heads = {
        name: " ".join(part["words"] for part in table["spans"]) + " ".join(one["label"] for one in table["columns"])
        for name, table in shown(page).items()
    }
    assert {"human-performance", "musique-table-3", "musique-table-4", "measures-wells"} <= set(heads)
    assert not [name for name, words in heads.items() if "upport" in words or "Sp" in words]
    assert not [figure["label"] for figure in page.context["headline"] if "upport" in figure["label"]]


def test_no_range_about_something_else_stands_beside_a_figure(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Batch
) -> None:
    """Neither what the figure would be without one of the workers nor what it is at another k."""
    for worker in (bob, carol, bob, carol, bob):
        answer(worker, batch, **({"text": "Farrow"} if worker is carol else {}))
    batch_launch.close(batch)
    content = batch_scores.score_batch(batch)
    client.force_login(alice)
    page = client.get(at("report"))
    tables = shown(page)
    alone = [cell for row in tables["people-wells"]["rows"] for cell in row]
    assert any(cell["text"] == "Lowest with one annotator left out" for cell in alone)
    assert not [cell["text"] for cell in alone if cell.get("interval")]
    study = content["datasets"]["wells"]
    assert len(study["by_count"]) == 2
    own = [study["answer"][measure]["f1"] for measure in ("human_score", "upper_bound", "agreement")]
    assert [figure["interval"] for figure in page.context["headline"]][:3] == list(map(interval, own))
