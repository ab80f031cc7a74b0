"""Notices by e-mail, where the installation can send any: to whoever has not read them after a while.

Notices are put into a letter before it goes out, under a lease. Whoever dies on the way leaves a letter that is sent
again when the lease is over, under the same Message-ID, by which mail programs know a letter that came twice.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from datetime import timedelta
from smtplib import (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPHeloError,
    SMTPServerDisconnected,
)
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow import notified
from annotation.models import Notice

AFTER = timedelta(minutes=10)  # who is at the screen sees the bell
NOT_AFTER = timedelta(days=1)
LEASE = timedelta(minutes=5)
AWAY = (SMTPConnectError, SMTPHeloError, SMTPAuthenticationError)  # no letter came as far as to be refused
log = logging.getLogger(__name__)


def mail_due(*, limit: int = 50) -> int:
    """Send each person one letter with what they have not read; returns how many letters. Safe to run twice."""
    if not settings.EMAIL_URL:
        return 0
    sent = 0
    for letter in _taken(limit):
        try:
            sent += _send(letter)
        except SMTPServerDisconnected as away:  # perhaps over this one: it keeps its lease, so that others come first
            _note(away)
            break
        except AWAY as away:
            _put_back(letter, away)
            break
        except SMTPException as refused:  # the server speaks, but does not want this one
            _put_back(letter, refused)
        except OSError as away:
            _put_back(letter, away)
            break
    return sent


def _unread() -> QuerySet[Notice]:
    rows = Notice.objects.filter(read_at=None, mailed_at=None, user__is_active=True).exclude(user__email="")
    return rows.filter(notified.concerning(), created_at__lt=Now() - AFTER, created_at__gt=Now() - NOT_AFTER)


def _taken(limit: int) -> Iterator[uuid.UUID]:
    """Letters to send now, each leased as it is its turn: those that stayed behind, then new ones."""
    free = Q(mail_lease_until=None) | Q(mail_lease_until__lt=Now())
    behind = _unread().filter(free, letter__isnull=False).order_by("letter").values_list("letter", flat=True)
    for letter in list(behind.distinct()[:limit]):
        if Notice.objects.filter(free, letter=letter, mailed_at=None).update(mail_lease_until=Now() + LEASE):
            yield letter
    new = _unread().filter(letter=None)
    for user in list(new.order_by("user").values_list("user", flat=True).distinct()[:limit]):
        letter = uuid.uuid4()
        keys = list(new.filter(user=user).values_list("pk", flat=True))
        mine = Notice.objects.filter(pk__in=keys, letter=None)
        if mine.update(letter=letter, mail_lease_until=Now() + LEASE):
            yield letter


def _send(letter: uuid.UUID) -> bool:
    """Raises OSError where it does not go."""
    mine = Notice.objects.filter(notified.concerning(), letter=letter)  # it may have waited for long
    rows = list(mine.select_related("user", "batch", "job").order_by("pk"))
    if not rows:  # its person left at this instant
        return False
    user = rows[0].user
    with translation.override(user.language or settings.LANGUAGE_CODE):
        subject = ngettext("Hopscribe: %(n)s notice", "Hopscribe: %(n)s notices", len(rows)) % {"n": len(rows)}
        where = _("All of them, and what you want to hear of: %(url)s") % {"url": f"{settings.PUBLIC_URL}/notices/"}
        text = "\n".join([*(f"- {notified.told(row)}" for row in rows), "", where])
    name = f"<{letter}@{urlsplit(settings.PUBLIC_URL).hostname}>"
    EmailMessage(subject, text, to=[user.email], headers={"Message-ID": name}).send()
    Notice.objects.filter(letter=letter).update(mailed_at=Now())
    return True


def _put_back(letter: uuid.UUID, why: OSError) -> None:
    Notice.objects.filter(letter=letter).update(mail_lease_until=None)
    _note(why)


def _note(why: OSError) -> None:
    log.warning("a letter could not be sent: %s", type(why).__name__)
