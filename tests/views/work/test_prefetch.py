"""The page loads the next item while this one is worked on, and may show it before the response is stored."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.work import prefetch as flow
from annotation.models import Assignment, Batch, Feedback, Instructions, PrefetchedHit, WorkerBlock
from annotation.tasktype import capabilities
from tests.flow.acting import dataset_of, launched
from tests.replaying import replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(project: Any, tmp_path: Path) -> Batch:
    def make() -> Batch:
        return launched(project, "large", dataset_of(project, tmp_path, name="eight", size=8), assignments_per_hit=1)

    return replayed("eight HITs seen", make, project)


def here() -> str:
    """The address of the assignment under way."""
    return reverse("assignment", args=[Assignment.objects.get(state="accepted").public_id])


def prefetch(page: Client, *, have: str = "", **fields: str) -> Any:
    return page.post(f"{here()}next/", fields, headers={"X-Release": "", "X-Prefetch": have})


def draft(page: Client, *, version: int, **headers: str) -> Any:
    fields = {"kind": "text", "text": "Farrow", "key": "0.a", "version": str(version)}
    return page.post(f"{here()}draft/", fields, headers={"X-Release": ""} | headers)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items of the batch take less than 45 seconds."""
    monkeypatch.setattr(flow, "is_quick", lambda batch: True)


def submit(page: Client, shown: str = "", *, key: str = "0.a", to: str = "") -> Any:
    """Submit while the page shows the item of this name already, if any."""
    fields = {"kind": "text", "text": "Farrow", "support": ["0", "1"], "key": key}
    headers = {"X-Next": shown, "X-Prefetch": ""} if shown else {}
    return page.post(f"{to or here()}submit/", fields, headers={"X-Release": ""} | headers)


def name_of(reply: Any) -> str:
    """The name of the item that a reply brings."""
    return str(reply["X-Item"]).split("/")[2]


def test_the_page_says_where_to_get_the_next_item(page: Client) -> None:
    assert f'data-prefetch-url="{here()}next/"' in page.get(here()).content.decode()
    submit(page)
    done = Assignment.objects.filter(state="submitted").get()
    assert "data-prefetch-url" not in page.get(f"/assignments/{done.public_id}/").content.decode()


def test_it_is_the_item_that_a_submission_would_answer_with(page: Client) -> None:
    response = prefetch(page)
    held = PrefetchedHit.objects.get()
    assert (response.status_code, response["X-Item"]) == (200, f"/assignments/{held.public_id}/")
    assert Assignment.objects.filter(state="accepted").count() == 1
    ahead = response.content.decode()
    assert "2 of 8" in ahead
    submitted = submit(page)
    assert submitted["X-Item"] == response["X-Item"]
    assert item_in(ahead) == item_in(submitted.content.decode())


def item_in(source: str) -> str:
    """Without the tokens against forged requests, which are masked anew each time."""
    return re.sub('name="csrfmiddlewaretoken" value="[^"]*"', "", source.split("<h2")[1].split("<footer")[0])


def test_a_page_that_has_it_only_extends_it(page: Client) -> None:
    prefetch(page)
    held = PrefetchedHit.objects.get()
    assert prefetch(page, have=held.public_id).status_code == 204
    assert PrefetchedHit.objects.get().expires_at > held.expires_at
    assert prefetch(page, have="another").status_code == 200


def test_a_page_that_shows_it_already_gets_nothing_or_in_a_quick_batch_the_one_after(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = name_of(prefetch(page))
    response = submit(page, held)
    assert (response.status_code, response["X-Shown"], response.content) == (204, held, b"")
    assert here() == f"/assignments/{held}/"
    monkeypatch.setattr(flow, "is_quick", lambda batch: True)
    following = name_of(prefetch(page))
    response = submit(page, following)
    held = PrefetchedHit.objects.get()
    assert (response.status_code, response["X-Shown"], response["X-Item"], response["X-Held-Until"]) == (
        200,
        following,
        f"/assignments/{held.public_id}/",
        held.expires_at.isoformat(),
    )
    assert "4 of 8" in response.content.decode()


def test_an_item_is_one_request_after_the_first(page: Client, quick: None) -> None:
    shown = name_of(prefetch(page))
    for _number in range(4):
        response = submit(page, shown)
        assert response["X-Shown"] == shown
        shown = name_of(response)
    assert Assignment.objects.filter(state="submitted").count() == 4


def test_with_hidden_gold_no_answer_to_a_submission_brings_the_one_after(
    page: Client, batch: Batch, quick: None
) -> None:
    held = name_of(prefetch(page))
    Batch.objects.update(check_share=0.5, check_rule={})
    response = submit(page, held)
    assert "X-Held-Until" not in response
    assert not PrefetchedHit.objects.exists()


def test_two_tabs_have_the_same_item_ahead_and_one_response_counts(page: Client, quick: None) -> None:
    first = here()
    held = name_of(prefetch(page))
    assert name_of(draft(page, version=0, **{"X-Prefetch": ""})) == held
    following = name_of(submit(page, held))
    assert submit(page, held, key="0.another", to=first).status_code == 409
    assert name_of(prefetch(page)) == following
    assert PrefetchedHit.objects.count() == Assignment.objects.filter(state="submitted").count() == 1


def test_a_draft_renews_what_the_page_has_or_brings_another(page: Client) -> None:
    held = prefetch(page)
    name = PrefetchedHit.objects.get().public_id
    saved = draft(page, version=0, **{"X-Prefetch": name})
    assert (saved.status_code, saved.json()["version"], "X-Item" in saved) == (200, 1, False)
    assert saved["X-Held-Until"] > held["X-Held-Until"]
    assert "X-Held-Until" not in draft(page, version=1)
    PrefetchedHit.objects.all().delete()  # taken over by somebody
    saved = draft(page, version=2, **{"X-Prefetch": name})
    assert json.loads(saved["X-Draft"])["version"] == 3
    assert saved["X-Item"] == f"/assignments/{PrefetchedHit.objects.get().public_id}/"


@pytest.mark.parametrize("near_end", [False, True])
def test_a_page_whose_item_was_taken_over_gets_another_or_hears_that_none_is_held(
    page: Client, monkeypatch: pytest.MonkeyPatch, near_end: bool
) -> None:
    prefetch(page)
    name = PrefetchedHit.objects.get().public_id
    PrefetchedHit.objects.all().delete()
    monkeypatch.setattr(flow, "_is_nearly_done", lambda batch: near_end)
    reply = prefetch(page, have=name)
    assert (reply.status_code, "X-Held-Until" in reply) == ((204, False) if near_end else (200, True))


def test_a_worker_who_is_blocked_meanwhile_gets_no_held_item(page: Client, bob: Any, quick: None) -> None:
    held = name_of(prefetch(page))
    WorkerBlock.objects.create(worker=bob, reason="")
    response = submit(page, held)
    assert response.json()["next"].endswith("/done/")
    assert not Assignment.objects.filter(state="accepted").exists()


def test_a_page_that_shows_another_gets_the_right_one(page: Client) -> None:
    prefetch(page)
    response = submit(page, "another")
    assert "X-Shown" not in response
    assert response["X-Item"] == here()


def test_a_page_that_is_left_lets_it_go(page: Client) -> None:
    until = prefetch(page)["X-Held-Until"]
    assert prefetch(page, let_go=until).status_code == 204
    assert not PrefetchedHit.objects.exists()


def test_nothing_is_held_while_another_page_comes_first(page: Client, batch: Batch, bob: Any) -> None:
    Feedback.objects.create(worker=bob, batch=batch, text="Look twice.")
    assert prefetch(page).status_code == 204
    Feedback.objects.all().delete()
    Instructions.objects.create(batch=batch, version=2, text="Anew.")
    assert prefetch(page).status_code == 204
    assert not PrefetchedHit.objects.exists()


def test_nothing_is_held_after_an_upgrade(page: Client) -> None:
    assert page.post(f"{here()}next/", headers={"X-Release": "of-yesterday"}).status_code == 204
    assert not PrefetchedHit.objects.exists()


def test_an_item_that_shows_another_site_is_not_loaded_ahead(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "origins", lambda task, payload: ["https://forms.example"])
    assert prefetch(page).status_code == 204


def test_only_the_worker_holds(page: Client, carol: Any) -> None:
    stranger = Client()
    assert stranger.post(f"{here()}next/").status_code == 401
    stranger.force_login(carol.user)
    assert stranger.post(f"{here()}next/").status_code == 404
    assert not PrefetchedHit.objects.exists()


def test_a_page_that_goes_does_not_let_go_of_what_another_has_held_since(page: Client) -> None:
    old = prefetch(page)["X-Held-Until"]
    new = prefetch(page)["X-Held-Until"]
    prefetch(page, let_go=old)
    prefetch(page, let_go="")
    held = PrefetchedHit.objects.get()
    renewed = prefetch(page, have=held.public_id)
    assert (renewed.status_code, renewed["X-Held-Until"] > new) == (204, True)
    prefetch(page, let_go=new)
    assert PrefetchedHit.objects.exists()
    prefetch(page, let_go=renewed["X-Held-Until"])
    assert not PrefetchedHit.objects.exists()


def test_a_submission_whose_next_item_is_on_show_takes_nine_statements(page: Client) -> None:
    for _item in range(2):  # the first also reads who is signed in
        following = name_of(prefetch(page))
        with CaptureQueriesContext(connection) as captured:
            assert submit(page, following).status_code == 204
    kinds = Counter(query["sql"].split()[0] for query in captured if "SAVEPOINT" not in query["sql"])
    assert kinds - Counter(SELECT=1) == {"SELECT": 3, "UPDATE": 3, "INSERT": 2, "DELETE": 1}  # one is that of `here`


@pytest.mark.postgresql(reason="a response and the next assignment are one transaction where the HIT is held")
def test_three_statements_more_bring_the_item_after_it(
    page: Client, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "_is_nearly_done", lambda batch: False)
    following = name_of(prefetch(page))
    for _item in range(2):
        with CaptureQueriesContext(connection) as captured:
            reply = submit(page, following)
        following = name_of(reply)
    kinds = Counter(query["sql"].split()[0] for query in captured if "SAVEPOINT" not in query["sql"])
    assert kinds - Counter(SELECT=1) == {"SELECT": 4, "UPDATE": 4, "INSERT": 3, "DELETE": 1}
    if connection.vendor == "postgresql":
        assert len(captured) - 1 == 14  # with SAVEPOINT and RELEASE, which stand for BEGIN and COMMIT
