"""Hidden gold in studies: drawn for each participant as elsewhere, graded, paid, and shown as information only."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.flow.batches import batch_launch, hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger, ledger_audit
from annotation.marketplaces.flow import studies
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Assignment, Batch, Hit
from annotation.pure.people import round_draw
from tests.batches import create_batch, set_up_gold
from tests.flow.acting import dataset_of
from tests.marketplaces.panel import Participant, link_to

pytestmark = pytest.mark.django_db
PATH = "/projects/wells/batches/checked/marketplace/"


def draft_of(project: Any, tmp_path: Path, **rule: Any) -> Batch:
    asked = dataset_of(project, tmp_path, name="asked", size=4)
    gold = dataset_of(project, tmp_path, name="known", size=6)
    batch = create_batch(
        project, "checked", task="answer", datasets=[asked], instructions="Read.", marketplace=link_to(project),
        reward=Decimal("0.40"), assignments_per_hit=2, expected_seconds=60,
    )  # fmt: skip
    set_up_gold(batch, datasets=[gold], share=0.5, rule=hidden_gold.Rule(after=1, **rule))
    return batch


@pytest.fixture
def study(project: Any, tmp_path: Path) -> PanelStudy:
    batch = draft_of(project, tmp_path)
    batch_launch.launch(batch)
    made = PanelStudy.objects.select_related("batch__project", "connection").get()
    assert made.places == 4  # 8 assignments of the HITs and up to 8 of hidden gold, in visits of 4
    studies.change(made, hits=4, places=studies.places_for(made.batch, 4))
    studies.pursue(made, studies.Goal.ACTIVE)
    return PanelStudy.objects.select_related("batch__project", "connection").get()


def test_participants_get_hidden_gold_beside_the_hits_and_the_money_is_there(
    study: PanelStudy, requester: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_second(share: float, *, number: int, **_drawn: Any) -> bool:  # by chance, three could take all the HITs
        return number % 2 == 1

    for module in (hidden_gold, round_draw):
        monkeypatch.setattr(module, "is_hidden_gold", is_second)
    assert study.places == 4
    assert batch_funds.held(study.batch) == 16 * Decimal("0.40")
    for name in ("ann", "ben", "cara", "dee"):
        person = Participant(study, name)
        person.start()
        while person.visit.state == "live":
            person.answer()
        assert study.codes["done"] in person.text
    gold = Assignment.objects.filter(hit__check_item=True)
    assert gold.exists()
    assert set(gold.values_list("state", "grade")) == {("submitted", 1.0)}
    assert not Hit.objects.filter(check_item=True, room__gt=0).exists()
    for visit in Visit.objects.all():
        own = gold.filter(visited__visit=visit)
        assert own.count() == own.values("hit").distinct().count()
    text = requester.get(PATH).content.decode()
    assert "for your information" in text
    assert "100 % in" in text
    requester.post(f"{PATH}study/approve/", {"all": "1"})
    assert set(Assignment.objects.values_list("approval", flat=True)) == {"approved"}
    assert ledger_audit.audit(study.batch.project) == []
    left = ledger.balance(study.batch.project, ledger.AVAILABLE) + batch_funds.held(study.batch)
    assert left == 1000 - 16 * Decimal("0.40")  # every visit is paid in full


def test_a_rule_that_pauses_is_refused_because_it_would_end_visits(project: Any, tmp_path: Path) -> None:
    batch = draft_of(project, tmp_path, pause_below=0.5)
    with pytest.raises(Refused, match="attention check"):
        batch_launch.launch(batch)
