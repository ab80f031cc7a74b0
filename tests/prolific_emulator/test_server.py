"""The emulator by itself: its command, its pages, its clock, and what it refuses as theirs does."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from prolific_emulator import submissions
from prolific_emulator.__main__ import main
from prolific_emulator.participants import ParticipantBrowser
from prolific_emulator.server import Emulator
from prolific_emulator.world import Submission

from annotation.marketplaces.prolific import protocol
from tests.prolific_emulator import interface
from tests.prolific_emulator.conftest import SPEC, TOKEN

Asks = Callable[..., tuple[int, Any]]


@pytest.fixture
def asks(emulator: Emulator) -> Asks:
    def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{emulator.url}/api/v1{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read())

    return ask


def detail(answer: tuple[int, Any]) -> Any:
    status, body = answer
    assert body["error"]["status"] == status
    return body["error"]["detail"]


def test_a_draft_names_every_field_that_is_missing_or_refused(asks: Asks) -> None:
    assert set(detail(asks("POST", "/studies/", {"name": "Wells"}))) >= {"description", "reward", "completion_codes"}
    whole = {
        "name": "n",
        "description": "d",
        "external_study_url": "https://x/",
        "prolific_id_option": "url_parameters",
    }
    whole |= {
        "total_available_places": 1,
        "estimated_completion_time": 9,
        "reward": 100,
        "eligibility_requirements": [{"id": "a"}],
    }
    whole |= {"completion_codes": [], "maximum_allowed_time": 9}
    wrong = set(detail(asks("POST", "/studies/", whole)))
    assert wrong == {"external_study_url", "eligibility_requirements", "completion_codes", "maximum_allowed_time"}


def test_after_publishing_only_some_fields_change(asks: Asks, published: str) -> None:
    assert set(detail(asks("PATCH", f"/studies/{published}/", {"reward": 5}))) == {"reward"}
    assert set(detail(asks("PATCH", f"/studies/{published}/", {"total_available_places": 1}))) == {
        "total_available_places"
    }
    assert asks("PATCH", f"/studies/{published}/", {"internal_name": "x"})[0] == 200
    assert asks("DELETE", f"/studies/{published}/")[0] == 400


def test_a_study_of_several_tasks_sends_each_participant_to_one_with_a_free_place(
    asks: Asks, emulator: Emulator
) -> None:
    body = protocol.study_body(replace(SPEC, places=3))
    url, body["external_study_url"] = body["external_study_url"], ""  # the description wants a string
    parts = [{"external_url": f"{url}&task={name}", "total_allocation": n} for name, n in (("a", 2), ("b", 1))]
    assert "add up" in str(detail(asks("POST", "/studies/", body | {"access_details": parts[:1]})))
    both = body | {"access_details": parts, "external_study_url": url}
    assert "either this" in str(detail(asks("POST", "/studies/", both)))
    status, study = asks("POST", "/studies/", body | {"access_details": parts})
    assert status == 201
    assert asks("POST", f"/studies/{study['id']}/transition/", {"action": "PUBLISH"})[0] == 200
    world = emulator.world
    with world.lock:
        own = world.studies[study["id"]]
        went = [submissions.start(world, submissions.reserve(world, own, name * 24)) for name in "cde"]
    assert [address.rpartition("task=")[2] for address in went] == ["a", "a", "b"]


def test_a_page_past_the_end_is_not_found(asks: Asks, published: str) -> None:
    assert asks("GET", f"/submissions/?study={published}&page=1")[0] == 200
    assert asks("GET", f"/submissions/?study={published}&page=2")[0] == 404
    assert asks("GET", "/nothing/")[0] == 404
    assert asks("PUT", "/studies/")[0] == 405


def test_counts_costs_and_other_lists_are_as_described(
    asks: Asks, takes_part: Callable[..., Submission], published: str
) -> None:
    one = takes_part()
    assert asks("GET", f"/studies/{published}/submissions/counts/")[1]["AWAITING REVIEW"] == 1
    assert asks("GET", f"/studies/{published}/cost/")[1]["rewards"]["rewards"]["amount"] == 150
    assert asks("GET", f"/studies/{published}/submissions/")[1]["results"][0]["id"] == one.id
    body = {"study_id": published, "participant_ids": [one.participant]}
    assert asks("POST", "/submissions/bulk-approve/", body)[0] == 200
    assert one.status == "APPROVED"
    send = {"recipient_id": one.participant, "study_id": published, "body": "Thanks."}
    assert asks("POST", "/messages/", send)[0] == 204
    assert asks("GET", f"/messages/?user_id={one.participant}")[1]["results"][0]["body"] == "Thanks."
    for path in ("/users/me/", "/workspaces/", "/messages/unread/", "/hooks/event-types/", "/participant-groups/"):
        assert asks("GET", path)[0] == 200, path


def test_time_ends_reservations_stays_and_reviews(
    emulator: Emulator, takes_part: Callable[..., Submission], published: str
) -> None:
    world = emulator.world
    done, working = takes_part("c" * 24), takes_part("d" * 24, code=None)
    reserved = submissions.reserve(world, world.studies[published], "e" * 24)
    world.turn(timedelta(minutes=11))
    submissions.act_on_time(world)
    assert [one.status for one in (done, working, reserved)] == ["AWAITING REVIEW", "ACTIVE", "TIMED-OUT"]
    world.turn(timedelta(minutes=20))
    submissions.act_on_time(world)
    assert working.status == "TIMED-OUT"
    world.turn(timedelta(days=21))
    submissions.act_on_time(world)
    assert done.status == "APPROVED"


def test_a_full_study_waits_and_a_returned_place_opens_it_again(
    emulator: Emulator, takes_part: Callable[..., Submission], published: str
) -> None:
    rows = [takes_part(letter * 24, code=None) for letter in "cde"]
    study = emulator.world.studies[published]
    assert study["status"] == "AWAITING REVIEW"
    submissions.return_(emulator.world, rows[0])
    assert study["status"] == "ACTIVE"


def test_a_person_takes_part_by_hand_and_comes_back(emulator: Emulator, published: str) -> None:
    emulator.world.studies[published]["external_study_url"] = f"{emulator.url}/?s={{{{%SESSION_ID%}}}}"
    browser = ParticipantBrowser()
    page = browser.open(emulator.url)
    take = next(form for form in page.forms if form.action.endswith("/take-part"))
    there = browser.submit(page, take, [("study", published), ("participant", "f" * 24)])
    (one,) = emulator.world.submissions.values()
    assert (there.url, one.status) == (f"{emulator.url}/?s={one.id}", "ACTIVE")
    back = browser.open(f"{emulator.url}/submissions/complete?cc=CODE0")
    assert ("Thank you" in back.text, one.status) == (True, "AWAITING REVIEW")
    assert browser.open(f"{emulator.url}/submissions/complete?cc=CODE0").status == 200
    assert ParticipantBrowser().open(f"{emulator.url}/submissions/complete?cc=CODE0").status == 400


def test_participants_are_sent_to_known_studies_only(emulator: Emulator) -> None:
    page = ParticipantBrowser().open(f"{emulator.url}/send-participants", [("study", "unknown"), ("number", "2")])
    assert (page.status, "There is no such study." in page.text) == (400, True)


def test_texts_of_a_study_are_escaped(emulator: Emulator, published: str) -> None:
    emulator.world.studies[published]["name"] = "<script>alert(1)</script>"
    with urllib.request.urlopen(emulator.url) as reply:
        assert b"<script>" not in reply.read()


@pytest.mark.parametrize("wrong", [["--bind", "nowhere"], ["--bind", "127.0.0.1:99999"], ["--faults", "2"]])
def test_the_command_says_what_it_cannot_understand(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(wrong)
    assert re.search(r"HOST:PORT|from 0 to 1", capsys.readouterr().err)


def test_the_command_says_that_its_address_is_taken(emulator: Emulator) -> None:
    taken = emulator.url.removeprefix("http://")
    with pytest.raises(SystemExit, match=f"{taken}: Address already in use"):
        main(["--bind", taken])


def test_the_interface_check_finds_what_is_wrong() -> None:
    if not interface.is_here():
        pytest.skip("the interface descriptions are not here")
    from prolific_emulator.server import Exchange

    bad = Exchange("GET", "/api/v1/users/me/", {}, 200, {"id": 5})
    assert len(interface.violations(bad)) == 2
    assert interface.violations(Exchange("GET", "/api/v1/nothing/", {}, 200, {}))
    wrong = Exchange("POST", "/api/v1/study-cost-calculator/", {"reward": "1"}, 200, {"total_cost": 5})
    assert len(interface.violations(wrong)) == 2
