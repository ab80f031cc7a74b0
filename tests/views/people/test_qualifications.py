"""A requester's pages about qualifications: making, granting by hand, by file and by rule, undoing, deciding."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.flow.people import bulk_grants, qualification_types
from annotation.models import Assignment, Batch, Qualification, QualificationChange, QualificationType
from tests.flow.acting import answer_all


@pytest.fixture
def kind(project: Any) -> QualificationType:
    return qualification_types.create_type(project, "Round 2", description="From the second round.")


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def address(page: str, kind: QualificationType) -> str:
    return reverse(page, args=["wells", kind.public_id])


def scores(kind: QualificationType) -> dict[int, int]:
    rows = Qualification.objects.filter(type=kind, state="Granted")
    return dict(rows.values_list("worker", "value"))


def test_an_empty_list_says_what_qualifications_are_for(desk: Any) -> None:
    html = desk.get(reverse("qualifications", args=["wells"])).content.decode()
    assert "No qualifications yet" in html
    assert reverse("qualification-new", args=["wells"]) in html


def test_it_makes_a_qualification(desk: Any) -> None:
    form = {"name": "Round 2", "description": "From the round.", "requestable": "on", "retry_seconds": "86400"}
    response = desk.post(reverse("qualification-new", args=["wells"]), form)
    made = QualificationType.objects.get()
    assert response.url == address("qualification", made)
    assert (made.name, made.status, made.retry_seconds, made.auto_value) == ("Round 2", "Active", 86400, 1)
    assert "Round 2" in desk.get(reverse("qualifications", args=["wells"])).content.decode()


def test_the_list_says_which_round_grants_it_and_which_batch_requires_it(
    desk: Any, kind: QualificationType, batch: Any, project: Any
) -> None:
    Batch.objects.update(requirements=[{"type": kind.public_id, "comparator": "Exists"}])
    round = Batch.objects.create(project=project, slug="spring", title="Round of spring", task="answer")
    kind.rounds.create(batch=round, per_worker=2)
    html = desk.get(reverse("qualifications", args=["wells"])).content.decode()
    assert reverse("round", args=["wells", round.slug]) in html
    assert reverse("batch", args=["wells", batch.slug]) in html


def test_a_name_that_is_taken_is_said_at_the_field(desk: Any, kind: QualificationType) -> None:
    response = desk.post(reverse("qualification-new", args=["wells"]), {"name": "Round 2", "description": "Again."})
    assert response.status_code == 422
    assert "already has a qualification named Round 2" in str(response.context["form"].errors["name"])


def test_a_test_that_is_no_form_is_refused(desk: Any, kind: QualificationType) -> None:
    form = {"description": "x", "test": "<p>", "test_minutes": "5"}
    response = desk.post(address("qualification-edit", kind), form)
    assert response.status_code == 422
    assert "test" in response.context["form"].errors


def test_settings_are_kept(desk: Any, kind: QualificationType) -> None:
    form = {"description": "Other words.", "requestable": "", "retry_seconds": "3600", "auto_value": "7"}
    assert desk.post(address("qualification-edit", kind), form).status_code == 303
    kind.refresh_from_db()
    assert (kind.description, kind.status, kind.retry_seconds, kind.auto_value) == (
        "Other words.", "Inactive", 3600, 7,
    )  # fmt: skip
    assert "Other words." in desk.get(address("qualification-edit", kind)).content.decode()


def test_several_are_granted_by_name_after_a_look(desk: Any, kind: QualificationType, bob: Any, carol: Any) -> None:
    names = f"{bob.pseudonym}\n{carol.public_id}"
    shown = desk.post(address("qualification-grant", kind), {"names": names, "value": "80", "reason": "fine"})
    assert not scores(kind)
    assert [change.worker for change in shown.context["changes"]] == [bob, carol]
    fields = {name: shown.context[name] for name in ("rows", "source", "reason")}
    assert desk.post(address("qualification-grant", kind), fields).status_code == 303
    assert scores(kind) == {bob.pk: 80, carol.pk: 80}
    assert set(QualificationChange.objects.values_list("source", "reason")) == {("hand", "fine")}


def test_a_file_with_one_bad_line_grants_nothing(desk: Any, kind: QualificationType, bob: Any) -> None:
    text = f"worker,value\n{bob.pseudonym},80\nnobody,70\n{bob.public_id},90\n{bob.pseudonym};3\n"
    upload = SimpleUploadedFile("scores.csv", text.encode())
    response = desk.post(address("qualification-grant", kind), {"by-file": "1", "file": upload})
    assert response.status_code == 422
    result = " ".join(response.context["file"].errors["file"])
    for part in (
        "line 3, worker: nobody is not a worker",
        "line 4, worker: appears twice in the file",
        "line 5, value: write two",
    ):
        assert part in result
    assert not scores(kind)


def test_a_file_shows_what_it_changes(desk: Any, kind: QualificationType, bob: Any, carol: Any) -> None:
    qualification_types.grant(kind, bob, 70, source="hand")
    qualification_types.grant(kind, carol, 90, source="hand")
    upload = SimpleUploadedFile("scores.csv", f"{bob.pseudonym},80\n{carol.pseudonym},90\n".encode())
    shown = desk.post(address("qualification-grant", kind), {"by-file": "1", "file": upload})
    assert [(change.worker, change.before, change.value) for change in shown.context["changes"]] == [(bob, 70, 80)]
    assert shown.context["same"] == 1


def test_a_rule_grants_to_whoever_reached_it(
    desk: Any, kind: QualificationType, batch: Any, bob: Any, carol: Any
) -> None:
    answer_all(bob, batch, most=3)
    answer_all(carol, batch, most=3)
    Assignment.objects.filter(worker=bob).update(grade=0.8)
    Assignment.objects.filter(worker=carol).update(grade=0.7)
    form = {"batches": [batch.pk], "figure": "grade", "least": "75", "answers": "3"}
    shown = desk.post(address("qualification-rule", kind), form)
    assert [(change.worker, change.value) for change in shown.context["changes"]] == [(bob, 80)]
    assert shown.context["source"] == "rule"
    more = desk.post(address("qualification-rule", kind), form | {"answers": "4"})
    assert not more.context["changes"]


def test_the_last_grant_is_undone_as_a_whole(desk: Any, kind: QualificationType, bob: Any, carol: Any) -> None:
    qualification_types.grant(kind, bob, 60, source="hand")
    bulk_grants.grant_all(kind, {bob: 80, carol: 80}, source="file")
    through = desk.get(address("qualification", kind)).context["last"]
    desk.post(address("qualification-undo", kind), {"through": through})
    assert scores(kind) == {bob.pk: 60}
    assert desk.get(address("qualification", kind)).context["step"] == []


def test_an_undo_from_a_stale_page_changes_nothing(desk: Any, kind: QualificationType, bob: Any, carol: Any) -> None:
    bulk_grants.grant_all(kind, {bob: 80}, source="hand")
    through = desk.get(address("qualification", kind)).context["last"]
    bulk_grants.grant_all(kind, {carol: 80}, source="hand")
    page = desk.post(address("qualification-undo", kind), {"through": through}, follow=True)
    assert "nothing was undone" in page.content.decode()
    assert scores(kind) == {bob.pk: 80, carol.pk: 80}


def test_those_ticked_lose_it(desk: Any, kind: QualificationType, bob: Any, carol: Any) -> None:
    bulk_grants.grant_all(kind, {bob: 80, carol: 80}, source="hand")
    desk.post(address("qualification-revoke", kind), {"worker": [bob.public_id], "reason": "left"})
    assert scores(kind) == {carol.pk: 80}


def test_holders_are_found_by_the_beginning_of_a_pseudonym(
    desk: Any, kind: QualificationType, bob: Any, carol: Any
) -> None:
    bulk_grants.grant_all(kind, {bob: 80, carol: 70}, source="hand")
    found = desk.get(address("qualification", kind), {"q": bob.pseudonym[:6]})
    assert [held.worker for held in found.context["page"]] == [bob]
    html = desk.get(address("qualification", kind)).content.decode()
    assert bob.pseudonym in html
    assert "Bob" not in html


@pytest.mark.parametrize(("button", "held"), [("grant", {"value": 85}), ("refuse", {})])
def test_requests_are_decided_in_bulk(desk: Any, kind: QualificationType, bob: Any, button: str, held: Any) -> None:
    asked = qualification_types.request(kind, bob)
    form = {"request": [asked.public_id], "value": "85", "reason": "not yet", button: "1"}
    assert desk.post(address("qualification-requests", kind), form).status_code == 303
    assert list(scores(kind).values()) == list(held.values())
    asked.refresh_from_db()
    assert asked.state == ("granted" if held else "rejected")
    assert "No requests" in desk.get(address("qualification-requests", kind)).content.decode()


def test_a_deleted_one_is_gone_and_its_name_free(desk: Any, kind: QualificationType, project: Any, bob: Any) -> None:
    qualification_types.grant(kind, bob, 80, source="hand")
    desk.post(address("qualification-delete", kind))
    assert desk.get(address("qualification", kind)).status_code == 404
    assert qualification_types.create_type(project, "Round 2", description="Anew.").pk != kind.pk
    assert kind.public_id not in qualification_types.held(bob)


def test_a_retirement_is_taken_back_with_its_scores(desk: Any, kind: QualificationType, project: Any, bob: Any) -> None:
    qualification_types.grant(kind, bob, 80, source="hand")
    desk.post(address("qualification-delete", kind))
    other = qualification_types.create_type(project, "Round 2", description="Anew.")
    page = desk.post(address("qualification-restore", kind), follow=True).content.decode()
    assert "Another qualification is now named Round 2" in page
    qualification_types.delete_type(other)
    desk.post(address("qualification-restore", kind))
    assert qualification_types.held(bob)[kind.public_id].value == 80
