"""A person's notices: unread ones, reading them, turning kinds off; and mails of those not read after a while."""

import logging
import uuid
from collections.abc import Collection, Iterator
from datetime import timedelta
from smtplib import SMTPAuthenticationError, SMTPConnectError, SMTPException, SMTPHeloError, SMTPServerDisconnected
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.models import Batch, Comment, Member, Notice, User, Worker
from annotation.models.compiled import compiled
from annotation.pure.people import roles
from annotation.pure.text.languages import worded

PERMISSIONS: dict[str, str] = {  # by kind: the permission needed to be notified
    Notice.Kind.FINISHED: roles.RUN,
    Notice.Kind.STALLED: roles.RUN,
    Notice.Kind.FAILED: roles.RUN,
    Notice.Kind.MONEY: roles.PAY,
    Notice.Kind.COMMENT: roles.SEE,
}


def notices_of(user: User, *, closed: bool = False) -> QuerySet[Notice]:
    """The person's notices, newest first; `closed`: also of work in closed batches."""
    return with_subjects(Notice.objects.filter(concerning(closed=closed), user=user)).order_by("-created_at", "-pk")


def with_subjects(rows: QuerySet[Notice]) -> QuerySet[Notice]:
    """The notices with all that `notice_text` names, in the same query."""
    rows = rows.select_related("user", "project", "batch", "job")
    rows = rows.select_related("comment__author", "comment__item__dataset", "comment__hit")
    rows = rows.defer("comment__text", "comment__item__dataset__report")
    return rows.defer("comment__item__content", "comment__hit__payload")


def unread(user: User) -> QuerySet[Notice]:
    return Notice.objects.filter(concerning(), user=user, read_at__isnull=True)


def count_unread(user: User) -> int:
    """The number of unread notices, at most 100; what `unread(user)` counts. Each page asks this."""
    return len(_first_unread(user.pk))


@compiled
def _first_unread(user: int) -> QuerySet[Notice, tuple[int]]:
    return Notice.objects.filter(concerning(), user=user, read_at__isnull=True).values_list("pk")[:100]


def concerning(*, closed: bool = False) -> Q:
    """Condition on notices that still concern their person.

    Their project exists and the person still has a role that hears of the kind; their batch is not deleted, and not
    closed if it had new work, unless `closed`.
    """
    here = {"user": OuterRef("user"), "project": OuterRef("project")}
    has_work = Q(kind=Notice.Kind.WORK) & (Q() if closed else ~Q(batch__state=Batch.State.CLOSED))
    found = has_work & Exists(Worker.objects.filter(**here)) | Q(kind=Notice.Kind.PASSWORD)
    for act in set(PERMISSIONS.values()):
        kinds = [kind for kind, permission in PERMISSIONS.items() if permission == act]
        found |= Q(Exists(Member.objects.filter(role__in=roles.who_may(act), **here)), kind__in=kinds)
    return found & Q(project__removed_at__isnull=True, batch__removed_at__isnull=True)


def kinds_for(user: User) -> list[str]:
    """The kinds of notices that the person can get now, and turn off."""
    held = set(user.memberships.filter(project__removed_at__isnull=True).values_list("role", flat=True))
    works = user.workers.filter(project__removed_at__isnull=True).exists()
    allowed = {kind: any(roles.may(role, act) for role in held) for kind, act in PERMISSIONS.items()}
    return [kind for kind in Notice.Kind.values if kind != Notice.Kind.PASSWORD and allowed.get(kind, works)]


def read(user: User, *, upto: int | None = None) -> int:
    """Mark notices as read, all or up to a row that the person saw; returns how many were new."""
    rows = unread(user) if upto is None else unread(user).filter(pk__lte=upto)
    return rows.update(read_at=Now())


def read_one(notice: Notice) -> bool:
    """Mark a notice as read; False if it was read before."""
    return bool(Notice.objects.filter(pk=notice.pk, read_at__isnull=True).update(read_at=Now()))


def mute(user: User, kinds: Collection[str]) -> None:
    """Turn off exactly these kinds of notices; existing ones stay."""
    known = [kind for kind in Notice.Kind.values if kind in kinds]
    User.objects.filter(pk=user.pk).update(muted=known)


def set_language(user: User, language: str, *, unless_known: bool = False) -> None:
    """Set the language of mails to the person; `unless_known`: only if they never chose one."""
    if language and not (unless_known and user.language):
        User.objects.filter(pk=user.pk).update(language=language)
        user.language = language


def notice_text(notice: Notice) -> str:
    """A notice as a sentence."""
    kind, facts = notice.kind, notice.facts
    names = {"batch": notice.batch.title if notice.batch else "", "job": notice.job.title if notice.job else ""}
    if kind == Notice.Kind.WORK:
        title = worded(names["batch"], get_language() or "en")
        return _("There is new work for you: “%(batch)s”.") % {"batch": title}
    if kind in {Notice.Kind.FINISHED, Notice.Kind.STALLED} and notice.batch:  # for requesters
        names["batch"] = notice.batch.label
    if kind == Notice.Kind.FINISHED:
        return _("“%(batch)s” is finished: %(n)s responses are in.") % (names | {"n": facts.get("answers", 0)})
    if kind == Notice.Kind.STALLED:
        left = facts.get("left", 0)
        text = ngettext(
            "“%(batch)s” has had no response for a day and still needs %(n)s.",
            "“%(batch)s” has had no response for a day and still needs %(n)s.",
            left,
        )
        return text % (names | {"n": left})
    if kind == Notice.Kind.FAILED:
        error = notice.job.error[:300] if notice.job else ""
        return _("“%(job)s” failed. %(error)s") % (names | {"error": error})
    if kind == Notice.Kind.PASSWORD:
        return _("A link was used to set a new password for your account. If you did not do it, tell an administrator.")
    if kind == Notice.Kind.COMMENT and notice.comment:
        return _mention_text(notice.comment)
    return _("Of the $%(put_in)s deposited in the budget, $%(left)s are left (reserved or available).") % {**facts}


def _mention_text(comment: Comment) -> str:
    """Who mentions the reader, and where; not the comment itself, which adjudicators read only after deciding."""
    values = {
        "who": comment.author or _("Somebody"),
        "n": comment.item.position + 1,
        "dataset": comment.item.dataset.slug,
    }
    if comment.hit is None:
        return _("%(who)s mentions you in a comment on item %(n)s of “%(dataset)s”.") % values
    if comment.assignment_id is None:
        return _("%(who)s mentions you in a comment on the HIT of item %(n)s of “%(dataset)s”.") % values
    return _("%(who)s mentions you in a comment on a response to item %(n)s of “%(dataset)s”.") % values


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
    return rows.filter(concerning(), created_at__lt=Now() - AFTER, created_at__gt=Now() - NOT_AFTER)


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
    notices = Notice.objects.filter(concerning(), mail_id=mail_id)
    rows = list(with_subjects(notices).order_by("pk"))
    if not rows:  # its person has just left the project
        return False
    user = rows[0].user
    with translation.override(user.language or settings.LANGUAGE_CODE):
        subject = ngettext("Hopscribe: %(n)s notice", "Hopscribe: %(n)s notices", len(rows)) % {"n": len(rows)}
        where = _("All notices and your settings for them: %(url)s") % {"url": f"{settings.PUBLIC_URL}/notices/"}
        text = "\n".join([*(f"- {notice_text(row)}" for row in rows), "", where])
    name = f"<{mail_id}@{urlsplit(settings.PUBLIC_URL).hostname}>"
    EmailMessage(subject, text, to=[user.email], headers={"Message-ID": name}).send()
    Notice.objects.filter(mail_id=mail_id).update(mailed_at=Now())
    return True


def _note(why: OSError) -> None:
    log.warning("a mail could not be sent: %s", type(why).__name__)
