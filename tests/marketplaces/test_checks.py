"""Hidden gold on a marketplace: HITs among the others, of their type, with as many places, graded and paid alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F

from annotation.flow.batches import batch_launch, estimates, hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.notifications import announcements
from annotation.flow.people import qualification_types
from annotation.flow.review import assignment_approval
from annotation.flow.work import leases, next_assignment, submissions
from annotation.marketplaces.flow import arrivals, hit_sync, hit_terms, payments, publications
from annotation.marketplaces.flow.arrivals import Entry, TurnedAway
from annotation.marketplaces.models import Arrival, Publication
from annotation.models import Assignment, Batch, BatchActivity, Feedback, Notice, Participation, Payment
from tests.batches import create_batch
from tests.conftest import answer_to
from tests.flow.acting import dataset_of
from tests.flow.people.test_qualification_rounds import wrong
from tests.marketplaces import visitors
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk

pytestmark = pytest.mark.django_db
RULE = {"after": 2, "warn_below": 0.8, "pause_below": 0.5}


@pytest.fixture
def checked(project: Any, connection: Any, tmp_path: Path) -> Callable[..., Batch]:
    """Makes a launched batch of `size` items there, with hidden gold out of `known` items."""

    def launch(*, size: int = 24, known: int = 30, share: float = 0.25, **settings: Any) -> Batch:
        asked = dataset_of(project, tmp_path, name="asked", size=size)
        gold = dataset_of(project, tmp_path, name="known", size=known)
        chosen = {"reward": Decimal("0.40"), "assignments_per_hit": 2, "expected_seconds": 60, "check_share": share}
        chosen |= {"check_rule": RULE} | settings
        batch = create_batch(
            project, "abroad", task="answer", datasets=[asked], instructions="Read.", marketplace=connection, **chosen
        )
        batch.checks.set([gold])
        batch_launch.launch(batch)
        batch.refresh_from_db()
        return batch

    return launch


def checks_of(batch: Batch) -> list[Publication]:
    return list(publications.of_batch(batch).filter(hit__check_item=True).select_related("hit").order_by("pk"))


def do(elsewhere: FakeMTurk, publication: Publication, name: str, *, right: bool) -> Arrival:
    """A worker accepts there, answers here, submits there."""
    publication.refresh_from_db()
    arrival = visitors.arrive(publication, name, elsewhere.submit(publication.external_id or "", name))
    ours = arrival.assignment
    assert ours is not None
    given = answer_to(ours) if right else wrong(ours)
    submissions.submit(ours, given, key=f"0.{ours.pk}", base=0, active_seconds=10)
    return arrival


def test_they_are_hits_of_the_same_type_with_as_many_places(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked()
    publications.send_due(connection, patience=QUICK)
    gold = {row.annotation for row in checks_of(batch)}
    assert (batch.size, len(gold), len(elsewhere.hits)) == (24, 8, 32)
    assert len(elsewhere.types) == 1
    result = [{name: hit[name] for name in ("HITTypeId", "Title", "MaxAssignments")} for hit in elsewhere.hits.values()]
    assert all(one == result[0] for one in result)
    assert {row.hit.item.dataset.slug for row in checks_of(batch)} == {"known"}


def test_they_are_sent_at_seeded_places_among_the_others(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked()
    publications.send_due(connection, patience=QUICK)
    gold = {row.annotation for row in checks_of(batch)}
    order = [hit["RequesterAnnotation"] in gold for hit in elsewhere.hits.values()]
    assert any(order[:16])
    assert not all(order[-8:])


def test_a_share_of_nothing_known_is_refused_and_too_few_are_told(checked: Callable[..., Batch]) -> None:
    batch = checked(known=3)
    assert len(checks_of(batch)) == 3
    assert "3 instead of 8 HITs" in batch_launch.setting_warnings(batch)[0]


def test_enough_known_items_leave_no_doubt(checked: Callable[..., Batch]) -> None:
    assert batch_launch.setting_warnings(checked()) == []


def test_what_they_cost_is_quoted_and_set_aside(checked: Callable[..., Batch], connection: Any) -> None:
    connection.fees = "mturk"
    connection.save(update_fields=["fees"])
    batch = checked(share=0.2)
    assert len(checks_of(batch)) == 6
    quoted = estimates.estimate(batch).quote.total
    assert quoted == Decimal("0.48") * 2 * (24 + 6)
    assert batch_funds.held(batch) == batch_funds.needed(batch) == quoted


def test_each_is_paid_like_the_others_and_the_books_stay_whole(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked()
    publications.send_due(connection, patience=QUICK)
    before = batch_funds.held(batch)
    arrival = do(elsewhere, checks_of(batch)[0], "AANNA", right=True)
    visitors.look_now(connection)
    assignment_approval.approve(arrival.assignment)
    payments.send_due(connection, patience=QUICK)
    paid = Payment.objects.get(assignment=arrival.assignment)
    assert (paid.amount, paid.state) == (Decimal("0.40"), "paid")
    assert elsewhere.assignments[arrival.external_assignment]["AssignmentStatus"] == "Approved"
    assert batch_funds.held(batch) == batch_funds.needed(batch) == before - Decimal("0.40")
    assert ledger.balance(batch.project, f"marketplace/{connection.pk}") == Decimal("0.40")


def test_a_place_given_back_is_free_for_the_next(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked(assignments_per_hit=1)
    publications.send_due(connection, patience=QUICK)
    publication = checks_of(batch)[0]
    publication.refresh_from_db()
    first = visitors.arrive(publication, "AANNA", "3ONE").assignment
    assert first is not None
    assert visitors.arrive(publication, "ABEN", "3TWO").assignment is None
    leases.return_assignment(first)
    publication.hit.refresh_from_db()
    assert (publication.hit.live, publication.hit.wanted) == (0, 1)
    assert next_assignment.accept_hit(next_assignment.join_batch(first.worker, batch), publication.hit) is not None


def test_they_are_graded_and_counted_nowhere(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked()
    publications.send_due(connection, patience=QUICK)
    rows = [
        do(elsewhere, one, "AANNA", right=right) for one, right in zip(checks_of(batch)[:2], (True, False), strict=True)
    ]
    grades = [Assignment.objects.get(pk=row.assignment_id).grade for row in rows]
    assert (grades[0], grades[1]) == (1, 0)
    assert not hidden_gold.rows_without_checks(batch, batch.assignments.all()).exists()


def test_the_rule_warns_in_the_frame_and_pauses_here_and_there(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked(check_rule={"after": 1, "warn_below": 0.9, "pause_below": 0.5})
    publications.send_due(connection, patience=QUICK)
    gold = checks_of(batch)
    do(elsewhere, gold[0], "AANNA", right=True)
    do(elsewhere, gold[1], "AANNA", right=False)
    do(elsewhere, gold[2], "ABEN", right=False)
    anna, ben = (Participation.objects.get(worker__external_id=f"{connection.pk}:{name}") for name in ("AANNA", "ABEN"))
    assert Feedback.objects.filter(worker=anna.worker_id, batch=batch).count() == 1
    assert (anna.paused_at is None, ben.paused_at is None) == (True, False)
    origin = arrivals.worker_origin(connection)
    gold[3].refresh_from_db()
    entry = Entry("3NEXT", gold[3].external_id or "", "ABEN", origin)
    with pytest.raises(TurnedAway, match="paused"):
        arrivals.arrive(gold[3].hit, entry)
    visitors.look_now(connection)
    [kept_out] = [one for one in elsewhere.qualifications.values() if one["holders"]]
    assert kept_out["holders"] == {"ABEN": 1}
    asked = next(iter(elsewhere.types.values()))["QualificationRequirements"]
    assert {
        "QualificationTypeId": kept_out["QualificationTypeId"],
        "Comparator": "DoesNotExist",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    } in asked
    hidden_gold.let_go_on(ben)
    visitors.look_now(connection)
    assert kept_out["holders"] == {}
    assert arrivals.arrive(gold[3].hit, entry).assignment is not None


def test_they_end_when_all_ordinary_work_is_done_and_go_on_with_more(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = checked(size=2, share=0.4, assignments_per_hit=1)
    publications.send_due(connection, patience=QUICK)
    [*gold] = checks_of(batch)
    assert len(gold) == 2
    visitors.look_now(connection)
    gold[0].refresh_from_db()
    assert gold[0].remote["status"] == "Assignable"
    for row in publications.of_batch(batch).filter(hit__check_item=False):
        do(elsewhere, row, "AANNA", right=True)
    visitors.look_now(connection)
    assert {elsewhere.hits[row.external_id or ""]["Expiration"] < 1e6 for row in checks_of(batch)} == {True}


def test_a_batch_is_finished_whatever_hidden_gold_was_left_over(
    checked: Callable[..., Batch], connection: Any, elsewhere: FakeMTurk, alice: Any
) -> None:
    batch = checked(size=2, share=0.4, assignments_per_hit=1)
    publications.send_due(connection, patience=QUICK)
    announcements.announce_due()
    for row in publications.of_batch(batch).filter(hit__check_item=False):
        do(elsewhere, row, "AANNA", right=True)
    visitors.look_now(connection)
    announcements.announce_due()
    assert list(Notice.objects.filter(user=alice).values_list("kind", "facts")) == [("finished", {"answers": 2})]
    BatchActivity.objects.update(open_since=F("open_since") - timedelta(days=2))
    Assignment.objects.update(submitted_at=F("submitted_at") - timedelta(days=2))
    announcements.announce_due()
    assert Notice.objects.filter(user=alice).count() == 1


def test_what_stands_still_says_how_many_ordinary_answers_are_wanted(checked: Callable[..., Batch], alice: Any) -> None:
    checked(size=2, share=0.4, assignments_per_hit=1)
    announcements.announce_due()
    BatchActivity.objects.update(open_since=F("open_since") - timedelta(days=2))
    announcements.announce_due()
    assert list(Notice.objects.filter(user=alice).values_list("kind", "facts")) == [("stalled", {"left": 2})]


def test_rounds_have_none(checked: Callable[..., Batch]) -> None:
    with pytest.raises(Refused, match="production"):
        checked(purpose="qualification")


def test_ten_requirements_leave_no_room_for_those_that_keep_out(project: Any, checked: Callable[..., Batch]) -> None:
    types = [qualification_types.create_type(project, f"Type {n}", description="It is one.") for n in range(9)]
    asked = [{"type": one.public_id, "comparator": "Exists"} for one in types]
    with pytest.raises(Refused, match="at most 8"):
        checked(requirements=asked)


def test_the_marks_of_exclusion_are_the_batchs_own(checked: Callable[..., Batch], connection: Any) -> None:
    session = visitors.session(connection)
    batch = checked()
    assert len(hit_terms.requirements_of(batch, session)) == 2
    batch.check_rule = {"after": 2, "warn_below": 0.8}
    assert len(hit_terms.requirements_of(batch, session)) == 1
    assert hit_sync.due(connection).count() == 0
