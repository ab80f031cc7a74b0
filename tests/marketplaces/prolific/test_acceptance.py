"""A whole study: simulated participants on our real pages, scores, pay, agreeing books; then the same batch by link."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from django.core.management import call_command
from django.db.models import F, Sum
from django.test import Client
from prolific_emulator import participants
from prolific_emulator.participants import Page, Stay
from prolific_emulator.server import Emulator

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger, ledger_audit
from annotation.flow.review import approval_queue
from annotation.marketplaces.flow import bonuses, studies, study_sync, visit_decisions, visit_pay, visits
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.models import Assignment, Hit, Payment, Project
from tests.batches import create_batch
from tests.flow.acting import dataset_of
from tests.marketplaces.prolific.panel import PATIENT
from tests.prolific_emulator.conftest import TOKEN

pytestmark = pytest.mark.django_db
PER_VISIT, BONUS = 2, Decimal("0.25")
OFF = ["returns", "gives up", "late", "no show"]  # their work does not count
FEW = [*OFF, "wrong code", *["diligent"] * 3]
MANY = [*OFF, "returns", "returns", "returns", "gives up", "gives up", "forgets the code", "wrong code"]
MANY += ["diligent"] * (40 - len(MANY))
SIZES = [
    pytest.param(FEW, 4, 2, id="eight"),
    pytest.param(MANY, 12, 5, id="forty", marks=pytest.mark.soak),
]


class PageBrowser(participants.ParticipantBrowser):
    """A participant's browser that opens our pages without a server."""

    def __init__(self) -> None:
        self.client = Client(headers={"user-agent": "Mozilla/5.0", "accept-language": "en"})

    def open(self, url: str, data: list[tuple[str, str]] | None = None, *, referer: str = "") -> Page:
        path = urlsplit(url)._replace(scheme="", netloc="").geturl()
        if data is None:
            response: Any = self.client.get(path, follow=True)
        else:
            kind = "application/x-www-form-urlencoded"
            response = self.client.post(path, urlencode(data), content_type=kind, follow=True)
        last = response.redirect_chain[-1][0] if response.redirect_chain else path
        return participants._read(urljoin(url, last), response.status_code, response.content)


@pytest.fixture(autouse=True)
def without_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(participants, "ParticipantBrowser", PageBrowser)


class Lab:
    """A requester in a browser, with a batch of the same settings on any marketplace."""

    def __init__(self, project: Project, requester: Client, folder: Path, *, items: int, each: int) -> None:
        ledger.deposit(project, Decimal(1000), key="start")
        self.project, self.requester, self.each = project, requester, each
        self.dataset = dataset_of(project, folder, name="wells", size=items)
        self.size = items * each

    def launch(self, name: str, **connection: str) -> PanelStudy:
        """Add the marketplace, launch the batch there, and publish it."""
        given = {"name": name, "fees": "house", "region": "", **connection}
        assert self.requester.post(f"/projects/{self.project.slug}/marketplaces/", given).status_code == 303
        self.places = self.size // PER_VISIT
        self.batch = create_batch(
            self.project, f"on-{name}", task="answer", datasets=[self.dataset], instructions="Read.",
            reward=Decimal("0.40"), assignments_per_hit=self.each, expected_seconds=60,
            marketplace=self.project.connections.get(name=name),
        )  # fmt: skip
        batch_launch.launch(self.batch)
        study = PanelStudy.objects.get(batch=self.batch)
        codes = {f"code_{outcome}": code for outcome, code in study.codes.items()}
        self.act("settings", hits=str(PER_VISIT), places=str(self.places), **codes)
        self.act("publish")
        return PanelStudy.objects.select_related("connection", "batch__project").get(batch=self.batch)

    def path(self, rest: str = "") -> str:
        return f"/projects/{self.project.slug}/batches/{self.batch.slug}/marketplace/{rest}"

    def act(self, name: str, **fields: Any) -> str:
        return str(self.requester.post(self.path(f"study/{name}/"), fields, follow=True).content.decode())

    def raise_places(self) -> bool:
        """Let one more participant come if a HIT still wants a response that none of the last ones could give."""
        if not Hit.objects.filter(batch=self.batch, done__lt=F("wanted")).exists():
            return False
        self.places += 1
        self.act("places", places=str(self.places))
        return True

    def pay_bonuses(self) -> dict[str, Decimal]:
        """A bonus for every other paid response, with the form sent twice: what each visit is owed."""
        owed: dict[str, Decimal] = defaultdict(Decimal)
        paid = Assignment.objects.filter(batch=self.batch, approval="approved").order_by("pk")
        for row in paid.select_related("visited__visit")[::2]:
            for _twice in range(2):
                approval_queue.bonus(row, BONUS, reason="Careful.", form="one", user=None)
            owed[row.visited.visit.external_id] += BONUS
        return owed

    def assert_scored(self) -> None:
        """Every HIT has its responses, and the score is of those who completed the study."""
        assert not self.raise_places()
        said = StringIO()
        call_command("score_batch", self.batch.slug, project=self.project.slug, json=True, stdout=said)
        found = json.loads(said.getvalue())["datasets"]["wells"]
        assert (found["n"], len(found["by_worker"])) == (self.dataset.size, self.places)
        report = self.requester.get(f"/projects/{self.project.slug}/batches/{self.batch.slug}/report/")
        assert report.status_code == 200

    def assert_paid(self, owed: dict[str, Decimal]) -> None:
        """Everything is paid: each completed visit its reward, and the bonuses."""
        payments = Payment.objects.filter(batch=self.batch)
        assert set(payments.values_list("state", flat=True)) == {"paid"}
        total = payments.aggregate(sum=Sum("amount"))["sum"]
        assert total == self.places * PER_VISIT * Decimal("0.40") + sum(owed.values())
        assert ledger_audit.audit(self.project) == []


def sweep(study: PanelStudy) -> None:
    """What the server does by itself, at once."""
    PanelStudy.objects.filter(pk=study.pk).update(synced_at=None)
    visits.sweep()
    for send in (studies.send_due, study_sync.sync_due, visit_decisions.send_due, bonuses.send_due):
        send(study.connection, patience=PATIENT)  # type: ignore[operator]


def come(emulator: Emulator, study: PanelStudy, habits: list[str]) -> None:
    """They come one after the other; where all places are taken, those who went away run out of time first."""
    for habit in habits:
        number = len(emulator.world.submissions)
        plan = (emulator.world, study.external_id or "", f"{number:024x}", habit, float(number))
        if participants.run(*plan) is None:
            emulator.world.turn(timedelta(hours=3))
            sweep(study)
            assert participants.run(*plan) is not None


@pytest.mark.soak
@pytest.mark.parametrize(("habits", "items", "each"), SIZES)
def test_a_study_on_prolific_and_the_same_batch_by_link(
    emulator: Emulator, project: Project, signed_in: Client, tmp_path: Path, habits: list[str], items: int, each: int
) -> None:
    lab = Lab(project, signed_in, tmp_path, items=items, each=each)
    on_prolific(lab, emulator, habits)
    by_link(lab, emulator.url, habits)


def on_prolific(lab: Lab, emulator: Emulator, habits: list[str]) -> None:
    place = {"endpoint_url": emulator.url, "worker_origin": emulator.url, "secret": TOKEN}
    study = lab.launch("prolific", preset="prolific", **place)
    sweep(study)
    study.refresh_from_db()
    come(emulator, study, habits)
    sweep(study)
    while lab.raise_places():
        sweep(study)
        come(emulator, study, ["diligent"])
        sweep(study)
    wrong = Visit.objects.get(study=study, trouble="wrong_code")
    lab.act("approve", all="1")
    assert Visit.objects.filter(study=study, decision="approved").count() == lab.places - 1
    lab.act("approve", visit=str(wrong.pk))
    owed = lab.pay_bonuses()
    for _time in range(3):
        sweep(study)
    assert study_sync.catch_up(lab.batch)["differences"] == 0
    page = lab.requester.get(lab.path("differences/")).content.decode()
    assert "books and ours agree" in page
    world = emulator.world
    assert {one.id: Decimal(sum(one.bonuses)) / 100 for one in world.submissions.values() if one.bonuses} == owed
    assert Counter(one.status for one in world.submissions.values()) == {
        "APPROVED": lab.places,
        "RETURNED": habits.count("returns"),
        "TIMED-OUT": sum(habits.count(name) for name in ("gives up", "late", "no show", "forgets the code")),
    }
    lab.assert_paid(owed)
    lab.assert_scored()


def by_link(lab: Lab, panel: str, habits: list[str]) -> None:
    lines = f"participant = PID\nsubmission = SID\nreturn = {panel}/submissions/complete?cc={{code}}"
    study = lab.launch("link", preset="link", options=lines)
    done = [name for name, habit in enumerate(habits) if walked(study, panel, f"p{name}", habit)]
    while lab.raise_places():
        number = len(habits) + lab.places
        done += [number] * walked(study, panel, f"p{number}", "diligent")
    assert len(done) == lab.places
    assert "approved" in lab.act("approve", all="1")
    owed = lab.pay_bonuses()
    rows = b"".join(lab.requester.get(lab.path("pay.csv"))).decode().splitlines()[1:]
    amounts = {row.split(",")[1]: Decimal(row.split(",")[3]) for row in rows}
    assert amounts == {f"v-p{name}": 2 * Decimal("0.40") + owed.get(f"v-p{name}", 0) for name in done}
    lab.act("paid", up_to=str(visit_pay.owed(study)["up_to"]))
    lab.assert_paid(owed)
    lab.assert_scored()


def walked(study: PanelStudy, panel: str, name: str, habit: str) -> bool:
    """A participant whom the panel sends by link; whether they came to the code for finished work."""
    if habit == "no show":
        return False
    stay = Stay(f"v-{name}", habit)
    url = f"{studies.arrival_url(study)}?PID={name}&SID={stay.submission}"
    participants.walk(stay, url, panel, Random(name), 1 if habit in OFF else participants.MOST_PAGES)
    if habit in OFF:
        Visit.objects.filter(study=study, external_id=stay.submission).update(deadline="2020-01-01T00:00Z")
        visits.sweep()
    return stay.code == study.codes["done"]
