"""Our tasks inside a marketplace's frame, without cookies: what it shows, takes, and says to browsers."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from annotation.flow.review import worker_feedback
from annotation.marketplaces.models import Arrival
from annotation.models import Assignment, Hit, Participation, ProblemReport, Worker
from annotation.pure.batches import lifecycle
from annotation.registry import form_class, task_type
from annotation.views.work.task_frame import shown_payload
from tests.conftest import answer_to
from tests.marketplaces.frames import ORIGIN, Frame, publish, sent
from tests.projects import change_project

GOLD = "Which well did Ana Brook dig"  # a sub-question, which only gold holds


@pytest.fixture
def hit(batch: Any) -> Hit:
    publish(batch)
    return Hit.objects.select_related("batch__project", "publication__connection").filter(batch=batch).first()


def fields(row: Assignment, **other: Any) -> dict[str, Any]:
    """The form of a complete answer."""
    given = answer_to(row)
    support = form_class("answer")(shown_payload(task_type("answer"), row)).shown(given)["support"]
    return {"kind": "text", "text": given["text"], "support": support, "key": "0.k", "version": "0"} | other


def body(response: Any) -> str:
    return str(response.content.decode())


def test_the_preview_shows_the_task_and_sends_nothing(hit: Hit) -> None:
    frame = Frame(hit, assignment="ASSIGNMENT_ID_NOT_AVAILABLE", worker="")
    for page in (frame.open(), frame.client.get(f"/frame/{hit.public_id}/", {"k": sent(hit)["k"]})):
        assert page.status_code == 200
        assert "Accept the item to begin" in body(page)
        assert hit.payload["question"] in body(page)
        assert 'data-draft-url=""' in body(page)
        assert "csrfmiddlewaretoken" not in body(page)
        assert GOLD not in body(page)
    assert not Assignment.objects.exists()
    assert not Worker.objects.filter(user=None).exists()


def test_an_address_that_is_not_signed_is_not_there(hit: Hit) -> None:
    other = Hit.objects.exclude(pk=hit.pk).first()
    for k in ("", "x", sent(other)["k"]):
        assert Frame(hit).open(k=k).status_code == 404
    Client().get(f"/frame/{hit.public_id}/preview/{sent(other)['k']}/live/search/")
    assert Client().get(f"/frame/{hit.public_id}/preview/x/live/search/").status_code == 404


def test_the_whole_way_from_consent_to_the_marketplace(hit: Hit) -> None:
    frame = Frame(hit)
    assert "We keep what you answer." in body(frame.open())
    assert "Read, then answer." in body(frame.act("consent", version="1"))
    page = body(frame.act("instructions", version="1"))
    assert hit.payload["question"] in page
    assert GOLD not in page
    row = Assignment.objects.get()
    assert frame.act("draft", text="Tow", kind="text", key="0.k", version="0").status_code == 200
    assert frame.act("submit", key="0.k", version="1").status_code == 422
    left = frame.act("submit", **fields(row))
    row.refresh_from_db()
    assert (row.state, row.worker.consented) == (lifecycle.SUBMITTED, True)
    assert f'action="{ORIGIN}/mturk/externalSubmit"' in body(left)
    for name, value in {
        "assignmentId": "3ASSIGNMENT1",
        "submission": row.public_id,
        "digest": row.current.digest,
    }.items():
        assert f'name="{name}" value="{value}"' in body(left)
    assert Arrival.objects.get().posted_at is not None
    assert "csrfmiddlewaretoken" not in body(left)  # nobody else learns the token
    assert GOLD not in body(left)
    assert not frame.client.cookies


def test_submitting_twice_stores_one_answer_and_leads_to_the_same_end(hit: Hit) -> None:
    frame = Frame(hit)
    frame.begin()
    token, row = frame.token, Assignment.objects.get()
    given = fields(row) | {"csrfmiddlewaretoken": token}
    replies = [frame.client.post(f"/frame/{hit.public_id}/submit/", given) for _time in range(2)]
    assert [reply.status_code for reply in replies] == [303, 303]
    assert row.responses.count() == 1
    other = frame.client.post(f"/frame/{hit.public_id}/submit/", given | {"key": "0.other"})
    assert other.status_code == 409
    assert sent(hit)["k"] in body(other)  # the way to the answer that stands
    revised = frame.client.post(f"/frame/{hit.public_id}/submit/", given | {"key": "1.later", "text": "white"})
    assert (revised.status_code, row.responses.count()) == (303, 1)
    script = frame.client.post(f"/frame/{hit.public_id}/submit/", given, headers={"Accept": "application/json"})
    assert script.json()["next"].startswith(f"/frame/{hit.public_id}/?k=")
    assert token not in script.json()["next"]


ACTS = [
    "consent",
    "instructions",
    "practice/1",
    "practice/1/done",
    "submit",
    "draft",
    "extend",
    "report-problem",
    "return",
]


def test_without_its_token_nothing_is_taken(hit: Hit, alice: Any) -> None:
    frame = Frame(hit)
    frame.begin()
    stolen = Frame(Hit.objects.exclude(pk=hit.pk).first(), worker="A2", assignment="3A2")
    stolen.open()
    row = Assignment.objects.get(hit=hit)
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    for act in ACTS:
        for token in ("", "x", stolen.token):
            reply = client.post(f"/frame/{hit.public_id}/{act}/", fields(row) | {"csrfmiddlewaretoken": token})
            assert reply.status_code == 403, act
            assert "out of date" in body(reply)
            assert not reply.cookies
    assert client.get(f"/frame/{hit.public_id}/live/search/?q=well").status_code == 403
    row.refresh_from_db()
    assert (row.state, row.draft) == (lifecycle.ACCEPTED, None)


def test_whoever_is_signed_in_is_nobody_in_the_frame(hit: Hit, alice: Any) -> None:
    frame = Frame(hit)
    frame.client.force_login(alice)
    frame.client.cookies["theme"] = "dark"
    before = {name: morsel.value for name, morsel in frame.client.cookies.items()}
    page = frame.begin()
    assert "Alice" not in body(page)
    assert 'data-theme="dark"' not in body(page)
    assert not page.cookies
    assert {name: morsel.value for name, morsel in frame.client.cookies.items()} == before
    assert frame.client.get("/", follow=True).status_code == 200  # and is still signed in outside


def test_only_its_marketplace_may_frame_it(hit: Hit) -> None:
    frame = Frame(hit)
    pages = [frame.open(), Frame(hit, assignment="").open(), Frame(hit).open(turkSubmitTo="https://evil.example")]
    for page in pages:
        policy = page["Content-Security-Policy"]
        assert f"frame-ancestors {ORIGIN};" in f"{policy};"
        assert f"form-action 'self' {ORIGIN};" in f"{policy};"
        assert "evil" not in policy
        assert "X-Frame-Options" not in page
        assert page["Referrer-Policy"] == "no-referrer"
        assert "no-store" in page["Cache-Control"]
    nowhere = Frame(hit).open(k="x")
    assert "frame-ancestors 'none'" in nowhere["Content-Security-Policy"]
    assert nowhere["X-Frame-Options"] == "DENY"


def test_scripts_of_a_page_without_an_origin_may_ask(hit: Hit) -> None:
    frame = Frame(hit)
    frame.begin()
    live = f"/frame/{hit.public_id}/live/search/"
    asked = frame.client.options(live, headers={"Origin": "null", "Access-Control-Request-Headers": "x-csrftoken"})
    assert asked.status_code == 204
    assert "X-CSRFToken" in asked["Access-Control-Allow-Headers"]
    found = frame.client.get(f"{live}?q=well", headers={"Origin": "null", "X-CSRFToken": frame.token})
    assert found.status_code == 200
    for reply in (asked, found, frame.act("draft", key="0.k", version="0"), frame.act("extend")):
        assert reply["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in reply
    assert "Access-Control-Allow-Origin" not in frame.open()


def test_the_token_stands_in_no_address_and_no_log(hit: Hit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    frame = Frame(hit)
    frame.begin()
    tokens = [frame.token]
    assert tokens[0] not in "".join(url for url in body(frame.page).split('"') if "/frame/" in url)
    frame.act("draft", key="0.k", version="0")
    frame.client.get(f"/frame/{hit.public_id}/live/search/?q=x", headers={"X-CSRFToken": tokens[0]})
    frame.act("submit", **fields(Assignment.objects.get()))
    frame.client.post(f"/frame/{hit.public_id}/draft/", {"csrfmiddlewaretoken": tokens[0], "key": "0.x"})
    assert not [token for token in tokens if token in caplog.text]


def test_what_the_requester_said_is_read_first(hit: Hit) -> None:
    frame = Frame(hit)
    frame.begin()
    result = worker_feedback.feedback(
        Worker.objects.get(user=None), hit.batch, text="Please mark whole names.", author=None
    )
    assert "Please mark whole names." in body(frame.open())
    assert hit.payload["question"] in body(frame.act(f"feedback/{result.pk}"))
    stranger = Worker.objects.create(project=hit.batch.project, external_id="other", consented_version=1)
    theirs = worker_feedback.feedback(stranger, hit.batch, text="Not yours.", author=None)
    assert frame.act(f"feedback/{theirs.pk}").status_code == 404


def test_a_report_or_a_return_ends_it_and_says_what_is_left_to_do(hit: Hit) -> None:
    frame = Frame(hit)
    frame.begin()
    assert frame.act("report-problem", reason="nonsense").status_code == 200
    assert not ProblemReport.objects.exists()
    token = frame.token
    ended = frame.act("report-problem", reason="broken")
    assert "also return it on the marketplace" in body(ended)
    assert (ProblemReport.objects.count(), Assignment.objects.get().state) == (1, lifecycle.RETURNED)
    frame.begin()
    assert Assignment.objects.get().state == lifecycle.ACCEPTED
    assert frame.token != token
    assert "also return it on the marketplace" in body(frame.act("return"))
    assert Assignment.objects.get().state == lifecycle.RETURNED


def test_a_full_hit_asks_to_be_returned(hit: Hit) -> None:
    for name in ("A1", "A2"):
        Frame(hit, worker=name, assignment=f"3{name}").open()
    page = Frame(hit, worker="A3", assignment="3A3").open()
    assert page.status_code == 403
    assert "Please return this item" in body(page)
    assert f"frame-ancestors {ORIGIN}" in page["Content-Security-Policy"]


def test_practice_works_inside(hit: Hit, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation.flow.batches import practice_progress

    exercise = practice_progress.Exercise(1, hit.item.example, hit.payload)
    monkeypatch.setattr(practice_progress, "exercises", lambda batch: [exercise])
    monkeypatch.setattr(practice_progress, "practice", lambda *_: [exercise.example])
    monkeypatch.setattr(practice_progress, "remarks", lambda *given: [])
    frame = Frame(hit)
    assert "Practice is not paid" in body(frame.begin())
    found = frame.client.get(
        f"/frame/{hit.public_id}/practice/1/live/search/?q=well", headers={"X-CSRFToken": frame.token}
    )
    assert found.status_code == 200
    assert frame.act("practice/1").status_code == 422
    answered = frame.act("practice/1", key="", kind="text", text="white", support=["0", "1"])
    assert 'id="remarks"' in body(answered)
    assert "Practice is not paid" not in body(frame.act("practice/1/done"))
    assert Participation.objects.get(worker__user=None).practised == 1
    assert frame.act("practice/9").status_code == 404


def test_a_new_consent_text_is_shown_before_going_on(hit: Hit) -> None:
    frame = Frame(hit)
    frame.begin()
    change_project(hit.batch.project, consent="We keep more.")
    assert "We keep more." in body(frame.open())
    assert hit.payload["question"] in body(frame.act("consent", version="2"))


def test_the_addresses_of_the_frame_are_on_this_site(hit: Hit) -> None:
    frame = Frame(hit)
    page = body(frame.begin())
    actions = [part.split('"')[0] for part in page.split(' action="')[1:]]
    assert len(actions) >= 3
    assert all(urlsplit(action).netloc == "" and action.startswith("/frame/") for action in actions)
