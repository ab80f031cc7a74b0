"""Participants who are screened out with pay: Prolific pays them, and the ledger has it once."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prolific_emulator import participants
from prolific_emulator.server import Emulator

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger, ledger_audit
from annotation.flow.people import worker_erasure
from annotation.marketplaces.flow import studies, study_sync, visit_decisions
from annotation.marketplaces.models import Connection, PanelStudy, Visit
from annotation.models import Entry, Worker, WorkerBlock
from tests.flow.acting import dataset_of
from tests.marketplaces.panel import study_of
from tests.marketplaces.prolific.panel import PATIENT
from tests.marketplaces.prolific.test_acceptance import PageBrowser
from tests.prolific_emulator.conftest import TOKEN

pytestmark = pytest.mark.django_db
PAY = Decimal("0.20")
SLOT = PAY + Decimal("0.09")  # with 42.8 %


@pytest.fixture
def study(emulator: Emulator, project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PanelStudy:
    """A draft that pays two who are screened out."""
    monkeypatch.setattr(participants, "ParticipantBrowser", PageBrowser)
    ledger.deposit(project, Decimal(100), key="start")
    Connection.objects.create(
        project=project, name="panel", kind="prolific", preset="other", endpoint_url=emulator.url, fees="pct43",
        worker_origin=emulator.url, key_id=emulator.world.workspace, secret=TOKEN,
    )  # fmt: skip
    made = study_of(project, dataset_of(project, tmp_path, name="panel", size=4), publish=False)
    studies.change(made, hits=2, places=4, screen_out_reward=PAY, screen_out_places=2)
    return again()


def again() -> PanelStudy:
    return PanelStudy.objects.select_related("batch__project", "connection").get()


def sent() -> PanelStudy:
    studies.send_due(again().connection, patience=PATIENT)
    return again()


def published(study: PanelStudy) -> PanelStudy:
    studies.pursue(study, "active")
    return sent()


def turned_away(emulator: Emulator, study: PanelStudy, name: str) -> Visit:
    """A participant who is blocked here comes, and takes the code back."""
    worker = Worker.objects.create(project=study.batch.project, external_id=f"{study.connection_id}:{name * 24}")
    WorkerBlock.objects.create(worker=worker, reason="No.")
    stay = participants.run(emulator.world, study.external_id or "", name * 24, "diligent", 0.5)
    assert stay is not None
    assert stay.code == study.codes["screened_out"]
    return Visit.objects.select_related("study__batch__project", "study__connection", "worker").get(worker=worker)


def sync(study: PanelStudy) -> None:
    PanelStudy.objects.update(synced_at=None)
    study_sync.sync_due(study.connection, patience=PATIENT)


def budget(study: PanelStudy) -> tuple[Decimal, Decimal]:
    return ledger.balance(study.batch.project, ledger.AVAILABLE), batch_funds.held(study.batch)


def test_the_pay_is_set_aside_booked_once_and_released(emulator: Emulator, study: PanelStudy) -> None:
    free, held = budget(study)
    study = published(study)
    assert budget(study) == (free - 2 * SLOT, held + 2 * SLOT)
    visit = turned_away(emulator, study, "a")
    for _time in range(3):
        sync(study)
    entries = Entry.objects.filter(worker=visit.worker).order_by("pk")
    assert list(entries.values_list("kind", "amount")) == [("screen_out", PAY), ("fee", SLOT - PAY)]
    assert budget(study) == (free - 2 * SLOT, held + SLOT)
    assert ledger_audit.audit(study.batch.project) == []
    with pytest.raises(Refused, match="screened out"):
        visit_decisions.approve(visit, user=None)
    studies.pursue(again(), "stopped")
    assert budget(study) == (free - SLOT, held)
    assert worker_erasure.erase_worker(visit.worker)


def test_prolific_pauses_the_study_when_all_were_paid(emulator: Emulator, study: PanelStudy) -> None:
    study = published(study)
    for name in "ab":
        turned_away(emulator, study, name)
    assert emulator.world.studies[study.external_id or ""]["status"] == "PAUSED"
    sync(study)
    assert study.differences.filter(gone_at=None).values_list("kind", flat=True).get() == "study_state"
    assert Entry.objects.filter(kind="screen_out").count() == 2


def test_raising_the_number_on_the_page_lets_the_study_go_on(
    emulator: Emulator, study: PanelStudy, signed_in: Client
) -> None:
    study = published(study)
    for name in "ab":
        turned_away(emulator, study, name)
    sync(study)
    free, held = budget(study)
    path = f"/projects/{study.batch.project.slug}/batches/{study.batch.slug}/marketplace/study/places/"
    page = signed_in.post(path, {"places": "4", "screen_out_places": "1"}, follow=True).content.decode()
    assert "can only be raised" in page
    signed_in.post(path, {"places": "4", "screen_out_places": "5"})
    assert budget(study) == (free - 3 * SLOT, held + 3 * SLOT)
    studies.send_due(study.connection, patience=PATIENT)
    there = emulator.world.studies[study.external_id or ""]
    assert (there["status"], again().state) == ("ACTIVE", "settled")
    turned_away(emulator, study, "c")
    sync(study)
    assert Entry.objects.filter(kind="screen_out").count() == 3
    assert not study.differences.filter(gone_at=None).exists()


def test_participants_and_screen_outs_are_raised_together_or_not_at_all(study: PanelStudy, signed_in: Client) -> None:
    study = published(study)
    path = f"/projects/{study.batch.project.slug}/batches/{study.batch.slug}/marketplace/study/places/"
    before = budget(study)
    for posted, said in (
        ({"places": "6", "screen_out_places": "1"}, "can only be raised"),
        ({"places": "6", "screen_out_places": "9000"}, "budget"),
        ({"places": "3", "screen_out_places": "5"}, "fewer places"),
    ):
        page = signed_in.post(path, posted, follow=True).content.decode()
        assert said in page
        assert (again().places, again().screen_out_places, again().state) == (4, 2, "settled")
        assert budget(study) == before
    assert not study.batch.project.jobs.filter(kind="send_study_of_batch").exists()


def test_screen_outs_alone_start_no_stopped_study_and_participants_set_their_pay_aside_again(
    emulator: Emulator, study: PanelStudy, signed_in: Client
) -> None:
    study = published(study)
    studies.pursue(study, "stopped")
    study = sent()
    free, held = budget(study)
    path = f"/projects/{study.batch.project.slug}/batches/{study.batch.slug}/marketplace/study/places/"
    signed_in.post(path, {"places": "4", "screen_out_places": "3"})
    study = sent()
    there = emulator.world.studies[study.external_id or ""]
    assert (there["status"], study.goal, study.screen_out_places) == ("COMPLETED", "stopped", 3)
    assert budget(study) == (free, held)
    signed_in.post(path, {"places": "5", "screen_out_places": "3"})
    study = sent()
    assert (there["status"], study.goal) == ("ACTIVE", "active")
    assert budget(study) == (free - 3 * SLOT, held + 3 * SLOT)


def test_who_comes_back_after_the_batch_was_closed_is_booked_from_the_budget(
    emulator: Emulator, study: PanelStudy
) -> None:
    study = published(study)
    visit = turned_away(emulator, study, "a")
    batch_launch.close(study.batch)
    free, _held = budget(study)
    sync(study)
    assert budget(study)[0] == free - SLOT
    assert Entry.objects.filter(worker=visit.worker, kind="screen_out").exists()


def test_a_budget_that_does_not_cover_it_keeps_the_study_a_draft(study: PanelStudy) -> None:
    free, _held = budget(study)
    ledger.deposit(study.batch.project, SLOT - free, key="out")
    with pytest.raises(ledger.Overdrawn):
        studies.pursue(study, "active")
    assert again().goal == "draft"


def test_the_page_asks_for_both_and_shows_the_most_it_may_cost(study: PanelStudy, signed_in: Client) -> None:
    path = f"/projects/{study.batch.project.slug}/batches/{study.batch.slug}/marketplace/"
    page = signed_in.get(path).content.decode()
    assert "$0.20, to at most 2 participants" in page
    assert "at most $0.58 more with fees" in page
    given = {"hits": "2", "places": "4", **{f"code_{outcome}": code for outcome, code in study.codes.items()}}

    def answer(**fields: str) -> str:
        posted = signed_in.post(f"{path}study/settings/", given | fields, follow=True)
        return str(posted.content.decode())

    assert "Give both, or neither" in answer(screen_out_reward="0.20")
    assert "screened out must be less than the reward" in answer(screen_out_reward="0.80", screen_out_places="3")
    answer(screen_out_reward="0.10", screen_out_places="3")
    assert (again().screen_out_reward, again().screen_out_places) == (Decimal("0.10"), 3)
    answer()
    assert again().screen_out_reward == 0
