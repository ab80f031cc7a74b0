"""Lives of HITs through boto3, from their type to their deletion, and where the money is meanwhile."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from annotation.flow.batches import add_assignments, batch_progress
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.projects import overview
from annotation.flow.review import problem_reports
from annotation.models import Hit, Participation, Project
from annotation.mturk_api.flow import hit_changes, hit_creation
from annotation.mturk_api.models import HitType, Listing
from tests.flow.interleaving import just_before
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, QUESTION, TERMS, accept, later, pass_time, submit, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def balance(client: Any) -> str:
    return str(client.get_account_balance()["AvailableBalance"])


def counters(hit: dict[str, Any]) -> tuple[int, int, int]:
    return tuple(hit[f"NumberOfAssignments{name}"] for name in ("Pending", "Available", "Completed"))


def state(client: Any, hit_id: str) -> tuple[str, tuple[int, int, int]]:
    hit = client.get_hit(HITId=hit_id)["HIT"]
    return hit["HITStatus"], counters(hit)


def test_a_full_life(live_server: Any) -> None:
    """Over a real socket: type, HIT, accept, submit, approve, reject, override, extend, expire, delete."""
    key = requester()
    Project.objects.filter(pk=key.project_id).update(fees="mturk")
    client = mturk(key, endpoint=f"{live_server.url}/mturk/")
    bob, carol, dan = (worker(key.project, name) for name in ("bob", "carol", "dan"))
    hit_type = client.create_hit_type(**TERMS)["HITTypeId"]
    hit = client.create_hit_with_hit_type(
        HITTypeId=hit_type, LifetimeInSeconds=3600, MaxAssignments=3, Question=QUESTION, RequesterAnnotation="a/1"
    )["HIT"]
    hit_id = hit["HITId"]
    assert (hit["Question"], hit["RequesterAnnotation"], hit["Reward"]) == (QUESTION, "a/1", "0.25")
    assert balance(client) == "9999.10"  # three times 0.25 and a fee of 0.05
    first = work(bob, hit_id, word="well é")
    second = accept(carol, hit_id)
    assert state(client, hit_id) == ("Assignable", (1, 1, 0))
    submit(second)
    third = accept(dan, hit_id)
    assert state(client, hit_id) == ("Unassignable", (1, 0, 0))
    submit(third)
    assert state(client, hit_id) == ("Reviewable", (0, 0, 0))
    result = client.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert [row["WorkerId"] for row in result] == [bob.public_id, carol.public_id, dan.public_id]
    assert "<FreeText>well &#233;</FreeText>" in result[0]["Answer"]
    client.approve_assignment(AssignmentId=first.public_id, RequesterFeedback="Good.")
    client.reject_assignment(AssignmentId=second.public_id, RequesterFeedback="")
    client.reject_assignment(AssignmentId=third.public_id, RequesterFeedback="Empty.")
    assert balance(client) == "9999.70"
    assert state(client, hit_id) == ("Reviewable", (0, 0, 3))
    client.approve_assignment(AssignmentId=third.public_id, OverrideRejection=True)
    assert balance(client) == "9999.40"
    client.update_hit_review_status(HITId=hit_id)
    assert state(client, hit_id)[0] == "Reviewing"
    client.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=2)
    assert state(client, hit_id) == ("Assignable", (0, 2, 3))
    assert balance(client) == "9998.80"
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    assert state(client, hit_id) == ("Reviewable", (0, 2, 3))
    assert balance(client) == "9999.40"
    assert client.delete_hit(HITId=hit_id)["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert state(client, hit_id)[0] == "Disposed"
    assert client.list_hits()["NumResults"] == 0
    assert ledger.balance(key.project, ledger.owed_to(bob.pk)) == Decimal("0.25")


def test_whoever_expires_a_hit_waits_for_those_who_are_at_work(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    bob = worker(key.project, "bob")
    assert accept(bob, hit_id) is not None
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=timezone.now() - timedelta(days=1))
    assert state(client, hit_id) == ("Unassignable", (1, 1, 0))
    assert balance(client) == "9999.75"
    pass_time(601)
    assert state(client, hit_id) == ("Reviewable", (0, 2, 0))
    assert balance(client) == "10000.00"


def test_what_time_does_needs_no_sweeper(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, AutoApprovalDelayInSeconds=100, MaxAssignments=2)["HIT"]["HITId"]
    row = work(worker(key.project, "bob"), hit_id)
    assert client.get_assignment(AssignmentId=row.public_id)["Assignment"]["AssignmentStatus"] == "Submitted"
    pass_time(101)
    result = client.get_assignment(AssignmentId=row.public_id)["Assignment"]
    assert result["AssignmentStatus"] == "Approved"
    assert balance(client) == "9999.50"
    pass_time(3600)
    assert state(client, hit_id) == ("Reviewable", (0, 1, 1))
    assert balance(client) == "9999.75"


def test_a_hit_is_disposed_of_120_days_after_it_expired(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    pass_time(3601 + 119 * 24 * 3600)
    assert client.list_hits()["NumResults"] == 1
    pass_time(24 * 3600)
    assert client.list_hits()["NumResults"] == 0
    assert state(client, hit_id)[0] == "Disposed"


def test_a_hit_takes_the_terms_of_another_type(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    row = accept(worker(key.project, "bob"), hit_id)
    dearer = client.create_hit_type(**TERMS | {"Reward": "1", "Title": "Say it louder"})["HITTypeId"]
    client.update_hit_type_of_hit(HITId=hit_id, HITTypeId=dearer)
    hit = client.get_hit(HITId=hit_id)["HIT"]
    assert (hit["Title"], hit["Reward"], hit["HITTypeId"]) == ("Say it louder", "1.00", dearer)
    assert balance(client) == "9998.00"
    client.approve_assignment(AssignmentId=submit(row).public_id)
    assert balance(client) == "9998.00"
    cheap = client.create_hit_type(**TERMS)["HITTypeId"]
    client.update_hit_type_of_hit(HITId=hit_id, HITTypeId=cheap)
    assert balance(client) == "9998.75"


def test_nobody_at_work_is_given_less_by_another_type(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    accept(worker(key.project, "bob"), hit_id)
    cheap = client.create_hit_type(**TERMS | {"Reward": "0.01"})["HITTypeId"]
    with pytest.raises(ClientError, match="higher reward"):
        client.update_hit_type_of_hit(HITId=hit_id, HITTypeId=cheap)


def test_a_bonus_does_not_eat_what_is_set_aside(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    bob = worker(key.project, "bob")
    row = work(bob, hit_id)
    client.send_bonus(WorkerId=bob.public_id, AssignmentId=row.public_id, BonusAmount="5", Reason="Thorough.")
    assert balance(client) == "9994.50"
    client.approve_assignment(AssignmentId=row.public_id)
    assert balance(client) == "9994.50"
    client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    assert balance(client) == "9994.75"


def test_what_the_balance_does_not_cover_is_not_made(db: None) -> None:
    key = requester("poor", balance="1.00")
    client = mturk(key)
    with pytest.raises(client.exceptions.RequestError, match="insufficient funds") as refused:
        client.create_hit(**HIT, MaxAssignments=5, UniqueRequestToken="again")
    assert refused.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.InsufficientFunds"
    assert not Listing.objects.exists()
    hit_id = client.create_hit(**HIT, MaxAssignments=4, UniqueRequestToken="again")["HIT"]["HITId"]
    with pytest.raises(ClientError, match="insufficient funds"):
        client.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    pass_time(3601)
    other = client.create_hit(**HIT, MaxAssignments=4)["HIT"]["HITId"]
    with pytest.raises(ClientError, match="insufficient funds"):
        client.update_expiration_for_hit(HITId=hit_id, ExpireAt=later(3600))
    assert state(client, other) == ("Assignable", (0, 4, 0))


def test_the_console_neither_extends_nor_overspends_what_a_script_made(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    hit = Hit.objects.select_related("batch__project").get(public_id=hit_id)
    with pytest.raises(Refused, match="Another program"):
        add_assignments.add_assignments(hit.batch, base=99)
    problem_reports.exclude(hit, reason="broken")
    assert balance(client) == "10000.00"
    assert state(client, hit_id) == ("Reviewable", (0, 2, 0))
    problem_reports.restore(hit)
    assert balance(client) == "9999.50"
    assert state(client, hit_id) == ("Assignable", (0, 2, 0))


def test_a_late_answer_is_paid_from_money_that_lies_ready(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    row = accept(worker(key.project, "bob"), hit_id)
    pass_time(3700)
    assert balance(client) == "10000.00"
    submit(row)
    assert balance(client) == "9999.75"
    [result] = client.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    client.approve_assignment(AssignmentId=result["AssignmentId"])
    assert balance(client) == "9999.75"


def test_two_requesters_do_not_see_each_other(key: Any, client: Any) -> None:
    other = mturk(requester("otto"))
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    row = work(worker(key.project, "bob"), hit_id)
    assert other.list_hits()["NumResults"] == 0
    assert len({one.create_hit_type(**TERMS)["HITTypeId"] for one in (client, other, client)}) == 2
    calls = [
        lambda: other.get_hit(HITId=hit_id),
        lambda: other.delete_hit(HITId=hit_id),
        lambda: other.list_assignments_for_hit(HITId=hit_id),
        lambda: other.get_assignment(AssignmentId=row.public_id),
        lambda: other.approve_assignment(AssignmentId=row.public_id),
        lambda: other.reject_assignment(AssignmentId=row.public_id, RequesterFeedback=""),
        lambda: other.create_hit_with_hit_type(
            HITTypeId=client.create_hit_type(**TERMS)["HITTypeId"], LifetimeInSeconds=60, Question=QUESTION
        ),
    ]
    for call in calls:
        with pytest.raises(ClientError, match="does not exist"):
            call()
    assert balance(other) == "10000.00"


def test_two_requests_at_once_make_one_type_whatever_another_project_has(key: Any) -> None:
    terms = hit_creation.Terms("Other", "Look.", Decimal("0.25"), 600)
    hit_creation.hit_type_of(requester("otto").project, terms)
    made: list[HitType] = []
    with just_before("SAVEPOINT", lambda: made.append(hit_creation.hit_type_of(key.project, terms))):
        found = hit_creation.hit_type_of(key.project, terms)
    assert [found] == made


def test_whoever_accepts_while_the_type_changes_is_in_one_batch_with_the_hit(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    bob = worker(key.project, "bob")
    row = Listing.objects.select_related("hit__batch").get()
    other = hit_creation.hit_type_of(key.project, hit_creation.Terms("Other", "Look.", Decimal("0.25"), 600))
    with just_before('UPDATE "annotation_hit"', lambda: hit_changes.change_type(row, other)) as happened:
        taken = accept(bob, hit_id)
    assert happened
    hit = Hit.objects.get(public_id=hit_id)
    assert hit.batch_id == other.batch_id
    assert taken is None or taken.batch_id == hit.batch_id
    assert hit.live == hit.assignments.filter(state="accepted").count()


def test_what_workers_did_moves_with_the_hit(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    old = Hit.objects.get(public_id=hit_id).batch_id
    work(worker(key.project, "bob"), hit_id)
    accept(worker(key.project, "carol"), hit_id)
    dearer = client.create_hit_type(**TERMS | {"Reward": "0.40"})["HITTypeId"]
    client.update_hit_type_of_hit(HITId=hit_id, HITTypeId=dearer)
    new = Hit.objects.get(public_id=hit_id).batch_id
    assert new != old
    assert batch_progress.submitted_by_batch([old, new]) == {new: 1}
    assert overview.totals(key.project)["at_work"] == 1


def test_a_hit_that_moved_before_work_was_counted_can_move_again(key: Any, client: Any) -> None:
    hit_id = client.create_hit(**HIT)["HIT"]["HITId"]
    work(worker(key.project, "bob"), hit_id)
    Participation.objects.update(done=0)
    other = client.create_hit_type(**TERMS | {"Reward": "0.40"})["HITTypeId"]
    client.update_hit_type_of_hit(HITId=hit_id, HITTypeId=other)
    assert list(Participation.objects.order_by("pk").values_list("done", flat=True)) == [0, 1]
