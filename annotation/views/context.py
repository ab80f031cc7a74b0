"""What every template gets besides its own context."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _


def frame(request: HttpRequest) -> dict[str, Any]:
    """`nav`: the places that the viewer may go to, as {"url", "label", "here"}."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"nav": []}
    places = [(reverse("home"), _("Home"))]
    if user.workers.exists():
        places.append((reverse("work"), _("Your work")))
    for member in user.memberships.select_related("project").order_by("project__title")[:5]:
        places.append((reverse("project", args=[member.project.slug]), member.project.title))
    here = max((url for url, _label in places if request.path.startswith(url)), key=len, default="")
    return {"nav": [{"url": url, "label": label, "here": url == here} for url, label in places]}
