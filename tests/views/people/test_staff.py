"""A worker's page, the hours sheet, and letters about an assignment, from both sides."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse

from annotation.flow.money import wages
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types, timesheet, worker_profile
from annotation.flow.work import leases
from annotation.models import Assignment, Batch, Message, Worker
from annotation.pure.people import periods
from tests.flow.acting import dataset_of, take
from tests.flow.paying import paid_batch, worked

pytestmark = pytest.mark.postgresql(reason="constraints of members and tokens")

AT = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)  # a Monday in UTC, Tuesday in Berlin


@pytest.fixture
def batch(project: Any, tmp_path: Path) -> Batch:
    held = dataset_of(project, tmp_path, name="towers", size=6)
    return paid_batch(project, held, assignments_per_hit=2, same_order=True)


def at_time(row: Assignment, when: datetime) -> None:
    stamps = {"submitted_at": when} if row.submitted_at else {"ended_at": when}
    Assignment.objects.filter(pk=row.pk).update(**stamps)


def page(client: Any, name: str, *args: Any, **query: Any) -> str:
    return client.get(reverse(name, args=["wells", *args]), query).content.decode()


def test_the_hours_sheet_adds_up_what_wages_are_reckoned_by(
    project: Any, batch: Batch, bob: Worker, carol: Worker
) -> None:
    first = worked(bob, batch, seconds=600)
    second = worked(bob, batch, seconds=1200)
    at_time(first, AT)
    at_time(second, AT - timedelta(hours=2))
    back = take(carol, batch)
    Assignment.objects.filter(pk=back.pk).update(active_seconds=90)
    leases.return_assignment(back)
    at_time(back, AT)
    at_time(worked(carol, batch, seconds=30), AT)
    take(carol, batch)  # under way: not yet
    berlin = ZoneInfo("Europe/Berlin")
    monday, tuesday = date(2026, 3, 2), date(2026, 3, 3)
    found = timesheet.sheet(project, monday, tuesday, zone=berlin)
    result = [(line.worker.pk, line.day, line.seconds, line.submitted, line.ended) for line in found.lines]
    assert result == [(bob.pk, monday, 1200, 1, 0), (bob.pk, tuesday, 600, 1, 0), (carol.pk, tuesday, 120, 1, 1)]
    assert [(total.days, total.seconds) for total in found.totals] == [(2, 1800), (1, 120)]
    assert timesheet.sheet(project, tuesday, tuesday, zone=ZoneInfo("UTC")).lines == []
    everything = timesheet.sheet(project, monday, monday, zone=ZoneInfo("UTC"))
    paid = {wage.worker: wage.seconds for wage in wages.of_project(project)}
    assert {total.worker.pk: Decimal(str(total.seconds)) for total in everything.totals} == paid
    Batch.objects.filter(pk=batch.pk).update(removed_at=AT)
    assert timesheet.sheet(project, monday, monday, zone=ZoneInfo("UTC")).seconds == everything.seconds, (
        "paid all the same"
    )
    rows = list(csv.reader(io.StringIO(timesheet.as_csv(found, names=False))))
    assert rows[1][:3] == [project.pseudonym(bob.pk), "2026-03-02", "paid"]
    assert "Bob" not in str(rows)


def test_the_hours_page_takes_days_and_gives_a_file(client: Any, alice: Any, batch: Batch, bob: Worker) -> None:
    at_time(worked(bob, batch, seconds=5400), AT)
    client.force_login(alice)
    asked = {"first": "2026-03-01", "last": "2026-03-31", "zone": "Europe/Berlin"}
    html = page(client, "hours", **asked)
    assert "1:30 h" in html
    assert "Tue 3 Mar 2026" in html
    file = client.get(reverse("hours", args=["wells"]), {**asked, "file": "csv"})
    assert "wells-hours-2026-03-01-2026-03-31.csv" in file["Content-Disposition"]
    assert "Bob" in file.content.decode()
    for wrong in ({"zone": "Nowhere"}, {"last": "2026-02-01"}, {"first": "x"}):
        assert client.get(reverse("hours", args=["wells"]), asked | wrong).status_code == 422
    assert "No working time in this period" in page(client, "hours", span="last-month")


def test_the_hours_of_many_workers_are_shown_by_pages_and_written_to_one_file(
    client: Any, alice: Any, batch: Batch, bob: Worker, carol: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.people.timesheet.WORKERS", 1)
    at_time(worked(bob, batch, seconds=600), AT)
    back = take(carol, batch)
    Assignment.objects.filter(pk=back.pk).update(active_seconds=90)
    leases.return_assignment(back)
    at_time(back, AT)  # she only gave one back
    client.force_login(alice)
    asked = {"first": "2026-03-02", "last": "2026-03-03", "zone": "UTC"}
    pages = [page(client, "hours", **asked, page=number) for number in (1, 2)]
    assert [("0:10 h" in html, "0:02 h" in html) for html in pages] == [(True, False), (False, True)]
    assert all("Total of these workers" in html for html in pages)
    file = client.get(reverse("hours", args=["wells"]), {**asked, "file": "csv"}).content.decode()
    assert file.count("2026-03-02") == 2


def test_weeks_begin_on_monday_and_months_end_on_their_last_day() -> None:
    today = date(2026, 1, 1)
    assert periods.span("week", today) == (date(2025, 12, 29), date(2026, 1, 4))
    assert periods.span("last-week", today) == (date(2025, 12, 22), date(2025, 12, 28))
    assert periods.span("month", date(2026, 2, 9)) == (date(2026, 2, 1), date(2026, 2, 28))
    assert periods.span("last-month", today) == (date(2025, 12, 1), date(2025, 12, 31))


def test_a_worker_s_page_tells_their_work_and_lets_a_requester_act(
    client: Any, alice: Any, batch: Batch, bob: Worker, carol: Worker
) -> None:
    for who, seconds in ((bob, 10), (carol, 40)):
        for _item in range(2):
            worked(who, batch, seconds=seconds, approved=who == bob)
    (row,) = worker_profile.by_batch(bob)
    assert (row.submitted, row.approved, row.median, row.median_of_all) == (2, 2, 10, 25)
    assert worker_profile.agreements(bob) == [1.0, 1.0]
    client.force_login(alice)
    html = page(client, "annotator", bob.pk)
    assert bob.pseudonym in html
    assert "× 0.40" in html
    assert '<polyline class="line"' in html
    assert "Bob" in html
    act = lambda name, **body: client.post(reverse(f"annotator-{name}", args=["wells", bob.pk]), body)  # noqa: E731
    act("block")
    assert not qualification_types.is_blocked(bob), "not without a reason"
    act("block", reason="Copies.")
    assert qualification_types.is_blocked(bob)
    act("unblock")
    act("pause")
    bob.refresh_from_db()
    assert (bob.active, qualification_types.is_blocked(bob)) == (False, False)
    act("resume")
    alice.memberships.update(role="reviewer")
    html = page(client, "annotator", bob.pk)
    assert ">Bob" not in html, "names are for those who run the people's side"
    assert "Block…" not in html


def test_letters_about_an_assignment_reach_the_other_side(
    client: Any, alice: Any, batch: Batch, bob: Worker, carol: Worker
) -> None:
    row = worked(bob, batch)
    client.force_login(bob.user)
    mine = reverse("my-thread", args=[row.public_id])
    assert client.post(mine, {"text": " "}).status_code == 422
    client.post(mine, {"text": "Is the tower white?"})
    assert Message.objects.get().assignment == row
    client.force_login(carol.user)
    assert client.get(mine).status_code == 404
    client.force_login(alice)
    assert "Is the tower white?" in page(client, "messages", show="new")
    assert "Is the tower white?" in page(client, "hit", "paid", row.hit.public_id)
    there = reverse("thread", args=["wells", row.public_id])
    assert worker_messages.unread_of(batch.project).count() == 1
    client.post(there, {"text": "It is.\nLook again."})
    assert not worker_messages.unread_of(batch.project).exists()
    assert "No messages" not in page(client, "messages")
    client.post(reverse("worker-messages", args=["wells", bob.pk]), {"subject": "Thanks", "text": "For all."})
    client.force_login(bob.user)
    history = client.get(reverse("history")).content.decode()
    assert "2 messages" in history
    assert ">new<" in history
    html = client.get(mine).content.decode()
    assert "From the requesters of “Wells and towers”" in html
    assert "Alice" not in html
    client.post(mine, {"read": "1"})
    assert list(worker_messages.unread(bob).values_list("text", flat=True)) == ["For all."]
