"""Commands that are killed before each of their steps: `python -m tests.process.command_deaths COMMAND SHARE`.

Prints JSON: the number of steps, how many were tried (every SHARE-th), and what was wrong after which.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, connections  # noqa: E402

from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.money import ledger, ledger_audit, payouts  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.models import Batch, Payout, Project, User, Worker  # noqa: E402
from annotation.operations import backup, doctor, readiness, unfinished  # noqa: E402
from tests.conftest import write_records  # noqa: E402
from tests.process.kill_points import KILLED, life, state  # noqa: E402

HOME = Path(settings.VAR)
WORK = HOME.parent / f"{HOME.name}-work"
WHOLE = {"first", "whole"}  # were not killed
Act = Callable[[str], Callable[[], Any]]
Check = Callable[[str], list[str]]


def loop(act: Act, check: Check, share: int) -> dict[str, Any]:
    """Kill an act at every `share`-th step, each time under another name, and check what is left."""
    life(act("first"))  # which makes what stays, such as an account of money
    check("first")
    names = life(act("whole"))[2]
    points = range(1, len(names) + 1, share)
    wrong: dict[str, Any] = {"0 never killed": found} if (found := check("whole")) else {}
    for point in points:
        name = f"n{point}"
        code, _found, _names = life(act(name), last=point)
        found = check(name) if code == KILLED else [f"ended with {code}: {_found}"]
        if found:
            wrong[f"{point} {names[point - 1]}"] = found
    return {"steps": len(names), "points": len(points), "wrong": wrong}


def called(*arguments: str) -> Callable[[], Any]:
    return lambda: call_command(*arguments, verbosity=0, stdout=sys.stderr)


def create_batch(share: int) -> dict[str, Any]:
    """The same command takes a batch up that was left behind, whatever state it was in."""
    for name, size in (("wells", 6), ("gold", 4)):
        records = write_records(WORK / f"{name}.jsonl", size)
        dataset_import.import_dataset(project(), records, format="jsonl", name=name)

    def act(name: str) -> Callable[[], Any]:
        return called("create_batch", name, "--task=answer", "--dataset=wells", "--checks=gold", "--no-fresh-only")

    def check(name: str) -> list[str]:
        code, said, _names = life(act(name))
        made = Batch.objects.get(slug=name)
        hits = made.hits.filter(check_item=False).count(), made.hits.filter(check_item=True).count()
        ill = [] if (made.state, *hits) == ("open", 6, 4) else [f"is {made.state} with {hits}: {said}"]
        return ill if code == 0 or "is taken" in str(said) else [*ill, str(said)]

    return loop(act, check, share)


def make_payout(share: int) -> dict[str, Any]:
    """Money is in one payout, whose file is whole or not there, and can be written from what is stored."""
    worker = Worker.objects.create(project=project(), user=User.objects.create_user("bob"))

    def act(name: str) -> Callable[[], Any]:
        owed = ledger.owed_to(worker.pk)
        ledger.move(project(), ledger.OUTSIDE, owed, Decimal("0.25"), kind="pay", key=name, worker=worker)
        return called("make_payout", "--out", str(WORK / f"{name}.csv"))

    def check(name: str) -> list[str]:
        file, expected = WORK / f"{name}.csv", Payout.objects.count()
        ill = [str(fault) for fault in ledger_audit.audit(project())]
        if ledger.balance(project(), ledger.owed_to(worker.pk)):
            expected += 1
            life(called("make_payout", "--out", str(file)))
        elif not file.exists():
            said = life(called("make_payout", "--out", str(file)))[1]
            ill += [] if f"--number {expected} " in said else [f"does not say how: {said}"]
            life(called("make_payout", "--out", str(file), "--number", str(expected)))
        last = Payout.objects.order_by("number").last()
        if last is None or last.number != expected:
            return [*ill, f"{expected} payouts expected, {Payout.objects.count()} made"]
        whole = file.exists() and file.read_bytes().decode() == payouts.as_csv(last)
        ill += [] if whole and file.stat().st_mode & 0o077 == 0 else ["the file is not that of the payout"]
        return ill + [f"left {path.name}" for path in WORK.glob(".*.part")]

    return loop(act, check, share)


def back_up(share: int) -> dict[str, Any]:
    """What is left is private and named by doctor, and the next sweep removes it; archives are whole or not there."""
    upload()

    def check(name: str) -> list[str]:
        file, left = WORK / f"{name}.tar.gz", backup.leftovers()
        files = [path for one in left for path in ([one] if one.is_file() else one.rglob("*")) if path.is_file()]
        ill = [f"others may read {path}" for path in files if path.stat().st_mode & 0o077]
        told = doctor._leftovers()
        ill += [f"doctor does not name {path}" for path in left if str(path) not in told.text or told.well]
        backup.sweep_leftovers()
        ill += [f"left {path}" for path in [*HOME.glob("backup-*"), *WORK.glob(".*")]]
        if file.exists():
            empty(HOME)
            life(called("restore", str(file)))
            ill += [] if life(state)[1] == before else ["the archive is not whole"]
        return ill

    before = life(state)[1]
    return loop(lambda name: called("back_up", "--out", str(WORK / f"{name}.tar.gz")), check, share)


def restore(share: int) -> dict[str, Any]:
    """A killed restore is said by whoever is asked, and the same command finishes it."""
    upload()
    before, file = life(state)[1], WORK / "all.tar.gz"
    call_command("back_up", "--out", str(file), verbosity=0, stdout=sys.stderr)

    def act(_name: str) -> Callable[[], Any]:
        empty(HOME)
        return called("restore", str(file))

    def check(name: str) -> list[str]:
        ill = []
        if begun := unfinished.begun() if name not in WHOLE else None:
            parts = dict(life(lambda: dict(readiness.examine()))[1])
            ill += [] if parts["database"] == "has an unfinished restore" else [f"readyz says {parts['database']}"]
            ledgers = str(life(called("check_ledger"))[1])
            ill += [] if begun["copy"] in ledgers else [f"check_ledger says {ledgers}"]
            told = life(lambda: doctor._database().mend)[1]
            ill += [] if f"restore {file}" in told else [f"doctor says {told}"]
        if name not in WHOLE and (begun or not is_there()):
            code, said, _names = life(called("restore", str(file)))
            ill += [] if code == 0 else [f"the same restore ended with {said}"]
        kept = HOME / "uploads" / "notes.txt"
        ill += [] if kept.exists() and kept.stat().st_mode & 0o077 == 0 else ["the upload is missing"]
        ill += [] if life(state)[1] == before else ["the database differs"]
        return ill + [f"left {path}" for path in backup.leftovers() if name in WHOLE]

    return loop(act, check, share)


def is_there() -> bool:
    found = "annotation_project" in connection.introspection.table_names()
    connections.close_all()
    return found


def upload() -> None:
    (HOME / "uploads").mkdir(mode=0o700, exist_ok=True)
    notes = HOME / "uploads" / "notes.txt"
    notes.write_text("kept")
    notes.chmod(0o600)


def empty(home: Path) -> None:
    """An empty database and home, as somebody makes who restores."""
    if connection.vendor == "sqlite":
        connections.close_all()
        for path in home.glob("*.sqlite3*"):
            path.unlink()
        Path(settings.DATABASES["default"]["NAME"]).unlink(missing_ok=True)
    else:
        with unfinished.allowed(), connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        connections.close_all()
    (home / "unfinished.json").unlink(missing_ok=True)
    shutil.rmtree(home / "uploads", ignore_errors=True)


def project() -> Project:
    found = projects.project_named("default")
    consent.fill_in(found, contact="ada@example.org", ethics="board 7")
    return found


if __name__ == "__main__":
    WORK.mkdir(exist_ok=True)
    acts = {act.__name__: act for act in (create_batch, make_payout, back_up, restore)}
    print(json.dumps(acts[sys.argv[1]](int(sys.argv[2]))))
