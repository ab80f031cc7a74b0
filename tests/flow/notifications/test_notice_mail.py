"""Notices by e-mail: what nobody read, once, to whoever has an address, where there is a mail server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from smtplib import SMTPAuthenticationError, SMTPConnectError, SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any
from unittest.mock import patch

import pytest
from django.core.mail import EmailMessage
from django.db import connection
from django.db.models import F

from annotation.flow.notifications import announcements, notice_inbox
from annotation.models import Member, Notice
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="mail is fetched and fenced by guarded updates")]


@pytest.fixture
def told(bob: Any, carol: Any, batch: Any, settings: Any) -> Any:
    """Bob and Carol were told of work eleven minutes ago; Bob has an address."""
    settings.EMAIL_URL = "smtp://mail.example"
    type(bob.user).objects.filter(pk=bob.user.pk).update(email="bob@example.org")
    announcements.announce_due()
    Notice.objects.update(created_at=F("created_at") - timedelta(minutes=11))
    return bob.user


def test_what_was_not_read_goes_out_once(told: Any, mailoutbox: Any, settings: Any) -> None:
    assert [notice_inbox.mail_due(), notice_inbox.mail_due()] == [1, 0]
    (letter,) = mailoutbox
    assert (letter.to, letter.subject) == (["bob@example.org"], "Hopscribe: 1 notice")
    assert "There is new work for you: “wells-1”." in letter.body
    assert f"{settings.PUBLIC_URL}/notices/" in letter.body


def test_what_was_read_or_is_fresh_does_not(told: Any, mailoutbox: Any, settings: Any) -> None:
    Notice.objects.update(created_at=F("created_at") + timedelta(minutes=5))
    assert notice_inbox.mail_due() == 0
    Notice.objects.update(created_at=F("created_at") - timedelta(minutes=5))
    settings.EMAIL_URL = ""
    assert notice_inbox.mail_due() == 0
    settings.EMAIL_URL = "smtp://mail.example"
    notice_inbox.read(told)
    assert notice_inbox.mail_due() == 0
    assert not mailoutbox


WORDS: dict[type[BaseException], Callable[[], BaseException]] = {
    SMTPRecipientsRefused: lambda: SMTPRecipientsRefused({}),
    SMTPConnectError: lambda: SMTPConnectError(421, "busy"),
    SMTPAuthenticationError: lambda: SMTPAuthenticationError(535, "no"),
}


@contextmanager
def failing(why: type[BaseException], *, at: str = "") -> Iterator[list[Any]]:
    """Nothing can be sent (to that address); what was tried."""
    tried, send = [], EmailMessage.send

    def fail(letter: EmailMessage, **more: Any) -> int:
        tried.append(letter)
        if at in letter.to[0]:
            raise WORDS.get(why, lambda: why("no"))()
        return send(letter, **more)

    with patch.object(EmailMessage, "send", fail):
        yield tried


class Killed(BaseException):
    """As a process ends: nobody catches it."""


def _dies_when_marking(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    if 'SET "mailed_at"' in sql:
        raise Killed
    return execute(sql, *rest)


def later(**wait: float) -> None:
    """That much time passes for whoever was sending."""
    Notice.objects.update(mail_lease_until=F("mail_lease_until") - timedelta(**wait))


def test_a_letter_that_did_not_go_is_tried_again(told: Any, mailoutbox: Any) -> None:
    with failing(ConnectionRefusedError):
        assert notice_inbox.mail_due() == 0
    assert (notice_inbox.mail_due(), len(mailoutbox)) == (1, 1)


def test_who_cannot_be_reached_keeps_no_letter_from_another(told: Any, carol: Any, mailoutbox: Any) -> None:
    type(told).objects.filter(pk=carol.user.pk).update(email="carol@example.org")
    with failing(SMTPRecipientsRefused, at="bob") as tried:
        assert notice_inbox.mail_due() == 1
    assert (len(tried), [letter.to for letter in mailoutbox]) == (2, [["carol@example.org"]])
    with failing(ConnectionRefusedError) as tried:
        assert notice_inbox.mail_due() == 0
    assert len(tried) == 1


@pytest.mark.parametrize(
    "why", [ConnectionRefusedError, SMTPServerDisconnected, SMTPConnectError, SMTPAuthenticationError]
)
def test_a_server_that_is_away_is_asked_once_a_round(
    told: Any, carol: Any, why: type[BaseException], mailoutbox: Any
) -> None:
    type(told).objects.filter(pk=carol.user.pk).update(email="carol@example.org")
    with failing(why) as tried:
        assert notice_inbox.mail_due() == 0
    assert len(tried) == 1
    later(minutes=6)
    assert (notice_inbox.mail_due(), len(mailoutbox)) == (2, 2)


def test_a_letter_over_which_the_server_hangs_up_keeps_none_from_others(told: Any, carol: Any, mailoutbox: Any) -> None:
    type(told).objects.filter(pk=carol.user.pk).update(email="carol@example.org")
    with failing(SMTPServerDisconnected, at="bob"):
        assert notice_inbox.mail_due() + notice_inbox.mail_due() == 1
    assert [letter.to for letter in mailoutbox] == [["carol@example.org"]]


def test_a_letter_that_is_tried_again_tells_nothing_of_a_project_that_was_left(
    told: Any, project: Any, mailoutbox: Any
) -> None:
    other = type(project).objects.create(slug="towers", title="Towers", consent="")
    Member.objects.create(project=other, user=told)
    announcements.notify([told], "money", project=other, key="k", facts={"left": "1.00", "put_in": "9.00"})
    Notice.objects.filter(key="k").update(created_at=F("created_at") - timedelta(minutes=11))
    with failing(ConnectionRefusedError):
        assert notice_inbox.mail_due() == 0
    told.memberships.all().delete()
    assert notice_inbox.mail_due() == 1
    assert "wells-1" in mailoutbox[0].body
    assert "9.00" not in mailoutbox[0].body
    assert mailoutbox[0].subject == "Hopscribe: 1 notice"


@pytest.mark.parametrize("sent", [True, False])
def test_whoever_dies_while_sending_loses_no_letter(sent: bool, told: Any, project: Any, mailoutbox: Any) -> None:
    """It comes again, perhaps twice then, but under one Message-ID and with the same words."""
    first = mailoutbox
    if sent:
        with connection.execute_wrapper(_dies_when_marking), pytest.raises(Killed):
            notice_inbox.mail_due()
    else:
        with failing(Killed) as first, pytest.raises(Killed):
            notice_inbox.mail_due()
    assert notice_inbox.mail_due() == 0  # whoever it was may be sending still
    announcements.notify([told], "work", project=project, key="k", batch=project.batches.get())
    Notice.objects.filter(key="k").update(created_at=F("created_at") - timedelta(minutes=11))
    again = len(mailoutbox)
    later(minutes=6)
    assert notice_inbox.mail_due() == 2  # the one that stayed behind, and a new one
    assert notice_inbox.mail_due() == 0
    names = [letter.extra_headers["Message-ID"] for letter in mailoutbox]
    assert names[again] == first[0].extra_headers["Message-ID"] != names[-1]
    assert mailoutbox[again].body == first[0].body


def test_letters_are_in_the_language_of_their_reader(told: Any, carol: Any, mailoutbox: Any, client: Any) -> None:
    type(told).objects.filter(pk=carol.user.pk).update(email="carol@example.org")
    client.force_login(told)
    client.post("/accounts/language/", {"language": "xx"})
    assert client.post("/accounts/language/", {"language": "de"}).status_code == 303
    client.cookies.clear()
    german = {"Accept-Language": "de"}
    client.post("/accounts/sign-in/", {"username": "carol", "password": PASSWORD}, headers=german)
    client.cookies.clear()
    client.post("/accounts/sign-in/", {"username": "bob", "password": PASSWORD})
    assert notice_inbox.mail_due() == 2
    assert {letter.subject for letter in mailoutbox} == {"Hopscribe: 1 Hinweis"}
    assert all("Es gibt neue Arbeit für Sie" in letter.body for letter in mailoutbox)


def test_former_members_get_no_letter(told: Any, project: Any, mailoutbox: Any) -> None:
    project.workers.filter(user=told).update(user=None, external_id="gone")
    assert (notice_inbox.mail_due(), mailoutbox) == (0, [])
