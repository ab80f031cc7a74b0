"""What people are told without asking: once, those whom it concerns, and not those who do not want to hear of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger
from annotation.flow.notifications import announcements, notice_inbox
from annotation.flow.people import qualification_types
from annotation.flow.work.eligibility import from_words
from annotation.models import Assignment, BatchActivity, Job, Member, Notice, User
from tests.flow import acting

pytestmark = pytest.mark.postgresql(reason="rows are inserted where none is in conflict")

DAY = timedelta(days=1)


def told(user: Any) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def later(batch: Any, by: timedelta) -> None:
    """Let time go by: everything that happened, happened so much earlier."""
    for news in BatchActivity.objects.filter(batch=batch):
        BatchActivity.objects.filter(pk=news.pk).update(open_since=news.open_since - by)
    for row in Assignment.objects.filter(batch=batch, submitted_at__isnull=False):
        Assignment.objects.filter(pk=row.pk).update(submitted_at=row.submitted_at - by)


def test_workers_hear_once_of_a_batch_that_opened(alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    User.objects.filter(pk=carol.user_id).update(muted=["work"])
    announcements.announce_due()
    announcements.announce_due()
    assert (told(bob.user), told(carol.user), told(alice)) == (["work"], [], [])


@pytest.mark.parametrize("why", ["not chosen", "not qualified", "not active", "long ago"])
def test_whoever_may_not_take_it_hears_nothing(project: Any, bob: Any, carol: Any, dataset: Any, why: str) -> None:
    wish = {"workers": [carol]} if why == "not chosen" else {}
    if why == "not qualified":
        kind = qualification_types.create_type(project, "Readers", description="")
        qualification_types.grant(kind, carol, 90, source="hand")
        wish = {"requirements": [from_words(project, "Readers >= 80").written()]}
    made = acting.launched(project, "wells-9", dataset, **wish)
    if why == "not active":
        type(bob).objects.filter(pk=bob.pk).update(active=False)
    if why == "long ago":
        type(made).objects.update(launched_at=timezone.now() - 9 * DAY)
    announcements.announce_due()
    assert told(bob.user) == []
    assert told(carol.user) == ([] if why == "long ago" else ["work"])


def test_a_draft_is_no_news(project: Any, bob: Any, dataset: Any) -> None:
    acting.draft(project, "wells-9", dataset)
    announcements.announce_due()
    assert told(bob.user) == []


def test_requesters_hear_that_a_batch_is_finished_and_again_after_a_top_up(
    alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    from annotation.flow.batches import add_assignments

    acting.answer_all(bob, batch)
    announcements.announce_due()
    assert told(alice) == []
    acting.answer_all(carol, batch)
    announcements.announce_due()
    announcements.announce_due()
    assert told(alice) == ["finished"]
    batch.refresh_from_db()
    add_assignments.add_assignments(batch, base=batch.next_ticket, only_disagreeing=False)
    announcements.announce_due()
    acting.answer_all(acting.newcomer(batch.project, "dora"), batch)
    announcements.announce_due()
    assert told(alice) == ["finished", "finished"]


def test_requesters_hear_of_a_batch_that_stands_still_and_again_only_after_an_answer(
    alice: Any, bob: Any, batch: Any
) -> None:
    announcements.announce_due()
    later(batch, 2 * DAY)
    announcements.announce_due()
    announcements.announce_due()
    assert told(alice) == ["stalled"]
    acting.submit(acting.take(bob, batch))
    announcements.announce_due()
    later(batch, 2 * DAY)
    BatchActivity.objects.update(stalled_at=None)
    announcements.announce_due()
    assert told(alice) == ["stalled", "stalled"]


def test_a_batch_that_was_paused_stands_still_only_a_day_after_it_goes_on(alice: Any, batch: Any) -> None:
    announcements.announce_due()
    later(batch, 2 * DAY)
    batch_launch.pause(batch)
    announcements.announce_due()
    batch_launch.resume(batch)
    announcements.announce_due()
    assert told(alice) == []


def test_whoever_started_a_job_hears_that_it_failed_and_everybody_where_they_left(project: Any, alice: Any) -> None:
    other = User.objects.create_user("olga")
    Member.objects.create(project=project, user=other)
    reader = User.objects.create_user("rita")
    Member.objects.create(project=project, user=reader, role=Member.Role.REVIEWER)
    gone = User.objects.create_user("gone")
    now = timezone.now()
    for by in (alice, gone):
        Job.objects.create(
            project=project, kind="x", title="X", due_at=now, state="failed", ended_at=now, created_by=by
        )
    announcements.announce_due()
    announcements.announce_due()
    assert (told(alice), told(other), told(reader)) == (["failed", "failed"], ["failed"], [])


def test_a_budget_that_runs_out_is_told_once_a_deposit(project: Any, alice: Any, batch: Any) -> None:
    type(batch).objects.update(auto_approval=3600)
    ledger.deposit(project, Decimal(100), key="in")
    announcements.announce_due()
    assert "money" not in told(alice)
    ledger.move(project, ledger.AVAILABLE, ledger.FEES, Decimal(95), kind="fee", key="f")
    announcements.announce_due()
    announcements.announce_due()
    assert told(alice) == ["money"]
    assert Notice.objects.get(kind="money").facts == {"left": "5.00", "put_in": "100.00"}
    ledger.deposit(project, Decimal(1), key="more")
    announcements.announce_due()
    assert told(alice) == ["money", "money"]


def test_a_round_that_finds_nothing_writes_nothing_and_asks_as_much_of_many_batches_as_of_one(
    project: Any, alice: Any, bob: Any, dataset: Any, batch: Any
) -> None:
    def asked() -> list[str]:
        announcements.announce_due()
        with CaptureQueriesContext(
            connection,
        ) as made:
            announcements.announce_due()
        return [query["sql"] for query in made]

    first = asked()
    for k in range(5):
        acting.launched(project, f"more-{k}", dataset)
    again = asked()
    assert len(first) == len(again)
    assert not [sql for sql in again if sql.startswith(("UPDATE", "INSERT"))]


def test_a_person_reads_mutes_and_hears_no_more(bob: Any, project: Any, dataset: Any, batch: Any) -> None:
    announcements.announce_due()
    assert notice_inbox.unread(bob.user).count() == 1
    assert notice_inbox.read(bob.user) == 1
    assert notice_inbox.read(bob.user) == 0
    notice_inbox.mute(bob.user, ["work", "nonsense"])
    bob.user.refresh_from_db()
    assert bob.user.muted == ["work"]
    acting.launched(project, "wells-2", dataset)
    announcements.announce_due()
    assert notice_inbox.unread(bob.user).count() == 0
