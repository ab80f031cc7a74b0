"""Tests of qualifications: a QuestionForm with a time limit, graded by its answer key where it has one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import qualifying
from annotation.flow.refusal import Refused
from annotation.models import QualificationRequest, QualificationType, Worker, clock
from annotation.pure.wire_xml import Form, Malformed, answers_xml, read_answer_key, read_answers, read_question, score

GRACE = timedelta(seconds=60)  # for the way from the page to us
State = QualificationRequest.State


class TimeOver(Refused):
    """The test was not sent in time."""


def form_of(type: QualificationType) -> Form | None:
    """The test as it can be taken here; None where there is none, or it is not a QuestionForm."""
    try:
        asked = read_question(type.test) if type.test else None
    except Malformed:
        return None
    return asked if isinstance(asked, Form) else None


def under_way(type: QualificationType, worker: Worker) -> QualificationRequest | None:
    """The try that the worker has begun and can still send."""
    asked = QualificationRequest.objects.filter(type=type, worker=worker, state=State.TESTING).first()
    return None if asked is None or is_over(asked) else asked


def begin(type: QualificationType, worker: Worker) -> QualificationRequest:
    """Start the test's clock, or go on with the try under way. Raises Refused where the worker may not try (again)."""
    if form_of(type) is None:
        raise Refused(_("This qualification has no test that can be taken here."))
    for asked in QualificationRequest.objects.filter(type=type, worker=worker, state=State.TESTING):
        if is_over(asked):
            close(asked)
    return qualifying.begin_test(type, worker)


def ends_at(asked: QualificationRequest) -> datetime | None:
    """Until when the test can be sent; None: there is no limit."""
    seconds = asked.type.test_seconds
    return asked.started_at + timedelta(seconds=seconds) if seconds else None


def is_over(asked: QualificationRequest) -> bool:
    end = ends_at(asked)
    return end is not None and clock.now() > end + GRACE


def close(asked: QualificationRequest) -> None:
    """Note that a try was not finished in time; the next one waits as long as after any other."""
    reason = _("The time for the test was over before it was sent.")
    asked.move(State.REJECTED, since=State.TESTING, reason=reason, submitted_at=Now(), decided_at=Now())


def hand_in(type: QualificationType, worker: Worker, fields: Sequence[Sequence[str]]) -> QualificationRequest:
    """Store the answers of the try under way, and grant what the answer key gives where there is one.

    Sent again it changes nothing: the last try comes back. Raises TimeOver, and Refused where none was begun.
    """
    asked = QualificationRequest.objects.filter(type=type, worker=worker).order_by("-started_at", "-pk").first()
    if asked is None:
        raise Refused(_("Start the test first."))
    if asked.state != State.TESTING:
        return asked
    asked.type = type
    if is_over(asked):
        close(asked)
        raise TimeOver(_("The time for the test was over before it was sent."))
    answer = answers_xml(fields, read_question(asked.test))
    return qualifying.request(type, worker, answer=answer, value=_value(type, answer))


def _value(type: QualificationType, answer: str) -> int | None:
    """What the answer key gives; None where there is none that can be read: then a requester decides."""
    try:
        return score(read_answer_key(type.answer_key), read_answers(answer)) if type.answer_key else None
    except Malformed:
        return None
