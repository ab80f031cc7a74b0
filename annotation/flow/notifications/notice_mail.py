"""Notices by email, to people who have not read them after a while.

Notices are assigned to a mail, under a lease, before it is sent. If the process dies the mail is sent again after the
lease, with the same Message-ID, by which mail programs recognise the duplicate.
"""

import logging
import uuid
from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPAuthenticationError, SMTPConnectError, SMTPException, SMTPHeloError, SMTPServerDisconnected
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.notifications import notice_inbox
from annotation.models import Notice

AFTER = timedelta(minutes=10)  # people at the screen see the bell
NOT_AFTER = timedelta(days=1)
LEASE = timedelta(minutes=5)
AWAY = (SMTPConnectError, SMTPHeloError, SMTPAuthenticationError)  # the connection failed before any mail was refused
log = logging.getLogger(__name__)


def mail_due(*, limit: int = 50) -> int:
    """Mail to each person their unread notices; returns the number of mails. Safe to run twice."""
    if not settings.EMAIL_URL:
        return 0
    sent = 0
    for mail_id in _taken(limit):
        try:
            sent += _send(mail_id)
        # perhaps because of this mail: its lease stays, so that others come first
        except SMTPServerDisconnected as away:
            _note(away)
            break
        except OSError as failed:
            Notice.objects.filter(mail_id=mail_id).update(mail_lease_until=None)
            _note(failed)
            if isinstance(failed, AWAY) or not isinstance(failed, SMTPException):
                break  # otherwise the server works, but refuses this mail
    return sent


def _unread() -> QuerySet[Notice]:
    rows = Notice.objects.filter(read_at=None, mailed_at=None, user__is_active=True).exclude(user__email="")
    return rows.filter(notice_inbox.concerning(), created_at__lt=Now() - AFTER, created_at__gt=Now() - NOT_AFTER)


def _taken(limit: int) -> Iterator[uuid.UUID]:
    """Ids of mails to send now, each leased in its turn: first unsent mails of earlier runs, then new ones."""
    free = Q(mail_lease_until=None) | Q(mail_lease_until__lt=Now())
    behind = _unread().filter(free, mail_id__isnull=False).order_by("mail_id").values_list("mail_id", flat=True)
    for mail_id in list(filter(None, behind.distinct()[:limit])):
        if Notice.objects.filter(free, mail_id=mail_id, mailed_at=None).update(mail_lease_until=Now() + LEASE):
            yield mail_id
    new = _unread().filter(mail_id=None)
    for user in list(new.order_by("user").values_list("user", flat=True).distinct()[:limit]):
        mail_id = uuid.uuid4()
        keys = list(new.filter(user=user).values_list("pk", flat=True))
        rows = Notice.objects.filter(pk__in=keys, mail_id=None)
        if rows.update(mail_id=mail_id, mail_lease_until=Now() + LEASE):
            yield mail_id


def _send(mail_id: uuid.UUID) -> bool:
    """Send a mail. Raises OSError if that fails."""
    # check again: it may have waited for long
    notices = Notice.objects.filter(notice_inbox.concerning(), mail_id=mail_id)
    rows = list(notice_inbox.with_subjects(notices).order_by("pk"))
    if not rows:  # its person has just left the project
        return False
    user = rows[0].user
    with translation.override(user.language or settings.LANGUAGE_CODE):
        subject = ngettext("Hopscribe: %(n)s notice", "Hopscribe: %(n)s notices", len(rows)) % {"n": len(rows)}
        where = _("All notices and your settings for them: %(url)s") % {"url": f"{settings.PUBLIC_URL}/notices/"}
        text = "\n".join([*(f"- {notice_inbox.notice_text(row)}" for row in rows), "", where])
    name = f"<{mail_id}@{urlsplit(settings.PUBLIC_URL).hostname}>"
    EmailMessage(subject, text, to=[user.email], headers={"Message-ID": name}).send()
    Notice.objects.filter(mail_id=mail_id).update(mailed_at=Now())
    return True


def _note(why: OSError) -> None:
    log.warning("a mail could not be sent: %s", type(why).__name__)
