"""Letters between a project and its workers."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow import messaging
from annotation.flow.refusal import Refused
from annotation.models import Assignment


def test_a_letter_is_unread_until_the_worker_reads_it(bob: Any, alice: Any) -> None:
    told = messaging.send(bob, "  About\nyour work ", " Well done. ", author=alice)
    assert (told.subject, told.text, told.author) == ("About your work", "Well done.", alice)
    assert list(messaging.unread(bob)) == [told]
    assert messaging.read(bob) == 1
    assert not messaging.unread(bob).exists()
    assert messaging.read(bob) == 0


def test_each_side_reads_only_what_the_other_one_wrote(bob: Any) -> None:
    messaging.ask(bob, "", "May I ask something?")
    assert messaging.read(bob) == 0
    assert messaging.read(bob, from_worker=True) == 1
    assert messaging.of(bob).count() == 1


def test_a_letter_without_words_is_not_sent(bob: Any) -> None:
    with pytest.raises(Refused):
        messaging.send(bob, "subject", " \n ")
    assert not messaging.of(bob).exists()


def test_a_letter_goes_only_to_whose_work_it_is_about(bob: Any, carol: Any) -> None:
    with pytest.raises(Refused):
        messaging.send(carol, "", "About your work.", assignment=Assignment(worker=bob))


def test_a_long_letter_is_cut_to_what_a_letter_holds(bob: Any) -> None:
    told = messaging.send(bob, "s" * 300, "t" * 5000)
    assert (len(told.subject), len(told.text)) == (200, 4096)
