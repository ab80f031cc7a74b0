"""No text that somebody gave becomes part of a page: not as an element, an attribute or an expression."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.models import Hit
from tests.security import hostile as scene
from tests.security.injected import injected
from tests.security.payloads import TEXTS, chunks


@pytest.fixture(params=[pytest.param(False, id=""), pytest.param(True, id="each", marks=pytest.mark.soak)])
def each(request: pytest.FixtureRequest) -> bool:
    """Whether every text goes by itself to every page, as in the soak, or joined with others and in turn."""
    return bool(request.param)


@pytest.fixture
def texts(each: bool) -> list[str]:
    return TEXTS if each else chunks(300)


@pytest.fixture
def hostile(db: None, tmp_path: Path, texts: list[str]) -> scene.Hostile:
    return scene.build(tmp_path, texts)


def look(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200, address
    html: str = response.content.decode()
    assert not injected(html), f"{address}: {injected(html)[:5]}"
    return html


def in_turn(addresses: list[str], k: int, each: bool, of: int = 6) -> list[str]:
    """A sixth of them, so that each has its turn with every sixth text; or all."""
    return addresses if each else addresses[k % of :: of]


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_there_are_many() -> None:
    assert len(set(TEXTS)) >= 50


@pytest.mark.parametrize("text", TEXTS)
def test_the_search_for_injected_markup_finds_it(text: str) -> None:
    inert = ("javascript:", "[x]", "{{", "${", "\\u", "&lt;", "\uff1c", "![x]", "`", '" ', "' ", "]]>")
    if not text.startswith(inert):
        assert injected(f"<p>{text}</p>"), "unescaped in a text"
    if text.startswith(('"', "'")):
        quote = text[0]
        assert injected(f"<input value={quote}{text}{quote}>"), "unescaped in an attribute"


def test_the_annotators_pages(hostile: scene.Hostile, texts: list[str], each: bool) -> None:
    client, seen = client_of(hostile.bob.user), 0
    while row := scene.answer(hostile, hostile.bob):
        html = look(client, reverse("assignment", args=[row.public_id]))
        assert "hopx" in html or "debug" in html
        look(client, reverse("live", args=[row.public_id, "search"]) + "?q=tower+hopx+img+script")
        scene.submit(row)
        seen += 1
    assert seen == len(texts)
    for k, text in enumerate(scene.names()):
        scene.rename(hostile, text)
        for address in in_turn(scene.pages_of_the_worker(hostile), k, each):
            look(client, address)


def test_a_refused_or_late_answer(hostile: scene.Hostile, texts: list[str]) -> None:
    client = client_of(hostile.bob.user)
    row = scene.answer(hostile, hostile.bob)
    for text in texts:
        posted = {
            "kind": text,
            "text": text,
            "paragraph": text,
            "start": text,
            "end": text,
            "option": text,
            "support": text,
        }
        posted |= {"key": text[:60], "version": text, "active_seconds": text, "fact": text}
        for body in (posted, posted | {"kind": "text"}, posted | {"kind": "span", "paragraph": "0"}):
            response = client.post(reverse("submit", args=[row.public_id]), body)
            assert response.status_code in {303, 409, 422}
            assert not injected(response.content.decode())
        kept = client.post(reverse("draft", args=[row.public_id]), posted | {"kind": "text", "version": "99"})
        assert kept["Content-Type"] == "application/json"


@pytest.mark.soak
def test_the_pages_of_items_and_hits(hostile: scene.Hostile, texts: list[str], tmp_path: Path) -> None:
    for worker in (hostile.bob, hostile.carol):
        for k, row in enumerate(iter(partial(scene.answer, hostile, worker), None)):
            if k % 9 == 0:
                scene.report(hostile, row, texts[k])
            else:
                scene.submit(row)
    scene.judge(hostile, tmp_path, texts)
    client = client_of(hostile.alice)
    for position in range(len(texts)):
        look(client, reverse("item", args=["hostile", "set", position]))
    for hit in Hit.objects.all():
        look(client, reverse("hit", args=["hostile", "one", hit.public_id]))
    for show in ("all", "excluded", "finished"):
        look(client, reverse("hits", args=["hostile", "one"]) + f"?show={show}&q=hopx")


def test_the_requesters_pages(hostile: scene.Hostile, texts: list[str], tmp_path: Path, each: bool) -> None:
    for k in range(6):
        row = scene.answer(hostile, hostile.bob)
        scene.report(hostile, row, TEXTS[k]) if k % 2 else scene.submit(row)
    scene.judge(hostile, tmp_path, texts)
    jobs.enqueue("score_batch", project=hostile.project, title="Report", arguments={"batch": hostile.batch.pk})
    jobs.run_due_work()
    client = client_of(hostile.alice)
    for k, text in enumerate(scene.names()):
        scene.rename(hostile, text)
        for address in in_turn(scene.pages_of_the_requester(), k, each):
            look(client, address)


def test_what_is_asked_comes_back_harmless(hostile: scene.Hostile, texts: list[str], each: bool) -> None:
    """Searches, filters, forms with mistakes and previews of guides repeat what was sent."""
    client = client_of(hostile.alice)
    asking = [reverse("dataset", args=["hostile", "set"]), reverse("hits", args=["hostile", "one"])]
    asking += [reverse(name, args=["hostile"]) for name in ("dataset-new", "batch-new")]
    forms = [reverse(name, args=["hostile"]) for name in ("people", "project-settings", "batch-new", "dataset-new")]
    forms += [reverse(name, args=["hostile"]) for name in ("instructions-preview", "batch-consequences")]
    fields = [
        "note",
        "role",
        "places",
        "title",
        "name",
        "source",
        "licence",
        "instructions",
        "consent",
        "task",
        "datasets",
    ]
    for k, text in enumerate(texts):
        for address in in_turn(asking, k, each, of=2):
            response = client.get(address, {"q": text, "shape": text, "dataset": text, "show": text, "name": text})
            assert not injected(response.content.decode()), f"{address} {text}"
        for address in in_turn(forms, k, each, of=2):
            response = client.post(address, dict.fromkeys(fields, text) | {"title": "", "preview": "1", "days": text})
            assert not injected(response.content.decode()), f"{address} {text}"


def test_signing_in_and_joining_repeat_nothing_that_runs(hostile: scene.Hostile, texts: list[str]) -> None:
    invite = hostile.project.invites.get()
    for text in texts:
        typed = {"username": text, "password": "short", "display_name": text, "next": text}
        for address in ("/accounts/sign-in/", reverse("join", args=[invite.token])):
            response = Client().post(address, typed)
            assert not injected(response.content.decode()), f"{address} {text}"
        missing = Client().get(f"/nothing/{text}")
        assert not injected(missing.content.decode())
