"""A project's webhooks: added, changed, given another secret, taken up again, removed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Refused
from annotation.models import Delivery, Project, User, Webhook, clock
from annotation.models.sealed import Unsealable
from annotation.pure import webhooks

MOST = 20  # of a project
AWAKE: dict[str, Any] = {"failures": 0, "failing_since": None, "rests_until": None, "trouble": "", "stopped_at": None}


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
    """A webhook. Without a secret of the caller's it gets one, which is to be shown once. Raises Refused."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if project.webhooks.count() >= MOST:
        raise Refused(_("A project has at most %(most)s webhooks. Remove one first.") % {"most": MOST})
    columns = {"url": _fit_url(url), "kinds": _fit_kinds(kinds), "note": note, "secret": _fit_secret(secret)}
    made = Webhook.objects.create(project=project, created_by=user, **columns)
    _know_kinds(project)
    recording.record("made", made)
    return made


@transaction.atomic
def change(webhook: Webhook, *, url: str, kinds: Sequence[str], note: str, active: bool) -> None:
    """Another address, other events, paused or not; an old address's failures are forgotten. Raises Refused."""
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    columns: dict[str, Any] = {"url": _fit_url(url), "kinds": _fit_kinds(kinds), "note": note, "active": active}
    anew = url != webhook.url or (active and not webhook.active)
    Webhook.objects.filter(pk=webhook.pk).update(**columns, **(AWAKE if anew else {}))
    _know_kinds(webhook.project)
    webhook.refresh_from_db(fields=[*columns, *AWAKE])
    recording.record("settings changed", webhook, kinds=webhook.kinds, active=active)


@transaction.atomic
def stop(webhook: Webhook) -> None:
    """Pause a webhook that takes nothing any more; what waits for it is kept for when it is taken up again."""
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    if Webhook.objects.filter(pk=webhook.pk, active=True).update(active=False, stopped_at=Now()):
        _know_kinds(webhook.project)
        recording.record("settings changed", webhook, active=False)


@transaction.atomic
def rotate(webhook: Webhook, secret: str | None = None) -> str:
    """Another secret; the one before signs too for a day, so that receivers can follow. Raises Refused."""
    made = _fit_secret(secret)
    try:
        webhook.old_secret = webhook.secret
    except Unsealable:  # nobody can sign with it any more
        webhook.old_secret = ""
    webhook.secret = made
    webhook.old_until = clock.now() + webhooks.BOTH_SIGN
    webhook.save(update_fields=["secret", "old_secret", "old_until"])
    recording.record("settings changed", webhook, secret="new")  # noqa: S106
    return made


@transaction.atomic
def remove(webhook: Webhook) -> None:
    """Forget a webhook and what it was told; nothing more is sent."""
    Project.objects.select_for_update(no_key=True).get(pk=webhook.project_id)
    recording.record("removed", webhook)
    webhook.delete()
    _know_kinds(webhook.project)


def try_again(delivery: Delivery) -> bool:
    """Have a delivery sent anew that failed or waits; False when it was delivered."""
    rows = Delivery.objects.filter(pk=delivery.pk, state__in=[Delivery.State.FAILED, Delivery.State.DUE])
    if not rows.update(state=Delivery.State.DUE, tries=0, due_at=clock.now(), ended_at=None):
        return False
    Webhook.objects.filter(pk=delivery.webhook_id).update(rests_until=None)
    return True


def _know_kinds(project: Project) -> None:
    """Let the project say what is asked for, so that what happens elsewhere looks no further."""
    kinds = {kind for row in project.webhooks.filter(active=True).only("kinds") for kind in row.kinds}
    project.webhook_kinds = " ".join(kind for kind in webhooks.KINDS if kind in kinds)
    project.save(update_fields=["webhook_kinds"])


def _fit_secret(given: str | None) -> str:
    if given is None:
        return webhooks.secret(secrets.token_bytes(webhooks.SECRET_BYTES))
    if not webhooks.is_secret(given):
        raise Refused(_("A secret is “whsec_” and then 24 to 64 bytes in base64."))
    return given


def _fit_url(url: str) -> str:
    if not webhooks.can_be_called(url, loopback=settings.LOCAL):
        raise Refused(_("Give a public http or https address, without a user name and on an ordinary port."))
    return url


def _fit_kinds(kinds: Sequence[str]) -> list[str]:
    if not kinds or set(kinds) - set(webhooks.KINDS):
        raise Refused(_("Choose at least one kind of event: %(kinds)s.") % {"kinds": ", ".join(webhooks.KINDS)})
    return [kind for kind in webhooks.KINDS if kind in kinds]
