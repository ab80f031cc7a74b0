"""Annotators, invites and qualifications over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.people import qualification_types
from annotation.models import Message, Project
from tests.api.calling import caller, fields_at_fault, member
from tests.flow.acting import newcomer, submit, take

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


@pytest.fixture
def reader(project: Any) -> Any:
    return qualification_types.create_type(project, "Reader", description="Reads.", retry_seconds=0)


def queries(api: Any, path: str) -> int:
    api.get(path)
    with CaptureQueriesContext(connection) as found:
        assert api.get(path).status_code == 200
    return len(found)


def test_annotators_are_listed_with_what_they_did_and_hold(api: Any, batch: Any, bob: Any, reader: Any) -> None:
    submit(take(bob, batch))
    qualification_types.grant(reader, bob, 90, source="hand")
    before = queries(api, "workers/")
    for k in range(3):
        newcomer(bob.project, f"new{k}")
    assert queries(api, "workers/") == before
    rows = {row["id"]: row for row in api.get("workers/").json()["results"]}
    result = rows[bob.public_id]
    assert (result["name"], result["submitted"], result["blocked"]) == ("Bob", 1, False)
    assert result["qualifications"] == [{"id": reader.public_id, "name": "Reader", "value": 90}]
    assert api.get(f"workers/{bob.pseudonym}/").json() == result
    assert len(api.get("workers/", qualification=reader.public_id, active="true").json()["results"]) == 1
    assert api.get("workers/nobody/").status_code == 404


def test_annotators_are_stopped_blocked_and_written_to(api: Any, bob: Any) -> None:
    where = f"workers/{bob.pseudonym}/"
    assert api.post(f"{where}deactivate/").json()["active"] is False
    assert api.post(f"{where}activate/").json()["active"] is True
    assert fields_at_fault(api.post(f"{where}block/")) == {"reason"}
    assert api.post(f"{where}block/", reason="Guesses.").json()["block_reason"] == "Guesses."
    assert [row["id"] for row in api.get("workers/", blocked="true").json()["results"]] == [bob.public_id]
    assert api.post(f"{where}unblock/").json()["blocked"] is False
    sent = api.post(f"{where}message/", key="m1", subject="Hello", text="Thank you.")
    assert api.post(f"{where}message/", key="m1", subject="Hello", text="Thank you.").json() == sent.json()
    assert Message.objects.get().text == "Thank you."
    assert fields_at_fault(api.post(f"{where}message/", text=" ")) == {"text"}


def test_a_reviewer_sees_pseudonyms_only_and_changes_nobody(project: Any, bob: Any, reader: Any) -> None:
    rita = member(project, "rita", "reviewer")
    result = rita.get(f"workers/{bob.pseudonym}/").json()
    assert result["name"] is None
    assert result["pseudonym"] == bob.pseudonym
    assert rita.post(f"workers/{bob.pseudonym}/block/", reason="No.").status_code == 403
    for path in ("invites/", "qualifications/", f"qualifications/{reader.public_id}/scores/"):
        assert rita.get(path).status_code == 403, path


def test_invites_are_made_by_role_listed_and_revoked(api: Any, project: Any) -> None:
    made = api.post("invites/", places=3, note="The seminar")
    assert made.status_code == 201
    result = made.json()
    assert (result["role"], result["state"], result["places"]) == ("worker", "open", 3)
    assert "/join/" in result["url"]
    boss = api.post("invites/", role="owner").json()
    quinn = member(project, "quinn", "requester")
    assert quinn.post("invites/", role="owner").status_code == 403
    assert quinn.post("invites/").status_code == 201
    assert {row["id"]: row["url"] for row in quinn.get("invites/").json()["results"]}[boss["id"]] is None
    assert api.delete(f"invites/{result['id']}/").status_code == 204
    assert api.get(f"invites/{result['id']}/").json()["state"] == "revoked"
    elsewhere = member(Project.objects.create(slug="springs", title="Springs"), "dave", "owner")
    assert elsewhere.get(f"invites/{result['id']}/").status_code == 404
    assert fields_at_fault(api.post("invites/", places=0, days=999)) == {"places", "days"}


def test_a_qualification_is_made_changed_archived_and_restored(api: Any, project: Any) -> None:
    made = api.post("qualifications/", name="Careful", description="Reads twice.", retry_seconds=86400)
    assert made.status_code == 201, made.content
    result = made.json()
    assert (result["requestable"], result["auto_value"], result["retry_seconds"]) == (True, 1, 86400)
    assert fields_at_fault(api.post("qualifications/", name="Careful", description="Again.")) == {"name"}
    assert fields_at_fault(api.post("qualifications/", name="X", description="Y", test="<no/>")) == {"test"}
    where = f"qualifications/{result['id']}/"
    changed = api.patch(where, description="Reads thrice.", requestable=False, auto_value=0).json()
    assert (changed["description"], changed["requestable"], changed["auto_value"]) == ("Reads thrice.", False, 0)
    assert changed["retry_seconds"] == 86400
    assert fields_at_fault(api.patch(where, name="Other")) == {"name"}
    assert api.delete(where).status_code == 204
    assert api.get(where).status_code == 404
    assert [row["name"] for row in api.get("qualifications/", deleted="true").json()["results"]] == ["Careful"]
    assert api.post(f"{where}restore/").json()["deleted_at"] is None


def test_scores_are_granted_and_revoked_all_or_none(api: Any, reader: Any, bob: Any, carol: Any) -> None:
    where = f"qualifications/{reader.public_id}/scores/"
    wish = [{"worker": bob.pseudonym, "value": 90}, {"worker": carol.public_id, "value": 80}]
    assert api.post(where, scores=wish, reason="Test.").json()["changed"] == 2
    assert api.post(where, scores=wish).json() == {"changed": 0, "step": 0}
    wrong = [*wish, {"worker": "nobody", "value": 1}]
    assert fields_at_fault(api.post(where, scores=wrong)) == {"scores.2"}
    assert fields_at_fault(api.post(where, scores=[wish[0], wish[0]])) == {"scores"}
    before = queries(api, f"{where}?limit=1")
    assert queries(api, where) == before
    assert {row["value"] for row in api.get(where).json()["results"]} == {80, 90}
    assert api.post(f"{where}revoke/", workers=[bob.public_id]).json() == {"changed": 1}
    assert len(api.get(where).json()["results"]) == 1


def test_requests_are_accepted_and_declined(api: Any, reader: Any, bob: Any, carol: Any) -> None:
    qualification_types.request(reader, bob)
    qualification_types.request(reader, carol)
    where = f"qualifications/{reader.public_id}/requests/"
    rows = {row["worker"]: row["id"] for row in api.get(where).json()["results"]}
    yes, no = [rows[bob.pseudonym]], [rows[carol.pseudonym]]
    assert api.post(f"{where}accept/", requests=yes, value=70).json() == {"changed": 1}
    assert api.post(f"{where}accept/", requests=yes).json() == {"changed": 0}
    assert api.post(f"{where}decline/", requests=no, reason="Not yet.").json() == {"changed": 1}
    assert fields_at_fault(api.post(f"{where}decline/", requests=[])) == {"requests"}
    assert api.get(where).json()["results"] == []
