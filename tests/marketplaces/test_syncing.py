"""What the marketplace tells is held against what we know, both ways."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.batches import batch_launch
from annotation.flow.people import qualification_types
from annotation.marketplaces.base import HitStatus
from annotation.marketplaces.flow import hit_sync, hit_terms, payments, publications
from annotation.marketplaces.models import Arrival, Publication
from annotation.models import Assignment, Hit, Payment, Worker, WorkerBlock
from tests.marketplaces import visitors
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk, No

pytestmark = pytest.mark.django_db


@pytest.fixture
def publication(published: Any) -> Publication:
    return published.hits.order_by("pk")[0].publication


def told(publication: Publication) -> dict[str, Any]:
    publication.refresh_from_db()
    return dict(publication.remote)


def test_a_submission_on_both_sides_is_no_trouble(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    arrival = visitors.work(elsewhere, publication, "ANNA")
    assert visitors.look_now(connection).troubles == 0
    arrival.refresh_from_db()
    assert arrival.remote_state == "Submitted"
    assert told(publication)["status"] == "Assignable"


def test_what_came_in_there_and_not_here_keeps_its_answer(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    visitors.arrive(publication, "ANNA", elsewhere.submit(publication.external_id or "", "ANNA", answer="<hers/>"))
    elsewhere.submit(publication.external_id or "", "BEN", answer="<his/>")
    assert visitors.look_now(connection).troubles == 2
    rows = Arrival.objects.order_by("external_worker")
    assert [(row.trouble, row.remote["answer"]) for row in rows] == [
        ("only_there", "<hers/>"),
        ("only_there", "<his/>"),
    ]


def test_what_comes_in_here_later_is_no_trouble_any_more(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    arrival = visitors.arrive(publication, "ANNA", elsewhere.submit(publication.external_id or "", "ANNA"))
    visitors.look_now(connection)
    visitors.submit_here(arrival)
    elsewhere.answer("ApproveAssignment", {"AssignmentId": arrival.external_assignment})
    assert visitors.look_now(connection).troubles == 0


def test_what_came_in_here_and_not_there_is_shown_once_it_is_too_late(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    arrival = visitors.arrive(publication, "ANNA", "3NEVERSUBMITTED")
    visitors.submit_here(arrival)
    assert visitors.look_now(connection).troubles == 0
    Arrival.objects.update(arrived_at=timezone.now() - timedelta(hours=3))
    assert visitors.look_now(connection).troubles == 1
    arrival.refresh_from_db()
    assert arrival.trouble == "only_here"


def test_an_assignment_given_to_another_worker_does_not_take_over_the_first_ones_answer(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    former = visitors.arrive(publication, "ANNA", "3AGAIN")
    visitors.submit_here(former)
    elsewhere.submit(publication.external_id or "", "BEN", name="3AGAIN")
    visitors.look_now(connection)
    found = {row.external_worker: row.trouble for row in Arrival.objects.all()}
    assert found == {"ANNA": "", "BEN": "another_worker"}
    former.refresh_from_db()
    assert former.remote_state == ""


def test_what_was_approved_there_is_approved_here_and_not_paid_again(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    arrival = visitors.work(elsewhere, publication, "ANNA")
    elsewhere.answer("ApproveAssignment", {"AssignmentId": arrival.external_assignment})
    visitors.look_now(connection)
    ours = Assignment.objects.get(pk=arrival.assignment_id)
    assert (ours.approval, ours.approvals.get().source) == ("approved", "auto")
    assert Payment.objects.get().state == "paid"
    payments.send_due(connection, patience=QUICK)
    assert elsewhere.calls.count("ApproveAssignment") == 1


def test_pausing_ends_the_hits_there_and_resuming_offers_them_again(
    published: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    def open_there() -> int:
        visitors.look_now(connection)
        return sum(hit["Expiration"] > timezone.now().timestamp() for hit in elsewhere.hits.values())

    assert open_there() == 4
    batch_launch.pause(published)
    assert open_there() == 0
    batch_launch.resume(published)
    assert open_there() == 4
    before = elsewhere.calls.count("UpdateExpirationForHIT")
    assert open_there() == 4
    assert elsewhere.calls.count("UpdateExpirationForHIT") == before


def test_an_excluded_hit_ends_there(publication: Publication, connection: Any, elsewhere: FakeMTurk) -> None:
    Hit.objects.filter(pk=publication.hit_id).update(excluded_at=timezone.now())
    visitors.look_now(connection)
    assert elsewhere.hits[publication.external_id or ""]["Expiration"] < timezone.now().timestamp()


def test_more_places_are_asked_for_as_a_target_and_not_as_a_step(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    Hit.objects.filter(pk=publication.hit_id).update(wanted=5)
    for _time in range(3):
        visitors.look_now(connection)
    assert elsewhere.hits[publication.external_id or ""]["MaxAssignments"] == 5


def test_keeping_a_batch_open_longer_moves_every_hit_there(
    published: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    until = timezone.now() + timedelta(days=90)
    assert hit_sync.keep_open(published, until) == 4
    visitors.look_now(connection)
    assert {round(hit["Expiration"] - until.timestamp()) for hit in elsewhere.hits.values()} == {0}


def test_a_hit_that_was_deleted_there_is_not_asked_for_for_ever(
    publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    del elsewhere.hits[publication.external_id or ""]
    visitors.look_now(connection)
    assert told(publication)["status"] == "Disposed"
    assert publication.due_at is None


def test_looks_are_the_rarer_the_less_happens(publication: Publication, connection: Any, elsewhere: FakeMTurk) -> None:
    waits = []
    for _time in range(7):
        visitors.look_now(connection)
        waits.append(told(publication)["wait"])
    assert waits == [30, 60, 120, 240, 480, 900, 900]
    visitors.work(elsewhere, publication, "ANNA")
    visitors.look_now(connection)
    assert told(publication)["wait"] == 30


def test_a_hit_that_somebody_works_on_is_not_over_and_one_with_free_places_neither(publication: Publication) -> None:
    def over(*, pending: int, available: int, completed: int, expired: bool) -> bool:
        ends = timezone.now() + timedelta(hours=-1 if expired else 1)
        counts = {"places": 2, "pending": pending, "available": available, "completed": completed}
        return hit_sync._is_over(HitStatus("3H", "a", "Assignable", "t", expires_at=ends, **counts))

    assert not over(pending=0, available=2, completed=0, expired=False)
    assert not over(pending=1, available=0, completed=1, expired=True)
    assert not over(pending=0, available=0, completed=1, expired=True)  # submitted there and not decided
    assert over(pending=0, available=2, completed=0, expired=True)
    assert over(pending=0, available=0, completed=2, expired=False)


def test_what_is_no_id_of_a_hit_ends_nothing(published: Any, elsewhere: FakeMTurk) -> None:
    elsewhere.calls.clear()
    assert hit_sync.end_stray(published, "../3HIT") is False
    assert elsewhere.calls == []


def test_a_quiet_hit_costs_one_call_a_look(published: Any, connection: Any, elsewhere: FakeMTurk) -> None:
    elsewhere.calls.clear()
    visitors.look_now(connection)
    assert elsewhere.calls == ["GetHIT"] * 4


def test_a_search_adopts_what_a_lost_reply_hid_and_lists_orphans(
    published: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    row = publications.of_batch(published).first()
    lost = {"state": "failed", "external_id": None, "error": "it broke"}
    Publication.objects.filter(pk=row.pk).update(**lost)
    mark = row.annotation.partition(":")[0]
    stray = {"RequesterAnnotation": f"{mark}:gone", "Question": "", "MaxAssignments": 1, "LifetimeInSeconds": 99}
    elsewhere.answer("CreateHITWithHITType", {"HITTypeId": next(iter(elsewhere.types)), **stray})
    strange = stray | {"RequesterAnnotation": "somebody else's"}
    elsewhere.answer("CreateHITWithHITType", {"HITTypeId": next(iter(elsewhere.types)), **strange})
    found = hit_sync.search(connection, patience=QUICK)
    assert (found.adopted, len(found.orphans)) == (1, 1)
    orphan = found.orphans[0]["id"]
    assert not hit_sync.end_stray(published, row.external_id or "")
    assert hit_sync.end_stray(published, orphan)
    assert elsewhere.hits[orphan]["Expiration"] < timezone.now().timestamp()


def test_many_hits_are_looked_at_together(
    published: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_sync, "MANY", 2)
    elsewhere.calls.clear()
    assert visitors.look_now(connection).looked == 4
    assert "GetHIT" not in elsewhere.calls


def test_hits_are_looked_at_one_by_one_where_a_listing_is_refused(
    published: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_wish: dict[str, Any]) -> dict[str, Any]:
        raise No("You are not authorized to perform this operation.")

    monkeypatch.setattr(hit_sync, "MANY", 2)
    monkeypatch.setattr(elsewhere, "do_ListHITs", refuse)
    elsewhere.calls.clear()
    assert visitors.look_now(connection).looked == 4
    assert elsewhere.calls.count("GetHIT") == 4


def test_blocked_workers_hold_the_qualification_that_keeps_them_out(
    published: Any, publication: Publication, connection: Any, elsewhere: FakeMTurk
) -> None:
    arrival = visitors.arrive(publication, "ANNA", "3ONE")
    block = WorkerBlock.objects.create(worker=arrival.assignment.worker, reason="Copies.")
    hit_terms.grant_there(published, visitors.session(connection))
    held = next(iter(elsewhere.qualifications.values()))
    assert held["holders"] == {"ANNA": 1}
    asked = next(iter(elsewhere.types.values()))["QualificationRequirements"]
    assert asked[-1]["QualificationTypeId"] == held["QualificationTypeId"]
    assert asked[-1]["Comparator"] == "DoesNotExist"
    block.delete()
    hit_terms.grant_there(published, visitors.session(connection))
    assert held["holders"] == {}


def test_our_qualifications_are_held_there_under_their_own_names(
    launched: Callable[..., Any], project: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    from annotation.models import Qualification, QualificationType

    kind = QualificationType.objects.create(project=project, name="Round 2", description="Passed round 2.")
    wish = [{"type": kind.public_id, "comparator": "GreaterThan", "values": [75], "guard": "PreviewAndAccept"}]
    batch = launched(requirements=wish)
    anna = Worker.objects.create(project=project, external_id=f"{connection.pk}:ANNA")
    Qualification.objects.create(type=kind, worker=anna, value=80, granted_at=timezone.now())
    publications.send_due(connection, patience=QUICK)
    hit_terms.grant_there(batch, visitors.session(connection))
    named = {row["Name"].partition(" [")[0]: row for row in elsewhere.qualifications.values()}
    assert named["Round 2"]["holders"] == {"ANNA": 80}
    asked = next(iter(elsewhere.types.values()))["QualificationRequirements"][0]
    assert asked == {
        "QualificationTypeId": named["Round 2"]["QualificationTypeId"],
        "Comparator": "GreaterThan",
        "IntegerValues": [75],
        "ActionsGuarded": "PreviewAndAccept",
    }


def test_a_qualification_that_the_account_has_there_is_asked_for_and_nobody_loses_it(
    launched: Callable[..., Any], project: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    from annotation.models import Qualification, QualificationType

    theirs = elsewhere.answer(
        "CreateQualificationType", {"Name": "Composers", "Description": "Passed the round there."}
    )
    type_id = theirs["QualificationType"]["QualificationTypeId"]
    elsewhere.qualifications[type_id]["holders"] = {"BEN": 90, "CARL": 85}
    kind = QualificationType.objects.create(project=project, name="Composers", description="Passed the round.")
    wish = [{"type": kind.public_id, "comparator": "GreaterThanOrEqualTo", "values": [80], "guard": "Accept"}]
    batch = launched(requirements=wish)
    for name, value in (("ANNA", 82), ("BEN", 70)):
        worker = Worker.objects.create(project=project, external_id=f"{connection.pk}:{name}")
        Qualification.objects.create(type=kind, worker=worker, value=value, granted_at=timezone.now())
    publications.send_due(connection, patience=QUICK)
    asked = next(iter(elsewhere.types.values()))["QualificationRequirements"][0]
    assert asked["QualificationTypeId"] == type_id
    hit_terms.grant_there(batch, visitors.session(connection))
    assert elsewhere.qualifications[type_id]["holders"] == {"ANNA": 82, "BEN": 90, "CARL": 85}


def test_what_we_gave_of_the_accounts_own_qualification_follows_and_what_it_gave_itself_stays(
    launched: Callable[..., Any], project: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    theirs = elsewhere.answer(
        "CreateQualificationType", {"Name": "Composers", "Description": "Passed the round there."}
    )
    held = elsewhere.qualifications[theirs["QualificationType"]["QualificationTypeId"]]["holders"]
    held |= {"BEN": 90, "CARL": 85}
    kind = qualification_types.create_type(project, "Composers", description="Passed the round.")
    wish = [{"type": kind.public_id, "comparator": "GreaterThanOrEqualTo", "values": [80], "guard": "Accept"}]
    batch, session = launched(requirements=wish), visitors.session(connection)
    people = {
        name: Worker.objects.create(project=project, external_id=f"{connection.pk}:{name}")
        for name in ("ANNA", "BEN", "CARL", "DORA")
    }
    for name, value in (("ANNA", 82), ("BEN", 90), ("CARL", 70), ("DORA", 81)):
        qualification_types.grant(kind, people[name], value, source="hand")
    assert hit_terms.grant_there(batch, session) == 2
    assert held == {"BEN": 90, "CARL": 85, "ANNA": 82, "DORA": 81}
    qualification_types.grant(kind, people["ANNA"], 95, source="hand")
    for name in ("BEN", "CARL", "DORA"):
        qualification_types.revoke(kind, people[name])
    assert [hit_terms.grant_there(batch, session) for _round in range(2)] == [2, 0]
    assert held == {"BEN": 90, "CARL": 85, "ANNA": 95}
    held |= {"ANNA": 60, "DORA": 81}  # the account's own decisions
    qualification_types.revoke(kind, people["ANNA"])
    assert hit_terms.grant_there(batch, session) == 0
    assert held == {"BEN": 90, "CARL": 85, "ANNA": 60, "DORA": 81}
