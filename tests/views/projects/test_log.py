"""The log: what is written into it, by whom, and that nothing in it changes."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from django.db import transaction
from django.urls import reverse

from annotation import jobs
from annotation.flow.batches import batch_launch, hidden_gold
from annotation.flow.money import ledger
from annotation.flow.projects import audit_log, audit_log_table
from annotation.flow.reports import batch_scores
from annotation.flow.review import assignment_approval, problem_reports
from annotation.models import Assignment, AuditEntry, Batch
from annotation.pure.reports.report_values import tables_of
from tests.conftest import write_records
from tests.views.console import answer, at

ROOT = Path(__file__).resolve().parents[3]


def lines(**which: Any) -> list[tuple[str, str, str | None, str]]:
    rows = AuditEntry.objects.filter(**which).order_by("pk")
    return list(rows.values_list("act", "key", "user__username", "via"))


def test_the_door_says_who_acts(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "pause"))
    client.post(at("batch-move", "resume"))
    client.post(at("instructions"), {"instructions": "Read twice."})
    batch_launch.pause(batch)
    assert lines(kind="batch", act__in=["paused", "resumed", "guide changed"]) == [
        ("paused", "wells-1", "alice", "page"),
        ("resumed", "wells-1", "alice", "page"),
        ("guide changed", "wells-1", "alice", "page"),
        ("paused", "wells-1", None, "clock"),
    ]


def test_a_job_acts_for_whoever_asked_for_it(client: Any, alice: Any, dataset: Any, tmp_path: Any) -> None:
    client.force_login(alice)
    with write_records(tmp_path / "more.jsonl", 2).open("rb") as file:
        client.post(reverse("dataset-new", args=["wells"]), {"file": file, "name": "more", "format": "jsonl"})
    jobs.run_due_work()
    assert lines(key="more") == [("imported", "more", "alice", "job")]


def test_what_did_not_happen_is_not_told(client: Any, alice: Any, batch: Any) -> None:
    before = AuditEntry.objects.count()
    with transaction.atomic():
        batch_launch.pause(batch)
        transaction.set_rollback(True)
    batch.refresh_from_db()
    assert not batch_launch.resume(batch)
    assert AuditEntry.objects.count() == before


def test_many_in_one_go_are_one_line(project: Any, batch: Any, bob: Any) -> None:
    hits = [answer(bob, batch).hit for _number in range(2)]
    with audit_log.together("voided", batch, reason="both"):
        for hit in hits:
            problem_reports.exclude(hit, reason="both")
    (line,) = AuditEntry.objects.filter(act="voided")
    assert line.details == {"number": 2, "reason": "both"}
    assert line.batch == "wells-1"


def test_what_time_approves_is_nobodys_act(project: Any, batch: Any, bob: Any) -> None:
    assignment_approval.approve(answer(bob, batch), source="auto")
    assignment_approval.approve(answer(bob, batch))
    assert len(lines(act="approved")) == 1


def test_the_page_narrows_and_the_file_holds_the_same(client: Any, alice: Any, project: Any, batch: Any) -> None:
    client.force_login(alice)
    client.post(at("batch-move", "pause"))
    ledger.deposit(project, 5, key="k", note="=1+1")
    address = reverse("log", args=["wells"])
    shown = client.get(address, {"person": alice.pk, "act": "paused", "kind": "batch", "batch": "wells-1"})
    assert [row.entry.act for row in shown.context["rows"]] == ["paused"]
    assert shown.context["rows"][0].who == "Alice"
    assert not client.get(address, {"until": "2001-01-01"}).context["rows"]
    today = client.get(address, {"since": str(date.today()), "person": "none", "until": "tomorrow"})
    assert {row.entry.act for row in today.context["rows"]} >= {"created", "launched", "put in"}
    file = client.get(reverse("log-file", args=["wells"]), {"act": "put in"}).getvalue().decode()
    assert file.count("\r\n") == 2
    assert '""note"": ""=1+1""' in file
    assert lines(act="exported") == [("exported", "wells", "alice", "page")]


def test_every_file_that_leaves_is_told(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    table = tables_of(batch_scores.score_batch(batch))[0]["name"]
    client.force_login(alice)
    client.post(at("report-open"))
    files = {
        "wells.datasheet.md": reverse("dataset-document", args=["wells", "wells", "datasheet"]),
        f"wells-1-{table}.csv": at("report-table", table, "csv"),
        "wells-datasets.tex": reverse("compare-table", args=["wells", "datasets", "tex"]) + "?of=datasets&one=wells",
        "wells-hours-2026-01-01-2026-01-02.csv": reverse("hours", args=["wells"])
        + "?file&first=2026-01-01&last=2026-01-02",
    }
    for name, address in files.items():
        assert client.get(address)["Content-Disposition"] == f'attachment; filename="{name}"'
    result = AuditEntry.objects.filter(act="exported", user=alice).order_by("pk")
    assert [line.details["file"] for line in result] == list(files)


def test_pausing_an_annotator_and_letting_them_go_on_is_told(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    Batch.objects.filter(pk=batch.pk).update(check_rule={"after": 1, "pause_below": 0.9}, check_share=0.1)
    row = answer(bob, batch, answer="Somewhere else")
    Assignment.objects.filter(pk=row.pk).update(grade=0.0)
    batch.hits.filter(pk=row.hit_id).update(check_item=True)
    assert hidden_gold.judge(Assignment.objects.select_related("batch", "hit").get(pk=row.pk)) == "paused"
    client.force_login(alice)
    client.post(at("batch-worker-resume", bob.pk))
    assert lines(kind="annotator", batch="wells-1") == [
        ("paused", str(bob.pk), None, "clock"),
        ("resumed", str(bob.pk), "alice", "page"),
    ]


def test_every_act_and_thing_that_is_recorded_has_words() -> None:
    code = "".join(file.read_text() for file in (ROOT / "annotation").rglob("*.py"))
    acts = set(re.findall(r"audit_log\.(?:record|together)\(\s*\"([^\"]+)\"", code))
    assert acts
    assert acts - set(audit_log_table.ACTS) == set()
    kinds = set(re.findall(r"Subject\([^,]+, \"(\w+)\"", code))
    assert kinds == set(audit_log_table.KINDS)
