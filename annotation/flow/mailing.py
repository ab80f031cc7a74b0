"""Notices by e-mail, where the installation can send any: to whoever has not read them after a while."""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow import notified
from annotation.models import Notice, User

AFTER = timedelta(minutes=10)  # who is at the screen sees the bell
NOT_AFTER = timedelta(days=1)
BROKEN = (OSError, SMTPException)
log = logging.getLogger(__name__)


def mail_due(*, limit: int = 50) -> int:
    """Send each person one letter with what they have not read; returns how many letters. Safe to run twice.

    A notice is taken before its letter is sent, so that none is mailed twice; if the letter does not go it is put back.
    """
    if not settings.EMAIL_URL:
        return 0
    people = _unread().order_by("user").values_list("user", flat=True).distinct()[:limit]
    return sum(_mail(user) for user in User.objects.filter(pk__in=list(people)))


def _unread() -> QuerySet[Notice]:
    rows = Notice.objects.filter(read_at=None, mailed_at=None, user__is_active=True).exclude(user__email="")
    return rows.filter(created_at__lt=Now() - AFTER, created_at__gt=Now() - NOT_AFTER)


def _mail(user: User) -> bool:
    keys = list(_unread().filter(user=user).values_list("pk", flat=True))
    stamp = timezone.now()
    Notice.objects.filter(pk__in=keys, mailed_at=None).update(mailed_at=stamp)
    mine = Notice.objects.filter(pk__in=keys, mailed_at=stamp)
    texts = [notified.told(row) for row in mine.select_related("batch", "job").order_by("pk")]
    if not texts:
        return False
    subject = ngettext("Hopscribe: %(n)s notice", "Hopscribe: %(n)s notices", len(texts)) % {"n": len(texts)}
    where = _("All of them, and what you want to hear of: %(url)s") % {"url": f"{settings.PUBLIC_URL}/notices/"}
    try:
        send_mail(subject, "\n".join([*(f"- {text}" for text in texts), "", where]), None, [user.email])
    except BROKEN as broken:
        mine.update(mailed_at=None)
        log.warning("a letter could not be sent: %s", type(broken).__name__)
        return False
    return True
