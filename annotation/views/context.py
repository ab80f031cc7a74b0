"""What every template gets besides its own context."""

from functools import partial
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _


def frame(request: HttpRequest) -> dict[str, Any]:
    """`nav`: the places that the viewer may go to, as {"url", "label", "here"}; looked up when a page shows them.

    `theme`: light or dark, where the viewer chose. (A template that looked for it in the cookies itself, in vain,
    would have Django write all of them to a log for debugging.)
    """
    return {"nav": SimpleLazyObject(partial(_places, request)), "theme": request.COOKIES.get("theme", "")}


def _places(request: HttpRequest) -> list[dict[str, Any]]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    places = [(reverse("home"), _("Home"))]
    if user.workers.exists():
        places.append((reverse("work"), _("Your work")))
    for member in user.memberships.select_related("project").order_by("project__title")[:5]:
        places.append((reverse("project", args=[member.project.slug]), member.project.title))
    here = max((url for url, _label in places if request.path.startswith(url)), key=len, default="")
    return [{"url": url, "label": label, "here": url == here} for url, label in places]
