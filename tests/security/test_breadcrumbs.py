"""Every page of a project says where it stands, and each step of the way leads to a page."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from tests.security.routes import TABLE, url
from tests.security.world import World


class Crumbs(HTMLParser):
    """The links and the words of a page's breadcrumb."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside, self.links, self.words, self.console = False, [], [], False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "nav" and given.get("class") == "breadcrumbs":
            self.inside = True
        self.console |= given.get("id") == "search-box" or "breadcrumbs" in (given.get("class") or "")
        if self.inside and tag == "a":
            self.links.append(given.get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "nav"

    def handle_data(self, data: str) -> None:
        if self.inside and data.strip():
            self.words.append(data.strip())


# the home itself; pages of annotators
NOT_OF_THE_CONSOLE = {"project", "consent", "open-join", "round-again", "batch-visit-preview"}


@pytest.mark.soak
def test_every_page_below_a_projects_home_says_where_it_stands(world: World) -> None:
    client = Client()
    client.force_login(world.users["alice"])
    home = reverse("project", args=["wells"])
    led: dict[str, int] = {}
    looked = 0
    for name, row in TABLE.items():
        address = url(name, world.wells)
        if not address.startswith(home) or name in NOT_OF_THE_CONSOLE or "GET" not in row.statuses:
            continue
        response = client.get(address)
        content = response.getvalue()
        if response.status_code != 200 or response.streaming or "html" not in response["Content-Type"]:
            continue
        html = content.decode()
        if "<html" not in html or 'class="work"' in html:  # a fragment, or a preview in the annotator's own frame
            continue
        looked += 1
        found = Crumbs()
        found.feed(html)
        assert found.links[:1] == [home], f"{name} has no way back to the project"
        assert len(found.words) >= 2, f"{name} does not say what it is: {found.words}"
        for link in found.links:
            led[link] = led.get(link) or client.get(link).status_code
            assert led[link] in {200, 302}, f"{name} leads to {link}"
        assert address not in found.links, f"{name} leads to itself"
    assert looked > 45
