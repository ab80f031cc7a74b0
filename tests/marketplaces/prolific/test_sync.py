"""Reading a study: its submissions are taken in, its books compared, its groups brought into step."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from prolific_emulator import submissions

from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.reports import batch_scores
from annotation.flow.review import conclusions
from annotation.marketplaces.flow import study_sync, visit_decisions, visit_states, visits
from annotation.marketplaces.models import Difference, PanelStudy, Visit
from annotation.models import Assignment, Hit, Job, Worker, WorkerResponse
from tests.marketplaces.prolific.panel import PATIENT, Killed, Panel

pytestmark = pytest.mark.django_db


def came_back(panel: Panel, code: str = "CODE0") -> Visit:
    """A participant who did a HIT here and is back there, and nobody decided."""
    visit = panel.visit()
    there = panel.emulator.world.submissions[visit.external_id]
    there.status, there.code = "AWAITING REVIEW", code
    Visit.objects.filter(pk=visit.pk).update(decision="", sent_at=None, remote_state="")
    return visit


def sync(panel: Panel, **more: Any) -> int:
    return study_sync.sync(PanelStudy.objects.select_related("batch__project").get(), panel.session(), **more)


def test_what_the_marketplace_decided_is_done_here(panel: Panel) -> None:
    visit = came_back(panel)
    assert sync(panel) == 0
    submissions.move(panel.emulator.world, panel.emulator.world.submissions[visit.external_id], "APPROVED")
    sync(panel)
    visit.refresh_from_db()
    assert (visit.remote_state, visit.decision) == ("approved", "approved")


def test_a_wrong_code_is_a_difference_until_somebody_decides(panel: Panel) -> None:
    visit = came_back(panel, code="WRONG")
    sync(panel)
    row = Difference.objects.get(kind=Difference.Kind.OTHER_CODE)
    assert (row.about, row.facts) == (visit.external_id, {"theirs": "WRONG", "ours": "CODE0"})
    Visit.objects.filter(pk=visit.pk).update(decision="approved", sent_at=Now())
    submissions.move(panel.emulator.world, panel.emulator.world.submissions[visit.external_id], "APPROVED")
    sync(panel)
    row.refresh_from_db()
    assert row.gone_at is not None
    assert row.action == "The visit was decided: approved."


def test_who_came_back_without_ever_coming_here_is_found(panel: Panel) -> None:
    world = panel.emulator.world
    one = submissions.reserve(world, world.studies[panel.there], "f" * 24)
    submissions.start(world, one)
    sync(panel)
    assert not Difference.objects.filter(kind=Difference.Kind.NEVER_HERE).exists()
    submissions.complete(world, one, "STOLEN")
    sync(panel)
    assert Difference.objects.get(kind=Difference.Kind.NEVER_HERE).facts["theirs"] == "awaiting, STOLEN"


def test_bonuses_are_compared_when_asked_for(panel: Panel) -> None:
    visit = panel.visit()
    panel.emulator.world.submissions[visit.external_id].bonuses.append(500)
    sync(panel)
    assert not Difference.objects.filter(kind=Difference.Kind.BONUS_UNKNOWN).exists()
    sync(panel, deep=True)
    assert Difference.objects.get(kind=Difference.Kind.BONUS_UNKNOWN).facts == {"theirs": "5.00", "ours": "–"}


def test_an_active_study_is_read_every_minute_and_others_seldom(panel: Panel) -> None:
    def is_due(age: timedelta, standing: str = "active", goal: str = "active") -> bool:
        PanelStudy.objects.update(synced_at=timezone.now() - age, standing=standing, goal=goal)
        return study_sync.due().exists()

    assert not is_due(timedelta(seconds=30))
    assert is_due(timedelta(seconds=90))
    assert is_due(timedelta(seconds=90), "stopped")  # full, while its last participants still work
    assert not is_due(timedelta(seconds=90), "stopped", "stopped")
    assert is_due(timedelta(minutes=20), "stopped", "stopped")
    assert not is_due(timedelta(days=1), "draft", "draft")
    PanelStudy.objects.update(standing="active", goal="active", synced_at=None)
    assert study_sync.sync_due(panel.connection, patience=PATIENT) == 1
    assert not study_sync.due().exists()


def test_comparing_by_hand_is_a_job_and_says_when_nobody_answers(panel: Panel, signed_in: Any) -> None:
    path = f"/projects/{panel.batch.project.slug}/batches/{panel.batch.slug}/marketplace/differences/"
    assert "Compare now" in signed_in.get(path).content.decode()
    assert signed_in.post(f"{path}compare/").status_code == 303
    assert Job.objects.filter(kind="sync_study").exists()
    assert study_sync.catch_up(panel.batch)["differences"] >= 0
    panel.emulator.world.token = "changed"
    with pytest.raises(Refused, match="token was refused"):
        study_sync.catch_up(panel.batch)


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_returned_visit_is_erased_only_if_consent_was_withdrawn(panel: Panel, withdrawn: bool) -> None:
    visit = came_back(panel)
    there = panel.emulator.world.submissions[visit.external_id]
    if withdrawn:
        Worker.objects.filter(pk=visit.worker_id).update(consented_at=Now())
        consent.withdraw(Worker.objects.get(pk=visit.worker_id))
    submissions.move(panel.emulator.world, there, "RETURNED")
    for _time in range(2):
        sync(panel)
    row = Assignment.objects.get()
    assert WorkerResponse.objects.exists() is not withdrawn
    assert [review.decision for review in row.reviews.all()] == ["discarded"]
    assert row.reviews.get().reason == visit_states.reasons()["withdrawn" if withdrawn else "returned"]
    assert visit.assignments.get().freed_at is not None


def test_a_report_is_out_of_date_when_a_visit_was_left_out_and_another_came(paying: Panel) -> None:
    visit = paying.visit()
    batch_scores.score_batch(paying.batch)
    Visit.objects.filter(pk=visit.pk).update(remote_state="returned")
    paying.visit()
    assert batch_scores.cached_report(paying.batch) is None


def test_a_report_is_out_of_date_when_it_read_a_visit_that_is_left_out_before_it_is_stored(
    paying: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    paying.visit()
    compute = batch_scores._computed

    def meanwhile(*given: Any) -> dict[str, Any]:
        visit = paying.visit()
        content = compute(*given)
        Visit.objects.filter(pk=visit.pk).update(remote_state="returned")
        return content

    monkeypatch.setattr(batch_scores, "_computed", meanwhile)
    batch_scores.score_batch(paying.batch)
    assert batch_scores.cached_report(paying.batch) is None


def returned_there(panel: Panel, visit: Visit) -> None:
    submissions.move(panel.emulator.world, panel.emulator.world.submissions[visit.external_id], "RETURNED")
    sync(panel)


def rejected_here(_panel: Panel, visit: Visit) -> None:
    visit_decisions.reject(visit, text="x" * 100, category="NO_DATA", user=None)


def withdrawn_afterwards(_panel: Panel, visit: Visit) -> None:
    Worker.objects.filter(pk=visit.worker_id).update(consented_at=Now(), consented_version=0)
    visit.worker.refresh_from_db()
    visits.visit_progress(visit)


def refused_meanwhile(_panel: Panel, visit: Visit) -> None:
    Visit.objects.filter(pk=visit.pk).update(state="live", outcome="")
    visits.refuse_consent(visit)


@pytest.mark.parametrize("way", [returned_there, rejected_here, withdrawn_afterwards, refused_meanwhile])
def test_a_process_that_dies_when_a_visit_is_left_out_leaves_no_old_conclusion(
    paying: Panel, monkeypatch: pytest.MonkeyPatch, way: Any
) -> None:
    visit = came_back(paying)
    hit = Hit.objects.get(assignments__visited__visit=visit)
    conclusions.save_conclusions(paying.batch, [hit.pk])

    def dies(*_: Any, **__: Any) -> None:
        raise Killed

    for name in ("leave_out", "leave_out_if_over"):
        monkeypatch.setattr(visit_states, name, dies)
    with pytest.raises(Killed):
        way(paying, visit)
    hit.refresh_from_db()
    assert hit.concluded < hit.changes
