"""Two requesters adjudicate independently: one decision waits for the other; where they differ, a third is final."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.flow.errors import Conflict, Refused
from annotation.flow.reports import methods_facts
from annotation.flow.review import adjudication, results_dataset
from annotation.flow.review.adjudication import cause_tables
from annotation.models import Adjudication, Batch, Hit, Member, Review, User
from tests.conftest import answer_to
from tests.flow import acting
from tests.replaying import replayed

pytestmark = pytest.mark.postgresql(reason="responses are locked, so that two who decide at once see each other")


@pytest.fixture
def dora(project: Any) -> User:
    user = User.objects.create_user("dora")
    Member.objects.create(project=project, user=user)
    return user


@pytest.fixture
def erik(project: Any) -> User:
    user = User.objects.create_user("erik")
    Member.objects.create(project=project, user=user)
    return user


@pytest.fixture
def batch(project: Any, dataset: Any, bob: Any, carol: Any) -> Batch:
    """Bob answers everything right, carol everything wrong."""

    def make() -> Batch:
        made = acting.launched(project, "doubtful", dataset, assignments_per_hit=2, two_adjudicators=True)
        acting.answer_all(bob, made)
        while row := acting.take(carol, made):
            acting.submit(row, answer_to(row) | {"kind": "typed", "text": "somewhere else"})
        return made

    return replayed("double adjudication", make, project, dataset, bob, carol)


@pytest.fixture
def hit(batch: Batch) -> Hit:
    return Hit.objects.select_related("batch__project", "item__dataset").get(pk=adjudication.queue(batch)[0].pk)


def picked(hit: Hit, user: User, worker: Any, **more: Any) -> Adjudication:
    row = hit.assignments.get(worker=worker)
    made = {"decision": "accepted", "assignment": row, "revision": row.revision}
    return Adjudication(hit=hit, adjudicator=user, **made | more)


def excluded(hit: Hit, user: User, reason: str = "Two towers fit.") -> Adjudication:
    return Adjudication(hit=hit, adjudicator=user, decision="excluded", reason=reason)


def waiting(batch: Batch, user: User | None = None) -> set[int]:
    return {one.pk for one in adjudication.queue(batch, user)}


def test_the_first_decision_changes_nothing_and_is_asked_of_nobody_twice(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any
) -> None:
    everything = waiting(batch)
    assert not adjudication.decide(picked(hit, alice, bob))
    assert not Review.objects.exists()
    assert waiting(batch) == waiting(batch, dora) == everything
    assert waiting(batch, alice) == everything - {hit.pk}
    assert adjudication.following(batch, hit, alice).pk != hit.pk
    assert adjudication.agreement(batch) == (0, 0)


def test_two_equal_decisions_are_the_result(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    adjudication.decide(picked(hit, alice, bob))
    assert adjudication.decide(picked(hit, dora, bob))
    assert hit.pk not in waiting(batch)
    assert [(r.decision, r.assignment.worker) for r in Review.objects.all()] == [("accepted", bob)]
    assert adjudication.agreement(batch) == (1, 1)


def test_decisions_are_equal_if_their_results_are(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    """One chooses a response; the other writes the same words over another one with the same support."""
    right = hit.assignments.get(worker=bob).current.answer
    assert hit.assignments.get(worker=carol).current.answer["support"] == right["support"]
    adjudication.decide(picked(hit, alice, bob))
    assert adjudication.decide(picked(hit, dora, carol, decision="edited", text=right["text"].upper()))
    assert adjudication.agreement(batch) == (1, 1)


def test_different_decisions_wait_for_one_that_saw_both(
    batch: Batch, hit: Hit, alice: User, dora: User, erik: User, bob: Any, carol: Any
) -> None:
    adjudication.decide(picked(hit, alice, bob))
    assert not adjudication.decide(picked(hit, dora, carol))
    for user in (alice, dora, erik):
        assert next(one for one in adjudication.queue(batch, user) if one.pk == hit.pk).both_decided
    with pytest.raises(Conflict):
        adjudication.decide(picked(hit, erik, carol))
    assert not Review.objects.exists()
    assert adjudication.decide(picked(hit, erik, carol), saw_both=True)
    assert hit.pk not in waiting(batch)
    assert (Adjudication.objects.count(), adjudication.agreement(batch)) == (2, (0, 1))
    facts = methods_facts.facts_of(batch, None)
    assert (facts.twice, facts.agreed) == (1, 0)


def test_both_must_exclude_a_hit_that_is_excluded(
    batch: Batch, hit: Hit, alice: User, dora: User, erik: User, bob: Any
) -> None:
    assert not adjudication.decide(excluded(hit, alice))
    assert not adjudication.decide(picked(hit, dora, bob))
    hit.refresh_from_db()
    assert hit.excluded_at is None
    other = Hit.objects.select_related("batch__project").get(pk=adjudication.queue(batch)[1].pk)
    adjudication.decide(excluded(other, alice, "Broken."))
    assert adjudication.decide(excluded(other, dora, "It is broken."))
    other.refresh_from_db()
    assert other.exclusion_reason == "It is broken."
    assert adjudication.agreement(batch) == (1, 2)


def test_ones_own_decision_can_be_changed_and_withdrawn_until_the_other_is_there(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    assert adjudication.undo(hit, reviewer=alice) == ""
    adjudication.decide(picked(hit, alice, bob))
    assert adjudication.undo(hit, reviewer=dora) == ""
    assert adjudication.undo(hit, reviewer=alice) == "withdrawn"
    assert hit.pk in waiting(batch, alice)
    adjudication.decide(picked(hit, alice, bob))
    adjudication.decide(picked(hit, alice, carol))
    assert adjudication.decide(picked(hit, dora, carol))
    assert adjudication.undo(hit, reviewer=alice) == "reopened"
    assert Adjudication.objects.count() == 2
    assert next(one for one in adjudication.queue(batch, alice) if one.pk == hit.pk).both_decided


def test_a_decision_on_a_response_that_changed_does_not_count(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    old = picked(hit, alice, carol)
    adjudication.decide(old)
    row = hit.assignments.get(worker=carol)
    acting.submit(row, answer_to(row) | {"kind": "typed", "text": "nearer"}, key="1.form", base=1)
    assert hit.pk in waiting(batch, alice)
    with pytest.raises(Conflict):
        adjudication.decide(old)
    assert not adjudication.decide(picked(hit, dora, carol))
    assert adjudication.decide(picked(hit, alice, carol))
    assert adjudication.agreement(batch) == (1, 1)


def test_an_unusable_wording_is_refused_at_once(batch: Batch, hit: Hit, alice: User, bob: Any) -> None:
    for text in ("", "words that stand nowhere"):
        with pytest.raises(Refused):
            adjudication.decide(picked(hit, alice, bob, decision="edited", text=text))
    assert not Adjudication.objects.exists()


def test_what_is_stored_is_one_whole_decision_of_each(hit: Hit, alice: User, bob: Any) -> None:
    picked(hit, alice, bob).save()
    with pytest.raises(IntegrityError), transaction.atomic():
        picked(hit, alice, bob).save()
    for broken in (
        excluded(hit, alice, ""),
        Adjudication(hit=hit, decision="accepted"),
        picked(hit, alice, bob, text="x"),
    ):
        broken.adjudicator = None
        with pytest.raises(IntegrityError), transaction.atomic():
            broken.save()


def test_a_dataset_says_what_each_decided(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    adjudication.decide(picked(hit, alice, bob))
    adjudication.decide(picked(hit, dora, carol))
    adjudication.decide(picked(hit, dora, bob), saw_both=True)
    results_dataset.create_results_dataset(batch, name="settled")
    step = batch.project.datasets.get(slug="settled").items.get().example.extra["provenance"][-1]
    name = batch.project.reviewer_pseudonym
    assert step["adjudications"] == [
        {"reviewer": name(alice.pk), "decision": "accepted", "worker": bob.pseudonym},
        {"reviewer": name(dora.pk), "decision": "accepted", "worker": carol.pseudonym},
    ]
    assert [review["reviewer"] for review in step["reviews"]] == [name(dora.pk)]


def rows_of(batch: Batch, name: str = "causes") -> dict[str, Any]:
    """The numbers above 0 of a table of causes, by the words of their rows."""
    table = next((one for one in cause_tables(batch) if one["name"] == name), {"rows": []})
    return {words["text"]: number for words, number, *_more in table["rows"] if number}


def test_a_cause_counts_once_both_name_it_and_agreement_is_that_of_the_two(
    batch: Batch, alice: User, dora: User, bob: Any
) -> None:
    hits = list(Hit.objects.select_related("batch__project").filter(pk__in=waiting(batch)).order_by("pk"))
    adjudication.decide(picked(hits[0], alice, bob, cause="list"))
    assert cause_tables(batch) == []
    adjudication.decide(picked(hits[0], dora, bob, cause="list"))
    adjudication.decide(picked(hits[1], alice, bob, cause="slip"))
    adjudication.decide(picked(hits[1], dora, bob, cause="gold"))
    adjudication.decide(picked(hits[2], alice, bob))
    adjudication.decide(picked(hits[2], dora, bob, cause="slip"))
    assert rows_of(batch) == {
        "List-style questions": 1,
        "Slip": 1,
        "Two adjudicators named different causes": 1,
        "all": 3,
    }
    shares = next(one for one in cause_tables(batch) if one["name"] == "causes")["rows"]
    assert {row[2]["n"] for row in shares[:-1]} == {3}
    assert rows_of(batch, "cause-agreement")["Agreement of pairs of annotators"] == 0.5


def test_a_final_decision_names_the_cause_and_leaves_the_agreement_as_it_was(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any, carol: Any
) -> None:
    adjudication.decide(picked(hit, alice, bob, cause="slip"))
    adjudication.decide(picked(hit, dora, carol, cause="symbolic"))
    adjudication.decide(picked(hit, dora, bob, cause="semantic"), saw_both=True)
    assert rows_of(batch) == {"Semantic equivalence": 1, "all": 1}
    assert sorted(Adjudication.objects.values_list("cause", flat=True)) == ["slip", "symbolic"]
    assert "Agreement of pairs of annotators" not in rows_of(batch, "cause-agreement")
    results_dataset.create_results_dataset(batch, name="settled")
    step = batch.project.datasets.get(slug="settled").items.get().example.extra["provenance"][-1]
    assert (step["cause"], [one["cause"] for one in step["adjudications"]]) == ("semantic", ["slip", "symbolic"])


def test_a_hit_that_is_open_again_has_no_cause(batch: Batch, hit: Hit, alice: User, dora: User, bob: Any) -> None:
    for user in (alice, dora):
        adjudication.decide(picked(hit, user, bob, cause="slip"))
    assert rows_of(batch) == {"Slip": 1, "all": 1}
    row = hit.assignments.get(worker=bob)
    acting.submit(row, answer_to(row) | {"kind": "typed", "text": "nearer"}, key="1.form", base=1)
    assert cause_tables(batch) == []


def test_with_one_adjudicator_again_the_next_decision_is_the_result(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any
) -> None:
    adjudication.decide(picked(hit, alice, bob))
    Batch.objects.update(two_adjudicators=False)
    hit = Hit.objects.select_related("batch__project").get(pk=hit.pk)
    assert hit.pk in waiting(hit.batch, alice)
    assert adjudication.decide(picked(hit, alice, bob))
    assert (hit.pk in waiting(hit.batch), Review.objects.count()) == (False, 1)


@pytest.mark.django_db(transaction=True)
def test_who_decides_while_the_other_s_decision_is_being_stored_waits_for_it(
    batch: Batch, hit: Hit, alice: User, dora: User, bob: Any
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")
    results: list[bool | BaseException] = []

    def decide() -> None:
        try:
            results.append(adjudication.decide(picked(hit, dora, bob)))
        except BaseException as defect:
            results.append(defect)
        finally:
            connection.close()

    other = threading.Thread(target=decide)
    with transaction.atomic():
        assert not adjudication.decide(picked(hit, alice, bob))
        other.start()
        other.join(timeout=0.5)
        assert results == []
    other.join()
    assert results == [True]
    assert (hit.pk in waiting(batch), Review.objects.count()) == (False, 1)
