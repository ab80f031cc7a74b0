"""A batch as a study on Prolific: its draft, its schedule, and its places follow what the requester wants."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prolific_emulator.server import Emulator

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.marketplaces.flow import studies, study_sync
from annotation.marketplaces.models import Connection, Difference, PanelStudy
from tests.flow.acting import dataset_of
from tests.marketplaces.panel import study_of
from tests.marketplaces.prolific.panel import PATIENT
from tests.prolific_emulator.conftest import TOKEN

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(emulator: Emulator, project: Any, tmp_path: Any) -> PanelStudy:
    """A draft that is not on Prolific yet."""
    ledger.deposit(project, Decimal(5000), key="start")
    Connection.objects.create(
        project=project, name="panel", kind="prolific", preset="other", endpoint_url=emulator.url,
        worker_origin=emulator.url, key_id=emulator.world.workspace, secret=TOKEN,
    )  # fmt: skip
    dataset = dataset_of(project, tmp_path, name="panel", size=6)
    return study_of(project, dataset, publish=False)


def sent(study: PanelStudy) -> PanelStudy:
    """The study after everything due was sent."""
    PanelStudy.objects.filter(due_at__isnull=False).update(due_at=timezone.now() - timedelta(seconds=5))
    studies.send_due(study.connection, patience=PATIENT)
    return again(study)


def again(study: PanelStudy) -> PanelStudy:
    return PanelStudy.objects.select_related("batch__project", "connection").get(pk=study.pk)


def there(emulator: Emulator, study: PanelStudy) -> dict[str, Any]:
    found: dict[str, Any] = emulator.world.studies[study.external_id or ""]
    return found


def differences(study: PanelStudy) -> set[str]:
    study_sync.sync_due(study.connection, patience=PATIENT)
    return set(Difference.objects.filter(gone_at=None).values_list("kind", flat=True))


def test_a_draft_there_gets_the_settings_that_are_changed_here(emulator: Emulator, study: PanelStudy) -> None:
    studies.draft_there(study)
    study = sent(study)
    assert (there(emulator, study)["reward"], there(emulator, study)["content_warnings"]) == (80, [])
    codes = study.codes | {"done": "CHANGED"}
    warning = {"warning": "sensitive", "warning_details": "War is mentioned."}
    studies.change(study, hits=3, places=4, codes=codes, **warning)
    study = sent(study)
    now = there(emulator, study)
    assert (now["reward"], now["total_available_places"], now["status"]) == (120, 4, "UNPUBLISHED")
    assert "CHANGED" in {code["code"] for code in now["completion_codes"]}
    assert (now["content_warnings"], now["content_warning_details"]) == (["sensitive"], "War is mentioned.")
    assert len(emulator.world.studies) == 1


def test_a_study_is_scheduled_and_published_when_its_time_comes(emulator: Emulator, study: PanelStudy) -> None:
    studies.pursue(study, "active", starts_at=timezone.now() + timedelta(hours=2))
    study = sent(study)
    assert (there(emulator, study)["status"], study.standing) == ("SCHEDULED", "scheduled")
    assert studies.is_scheduled(study)
    assert not differences(study)
    emulator.world.turn(timedelta(hours=3))
    PanelStudy.objects.update(synced_at=None)
    assert not differences(study)
    assert not studies.is_scheduled(again(study))


def test_a_schedule_is_cancelled_and_the_draft_can_be_changed_again(emulator: Emulator, study: PanelStudy) -> None:
    studies.pursue(study, "active", starts_at=timezone.now() + timedelta(hours=2))
    study = sent(study)
    studies.cancel_schedule(study)
    study = sent(study)
    assert there(emulator, study)["status"] == "UNPUBLISHED"
    assert (study.goal, study.starts_at) == ("draft", None)
    studies.change(study, hits=1, places=3)
    studies.pursue(again(study), "active")
    study = sent(study)
    assert (there(emulator, study)["status"], there(emulator, study)["reward"]) == ("ACTIVE", 40)
    with pytest.raises(Refused, match="published already"):
        studies.cancel_schedule(study)


def test_a_schedule_that_is_cancelled_too_late_leaves_the_study_active(emulator: Emulator, study: PanelStudy) -> None:
    studies.pursue(study, "active", starts_at=timezone.now() + timedelta(hours=2))
    study = sent(study)
    emulator.world.turn(timedelta(hours=3))
    studies.cancel_schedule(study)
    study = sent(study)
    assert (there(emulator, study)["status"], study.goal, study.state) == ("ACTIVE", "active", "settled")


def test_a_batch_that_is_paused_takes_its_scheduled_study_back(emulator: Emulator, study: PanelStudy) -> None:
    studies.pursue(study, "active", starts_at=timezone.now() + timedelta(hours=2))
    study = sent(study)
    batch_launch.pause(study.batch)
    study = sent(study)
    assert there(emulator, study)["status"] == "UNPUBLISHED"
    assert not differences(study)
    batch_launch.resume(study.batch)
    assert there(emulator, sent(study))["status"] == "SCHEDULED"


def test_a_stopped_study_is_opened_by_more_places_and_not_by_its_batch(emulator: Emulator, study: PanelStudy) -> None:
    studies.pursue(study, "active")
    study = sent(study)
    studies.pursue(study, "stopped")
    study = sent(study)
    batch_launch.pause(study.batch)
    batch_launch.resume(study.batch)
    assert again(study).goal == "stopped"
    with pytest.raises(Refused):
        studies.pursue(study, "active")
    studies.raise_places(study, study.places + 2)
    study = sent(study)
    assert (there(emulator, study)["status"], study.goal, study.standing) == ("ACTIVE", "active", "active")


def test_a_wage_that_is_below_the_floor_by_the_study_s_own_minutes_is_refused(study: PanelStudy) -> None:
    PanelStudy.objects.update(minutes=60)
    with pytest.raises(Refused, match=r"at least \$8 an hour"):
        studies.pursue(again(study), "active")


def test_the_page_schedules_and_cancels(emulator: Emulator, study: PanelStudy, signed_in: Client) -> None:
    path = f"/projects/{study.batch.project.slug}/batches/{study.batch.slug}/marketplace/"

    def act(name: str, **fields: str) -> str:
        page = str(signed_in.post(f"{path}study/{name}/", fields, follow=True).content.decode())
        sent(study)
        return page

    assert "Schedule" in signed_in.get(path).content.decode()
    assert "time in the future" in act("schedule", starts_at="2020-01-01T08:00")
    assert "to be published on" in act("schedule", starts_at=f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}")
    assert there(emulator, again(study))["status"] == "SCHEDULED"
    assert "Cancel the schedule" in signed_in.get(path).content.decode()
    act("unschedule")
    assert there(emulator, again(study))["status"] == "UNPUBLISHED"
    codes = {f"code_{outcome}": code for outcome, code in study.codes.items()}
    settings = {"hits": "2", "places": "5", "warning_details": "War is mentioned.", **codes}
    assert signed_in.post(f"{path}study/settings/", settings).status_code == 422
    act("settings", warning="sensitive", **settings)
    assert there(emulator, again(study))["content_warnings"] == ["sensitive"]
