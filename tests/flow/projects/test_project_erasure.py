"""A deleted project is erased for good: every row and file of it, in small steps, and nothing of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from annotation import discovery, jobs
from annotation.flow.batches import batch_launch
from annotation.flow.data import derivation
from annotation.flow.errors import Refused
from annotation.flow.money import ledger, ledger_audit, payouts
from annotation.flow.projects import project_erasure, recycle_bin
from annotation.flow.review import assignment_approval
from annotation.models import Account, Dataset, Entry, Erasure, Job, PayoutLine, Project, Worker
from tests.flow import triggers
from tests.flow.acting import launched
from tests.flow.paying import paid_batch, worked
from tests.long_forms import first
from tests.security.world import build
from tests.views.console import answer

pytestmark = pytest.mark.postgresql(reason="rows go in the order of their foreign keys, under locks")

OF_PEOPLE = {
    "User", "UserSession", "SecondFactor", "BackupCode", "SignInTry", "ApiRequest", "User_groups",
    "User_user_permissions",
}  # fmt: skip


class Killed(BaseException):
    """As a process ends: nobody catches it."""


@contextmanager
def before(start: tuple[str, ...], act: Callable[[], object], *, number: int = 1) -> Iterator[None]:
    """`act` comes before the so-manieth statement that starts so."""
    left = [number]

    def count(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        left[0] -= sql.startswith(start)
        if not left[0]:
            left[0] = -1
            act()
        return execute(sql, *rest)

    with connection.execute_wrapper(count):
        yield


def killed_at(number: int) -> AbstractContextManager[None]:
    """The process dies before its so-manieth statement that writes."""
    return before(("DELETE", "UPDATE", "INSERT"), partial(throw, Killed()), number=number)


def throw(error: BaseException) -> None:
    raise error


def held(project: Any) -> dict[str, list[dict[str, Any]]]:
    """What hangs on a project, by table, managers that hide some notwithstanding."""
    return {m.__name__: list(QuerySet(m).filter(**{way: project}).order_by("pk").values()) for m, way in ways()}


def ways() -> tuple[tuple[Any, str], ...]:
    return (
        *project_erasure.models_to_erase(),
        (Worker, "project"),
        (Entry, "project"),
        (Account, "project"),
        (PayoutLine, "worker__project"),
    )


def text_of_everything() -> str:
    models = set(discovery.models())
    return str([list(QuerySet(model).values()) for model in models if model.__name__ not in OF_PEOPLE])


def money(project: Any) -> list[Any]:
    return list(Entry.objects.filter(project=project).order_by("pk").values_list("amount", "source", "target", "key"))


def remove(project: Any, *, days: int = 0) -> None:
    for batch in project.batches.exclude(state="draft"):
        batch_launch.close(batch)
    recycle_bin.remove_project(project)
    Project.everything.filter(pk=project.pk).update(removed_at=timezone.now() - timedelta(days=days))


def derive(dataset: Dataset) -> None:
    shares = {"train": 0.4, "dev": 0.3, "test": 0.3}
    derivation.derive_dataset(dataset, how="splits", name=f"{dataset.slug}-part", options=shares)


def test_every_table_is_known() -> None:
    models = {model.__name__ for model in discovery.models()}
    stays = {model.__name__ for model in project_erasure.STAYS}
    assert models == {model.__name__ for model, _way in project_erasure.models_to_erase()} | stays | OF_PEOPLE


@pytest.mark.django_db
def test_all_of_it_goes_and_nothing_of_another_project(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    settings.MEDIA_ROOT.mkdir()
    build(tmp_path)
    triggers.make()
    springs, wells = Project.objects.order_by("slug")
    for project in (springs, wells):
        derive(project.datasets.get(slug=f"{project.slug}-set"))
    upload = settings.MEDIA_ROOT / "one"
    upload.write_text("{}")
    Job.objects.filter(project=wells, kind="import_dataset").update(arguments={"path": str(upload)})
    assert "canary note of wells" in text_of_everything()
    books, own, others = money(wells), held(wells), held(springs)
    for model, _way in ways():
        assert len(own[model.__name__]) + len(others[model.__name__]) == QuerySet(model).count(), model
    Project.everything.filter(pk=wells.pk).update(removed_at=timezone.now())
    Erasure.objects.create(project=wells)  # whatever is still in progress in this one
    project_erasure.clear_due(seconds=60)
    assert {name for name, rows in held(wells).items() if rows} == {"Worker", "Entry", "Account", "PayoutLine"}
    assert held(springs) == others
    assert "canary note of wells" not in text_of_everything()
    assert not upload.exists()
    assert money(wells) == books
    assert ledger_audit.audit(wells) == []
    (paid,) = Worker.objects.filter(project=wells)
    assert (paid.user, paid.consented_at, str(paid.external_id)[:7]) == (None, None, "erased-")
    assert Erasure.objects.get().ended_at is not None


@pytest.mark.parametrize("paid", first(1, [True, False]))
def test_it_dies_at_any_instant_and_goes_on(
    paid: bool, project: Any, dataset: Any, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_erasure, "CHUNK", 2)
    batch = paid_batch(project, dataset) if paid else launched(project, "free", dataset)
    for _item in range(3):
        row = worked(bob, batch)
        if paid:
            assignment_approval.approve(row)
    if paid:
        for line in payouts.make_payout(project).lines.all():
            payouts.decide(line, PayoutLine.State.PAID)
    remove(project)
    triggers.make()
    books = money(project)
    assert project_erasure.begin(project)
    died = 0
    for number in range(1, 200, 7):
        with suppress(Killed), killed_at(number):
            project_erasure.clear_due(seconds=60)
            break
        died += 1
    assert died > 3
    assert not {name for name, rows in held(project).items() if rows} - {"Worker", "Entry", "Account", "PayoutLine"}
    assert money(project) == books
    assert Project.everything.filter(pk=project.pk).exists() is paid
    assert Worker.objects.filter(project=project).count() == paid


def test_a_round_ends_in_time_and_the_next_goes_on(project: Any, batch: Any) -> None:
    remove(project, days=31)
    project_erasure.clear_due(seconds=0)
    assert Erasure.objects.get().ended_at is None
    for _round in range(100):
        project_erasure.clear_due(seconds=0)
    assert not Project.everything.exists()


def test_the_bin_keeps_a_project_for_its_time(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    remove(batch.project, days=29)
    jobs.run_due_work()
    client.force_login(alice)
    assert client.post(reverse("project-restore", args=["wells"])).status_code == 303
    assert batch.project.batches.get().assignments.count() == 1
    remove(batch.project, days=31)
    jobs.run_due_work()
    assert not Project.everything.exists()
    assert client.post(reverse("project-restore", args=["wells"])).status_code == 404


def test_an_owner_erases_it_at_once_by_typing_its_name(client: Any, alice: Any, batch: Any) -> None:
    remove(batch.project)
    client.force_login(alice)
    erase = reverse("project-erase", args=["wells"])
    assert erase in client.get("/").content.decode()
    assert client.get(erase).status_code == 200
    assert client.post(erase, {"name": "Wells"}).status_code == 422
    assert client.post(erase, {"name": "wells"}).status_code == 303
    assert "Wells and towers" not in client.get("/?all").content.decode()
    assert client.post(erase, {"name": "wells"}).status_code == 404
    assert client.post(reverse("project-restore", args=["wells"])).status_code == 404
    assert Project.objects.create(slug="wells", title="Others")  # its name is free again
    jobs.run_due_work()
    assert list(Project.everything.values_list("title", flat=True)) == ["Others"]


def test_it_stays_while_a_payout_is_open(client: Any, alice: Any, bob: Any, project: Any, dataset: Any) -> None:
    worked(bob, paid_batch(project, dataset), approved=True)
    (line,) = payouts.make_payout(project).lines.all()
    with pytest.raises(Refused, match="payout is still open"):
        remove(project)
    Project.everything.filter(pk=project.pk).update(removed_at=timezone.now() - timedelta(days=31))
    jobs.run_due_work()
    assert not Erasure.objects.exists()
    client.force_login(alice)
    result = client.post(reverse("project-erase", args=["wells"]), {"name": "wells"})
    assert (result.status_code, "payout is still open" in result.content.decode()) == (422, True)
    payouts.decide(line, PayoutLine.State.PAID)
    jobs.run_due_work()
    assert Erasure.objects.get().ended_at is not None
    assert ledger.balance(project, ledger.owed_to(bob.pk)) == Decimal(0)


def test_one_that_fails_keeps_no_other_from_being_erased(project: Any, caplog: pytest.LogCaptureFixture) -> None:
    Job.objects.create(project=project, kind="odd", arguments={"uploads": []}, due_at=timezone.now())
    for one in (project, Project.objects.create(slug="mills", title="Mills")):
        remove(one)
        assert project_erasure.begin(one)
    project_erasure.clear_due(seconds=60)
    assert list(Project.everything.all()) == [project]
    assert [record.levelname for record in caplog.records if record.exc_info] == ["ERROR"]
    Job.objects.update(arguments={})
    project_erasure.clear_due(seconds=60)
    assert not Project.everything.exists()


def test_a_database_that_is_away_ends_the_round(project: Any, batch: Any) -> None:
    remove(project)
    project_erasure.begin(project)
    away = OperationalError("the server closed the connection")
    with pytest.raises(OperationalError), before(("DELETE",), partial(throw, away)):
        project_erasure.clear_due(seconds=60)
    assert Erasure.objects.get().ended_at is None


def test_what_an_import_adds_meanwhile_goes_too(project: Any, bob: Any) -> None:
    ledger.deposit(project, Decimal(5), key="books that stay")
    remove(project)
    project_erasure.begin(project)
    add = partial(Dataset.objects.create, project=project, format="jsonl", sha256="")
    with before(('DELETE FROM "annotation_worker"',), partial(add, slug="while-it-runs")):
        project_erasure.clear_due(seconds=60)
    assert (Erasure.objects.get().ended_at, Dataset.objects.count()) == (None, 1)
    project_erasure.clear_due(seconds=60)
    assert (Erasure.objects.get().ended_at is not None, Dataset.objects.count()) == (True, 0)
    add(slug="after-its-end")
    project_erasure.clear_due(seconds=60)
    assert (Erasure.objects.get().ended_at is not None, Dataset.objects.count()) == (True, 0)
