"""Notices by e-mail: what nobody read, once, to whoever has an address, where there is a mail server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from annotation.flow import announcing, mailing, notified
from annotation.models import Notice

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(bob: Any, carol: Any, batch: Any, settings: Any) -> Any:
    """Bob and Carol were told of work eleven minutes ago; Bob has an address."""
    settings.EMAIL_URL = "smtp://mail.example"
    type(bob.user).objects.filter(pk=bob.user.pk).update(email="bob@example.org")
    announcing.announce_due()
    Notice.objects.update(created_at=F("created_at") - timedelta(minutes=11))
    return bob.user


def test_what_was_not_read_goes_out_once(told: Any, mailoutbox: Any, settings: Any) -> None:
    assert [mailing.mail_due(), mailing.mail_due()] == [1, 0]
    (letter,) = mailoutbox
    assert (letter.to, letter.subject) == (["bob@example.org"], "Hopscribe: 1 notice")
    assert "There is new work for you: “wells-1”." in letter.body
    assert f"{settings.PUBLIC_URL}/notices/" in letter.body


def test_what_was_read_or_is_fresh_does_not(told: Any, mailoutbox: Any, settings: Any) -> None:
    Notice.objects.update(created_at=F("created_at") + timedelta(minutes=5))
    assert mailing.mail_due() == 0
    Notice.objects.update(created_at=F("created_at") - timedelta(minutes=5))
    settings.EMAIL_URL = ""
    assert mailing.mail_due() == 0
    settings.EMAIL_URL = "smtp://mail.example"
    notified.read(told)
    assert mailing.mail_due() == 0
    assert not mailoutbox


def test_a_letter_that_did_not_go_is_tried_again(told: Any, mailoutbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as broken:
        broken.setattr(mailing, "send_mail", away)
        assert mailing.mail_due() == 0
    assert (mailing.mail_due(), len(mailoutbox)) == (1, 1)
