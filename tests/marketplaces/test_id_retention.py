"""Participants' ids are deleted when their time is over, and not while somebody is owed something."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.marketplaces.flow import studies, visit_decisions, visit_pay, visit_states
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Assignment, Payment, Worker, WorkerResponse
from tests.marketplaces.panel import Participant, study_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project: Any, dataset: Any) -> PanelStudy:
    made = study_of(project, dataset)
    PanelStudy.objects.update(ids_kept_days=30)
    return made


def let_pass(days: int) -> None:
    Visit.objects.update(ended_at=timezone.now() - timedelta(days=days))


def test_an_id_goes_when_its_time_is_over_and_the_pseudonym_and_responses_stay(study: PanelStudy) -> None:
    ann = Participant(study)
    assert "is deleted 30 days after your last visit" in ann.arrive().content.decode()
    ann.work(2)
    worker = ann.visit.worker
    pseudonym = worker.pseudonym
    visit_decisions.approve(ann.visit, user=None)
    let_pass(31)
    assert visit_states.sweep() == 0  # the study is not over
    studies.pursue(study, "stopped")
    assert visit_states.sweep() == 0  # they are not paid
    visit_pay.mark_paid(Payment.objects.all())
    let_pass(29)
    assert visit_states.sweep() == 0
    let_pass(31)
    assert visit_states.sweep() == 1
    assert visit_states.sweep() == 0
    row = Worker.objects.select_related("project").get(pk=worker.pk)
    assert (row.pseudonym, row.user, "ann" in (row.external_id or "")) == (pseudonym, None, False)
    visit = Visit.objects.get()
    assert (visit.participant, "ann" in visit.external_id) == (row.external_id, False)
    assert (WorkerResponse.objects.count(), Assignment.objects.filter(worker=worker).count()) == (2, 2)


def test_an_id_is_kept_without_the_setting_and_while_another_study_needs_it(study: PanelStudy) -> None:
    ann = Participant(study)
    assert "is deleted" in ann.arrive().content.decode()
    ann.go("/visit/leave/", post=True)
    studies.pursue(study, "stopped")
    let_pass(400)
    PanelStudy.objects.update(ids_kept_days=None)
    assert visit_states.sweep() == 0
    PanelStudy.objects.update(ids_kept_days=500)
    assert visit_states.sweep() == 0
    PanelStudy.objects.update(ids_kept_days=30)
    second = Visit.objects.get()
    second.pk, second.external_id, second.ended_at = None, "another", timezone.now()
    second.save()
    assert visit_states.sweep() == 0
    Visit.objects.filter(external_id="another").delete()
    assert visit_states.sweep() == 1
