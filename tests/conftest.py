"""The cast of the tests: Alice, a requester, and Bob and Carol, who answer; her project, dataset and batch.

`alice` is a User; `bob` and `carol` are Workers, their accounts are `bob.user` and `carol.user`.
"""

from __future__ import annotations

import gc
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest import runner
from django.utils import translation
from hypothesis import settings

from tests import wide
from tests.call_stack import with_room
from tests.long_forms import examples
from tests.replaying import replayed
from tests.sharing import shared
from tests.without_apps import WITHOUT, is_about_an_app

# Timings are no tests: a busy machine fails nothing. Few examples keep a run short; `make soak` sets more.
settings.register_profile("untimed", deadline=None, max_examples=examples(15, soak=100))
settings.load_profile("untimed")

# What is collected stays until the end: to look through it for waste costs more time than to collect it.
gc.disable()
gc.set_threshold(20_000, 20, 20)  # afterwards, seldom: tests leave less waste than looking for it costs

PASSWORD = "a long enough phrase"
ON_POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith("postgres")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is repeated on PostgreSQL says why. The first case of a test is repeated in every run, the others in the
    soak; with `each=True` all of them in every run."""
    wide.mark(items, wide.LIST.read_text().splitlines(), case_order)
    repeated = [item for item in items if ON_POSTGRESQL and item.get_closest_marker("postgresql")]
    seen: set[str] = set()
    for item in sorted(repeated, key=case_order):
        name = item.nodeid.partition("[")[0]
        if name in seen and not item.get_closest_marker("postgresql").kwargs.get("each"):
            item.add_marker(pytest.mark.soak)
        elif not item.get_closest_marker("soak"):
            seen.add(name)
    for item in items:
        for marker in item.iter_markers("postgresql"):
            if not marker.kwargs.get("reason"):
                raise pytest.UsageError(f"{item.nodeid}: postgresql needs a reason")
        for marker in item.iter_markers("app"):
            if missing := set(marker.args).intersection(WITHOUT):
                item.add_marker(pytest.mark.skip(reason=f"{', '.join(sorted(missing))} is not installed"))


def case_order(item: pytest.Item) -> list[int]:
    """Where a test stands among the cases of its function: the order of `items` is random."""
    return list(item.callspec.indices.values()) if hasattr(item, "callspec") else []


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if WITHOUT and collection_path.is_file() and is_about_an_app(collection_path) else None


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
@with_room
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    return runner.pytest_runtest_protocol(item, nextitem)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request in another language leaves its thread in it; the next test begins in ours."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def without_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests begin with the first HIT; those of practice bring items of their own."""
    from annotation.flow.batches import practice_progress

    monkeypatch.setattr(practice_progress, "practice", lambda *_: ())


@pytest.fixture(autouse=True)
def no_batch_far_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process remembers of a batch for seconds is nothing to another test, whose batch has the same key."""
    from annotation.flow.work import prefetch

    monkeypatch.setattr(prefetch, "_far_at", {})


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Collected static files, as production has them."""
    from django.core.management import call_command
    from django.test import override_settings

    def collect(folder: Path) -> None:
        storages = {"staticfiles": {"BACKEND": "annotation.operations.static_storage.Storage"}}
        with override_settings(STATIC_ROOT=folder, STORAGES=storages):
            call_command("collectstatic", interactive=False, verbosity=0)

    return shared(tmp_path_factory, "static", collect)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with every table, to be copied."""
    from tests.process.installation import Installation

    def migrate(folder: Path) -> None:
        file = folder / "hopscribe.sqlite3"
        Installation(folder, f"sqlite:///{file}", static=folder).close()
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return shared(tmp_path_factory, "migrated", migrate) / "hopscribe.sqlite3"


@pytest.fixture
def project(db: None) -> Any:
    from annotation.models import Project

    given = {"slug": "wells", "title": "Wells and towers", "consent": "We keep what you answer."}
    return replayed("project", lambda: Project.objects.create(**given))


@pytest.fixture
def alice(project: Any) -> Any:
    from annotation.models import Member, User

    def make() -> Any:
        user = User.objects.create_user("alice", password=PASSWORD, display_name="Alice")
        Member.objects.create(project=project, user=user)
        return user

    return replayed("alice", make, project)


@pytest.fixture
def bob(project: Any) -> Any:
    return _worker(project, "bob")


@pytest.fixture
def carol(project: Any) -> Any:
    return _worker(project, "carol")


def _worker(project: Any, name: str) -> Any:
    from annotation.models import User, Worker

    def make() -> Any:
        user = User.objects.create_user(name, password=PASSWORD, display_name=name.title())
        return Worker.objects.create(project=project, user=user, consented_version=1)

    return replayed(name, make, project)


def records(size: int) -> list[dict[str, Any]]:
    """Invented two-hop records with three paragraphs each; record k's answer is `Tower k`."""
    return [
        {
            "id": f"well-{k}",
            "question": f"Which tower stands beside the well that Ana Brook dug in year {k}?",
            "paragraphs": [
                {"title": f"Well {k}", "text": f"Ana Brook dug Well {k} in year {k}. It lies in Farrow."},
                {"title": f"Tower {k}", "text": f"Tower {k} stands beside Well {k}. It is white."},
                {"title": "Farrow", "text": "Farrow is a village on a river. It has many wells."},
            ],
            "answers": [f"Tower {k}"],
            "supports": [0, 1],
            "hops": [
                {"question": f"Which well did Ana Brook dig in year {k}?", "answer": f"Well {k}", "support": 0},
                {"question": "Which tower stands beside #1?", "answer": f"Tower {k}", "support": 1},
            ],
            "extra": {},
        }
        for k in range(size)
    ]


def write_records(path: Path, size: int = 4) -> Path:
    """`records(size)` as a file of the lossless JSONL format."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records(size)))
    return path


@pytest.fixture
def dataset(project: Any, tmp_path: Path) -> Any:
    """Four items, imported."""
    from annotation.flow.data.dataset_import import import_dataset

    file = write_records(tmp_path / "wells.jsonl")

    def make() -> Any:
        import_dataset(project, file, format="jsonl", name="wells")
        return project.datasets.get(slug="wells")

    return replayed("dataset", make, project)


@pytest.fixture
def batch(project: Any, dataset: Any) -> Any:
    """An open `answer` batch over the dataset, two assignments a HIT, with a guide of one line, in order for all."""
    from annotation.flow.batches import batch_launch
    from tests.batches import create_batch

    def make() -> Any:
        made = create_batch(
            project,
            "wells-1",
            task="answer",
            datasets=[dataset],
            instructions="Read, then answer.",
            assignments_per_hit=2,
            same_order=True,
        )
        batch_launch.launch(made)
        return made

    return replayed("batch", make, project, dataset)


def answer_to(assignment: Any) -> dict[str, Any]:
    """A complete, right answer to an assignment of `batch`, as it is at rest."""
    payload = assignment.hit.payload
    towers = [k for k, p in enumerate(payload["paragraphs"]) if p["title"].startswith("Tower")]
    place = towers[0]
    text = payload["paragraphs"][place]["title"]
    return {
        "kind": "span",
        "text": text,
        "paragraph": place,
        "start": 0,
        "end": len(text),
        "option": None,
        "support": [k for k, p in enumerate(payload["paragraphs"]) if p["title"] != "Farrow"],
        "facts": [],
    }


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Every reason for a skip with its count, where nobody overlooks it."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        result = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[result.removeprefix("Skipped: ")] += 1
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"SKIPPED [{count}] {reason}")
