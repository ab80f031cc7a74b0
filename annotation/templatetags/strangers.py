"""What pages of HITs of other programs need: the frame's address and rights, and text of strangers, sanitised."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django import template
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.pure.frame_address import with_query
from annotation.pure.strangers import foreign_crowd_elements, parameters, sandbox
from annotation.pure.wire_xml import External, Form, Html, read_question
from annotation.views.prose import html_of_stranger

QUESTION = "annotation.html-question"  # what the signature of an HTMLQuestion's address is for
AUTOMATIC = "accept_next"  # in the session: whether the next HIT is accepted when one was submitted

register = template.Library()


@register.filter
def formatted(text: str) -> SafeString:
    """FormattedContent as it may be shown."""
    return html_of_stranger(text)


@register.filter
def allotted(seconds: int) -> str:
    """How long one has: "45 s", "20 min", "2 h", "3 days"."""
    for size, text in ((86_400, _("%(n)s days")), (3600, _("%(n)s h")), (60, _("%(n)s min"))):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0 and size < 86_400):
            return text % {"n": f"{seconds / size:.1f}".removesuffix(".0")}
    return _("%(n)s s") % {"n": seconds}


@register.filter
def as_list(piece: Any) -> list[Any]:
    return [piece]


@register.simple_tag(takes_context=True)
def stranger_frame(context: dict[str, Any]) -> dict[str, Any]:
    """{"url", "sandbox", "height", "fits", "note", "here", "state_url", "automatic"} of the page's question.

    A QuestionForm has no frame: only {"automatic"}, whether the next HIT is accepted once this one was submitted.
    """
    request, row = context["request"], context["assignment"]
    asked, automatic = read_question(context["payload"]["question"]), bool(request.session.get(AUTOMATIC))
    if isinstance(asked, Form):
        return {"automatic": automatic}
    preview = context["frame"].get("preview")
    hit = row["hit"] if preview else row.hit
    told = {"hit": hit.public_id, "submit_to": f"{request.scheme}://{request.get_host()}"}
    if not preview:
        told |= {"assignment": row.public_id, "worker": row.worker.public_id}
    token = signing.dumps(hit.pk, salt=QUESTION)
    address = asked.url if isinstance(asked, External) else reverse("html-question", args=[token])
    return {
        "url": with_query(address, parameters(**told)),
        "sandbox": sandbox(address, _host(request)),
        "height": asked.frame_height or 600,
        "fits": not asked.frame_height,
        "note": _note(asked),
        "here": request.get_full_path(),
        "state_url": "" if preview else reverse("assignment-state", args=[row.public_id]),
        "automatic": automatic,
    }


def _host(request: HttpRequest) -> str:
    return urlsplit(f"//{request.get_host()}").hostname or ""


def _note(asked: Any) -> str:
    foreign = foreign_crowd_elements(asked.content) if isinstance(asked, Html) else []
    if not foreign:
        return ""
    text = _(
        "This page needs Crowd HTML Elements that only Amazon's own servers provided (%(names)s). It will not work "
        "here: please do not accept the HIT, or return it."
    )
    return text % {"names": ", ".join(foreign)}
