"""Tags for pages of HITs from the MTurk API: the frame's URL and sandbox, and sanitised text."""

from typing import Any
from urllib.parse import urlsplit

from django import template
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.pure.mturk.external_question import foreign_crowd_elements, parameters, sandbox
from annotation.pure.mturk.mturk_xml import External, Html, read_question, with_query
from annotation.pure.mturk.question_form import QuestionForm
from annotation.views.markdown_html import html_of_stranger

QUESTION = "annotation.html-question"  # salt of the signature in an HTMLQuestion's URL
AUTOMATIC = "accept_next"  # session key: accept the next HIT automatically after a submission

register = template.Library()
register.filter("formatted", html_of_stranger)


@register.filter
def allotted(seconds: int) -> str:
    """A duration: "45 s", "20 min", "2 h", "3 days"."""
    for size, text in ((86_400, _("%(n)s days")), (3600, _("%(n)s h")), (60, _("%(n)s min"))):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0 and size < 86_400):
            return text % {"n": f"{seconds / size:.1f}".removesuffix(".0")}
    return _("%(n)s s") % {"n": seconds}


@register.filter
def as_list(piece: Any) -> list[Any]:
    return [piece]


@register.simple_tag(takes_context=True)
def question_frame(context: dict[str, Any]) -> dict[str, Any]:
    """{"url", "sandbox", "height", "fits", "note", "here", "state_url", "automatic"} of the question's frame.

    A QuestionForm has no frame: only {"automatic"}, whether the next HIT is accepted after this one.
    """
    request, row = context["request"], context["assignment"]
    question, automatic = read_question(context["payload"]["question"]), bool(request.session.get(AUTOMATIC))
    if isinstance(question, QuestionForm):
        return {"automatic": automatic}
    preview = context["frame"].get("preview")
    hit = row["hit"] if preview else row.hit
    values = {"hit": hit.public_id, "submit_to": f"{request.scheme}://{request.get_host()}"}
    if not preview:
        values |= {"assignment": row.public_id, "worker": row.worker.public_id}
    token = signing.dumps(hit.pk, salt=QUESTION)
    address = question.url if isinstance(question, External) else reverse("html-question", args=[token])
    return {
        "url": with_query(address, parameters(**values)),
        "sandbox": sandbox(address, urlsplit(f"//{request.get_host()}").hostname or ""),
        "height": question.frame_height or 600,
        "fits": not question.frame_height,
        "note": _note(question),
        "here": request.get_full_path(),
        "state_url": "" if preview else reverse("assignment-state", args=[row.public_id]),
        "automatic": automatic,
    }


def _note(question: Any) -> str:
    foreign = foreign_crowd_elements(question.content) if isinstance(question, Html) else []
    if not foreign:
        return ""
    text = _(
        "This page needs Crowd HTML Elements that only Amazon's servers provided (%(names)s). It does not "
        "work here. Please do not accept the HIT, or return it."
    )
    return text % {"names": ", ".join(foreign)}
