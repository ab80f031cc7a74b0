"""Who is qualified for what: types, grants and their history, requests, blocks, and what becomes of a claim."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.errors import Conflict, Refused
from annotation.flow.people import bulk_grants, qualification_types
from annotation.flow.people.qualification_types import NameTaken, TooSoon
from annotation.flow.work import built_in_marketplace, eligibility, leases, next_assignment, open_work
from annotation.models import (
    Assignment,
    AuditEntry,
    Batch,
    Project,
    Qualification,
    QualificationChange,
    QualificationRequest,
    Worker,
)
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Held, Locale, Requirement
from tests.flow.acting import answer_all, newcomer, take

pytestmark = pytest.mark.postgresql(reason="types, workers and grants are locked")


@pytest.fixture
def kind(project: Any) -> Any:
    return qualification_types.create_type(project, "Round 2", description="From the second round.")


def need(batch: Batch, *asked: Requirement) -> None:
    eligibility.require(batch, list(asked))
    batch.refresh_from_db()


def eighty(kind: Any, guard: str = "Accept") -> Requirement:
    return Requirement(kind.public_id, "GreaterThanOrEqualTo", (80,), guard=guard)


def test_a_name_is_taken_until_its_type_is_deleted(project: Any, kind: Any) -> None:
    with pytest.raises(NameTaken):
        qualification_types.create_type(project, "Round 2", description="Once more.")
    assert qualification_types.delete_type(kind)
    assert not qualification_types.delete_type(kind)
    qualification_types.create_type(project, "Round 2", description="Once more.")


@pytest.mark.parametrize(
    "terms",
    [
        {"test": "<x/>", "auto_granted": True, "test_seconds": 60},
        {"test": "<x/>"},
        {"answer_key": "<x/>"},
        {"test": "x" * 65_536, "test_seconds": 60},
        {"auto_value": 2**31},
        {"name": " "},
    ],
)
def test_terms_that_exclude_each_other_are_refused(project: Any, terms: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        qualification_types.create_type(project, **{"name": "New", "description": "x"} | terms)


def test_tries_can_be_delayed_but_not_taken_back(kind: Any) -> None:
    assert qualification_types.update_type(kind, retry_seconds=60).retry_seconds == 60
    assert qualification_types.update_type(kind, retry_seconds=6000).retry_seconds == 6000
    with pytest.raises(Refused, match="not withdrawn"):
        qualification_types.update_type(kind, retry_seconds=None)


def test_every_change_of_a_score_is_kept(kind: Any, bob: Any, alice: Any) -> None:
    qualification_types.grant(kind, bob, 70, source="hand", reason="first", user=alice)
    qualification_types.grant(kind, bob, 80, source="round")
    qualification_types.grant(kind, bob, 80, source="round")  # nothing new
    assert qualification_types.revoke(kind, bob, reason="left")
    assert not qualification_types.revoke(kind, bob)
    rows = QualificationChange.objects.order_by("pk").values_list("value", "state", "source", "reason")
    assert list(rows) == [
        (70, "Granted", "hand", "first"), (80, "Granted", "round", ""), (80, "Revoked", "hand", "left"),
    ]  # fmt: skip
    assert Qualification.objects.get().state == "Revoked"


def test_nobody_of_another_project_is_granted_anything(kind: Any) -> None:
    stranger = newcomer(Project.objects.create(slug="mills", title="Mills"), "mallory")
    with pytest.raises(Refused):
        qualification_types.grant(kind, stranger, 80, source="hand")


def test_what_a_worker_holds_includes_what_is_reckoned(kind: Any, batch: Any, bob: Any) -> None:
    answer_all(bob, batch, most=3)
    one, two, _three = Assignment.objects.order_by("pk")
    Assignment.objects.filter(pk=one.pk).update(approval="approved", approved_at=timezone.now())
    Assignment.objects.filter(pk=two.pk).update(approval="rejected", rejected_at=timezone.now())
    qualification_types.grant(kind, bob, 71, source="hand")
    Worker.objects.filter(pk=bob.pk).update(country="US", subdivision="CA", adult=True)
    assert qualification_types.held(Worker.objects.get(pk=bob.pk)) == {
        kind.public_id: Held(71),
        requirements.APPROVED_COUNT: Held(1),
        requirements.APPROVED_SHARE: Held(100),  # until a hundred were submitted
        requirements.ADULT: Held(1),
        requirements.LOCALE: Held(locale=Locale("US", "CA")),
    }


def test_nobody_is_a_master_and_a_revoked_or_deleted_score_is_none(kind: Any, bob: Any, project: Any) -> None:
    other = qualification_types.create_type(project, "Old", description="x")
    for type in (kind, other):
        qualification_types.grant(type, bob, 80, source="hand")
    qualification_types.revoke(kind, bob)
    qualification_types.delete_type(other)
    assert not {kind.public_id, other.public_id, requirements.MASTERS} & qualification_types.held(bob).keys()


def test_who_does_not_qualify_gets_no_assignment(batch: Any, kind: Any, bob: Any) -> None:
    need(batch, eighty(kind))
    assert open_work.obstacle(bob, batch) == "unqualified"
    assert built_in_marketplace.may(bob, batch, "preview")
    qualification_types.grant(kind, bob, 79, source="hand")
    assert open_work.obstacle(bob, batch) == "unqualified"
    qualification_types.grant(kind, bob, 80, source="hand")
    assert open_work.obstacle(bob, batch) == ""
    assert take(bob, batch) is not None


def test_what_was_returned_is_not_taken_up_by_who_lost_the_qualification(batch: Any, kind: Any, bob: Any) -> None:
    qualification_types.grant(kind, bob, 80, source="hand")
    need(batch, eighty(kind))
    mine = take(bob, batch)
    assert mine is not None
    leases.return_assignment(mine)
    qualification_types.revoke(kind, bob)
    assert not next_assignment.take_up(mine)
    qualification_types.grant(kind, bob, 90, source="hand")
    assert next_assignment.take_up(mine)


@pytest.mark.parametrize("comparator", ["NotEqualTo", "NotIn"])
def test_who_holds_nothing_does_not_pass_for_holding_something_else(
    batch: Any, kind: Any, bob: Any, comparator: str
) -> None:
    need(batch, Requirement(kind.public_id, comparator, (1,)))
    assert open_work.obstacle(bob, batch) == "unqualified"


def test_a_blocked_worker_gets_no_work_and_the_block_is_lifted(batch: Any, bob: Any, carol: Any) -> None:
    qualification_types.block(bob, "spam")
    assert qualification_types.block(bob, "much spam").reason == "much spam"
    assert open_work.obstacle(bob, batch) == "blocked"
    assert open_work.obstacle(carol, batch) == ""
    assert qualification_types.unblock(bob)
    assert list(AuditEntry.objects.order_by("pk").values_list("act", flat=True))[-2:] == ["blocked", "unblocked"]
    assert not qualification_types.unblock(bob)
    assert open_work.obstacle(bob, batch) == ""


def test_a_plain_batch_costs_no_query_more(batch: Any, bob: Any, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert open_work.obstacle(bob, batch) == ""


def test_a_batch_requires_only_what_there_is(batch: Any, kind: Any) -> None:
    with pytest.raises(Refused, match="takes no values"):
        eligibility.require(batch, [Requirement(kind.public_id, "Exists", (1,))])
    with pytest.raises(Refused, match="no longer exists"):
        eligibility.require(batch, [Requirement("3GONE", "Exists")])


def test_it_counts_who_qualifies_now(project: Any, kind: Any, bob: Any, carol: Any) -> None:
    dan = newcomer(project, "dan")
    for worker, score in ((bob, 80), (carol, 79), (dan, 90)):
        qualification_types.grant(kind, worker, score, source="hand")
    assert eligibility.reach(project, [eighty(kind)]) == (2, 3)
    qualification_types.block(dan, "spam")
    assert eligibility.reach(project, [eighty(kind)]) == (1, 2)
    qualification_types.revoke(kind, bob)
    assert eligibility.reach(project, [eighty(kind)]) == (0, 2)
    qualification_types.grant(kind, bob, 80, source="hand")
    few = Requirement(requirements.APPROVED_COUNT, "LessThan", (1,))
    assert eligibility.reach(project, [eighty(kind), few]) == (1, 2)


def test_it_says_what_is_lacking_in_plain_words(batch: Any, kind: Any, bob: Any) -> None:
    abroad = Requirement(requirements.LOCALE, "In", locales=(Locale("US", "CA"), Locale("DE")))
    adult = Requirement(requirements.ADULT, "EqualTo", (1,))
    need(batch, eighty(kind), abroad, adult)
    texts = [missing.text for missing in eligibility.missing(bob, batch)]
    assert texts[0] == "requires 80 in “Round 2”; you do not have it yet"
    assert texts[1] == "is for workers in US (CA), DE; your details say nothing"
    assert "adult" in texts[2]
    qualification_types.grant(kind, bob, 71, source="hand")
    assert eligibility.missing(bob, batch)[0].text == "requires 80 in “Round 2”; you have 71"
    need(batch, Requirement(kind.public_id, "DoesNotExist"))
    assert eligibility.missing(bob, batch)[0].text == "requires that you do not have “Round 2”; you have it"


def test_a_request_waits_and_is_granted(kind: Any, bob: Any, alice: Any) -> None:
    asked = qualification_types.request(kind, bob)
    assert asked.state == "pending"
    with pytest.raises(Conflict):
        qualification_types.request(kind, bob)
    qualification_types.accept_request(asked, value=85, user=alice)
    assert qualification_types.held(bob)[kind.public_id] == Held(85)
    for decide in (qualification_types.accept_request, qualification_types.reject_request):
        with pytest.raises(Conflict):
            decide(asked)


def test_a_request_is_made_once_unless_there_is_a_delay(kind: Any, bob: Any) -> None:
    qualification_types.reject_request(qualification_types.request(kind, bob), reason="not yet")
    with pytest.raises(TooSoon) as never:
        qualification_types.request(kind, bob)
    assert never.value.again_at is None
    kind = qualification_types.update_type(kind, retry_seconds=3600)
    with pytest.raises(TooSoon) as later:
        qualification_types.request(kind, bob)
    assert later.value.again_at > timezone.now()
    assert eligibility.way_to(kind, bob) == ""
    QualificationRequest.objects.update(submitted_at=timezone.now() - timedelta(hours=2))
    assert eligibility.way_to(kind, bob) == "ask"
    assert qualification_types.request(kind, bob).state == "pending"
    assert eligibility.way_to(kind, bob) == "waiting"


def test_an_automatic_one_is_granted_at_once(kind: Any, bob: Any) -> None:
    kind = qualification_types.update_type(kind, auto_granted=True, auto_value=5)
    assert qualification_types.request(kind, bob).state == "granted"
    assert qualification_types.held(bob)[kind.public_id] == Held(5)
    assert QualificationChange.objects.get().source == "auto"


@pytest.mark.parametrize("hindrance", ["inactive type", "blocked", "inactive worker"])
def test_not_everybody_may_ask(kind: Any, bob: Any, hindrance: str) -> None:
    if hindrance == "inactive type":
        kind = qualification_types.update_type(kind, status="Inactive")
    elif hindrance == "blocked":
        qualification_types.block(bob, "spam")
    else:
        bob.active = False
    with pytest.raises(Refused):
        qualification_types.request(kind, bob)


def test_a_test_is_taken_before_anything_is_granted(kind: Any, bob: Any) -> None:
    kind = qualification_types.update_type(kind, test="<form/>", test_seconds=600)
    with pytest.raises(Refused, match="has a test"):
        qualification_types.request(kind, bob)
    begun = qualification_types.begin_test(kind, bob)
    assert qualification_types.begin_test(kind, bob).pk == begun.pk
    assert begun.test == "<form/>"
    done = qualification_types.request(kind, bob, answer="<answers/>", value=90)
    assert (done.pk, done.state, done.answer) == (begun.pk, "granted", "<answers/>")
    assert qualification_types.held(bob)[kind.public_id] == Held(90)


@pytest.mark.parametrize(
    ("text", "score"), [(str(-(2**31)), -(2**31)), (str(2**31 - 1), 2**31 - 1), (str(2**31), None)]
)
def test_a_score_in_a_file_is_an_integer_of_the_protocol(text: str, score: int | None) -> None:
    assert bulk_grants.parse_integer(text) == score


def test_a_grant_of_many_is_all_or_nothing(kind: Any, bob: Any, carol: Any) -> None:
    with pytest.raises(Refused):
        bulk_grants.grant_all(kind, {bob: 80, carol: 2**31}, source="file")
    assert not Qualification.objects.exists()
    assert not QualificationChange.objects.exists()


def test_an_undo_restores_what_was_revoked(kind: Any, bob: Any, carol: Any) -> None:
    bulk_grants.grant_all(kind, {bob: 80, carol: 70}, source="file")
    bulk_grants.revoke_all(kind, [bob, carol])
    step = bulk_grants.last_step(kind)
    assert len(step) == 2
    assert bulk_grants.undo(kind, through=step[-1].pk) == 2
    assert {row.worker: row.value for row in bulk_grants.holders(kind)} == {bob: 80, carol: 70}
    assert bulk_grants.last_step(kind) == []
