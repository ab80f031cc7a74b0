"""Nobody is sent to a foreign place by a link to this one."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import pytest
from django.test import Client

from tests.conftest import PASSWORD
from tests.long_forms import first

HOSTS = ["evil.example", "testserver.evil.example", "testserver@evil.example"]
FORMS = [
    "http://{}", "https://{}/a", "//{}", "///{}", "////{}/..", "http:{}", "http:/{}", "http:///{}", "HtTp://{}", "ftp://{}",
    "/\\{}", "\\\\{}", "\\/{}", "/\t/{}", "\t//{}", " //{}", "\n//{}", "\x00//{}", "/%2f{}", "//%5c{}", "http://testserver@{}",
    "http://testserver:80@{}", "https:\\\\{}", "/\u2044{}", "\u3002//{}", "/./\\{}", "//{}:80", "http://{}:testserver",
]  # fmt: skip
SCHEMES = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "\x01javascript:alert(1)", "data:text/html",
    "vbscript:x", "file:///etc/passwd", "blob:x", "javascript://testserver/%0aalert(1)", "about:blank",
    "mailto:a@evil.example",
]  # fmt: skip
FOREIGN = [form.format(host) for form in FORMS for host in HOSTS] + SCHEMES
NAMES = [
    "home",
    "work",
    "batch",
    "nothing",
    "annotation.views.work.worker_home",
    ".",
    "..",
    "?",
    "#",
    "%",
    "%00",
    "a b",
]


def stays_here(location: str) -> bool:
    """Whether a browser that follows the header from a page of ours arrives at ours."""
    followed = location.replace("\\", "/").replace("\t", "").replace("\n", "").strip()
    parts = urlsplit(urljoin("http://testserver/a/", followed))
    return (parts.scheme, parts.netloc) == ("http", "testserver")


@pytest.mark.parametrize("both", first(1, [False, True]), ids=["", "both"])
def test_signing_in_leads_to_this_site_only(alice: Any, both: bool) -> None:
    """Each target in the form, or in form and address; in turn, which gives each form of a host's name both."""
    for k, target in enumerate(FOREIGN + NAMES):
        body = {"username": "alice", "password": PASSWORD, "next": target}
        addresses = ["/accounts/sign-in/", f"/accounts/sign-in/?next={quote(target)}"]
        for address in addresses if both else [addresses[k % 2]]:
            response = Client().post(address, body)
            assert response.status_code == 302
            assert stays_here(response.url), target


def test_a_refused_sign_in_links_to_this_site_only(alice: Any) -> None:
    for target in FOREIGN[::12] + SCHEMES:
        for _ in range(6):
            response = Client().post("/accounts/sign-in/", {"username": target, "password": "x", "next": target})
        assert response.status_code == 429
        assert stays_here(response.context["next"]), target


@pytest.mark.soak
def test_consent_leads_to_this_site_only(client: Any, bob: Any) -> None:
    client.force_login(bob.user)
    for target in FOREIGN + NAMES:
        response = client.post("/projects/wells/consent/", {"version": "1", "next": target})
        assert response.status_code == 302, target
        assert stays_here(response.url), target
        shown = client.get("/projects/wells/consent/", {"next": target})
        assert shown.status_code == 200
        assert stays_here(shown.context["next"]), target


def test_choosing_a_language_leads_to_this_site_only(client: Any, db: None) -> None:
    for target in FOREIGN + NAMES:
        referer = target if target.isascii() and target.isprintable() else ""
        response = client.post("/accounts/language/", {"language": "en", "next": target}, headers={"Referer": referer})
        assert response.status_code == 303
        assert stays_here(response.url), target


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/work//evil.example", "//evil.example/work"])
def test_an_appended_slash_leads_to_this_site_only(client: Any, db: None, path: str) -> None:
    response = client.get(path)
    assert response.status_code in {301, 302, 404}
    assert stays_here(response.get("Location", "/"))
