"""Qualifications that a batch requires are groups of participants there, kept in step both ways."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.people import qualification_types, worker_erasure
from annotation.marketplaces.flow import groups
from annotation.marketplaces.models import ParticipantGroup
from annotation.models import Batch, Qualification, QualificationType, Worker
from tests.marketplaces.prolific.panel import Panel

pytestmark = pytest.mark.django_db


def required(panel: Panel, comparator: str = "GreaterThanOrEqualTo", *values: int) -> QualificationType:
    """The batch requires a qualification of its project."""
    type = qualification_types.create_type(panel.batch.project, "Careful reader", description="Reads with care.")
    stored: dict[str, Any] = {"type": type.public_id, "comparator": comparator, "guard": "Accept"}
    panel.batch.requirements = [stored | ({"values": list(values)} if values else {})]
    Batch.objects.filter(pk=panel.batch.pk).update(requirements=panel.batch.requirements)
    return type


def worker(panel: Panel, name: str) -> Worker:
    mark = f"{panel.connection.pk}:{name}"
    return Worker.objects.get_or_create(project=panel.batch.project, external_id=mark)[0]


def grant(type: QualificationType, who: Worker, value: int) -> None:
    qualification_types.grant(type, who, value, source="hand")


def members(panel: Panel, number: int = 0) -> set[str]:
    return set(list(panel.emulator.world.groups.values())[number]["members"])


def align(panel: Panel) -> int:
    return groups.align(panel.batch, panel.session())


def test_who_meets_the_requirement_is_in_the_group_and_who_no_longer_does_leaves_it(panel: Panel) -> None:
    type = required(panel, "GreaterThanOrEqualTo", 80)
    for name, value in {"anna": 90, "bela": 79, "cleo": 80}.items():
        grant(type, worker(panel, name), value)
    assert align(panel) == 2
    assert members(panel) == {"anna", "cleo"}
    grant(type, worker(panel, "anna"), 10)
    qualification_types.revoke(type, worker(panel, "cleo"))
    grant(type, worker(panel, "bela"), 95)
    assert align(panel) == 3
    assert members(panel) == {"bela"}
    assert align(panel) == 0


def test_who_is_added_or_removed_there_is_granted_or_loses_the_qualification_here(panel: Panel) -> None:
    type = required(panel, "GreaterThanOrEqualTo", 80)
    grant(type, worker(panel, "anna"), 90)
    align(panel)
    group = next(iter(panel.emulator.world.groups.values()))
    group["members"] = {"dora": "2026-01-01T00:00:00Z"}
    align(panel)
    held = dict(Qualification.objects.filter(type=type).values_list("worker__external_id", "state"))
    mark = panel.connection.pk
    assert held == {f"{mark}:anna": "Revoked", f"{mark}:dora": "Granted"}
    assert align(panel) == 0
    assert members(panel) == {"dora"}


def test_who_is_erased_leaves_the_group_and_no_id_is_kept(panel: Panel) -> None:
    type = required(panel, "GreaterThanOrEqualTo", 80)
    grant(type, worker(panel, "anna"), 90)
    align(panel)
    assert "anna" not in str(list(ParticipantGroup.objects.values_list("members", flat=True)))
    worker_erasure.erase_worker(worker(panel, "anna"))
    align(panel)
    assert members(panel) == set()
    assert not Worker.objects.filter(external_id__endswith=":anna").exists()


def test_workers_who_came_another_way_are_no_business_of_the_group(panel: Panel) -> None:
    type = required(panel, "Exists")
    outsider = Worker.objects.create(project=panel.batch.project, external_id="999999:anna")
    grant(type, outsider, 100)
    align(panel)
    assert members(panel) == set()


def test_a_study_allows_the_group_and_excludes_those_who_are_blocked(panel: Panel) -> None:
    required(panel, "Exists")
    qualification_types.block(worker(panel, "evil"), "spam")
    allow, block = groups.of_batch(panel.batch, panel.session())
    align(panel)
    named = {name: row.external_id for name, row in ((row.name, row) for row in ParticipantGroup.objects.all())}
    assert [name for name in named if name.startswith("Careful reader Exists [")]
    assert set(allow) | set(block) == set(named.values())
    assert members(panel, 1) == {"evil"}
    qualification_types.unblock(worker(panel, "evil"))
    align(panel)
    assert members(panel, 1) == set()


def test_holders_of_what_must_not_exist_are_kept_out(panel: Panel) -> None:
    type = required(panel, "DoesNotExist")
    grant(type, worker(panel, "anna"), 1)
    allow, block = groups.of_batch(panel.batch, panel.session())
    align(panel)
    assert (len(allow), len(block)) == (0, 2)
    assert members(panel) == {"anna"}
