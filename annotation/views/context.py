"""Context processors: variables of every template."""

from functools import partial
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.db.models import Exists, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from annotation.flow.notifications import notice_inbox
from annotation.models import Member, Notice, User, Worker
from annotation.models.compiled import compiled
from annotation.templatetags.language_tags import in_language

LOOKS = {
    "theme": ("theme", ("light", "dark")),
    "text_size": ("textSize", ("large", "larger")),
    "line_width": ("lineWidth", ("narrow", "wide")),
}  # the cookie of each, and its values besides the default
OF_WORK = ("/marketplace/", "/qualification-tests/", "/feedback/")  # paths of the tabs of "Your work"


def frame(request: HttpRequest) -> dict[str, Any]:
    """`nav`: the navigation's links as {"url", "label", "here"}; evaluated when a page shows them.

    `notices_new`: the number of unread notices, also evaluated lazily.

    `theme`: light or dark, if the viewer chose one; likewise `text_size` and `line_width` of the pages of work. (A
    template that looks up a missing cookie itself makes Django write all cookies to the debug log.)

    `program`: what a command on the server begins with.

    `may`: {act: True} of the viewer's permissions in the page's project (annotation/pure/people/roles.py).
    """
    return {
        "nav": SimpleLazyObject(partial(_places, request)),
        "notices_new": SimpleLazyObject(partial(_new_to, request)),
        "program": settings.PROGRAM,
        **display_preferences(request),
        "may": dict.fromkeys(getattr(request, "may", ()), True),
    }


def display_preferences(request: HttpRequest) -> dict[str, str]:
    """What the viewer chose in this browser, by the names of templates; "" for the defaults."""
    chosen = {name: request.COOKIES.get(cookie, "") for name, (cookie, _values) in LOOKS.items()}
    return {name: value if value in LOOKS[name][1] else "" for name, value in chosen.items()}


class ViewerLinks(NamedTuple):
    """What a signed-in viewer has: work in a project, a role in one, unread notices."""

    works: bool
    belongs: bool
    has_notices: bool


def _standing_of(request: HttpRequest) -> ViewerLinks | None:
    """The viewer's standing, asked for once by a page; None for a stranger."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    if not hasattr(request, "standing"):
        vars(request)["standing"] = ViewerLinks(*_standing(user.pk)[0])
    return cast(ViewerLinks, vars(request)["standing"])


@compiled
def _standing(user: int) -> QuerySet[User, tuple[Any, ...]]:
    return User.objects.filter(pk=user).values_list(*standing_columns(user))


def standing_columns(user: int) -> list[Exists]:
    """The fields of ViewerLinks, for a page that asks more of the same row and sets `request.standing`."""
    works = Worker.objects.filter(user=user, project__removed_at=None)
    belongs = Member.objects.filter(user=user, project__removed_at=None)
    unread = Notice.objects.filter(user=user, read_at__isnull=True)
    return [Exists(works), Exists(belongs), Exists(unread)]


def _new_to(request: HttpRequest) -> int:
    """The number of unread notices, at most 100."""
    standing = _standing_of(request)
    return notice_inbox.count_unread(cast(User, request.user)) if standing and standing.has_notices else 0


@compiled
def _first_projects(user: int) -> QuerySet[Member, tuple[str, str]]:
    present = Member.objects.filter(user=user, project__removed_at=None).order_by("project__title")
    return present.values_list("project__slug", "project__title")[:5]


def _places(request: HttpRequest) -> list[dict[str, Any]]:
    standing = _standing_of(request)
    if standing is None or "guest_home" in request.session:
        return []
    only_works = standing.works and not standing.belongs and not request.user.is_staff  # whose home is their work
    places = [] if only_works else [(reverse("home"), _("Home"))]
    if standing.works:
        places.append((reverse("work"), _("Your work")))
    if standing.belongs:
        places += [
            (reverse("project", args=[slug]), title) for slug, title in _first_projects(cast(int, request.user.pk))
        ]
    path = reverse("work") if request.path.startswith(OF_WORK) else request.path
    places_here = [url for url, _label in places if path == url or (url != "/" and path.startswith(url))]
    here = max(places_here, key=len, default="")
    ends = {reverse("home"): "?all"}  # the choice of projects, even if the home redirects to the only one
    return [{"url": url + ends.get(url, ""), "label": in_language(label), "here": url == here} for url, label in places]
