"""Context processors: variables of every template."""

from functools import partial
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from annotation.flow.notifications import notice_inbox

OF_WORK = ("/marketplace/", "/qualification-tests/", "/feedback/")  # paths of the tabs of "Your work"


def frame(request: HttpRequest) -> dict[str, Any]:
    """`nav`: the navigation's links as {"url", "label", "here"}; evaluated when a page shows them.

    `notices_new`: the number of unread notices, also evaluated lazily.

    `theme`: light or dark, if the viewer chose one. (A template that looks up a missing cookie itself makes Django
    write all cookies to the debug log.)

    `may`: {act: True} of the viewer's permissions in the page's project (annotation/pure/people/roles.py).
    """
    return {
        "nav": SimpleLazyObject(partial(_places, request)),
        "notices_new": SimpleLazyObject(partial(_new_to, request)),
        "theme": request.COOKIES.get("theme", ""),
        "may": dict.fromkeys(getattr(request, "may", ()), True),
    }


def _new_to(request: HttpRequest) -> int:
    """The number of unread notices, at most 100."""
    user = getattr(request, "user", None)
    return notice_inbox.count_unread(user, limit=100) if user is not None and user.is_authenticated else 0


def _places(request: HttpRequest) -> list[dict[str, Any]]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    places = [(reverse("home"), _("Home"))]
    if user.workers.filter(project__removed_at=None).exists():
        places.append((reverse("work"), _("Your work")))
    present = user.memberships.filter(project__removed_at=None).order_by("project__title")
    for slug, title in present.values_list("project__slug", "project__title")[:5]:
        places.append((reverse("project", args=[slug]), title))
    path = reverse("work") if request.path.startswith(OF_WORK) else request.path
    places_here = [url for url, _label in places if path == url or (url != "/" and path.startswith(url))]
    here = max(places_here, key=len, default="")
    ends = {reverse("home"): "?all"}  # the choice of projects, even if the home redirects to the only one
    return [{"url": url + ends.get(url, ""), "label": label, "here": url == here} for url, label in places]
