"""Where the marketplace's books and ours differ is found, kept until it is gone, and said what ended it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.marketplaces.flow import bonuses, differences, study_sync
from annotation.marketplaces.flow.differences import FoundDifference
from annotation.marketplaces.models import BatchMarketplace, Difference, Visit, VisitBonus
from annotation.marketplaces.study_base import Status, StudyState, StudyStatus, Submission
from annotation.models import Batch, Payment
from tests.marketplaces.prolific.panel import Panel

Kind = Difference.Kind
pytestmark = pytest.mark.django_db
BACK = Submission("s1", "p1", "study", Status.AWAITING, code="CODE0")


def found(panel: Panel, theirs: Submission, **ours: Any) -> list[str]:
    """What differs of a submission from a visit with these columns; without columns, of one that never came."""
    visit = panel.visit(answered="freed_at" in ours) if ours else None
    freed_at = ours.pop("freed_at", None)
    if visit is not None:
        visit.assignments.update(freed_at=freed_at)
        Visit.objects.filter(pk=visit.pk).update(**{"decision": "", "sent_at": None} | ours)
        visit.refresh_from_db()
    return [one.kind for one in differences.of_submission(panel.study, theirs, visit)]


def test_books_that_agree_show_nothing(panel: Panel) -> None:
    assert found(panel, BACK, state="done", outcome="done") == []
    approved = {"state": "done", "outcome": "done", "decision": "approved", "sent_at": Now()}
    assert found(panel, replace(BACK, status=Status.APPROVED), **approved) == []
    assert found(panel, replace(BACK, status=Status.ACTIVE, code=""), state="live", outcome="") == []
    assert found(panel, replace(BACK, status=Status.RETURNED), state="done", freed_at=Now()) == []
    assert found(panel, replace(BACK, status=Status.ACTIVE)) == []


def test_each_difference_of_a_submission_has_its_kind(panel: Panel) -> None:
    done = {"state": "done", "outcome": "done"}
    assert found(panel, BACK) == [Kind.NEVER_HERE]
    assert found(panel, BACK, state="live", outcome="") == [Kind.NO_WORK]
    assert found(panel, replace(BACK, code="WRONG"), **done) == [Kind.OTHER_CODE]
    assert found(panel, replace(BACK, status=Status.TIMED_OUT), **done, freed_at=None) == [Kind.NOT_BACK]
    assert found(panel, replace(BACK, status=Status.REJECTED), **done) == [Kind.DECIDED_THERE]
    sent = done | {"decision": "approved", "sent_at": Now(), "freed_at": Now()}
    assert found(panel, replace(BACK, status=Status.RETURNED), **sent) == [Kind.DECIDED_HERE]


def test_a_study_in_another_state_or_with_other_places_is_found_unless_it_is_full(panel: Panel) -> None:
    def of(status: StudyStatus, places: int, taken: int = 0) -> list[str]:
        return [one.kind for one in differences.of_study(panel.study, StudyState("x", status, places, taken))]

    assert of(StudyStatus.ACTIVE, 5000) == []
    assert of(StudyStatus.STOPPED, 5000, 5000) == []
    assert of(StudyStatus.PAUSED, 5000) == [Kind.STUDY_STATE]
    assert of(StudyStatus.ACTIVE, 4999) == [Kind.PLACES]


def test_a_bonus_that_we_did_not_pay_is_found_and_none_while_ours_is_under_way(panel: Panel) -> None:
    visit = panel.visit()
    bonus = VisitBonus.objects.create(visit=visit, amount=Decimal("0.35"), state="paid")
    assert list(differences.of_bonuses(visit, [Decimal("0.35")])) == []
    (one,) = differences.of_bonuses(visit, [Decimal("0.35"), Decimal(5)])
    assert (one.kind, one.theirs, one.ours) == (Kind.BONUS_UNKNOWN, "0.35, 5", "0.35")
    VisitBonus.objects.filter(pk=bonus.pk).update(state="intended")
    assert list(differences.of_bonuses(visit, [Decimal(5)])) == []


def test_a_difference_is_opened_once_and_closed_with_what_ended_it(panel: Panel) -> None:
    visit = panel.visit()
    one = FoundDifference(Kind.NOT_BACK, "timed_out", "finished", visit.external_id, visit)
    for _sync in range(2):
        assert differences.record(panel.study, [one], kinds=differences.OF_LISTS) == 1
    visit.assignments.update(freed_at=Now())
    assert differences.record(panel.study, [], kinds=differences.OF_LISTS) == 0
    row = Difference.objects.get()
    assert row.gone_at is not None
    assert row.action == "Its HITs were given to other participants."
    assert differences.record(panel.study, [one], kinds=differences.OF_LISTS) == 1
    assert differences.of_batch(panel.batch).count() == 2


def test_a_sync_closes_only_what_it_could_see(panel: Panel) -> None:
    visit = panel.visit(answered=False)
    differences.record(
        panel.study, [FoundDifference(Kind.BONUS_UNKNOWN, "5.00", "–", "s", visit)], kinds=differences.OF_BONUSES
    )
    assert differences.record(panel.study, [], kinds=differences.OF_LISTS) == 1


def test_what_a_person_noted_is_no_longer_open(panel: Panel) -> None:
    differences.record(panel.study, [FoundDifference(Kind.PLACES, "4", "5")], kinds=differences.OF_LISTS)
    row = Difference.objects.select_related("study__batch__project").get()
    assert differences.note(row, "Lowered on the site.")
    assert not differences.note(row, "Again.")
    assert differences.open_ones(panel.study).count() == 0
    assert differences.record(panel.study, [FoundDifference(Kind.PLACES, "4", "5")], kinds=differences.OF_LISTS) == 0


def unclear(panel: Panel) -> VisitBonus:
    visit = panel.visit()
    panel.owe(visit, "0.35")
    bonuses.intend(panel.connection)
    row = VisitBonus.objects.get()
    VisitBonus.objects.filter(pk=row.pk).update(state="unclear", payment="x", called_at=Now(), before=["1.00"])
    differences.record(panel.study, list(differences.unclear_bonuses(panel.study)), kinds=differences.OF_LISTS)
    return row


def test_the_page_shows_the_facts_of_an_unclear_bonus_and_takes_the_decision(panel: Panel, signed_in: Any) -> None:
    row = unclear(panel)
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    page = signed_in.get(path)
    assert page.status_code == 200
    for words in ("before: 1.00; now: –", "0.35", row.visit.external_id, "It was not paid", "without an answer"):
        assert words in page.content.decode()
    VisitBonus.objects.update(called_at=None)
    differences.record(panel.study, list(differences.unclear_bonuses(panel.study)), kinds=differences.OF_LISTS)
    assert "Not requested yet" in signed_in.get(path).content.decode()
    difference = Difference.objects.get()
    signed_in.post(f"{path}{difference.pk}/", {"act": "unpaid"})
    row.refresh_from_db()
    difference.refresh_from_db()
    assert (row.state, difference.noted_at is not None) == ("not_paid", True)
    assert "books and ours agree" in signed_in.get(path).content.decode()
    signed_in.post(f"{path}{difference.pk}/", {"act": "paid"})
    row.refresh_from_db()
    assert row.state == "not_paid"


def test_a_note_needs_words_and_strangers_see_nothing(panel: Panel, signed_in: Any, client: Any) -> None:
    differences.record(panel.study, [FoundDifference(Kind.PLACES, "4", "5")], kinds=differences.OF_LISTS)
    row = Difference.objects.get()
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    signed_in.post(f"{path}{row.pk}/", {"act": "noted", "text": " "})
    row.refresh_from_db()
    assert row.noted_at is None
    signed_in.post(f"{path}{row.pk}/", {"act": "noted", "text": "Lowered on the site."})
    assert "Lowered on the site." in signed_in.get(path).content.decode()
    assert signed_in.post(f"{path}{row.pk}/", {"act": "other"}).status_code == 404
    assert client.get(path).status_code == 302


def test_payments_that_failed_are_shown_and_tried_again_when_asked(panel: Panel, signed_in: Any) -> None:
    BatchMarketplace.objects.create(batch=panel.batch, connection=panel.connection)
    Batch.objects.update(on_marketplace=True)
    payment = panel.owe(panel.visit(), "0.35")
    payment.move("failed", since=("due",), error="You do not have enough funds.")
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    assert "You do not have enough funds." in signed_in.get(path).content.decode()
    signed_in.post(f"{path}compare/")
    payment.refresh_from_db()
    assert payment.state == "failed"
    signed_in.post(f"{path}compare/", {"again": "1"})
    payment.refresh_from_db()
    assert payment.state == "due"


def test_an_unclear_bonus_is_decided_only_by_what_the_marketplace_lists_now(panel: Panel, signed_in: Any) -> None:
    row = unclear(panel)
    listed = panel.emulator.world.submissions[row.visit.external_id].bonuses
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    VisitBonus.objects.filter(pk=row.pk).update(before=[])
    listed.extend([35, 500])
    said = signed_in.post(f"{path}{Difference.objects.get().pk}/", {"act": "unpaid"}, follow=True).content.decode()
    assert "The list of bonuses on the marketplace has changed." in said
    assert "now: 0.35, 5.00" in said
    listed.remove(500)
    signed_in.post(f"{path}{Difference.objects.get().pk}/", {"act": "unpaid"})
    row.refresh_from_db()
    assert row.state == "paid"
    assert Payment.objects.get().state == "paid"
    assert not differences.open_ones(panel.study).exists()


def test_an_unclear_bonus_stays_so_while_the_marketplace_does_not_answer(panel: Panel, signed_in: Any) -> None:
    row = unclear(panel)
    panel.emulator.world.token = "changed"
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    said = signed_in.post(f"{path}{Difference.objects.get().pk}/", {"act": "unpaid"}, follow=True).content.decode()
    assert "could not be reached" in said
    row.refresh_from_db()
    assert row.state == "unclear"


def test_an_unclear_bonus_that_is_listed_later_is_found_by_the_next_sync(panel: Panel) -> None:
    row = unclear(panel)
    VisitBonus.objects.filter(pk=row.pk).update(before=[])
    panel.emulator.world.submissions[row.visit.external_id].bonuses.append(35)
    study_sync.sync(panel.study, panel.session())
    row.refresh_from_db()
    assert row.state == "paid"
    assert not differences.open_ones(panel.study).exists()
