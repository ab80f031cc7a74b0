"""A project's webhooks: add, change, rotate the secret, pause, resume, remove."""

import secrets
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Project, User, clock
from annotation.models.sealed import Unsealable
from annotation.webhooks import protocol
from annotation.webhooks.models import Delivery, Webhook

MOST = 20  # per project
HEALTHY: dict[str, Any] = {"failures": 0, "failing_since": None, "rests_until": None, "trouble": "", "stopped_at": None}


@transaction.atomic
def add(
    project: Project,
    *,
    url: str,
    kinds: Sequence[str],
    note: str = "",
    secret: str | None = None,
    user: User | None = None,
) -> Webhook:
    """Add a webhook. Without a given secret it gets a new one, to be shown once. Raises Refused."""
    # Lock: the limit, and the events in Project.webhook_kinds, are computed from all webhooks.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if project.webhooks.count() >= MOST:
        raise Refused(_("A project can have at most %(most)s webhooks. Delete one first.") % {"most": MOST})
    columns = {"url": _fit_url(url), "kinds": _fit_kinds(kinds), "note": note, "secret": _fit_secret(secret)}
    made = Webhook.objects.create(project=project, created_by=user, **columns)
    _store_kinds(project)
    audit_log.record("made", made)
    return made


@transaction.atomic
def change(webhook: Webhook, *, url: str, kinds: Sequence[str], note: str, active: bool) -> None:
    """Change URL, events or state; a new URL resets the failures. Raises Refused."""
    # Lock: Project.webhook_kinds is computed from all webhooks.
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    columns: dict[str, Any] = {"url": _fit_url(url), "kinds": _fit_kinds(kinds), "note": note, "active": active}
    anew = url != webhook.url or (active and not webhook.active)
    Webhook.objects.filter(pk=webhook.pk).update(**columns, **(HEALTHY if anew else {}))
    _store_kinds(webhook.project)
    webhook.refresh_from_db(fields=[*columns, *HEALTHY])
    audit_log.record("settings changed", webhook, kinds=webhook.kinds, active=active)


@transaction.atomic
def stop(webhook: Webhook) -> None:
    """Deactivate a webhook that keeps failing; its deliveries wait until it is resumed."""
    # Lock: Project.webhook_kinds is computed from all webhooks.
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    if Webhook.objects.filter(pk=webhook.pk, active=True).update(active=False, stopped_at=Now()):
        _store_kinds(webhook.project)
        audit_log.record("settings changed", webhook, active=False)


@transaction.atomic
def rotate(webhook: Webhook, secret: str | None = None) -> str:
    """Replace the secret; the former one also signs for a day, so that receivers can follow. Raises Refused."""
    made = _fit_secret(secret)
    try:
        webhook.old_secret = webhook.secret
    except Unsealable:  # it cannot be decrypted, so it cannot sign
        webhook.old_secret = ""
    webhook.secret = made
    webhook.old_until = clock.now() + protocol.BOTH_SIGN
    webhook.save(update_fields=["secret", "old_secret", "old_until"])
    audit_log.record("settings changed", webhook, secret="new")  # noqa: S106
    return made


@transaction.atomic
def remove(webhook: Webhook) -> None:
    """Remove a webhook with its deliveries."""
    # Lock: Project.webhook_kinds is computed from all webhooks.
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    audit_log.record("removed", webhook)
    webhook.delete()
    _store_kinds(webhook.project)


def try_again(delivery: Delivery) -> bool:
    """Retry a delivery that failed or waits; False if it was delivered."""
    rows = Delivery.objects.filter(pk=delivery.pk, state__in=[Delivery.State.FAILED, Delivery.State.DUE])
    if not rows.update(state=Delivery.State.DUE, tries=0, due_at=clock.now(), ended_at=None):
        return False
    Webhook.objects.filter(pk=delivery.webhook_id).update(rests_until=None)
    return True


def _store_kinds(project: Project) -> None:
    """Store the subscribed kinds in the project, where listeners read them without a query."""
    kinds = {kind for row in project.webhooks.filter(active=True).only("kinds") for kind in row.kinds}
    project.webhook_kinds = " ".join(kind for kind in protocol.KINDS if kind in kinds)
    project.save(update_fields=["webhook_kinds"])


def _fit_secret(given: str | None) -> str:
    if given is None:
        return protocol.secret(secrets.token_bytes(protocol.SECRET_BYTES))
    if not protocol.is_secret(given):
        raise Refused(_("A secret is “whsec_” followed by 24 to 64 bytes in base64."))
    return given


def _fit_url(url: str) -> str:
    if not protocol.can_be_called(url, loopback=settings.LOCAL):
        raise Refused(_("Give a public http or https address without a user name, on a standard port."))
    return url


def _fit_kinds(kinds: Sequence[str]) -> list[str]:
    if not kinds or set(kinds) - set(protocol.KINDS):
        raise Refused(_("Choose at least one kind of event: %(kinds)s.") % {"kinds": ", ".join(protocol.KINDS)})
    return [kind for kind in protocol.KINDS if kind in kinds]
