"""Qualification tests: a QuestionForm with a time limit, graded by its answer key if it has one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import qualification_types
from annotation.models import QualificationRequest, QualificationType, Worker, clock
from annotation.pure.mturk import answer_key, mturk_xml
from annotation.pure.mturk.mturk_xml import read_question
from annotation.pure.mturk.question_form import QuestionForm
from annotation.pure.text.xml_elements import Malformed

GRACE = timedelta(seconds=60)  # extra time for the transfer from the page
State = QualificationRequest.State


class TimeOver(Refused):
    """The test was not submitted in time."""


def form_of(type: QualificationType) -> QuestionForm | None:
    """The test's form; None if there is none, or it is not a QuestionForm."""
    try:
        question = read_question(type.test) if type.test else None
    except Malformed:
        return None
    return question if isinstance(question, QuestionForm) else None


def under_way(type: QualificationType, worker: Worker) -> QualificationRequest | None:
    """The worker's attempt that was begun and can still be submitted."""
    row = QualificationRequest.objects.filter(type=type, worker=worker, state=State.TESTING).first()
    return None if row is None or is_over(row) else row


def begin(type: QualificationType, worker: Worker) -> QualificationRequest:
    """Begin the test, or continue the attempt under way. Raises Refused if the worker may not take it (again)."""
    if form_of(type) is None:
        raise Refused(_("This qualification has no test here."))
    for row in QualificationRequest.objects.filter(type=type, worker=worker, state=State.TESTING):
        if is_over(row):
            close(row)
    return qualification_types.begin_test(type, worker)


def ends_at(row: QualificationRequest) -> datetime | None:
    """The deadline of an attempt; None: no limit."""
    seconds = row.type.test_seconds
    return row.started_at + timedelta(seconds=seconds) if seconds else None


def is_over(row: QualificationRequest) -> bool:
    end = ends_at(row)
    return end is not None and clock.now() > end + GRACE


def close(row: QualificationRequest) -> None:
    """Close an attempt that was not finished in time; the next one has the same waiting time as after any other."""
    reason = _("Your time for the test ran out before you sent it.")
    row.move(State.REJECTED, since=(State.TESTING,), reason=reason, submitted_at=Now(), decided_at=Now())


def submit_test(type: QualificationType, worker: Worker, fields: Sequence[Sequence[str]]) -> QualificationRequest:
    """Store the answers of the attempt under way, and grant the answer key's score if there is one.

    Submitted again it changes nothing and returns the last attempt. Raises TimeOver, and Refused if none was begun.
    """
    row = QualificationRequest.objects.filter(type=type, worker=worker).order_by("-started_at", "-pk").first()
    if row is None:
        raise Refused(_("Start the test first."))
    if row.state != State.TESTING:
        return row
    row.type = type
    if is_over(row):
        close(row)
        raise TimeOver(_("Your time for the test ran out before you sent it."))
    answer = mturk_xml.answers_xml(fields, read_question(row.test))
    return qualification_types.request(type, worker, answer=answer, value=_value(type, answer))


def _value(type: QualificationType, answer: str) -> int | None:
    """The answer key's score; None without a usable key, so that a requester decides."""
    if not type.answer_key:
        return None
    try:
        return answer_key.score(mturk_xml.read_answer_key(type.answer_key), mturk_xml.read_answers(answer))
    except Malformed:
        return None
