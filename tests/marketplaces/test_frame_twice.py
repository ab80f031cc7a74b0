"""One address of the frame in two browsers under one worker: nothing lost, nothing doubled, and the second is told."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models.functions import Now

from annotation.marketplaces.models import Arrival
from annotation.models import Assignment, Hit, WorkerResponse
from annotation.pure.batches import lifecycle
from tests.marketplaces.frames import ORIGIN, Frame, publish
from tests.marketplaces.test_frame import body, fields

pytestmark = pytest.mark.postgresql(reason="commits: two windows at once")


@pytest.fixture
def hit(batch: Any) -> Hit:
    publish(batch)
    return Hit.objects.select_related("batch__project", "publication__connection").filter(batch=batch).first()


def words(hit: Hit) -> list[str]:
    """Other answers that its paragraphs could give."""
    return [word for word in hit.payload["paragraphs"][0]["text"].split() if len(word) > 2][:2]


@pytest.fixture
def two(hit: Hit) -> tuple[Frame, Frame]:
    """Two browsers with the same address, both at the task."""
    first, second = Frame(hit), Frame(hit)
    first.begin()
    second.open()
    return first, second


def test_both_browsers_have_the_same_assignment(two: tuple[Frame, Frame], hit: Hit) -> None:
    assert hit.payload["question"] in body(two[0].page)
    assert hit.payload["question"] in body(two[1].page)
    assert (Assignment.objects.count(), Arrival.objects.count()) == (1, 1)


def test_the_second_to_submit_is_told_and_sees_what_they_wrote(two: tuple[Frame, Frame], hit: Hit) -> None:
    first, second = two
    row = Assignment.objects.get()
    given, other = fields(row) | {"key": "0.first"}, words(hit)[0]
    assert f'action="{ORIGIN}/mturk/externalSubmit"' in body(first.act("submit", **given))
    late = second.act("submit", **given | {"key": "0.second", "text": other})
    assert late.status_code == 409
    assert other in body(late).partition("already submitted from another tab")[2], "they can copy it from there"
    assert WorkerResponse.objects.get().answer["text"] == given["text"]
    hit.refresh_from_db()
    assert (hit.live, hit.done) == (0, 1)
    assert f'action="{ORIGIN}/mturk/externalSubmit"' in body(second.open()), "the way on is the same"


def test_the_second_to_save_a_draft_is_told_and_gets_the_one_that_stands(two: tuple[Frame, Frame]) -> None:
    first, second = two
    draft = {"kind": "text", "key": "0.k", "version": "0"}
    assert first.act("draft", text="here", **draft).status_code == 200
    result = second.act("draft", text="there", **draft)
    assert result.status_code == 409
    assert (result.json()["version"], result.json()["draft"]["text"]) == (1, "here")


def test_what_one_browser_returned_the_other_may_still_submit(two: tuple[Frame, Frame]) -> None:
    first, second = two
    row = Assignment.objects.get()
    assert first.act("return").status_code == 200
    second.act("submit", **fields(row))
    row.refresh_from_db()
    assert (row.state, row.late, row.responses.count()) == (lifecycle.SUBMITTED, True, 1)


@pytest.mark.django_db(transaction=True)
def test_of_two_browsers_that_submit_at_the_same_instant_one_is_stored_and_one_is_told(
    two: tuple[Frame, Frame], hit: Hit
) -> None:
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")
    row, start, replies = Assignment.objects.get(), Barrier(2), {}

    def submit(frame: Frame, text: str) -> None:
        given = fields(row, key=f"0.{text}", text=text, csrfmiddlewaretoken=frame.token)
        try:
            start.wait(timeout=20)
            replies[text] = frame.client.post(f"/frame/{hit.public_id}/submit/", given)
        finally:
            connections.close_all()

    browsers = [Thread(target=submit, args=pair) for pair in zip(two, words(hit), strict=False)]
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join(timeout=60)
    assert sorted(reply.status_code for reply in replies.values()) == [303, 409]
    stored = next(text for text, reply in replies.items() if reply.status_code == 303)
    lost = next(text for text in replies if text != stored)
    assert WorkerResponse.objects.get().answer["text"] == stored
    assert lost in body(replies[lost]), "what they wrote is shown, so that they can keep it"
    hit.refresh_from_db()
    assert (hit.live, hit.done) == (0, 1)


def test_time_from_before_a_hit_was_returned_and_accepted_again_counts(two: tuple[Frame, Frame]) -> None:
    first, second = two
    Assignment.objects.update(accepted_at=Now() - timedelta(seconds=200))
    draft = {"kind": "text", "text": "here", "key": "0.k", "active_seconds": "100"}
    first.act("draft", version="0", **draft)
    first.act("return")
    second.open()
    row = Assignment.objects.get()
    assert row.accepted_at > row.draft_saved_at
    second.act("draft", version="1", **draft | {"active_seconds": "100.1"})
    second.act("submit", **fields(row, active_seconds="100.1"))
    assert 100 <= WorkerResponse.objects.get().active_seconds <= 100.1
