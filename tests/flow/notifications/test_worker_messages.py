"""Letters between a project and its workers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from annotation.flow.errors import Refused
from annotation.flow.notifications import worker_messages
from annotation.models import Assignment, Message, clock


def test_a_letter_is_unread_until_the_worker_reads_it(bob: Any, alice: Any) -> None:
    result = worker_messages.send(bob, "  About\nyour work ", " Well done. ", author=alice)
    assert (result.subject, result.text, result.author) == ("About your work", "Well done.", alice)
    assert list(worker_messages.unread(bob)) == [result]
    assert worker_messages.read(bob) == 1
    assert not worker_messages.unread(bob).exists()
    assert worker_messages.read(bob) == 0


def test_each_side_reads_only_what_the_other_one_wrote(bob: Any) -> None:
    worker_messages.ask(bob, "", "May I ask something?")
    assert worker_messages.read(bob) == 0
    assert worker_messages.read(bob, from_worker=True) == 1
    assert worker_messages.messages_of(bob).count() == 1


def test_a_letter_without_words_is_not_sent(bob: Any) -> None:
    with pytest.raises(Refused):
        worker_messages.send(bob, "subject", " \n ")
    assert not worker_messages.messages_of(bob).exists()


def test_a_letter_goes_only_to_whose_work_it_is_about(bob: Any, carol: Any) -> None:
    with pytest.raises(Refused):
        worker_messages.send(carol, "", "About your work.", assignment=Assignment(worker=bob))


def test_a_long_letter_is_cut_to_what_a_letter_holds(bob: Any) -> None:
    result = worker_messages.send(bob, "s" * 300, "t" * 5000)
    assert (len(result.subject), len(result.text)) == (200, 4096)


def test_a_worker_sends_so_many_messages_an_hour_and_requesters_as_many_as_they_like(bob: Any, carol: Any) -> None:
    for number in range(worker_messages.MOST_AN_HOUR):
        worker_messages.ask(bob, "", f"Question {number}")
    with pytest.raises(Refused, match="20 messages within an hour"):
        worker_messages.ask(bob, "", "One more")
    worker_messages.ask(carol, "", "Another worker's first")
    worker_messages.send(bob, "", "An answer")
    Message.objects.filter(worker=bob).update(created_at=clock.now() - timedelta(minutes=61))
    worker_messages.ask(bob, "", "Later")
