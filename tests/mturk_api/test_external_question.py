"""What pages of other programs' HITs get from us: their address, their frame, and a place to post to."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.urls import reverse

from annotation.flow.work import leases
from annotation.models import Assignment
from annotation.pure.mturk.mturk_xml import NOT_AVAILABLE, answers_xml
from tests.mturk_api.external_hits import EXTERNAL, FORM, HTML, accepted, hit_of, hit_type
from tests.one_line import one_line

SUBMIT = "/mturk/externalSubmit"


@pytest.fixture
def kind(project: Any) -> Any:
    return hit_type(project)


def frame_of(page: Any) -> dict[str, str]:
    found = re.search(r"<iframe ([^>]*)>", one_line(page.content.decode()))
    assert found, "the page has no frame"
    return {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', found[1])}


def test_a_frame_gets_the_four_parameters_behind_the_address_of_its_page(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    hit = hit_of(kind)
    mine = accepted(bob, hit)
    page = client.get(reverse("assignment", args=[mine.public_id]))
    frame = frame_of(page)
    assert frame["src"].count("?") == 1
    assert dict(parse_qsl(urlsplit(frame["src"]).query)) == {
        "study": "7",
        "lang": "é",
        "assignmentId": mine.public_id,
        "hitId": hit.public_id,
        "turkSubmitTo": "http://testserver",
        "workerId": bob.public_id,
    }
    assert frame["height"] == "450"
    assert "frame-src 'self' https: https://survey.example" in page["Content-Security-Policy"]
    assert re.fullmatch("[A-Z0-9]{30}", mine.public_id)


def test_a_preview_tells_of_no_worker_and_of_no_assignment(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    hit = hit_of(kind)
    frame = frame_of(client.get(reverse("marketplace-hit", args=[hit.public_id])))
    result = dict(parse_qsl(urlsplit(frame["src"]).query))
    assert result["assignmentId"] == NOT_AVAILABLE
    assert "workerId" not in result
    assert not Assignment.objects.exists()


def test_only_a_page_of_another_host_keeps_its_own_origin(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    ours = EXTERNAL.replace("https://survey.example", "https://testserver:8443")
    for question, own in ((EXTERNAL, True), (ours, False), (HTML, False)):
        hit = hit_of(kind, question)
        frame = frame_of(client.get(reverse("marketplace-hit", args=[hit.public_id])))
        assert ("allow-same-origin" in frame["sandbox"]) is own
        assert "allow-top-navigation" not in frame["sandbox"]


@pytest.mark.parametrize("unknown", ["A", "\0", "A" * 65])
def test_an_answer_of_no_assignment_is_not_found(kind: Any, client: Any, unknown: str) -> None:
    assert client.post(SUBMIT, {"assignmentId": unknown, "x": "1"}).status_code == 404


def test_pages_without_a_frame_allow_none(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    hit = hit_of(kind, FORM)
    assert "frame-src" not in client.get(reverse("marketplace-hit", args=[hit.public_id]))["Content-Security-Policy"]


def test_html_of_a_stranger_is_served_in_an_origin_of_its_own(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    script = '<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>'
    hit = hit_of(kind, HTML.replace("<form", f"{script}<form"))
    address = frame_of(client.get(reverse("marketplace-hit", args=[hit.public_id])))["src"]
    client.logout()
    page = client.get(address)
    policy = page["Content-Security-Policy"]
    assert policy.startswith("sandbox ")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy
    assert "X-Frame-Options" not in page
    text = page.content.decode()
    assert 'action="/mturk/externalSubmit"' in text
    assert "amazonaws" not in text
    assert "external_hit" in text


def test_an_address_that_nobody_signed_shows_nothing(kind: Any, client: Any) -> None:
    hit = hit_of(kind, HTML)
    assert client.get(reverse("html-question", args=[str(hit.pk)])).status_code == 404


def test_crowd_elements_that_are_not_here_are_named(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    script = '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>'
    whole = HTML.replace("<form", f"{script}<crowd-form><crowd-input></crowd-input></crowd-form><form")
    for question, named in ((whole, False), (whole.replace("crowd-input", "crowd-bounding-box"), True)):
        page = client.get(reverse("marketplace-hit", args=[hit_of(kind, question).public_id]))
        assert ("(crowd-bounding-box)" in page.content.decode()) is named
        shown = client.get(frame_of(page)["src"]).content.decode()
        assert "crowd.aws" not in shown
        assert "crowd_elements" in shown


@pytest.mark.parametrize("path", [SUBMIT, f"http://testserver/{SUBMIT}"])
def test_what_a_page_posts_is_stored_in_order_without_any_cookie(path: str, kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    body = f"b=2&assignmentId={mine.public_id}&a=%C3%A9&b=3&workerId=X&hitId=Y&turkSubmitTo=Z"
    client = type(client)(enforce_csrf_checks=True)
    stored = client.post(path, body, content_type="application/x-www-form-urlencoded", headers={"Origin": "null"})
    assert stored.status_code == 200
    assert not stored.cookies
    assert "X-Frame-Options" not in stored
    assert "frame-ancestors" not in stored["Content-Security-Policy"]
    mine.refresh_from_db()
    assert mine.state == "submitted"
    assert mine.current.answer == {"fields": [["b", "2"], ["b", "3"], ["a", "é"]]}
    assert "2|3" in answers_xml(mine.current.answer["fields"])


def test_a_file_form_is_read_too(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    assert client.post(SUBMIT, {"assignmentId": mine.public_id, "x": "1"}).status_code == 200
    mine.refresh_from_db()
    assert mine.current.answer == {"fields": [["x", "1"]]}


def test_a_page_that_sends_twice_is_told_the_same_and_the_first_answer_stands(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    sent = {"assignmentId": mine.public_id, "x": "1"}
    pages = [client.post(SUBMIT, fields) for fields in (sent, sent, sent | {"x": "2"})]
    assert [page.status_code for page in pages] == [200, 200, 200]
    assert "The first response counts" not in pages[1].content.decode()
    assert "The first response counts" in pages[2].content.decode()
    mine.refresh_from_db()
    assert mine.revision == 1
    assert mine.current.answer == {"fields": [["x", "1"]]}
    assert mine.hit.done == 1


def test_an_answer_without_fields_is_an_answer(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    assert client.post(SUBMIT, {"assignmentId": mine.public_id}).status_code == 200
    mine.refresh_from_db()
    assert mine.current.answer == {"fields": []}


def test_a_preview_sends_nothing(kind: Any, client: Any) -> None:
    refused = client.post(SUBMIT, {"assignmentId": NOT_AVAILABLE, "x": "1"})
    assert refused.status_code == 400
    assert "This was a preview" in refused.content.decode()


def test_a_page_may_name_its_assignment_in_the_address_only(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    assert client.post(f"{SUBMIT}?assignmentId={mine.public_id}", {"rt": "412", "choice": "é"}).status_code == 200
    mine.refresh_from_db()
    assert mine.current.answer == {"fields": [["rt", "412"], ["choice", "é"]]}


@pytest.mark.parametrize("query", ["town=Caf%C3%A9+%26+bar", "town=Caf%E9%20%26%20bar"])  # a form's, `escape`'s
def test_a_page_may_go_there_with_its_fields_as_to_a_link(query: str, kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    stored = client.get(f"{SUBMIT}?{query}&assignmentId={mine.public_id}")
    assert stored.status_code == 200
    mine.refresh_from_db()
    assert mine.current.answer == {"fields": [["town", "Café & bar"]]}
    assert client.head(f"{SUBMIT}?{query}&assignmentId={mine.public_id}").status_code == 405


def test_an_assignment_that_address_and_form_name_differently_is_refused(kind: Any, bob: Any, client: Any) -> None:
    mine, other = accepted(bob, hit_of(kind)), NOT_AVAILABLE
    refused = client.post(f"{SUBMIT}?assignmentId={mine.public_id}", {"assignmentId": other, "x": "1"})
    assert refused.status_code == 400
    assert "two different assignments" in refused.content.decode()
    mine.refresh_from_db()
    assert mine.state == "accepted"


def test_whatever_this_address_answers_can_be_framed(
    kind: Any, bob: Any, client: Any, settings: Any, monkeypatch: Any
) -> None:
    mine = accepted(bob, hit_of(kind))
    sent = {"assignmentId": mine.public_id, "town": "Café\n\n“Ü”"}
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 10
    pages = [client.put(SUBMIT), client.post(SUBMIT, {"assignmentId": "A"}), client.post(SUBMIT, sent | MANY)]
    with monkeypatch.context() as broken:
        broken.setattr("annotation.mturk_api.flow.external_submission.assignment_of", Raises(OperationalError("gone")))
        pages.append(away := client.post(SUBMIT, sent))
        broken.setattr("annotation.mturk_api.flow.external_submission.assignment_of", Raises(ZeroDivisionError()))
        client.raise_request_exception = False
        pages.append(client.post(SUBMIT, sent))
    assert [page.status_code for page in pages] == [405, 404, 413, 503, 500]
    for page in pages:
        assert "X-Frame-Options" not in page
        assert "frame-ancestors" not in page["Content-Security-Policy"]
    again = {name: unescape(value) for name, value in HIDDEN.findall(away.content.decode())}
    assert away["Retry-After"]
    assert again == sent
    assert client.post(SUBMIT, again).status_code == 200


MANY = {f"x{n}": "1" for n in range(20)}
HIDDEN = re.compile(r'<textarea hidden name="(.*?)">\n(.*?)</textarea>', re.S)


class Raises:
    """A stand-in that raises this."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *_given: Any) -> Any:
        raise self.error


def test_an_answer_after_the_time_is_kept_as_late(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    leases.return_assignment(mine, to="expired")
    assert "The time for this item was over" in client.post(SUBMIT, {"assignmentId": mine.public_id}).content.decode()
    mine.refresh_from_db()
    assert (mine.state, mine.late) == ("submitted", True)


def test_assignments_of_the_houses_own_batches_take_nothing_from_outside(batch: Any, bob: Any, client: Any) -> None:
    from tests.views.console import take

    mine = take(bob, batch)
    assert client.post(SUBMIT, {"assignmentId": mine.public_id, "x": "1"}).status_code == 404
    mine.refresh_from_db()
    assert mine.state == "accepted"


def test_a_form_sent_from_outside_is_held_to_its_questions(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind, FORM))
    assert client.post(SUBMIT, {"assignmentId": mine.public_id, "colour": "green"}).status_code == 400
    assert client.post(SUBMIT, {"assignmentId": mine.public_id, "colour": "a"}).status_code == 200


def test_the_page_around_the_frame_learns_that_it_was_submitted(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    mine = accepted(bob, hit_of(kind))
    state = reverse("assignment-state", args=[mine.public_id])
    assert client.get(state).json() == {"state": "accepted"}
    client.post(SUBMIT, {"assignmentId": mine.public_id})
    assert client.get(state).json() == {"state": "submitted"}
    page = client.get(reverse("assignment", args=[mine.public_id])).content.decode()
    assert "<iframe" not in page
    assert 'id="go-to-next"' in page


def test_the_time_of_a_stranger_cannot_be_prolonged(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    mine = accepted(bob, hit_of(kind))
    assert 'data-extendable="false"' in client.get(reverse("assignment", args=[mine.public_id])).content.decode()
    assert client.post(reverse("extend", args=[mine.public_id])).json()["extended"] is False


def test_a_submitted_answer_is_final(kind: Any, bob: Any, client: Any) -> None:
    client.force_login(bob.user)
    mine = accepted(bob, hit_of(kind, FORM))
    form = {"key": "0.x", "q0": "a", "q1": "Tolmouth", "active_seconds": "5"}
    sent = [client.post(reverse("submit", args=[mine.public_id]), form | {"q0": name}) for name in ("a", "b")]
    assert [page.status_code for page in sent] == [303, 303]
    mine.refresh_from_db()
    assert mine.revision == 1
    assert mine.current.answer == {"fields": [["colour", "a"], ["town", "Tolmouth"]]}


def test_the_frame_says_that_a_file_was_not_stored_and_keeps_its_name(kind: Any, bob: Any, client: Any) -> None:
    mine = accepted(bob, hit_of(kind))
    sent = {"assignmentId": mine.public_id, "note": "see file", "photo": SimpleUploadedFile("mill <1>.png", b"\x89PNG")}
    page = one_line(client.post(SUBMIT, sent).content.decode())
    assert "The file “mill &lt;1&gt;.png” was not stored, only its name" in page
    mine.refresh_from_db()
    assert mine.current.answer == {"fields": [["note", "see file"], ["photo", "mill <1>.png"]]}


def test_a_hit_that_was_returned_before_its_page_sent_it_is_not_said_to_be_late(
    kind: Any, bob: Any, client: Any
) -> None:
    mine = accepted(bob, hit_of(kind))
    leases.return_assignment(mine)
    page = one_line(client.post(SUBMIT, {"assignmentId": mine.public_id, "x": "1"}).content.decode())
    assert "You had returned this item" in page
    assert "time for this item was over" not in page
