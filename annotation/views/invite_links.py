"""Invite links as pages show them: their address, QR code and mail, and where they work."""

from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.batches import workers_needed
from annotation.models import Batch, Invite, Project
from annotation.pure.net import addresses
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views import qr_code
from annotation.views.access import Request


def base_of_links(request: Request) -> str:
    """What links begin with: this page's address or, if only this computer reaches it, the site's public one."""
    if addresses.reach_of(request.get_host()) == addresses.COMPUTER:
        public: str = settings.PUBLIC_URL
        if addresses.reach_of(urlsplit(public).netloc) != addresses.COMPUTER:
            return public
    return f"{request.scheme}://{request.get_host()}"


def link_of(base: str, invite: Invite, role: str) -> dict[str, Any]:
    """An invite and its state; with its URL, QR code and mail if it is open and the viewer may invite in this role."""
    found: dict[str, Any] = {"invite": invite, "state": invite.state, "url": ""}
    if found["state"] == "open" and roles.may_invite(role, invite.role):
        url = base + reverse("join", args=[invite.token])
        # phones scan the code, and they cannot open a link that works on this computer only
        is_reached = addresses.reach_of(urlsplit(base).netloc) != addresses.COMPUTER
        found |= {"url": url, "qr": qr_code.as_svg(url) if is_reached else "", "mail": _mail(invite.project, url)}
    return found


def for_batch(request: Request, batch: Batch) -> dict[str, Any]:
    """How many workers a batch lacks, and the newest link by which they can join, as `link_of`; {} if it lacks none.

    {} also where the viewer may not invite.
    """
    missing = workers_needed.missing_by_batch(batch.project).get(batch.pk, 0) if roles.PEOPLE in request.may else 0
    if not missing:
        return {}
    rows = batch.project.invites.filter(role=Invite.Role.WORKER, revoked_at=None).order_by("-created_at")
    found = next((row for row in rows if row.state == "open"), None)
    return {"missing": missing} | (link_of(base_of_links(request), found, roles.OWNER) if found else {})


def _mail(project: Project, url: str) -> str:
    """A mailto: address that opens a mail with the link."""
    subject = _("Invitation: %(project)s") % {"project": in_language(project.title)}
    text = _("You are invited to “%(project)s”. Open this link to join:") % {"project": in_language(project.title)}
    body = f"{text}\n\n{url}\n"
    return f"mailto:?subject={quote(subject)}&body={quote(body)}"
