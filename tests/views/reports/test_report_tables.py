"""The report of a task that speaks in tables: on its page, quoted, and in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from annotation.registry import task_type
from annotation.views.reports.report_tables import shown_table
from tests.views.console import answer, at, work_off

FIGURE = {"value": 0.25, "low": 0.125, "high": 0.5, "n": 8}
UNDEFINED = {"value": None, "low": None, "high": None, "n": 0}
CONTENT = {
    "task": "answer",
    "n": 4,
    "tables": [
        {
            "name": "by-worker",
            "title": "By worker",
            "note": "The rate is of bridges.",
            "columns": ["worker", "submitted", "rate", "warning"],
            "rows": [["<b>w|1</b>", 3, FIGURE, {"text": "high", "values": {}}], ["w2", None, UNDEFINED, ""]],
        },
        {"name": "none", "title": "Overridden", "note": "", "columns": ["check", "count"], "rows": []},
    ],
    "paragraph": [
        {"message": "%(n)s people answered.", "values": {"n": 2}},
        {"message": "Of these %(rate)s %% said no.", "values": {"rate": 25.0}},
    ],
    "warnings": [{"message": "%(worker)s said no too often.", "values": {"worker": "w1"}}],
    "intervals": "95 % Wilson score intervals",
}


@pytest.fixture
def reported(client: Any, alice: Any, bob: Any, batch: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Alice's browser, after the report was computed."""
    monkeypatch.setattr(type(task_type("answer")), "report", lambda *args, **named: CONTENT)
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-open"))
    client.post(at("report-refresh"))
    work_off()
    return client


def test_the_page_shows_the_tables_with_percents_intervals_and_what_stands_out(reported: Any) -> None:
    html = reported.get(at("report")).content.decode()
    for text in (
        "By worker",
        "The rate is of bridges.",
        "<b>25.0 %</b>",
        "[12.5, 50.0]",
        "w1 said no too often.",
        "2 people answered. Of these 25 % said no.",
        "95 % Wilson score intervals",
        "&lt;b&gt;w|1&lt;/b&gt;",
    ):
        assert text in html
    assert "<pre>" not in html


def test_an_empty_table_says_that_it_is_empty_and_offers_nothing_to_copy(reported: Any) -> None:
    shown = {table["name"]: table for table in reported.get(at("report")).context["tables"]}
    assert shown["none"]["quotes"] == []
    assert "Nothing to show here yet." in reported.get(at("report")).content.decode()


def test_every_table_can_be_copied_in_four_forms(reported: Any) -> None:
    table = reported.get(at("report")).context["tables"][0]
    quotes = {quote["label"]: quote["text"] for quote in table["quotes"]}
    assert quotes["TSV"].splitlines()[1] == "<b>w|1</b>\t3\t25.0 [12.5, 50.0]\thigh"
    assert r"w\|1" in quotes["Markdown"]
    assert r"w2 & -- & -- &  \\" in quotes["LaTeX"]
    assert len({quote["id"] for quote in table["quotes"]}) == 4


def test_columns_of_numbers_stand_at_the_right_and_shares_have_a_bar(reported: Any) -> None:
    table = shown_table(CONTENT["tables"][0])
    assert [column["number"] for column in table["columns"]] == [False, True, True, False]
    known, unknown = (row[2] for row in table["rows"])
    assert known["bar"] == {"value": 25.0, "low": 12.5, "width": 37.5, "size": 100}
    assert (unknown["text"], unknown["bar"]) == ("–", None)


def test_a_figure_beyond_a_share_has_no_bar() -> None:
    figure = {"value": -0.2, "low": -0.5, "high": 0.1, "n": 3}
    cell = shown_table({"name": "t", "title": "T", "columns": ["a", "b"], "rows": [["x", figure]]})["rows"][0][1]
    assert (cell["text"], cell["interval"], cell["bar"]) == ("−20.0 %", "[−50.0, 10.0]", None)


def test_the_name_of_the_only_model_stands_below_its_table_and_in_what_is_copied() -> None:
    rows = [["judge", "yes", 3], ["judge", "no", 4]]
    shown = shown_table({"name": "t", "title": "T", "columns": ["Model", "Label", "n"], "rows": rows, "note": "All."})
    assert [column["label"] for column in shown["columns"]] == ["Label", "n"]
    assert [[cell["text"] for cell in row] for row in shown["rows"]] == [["yes", "3"], ["no", "4"]]
    assert shown["note"] == "Model: judge. All."
    assert all(quote["text"].count("judge") == 2 for quote in shown["quotes"])
    rows[1][0] = "other"
    assert (
        len(shown_table({"name": "t", "title": "T", "columns": ["Model", "Label", "n"], "rows": rows})["columns"]) == 3
    )


def test_the_command_prints_the_tables(reported: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("score_batch", "wells-1", "--project", "wells")
    result = capsys.readouterr().out
    assert "! w1 said no too often." in result
    assert "w2                  –                  –" in result
    assert "Overridden: nothing yet" in result
    assert "2 people answered." in result


def test_the_workers_page_needs_no_scores(reported: Any) -> None:
    assert reported.get(at("batch-workers")).status_code == 200
