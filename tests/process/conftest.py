"""Databases, installations and servers for the fault tests; each is of the test's own making and gone after it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import run_postgres
from tests.process.installation import Installation
from tests.sharing import shared

MIGRATED = "migrated"

# What one kind of database shows as well as the other, for every run; `make soak` has both.
ELSEWHERE = {
    "test_64_annotators_give_each_hit_exactly_three_answers[sqlite]",
    "test_64_annotators_give_each_hit_exactly_three_answers[postgresql]",  # as the claims of eight processes do
    "test_a_broken_claim_is_reported[sqlite-count_then_insert_in_a_transaction]",
    "test_a_broken_claim_is_reported[sqlite-lock_then_count]",
    "test_a_broken_claim_is_reported[postgresql-count_then_insert]",
    "test_a_broken_claim_is_reported[postgresql-lock_then_count]",
    "test_a_job_whose_worker_was_killed_is_done_by_another_run[sqlite]",
    "test_two_workers_that_publish_the_same_batch_publish_each_hit_once[sqlite]",
    "test_a_backup_is_whole_while_uploads_come_and_go_and_names_what_it_lacks[postgresql]",
    "test_an_upgrade_that_fails_leaves_the_database_as_it_was_and_one_that_does_not_keeps_a_copy[postgresql]",
    "test_an_upgrade_killed_on_its_way_forward_or_back_is_undone_by_the_next_call[postgresql]",
    "test_a_command_that_was_killed_is_taken_up[postgresql-create_batch]",
    "test_a_command_that_was_killed_is_taken_up[sqlite-make_payout]",
    "test_a_command_that_was_killed_is_taken_up[postgresql-back_up]",
    "test_a_command_that_was_killed_is_taken_up[postgresql-restore]",
    "test_every_kind_of_copy_that_we_make_is_restored[postgresql]",
    "test_an_upgrade_waits_until_nobody_else_uses_the_database[sqlite]",
    "test_a_restored_installation_is_the_one_that_was_backed_up[sqlite]",
    "test_an_installation_on_sqlite_copies_itself_an_hour_after_its_last_copy_and_keeps_24[postgresql]",
    "test_a_broken_claim_is_reported[postgresql-count_then_insert_in_a_transaction]",
    "test_eight_processes_with_shared_workers_allocate_exactly[sqlite]",
    "test_a_server_killed_under_load_loses_and_doubles_nothing[postgresql]",
    "test_a_job_killed_before_every_third_of_its_writes_doubles_and_loses_nothing[postgresql]",
    "test_a_job_rung_for_by_celery_is_done[postgresql]",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.process)
            if item.name in ELSEWHERE:
                item.add_marker(pytest.mark.soak)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[run_postgres.Cluster | None]:
    """A cluster with a database MIGRATED, which has every table."""

    def make(folder: Path) -> None:
        with run_postgres.cluster() as first:
            assert first is not None
            Installation(folder, first.create(MIGRATED), static=folder).close()
            first.stop()
            run_postgres.copy(first.data, folder / "data")

    like = shared(tmp_path_factory, "postgresql", make) / "data" if run_postgres.binaries() else None
    with run_postgres.cluster(like) as running:
        yield running


@pytest.fixture
def on_sqlite(migrated: Path, tmp_path: Path) -> str:
    """The URL of a migrated SQLite database without rows."""
    file = tmp_path / "hopscribe.sqlite3"
    shutil.copyfile(migrated, file)
    return f"sqlite:///{file}"


@pytest.fixture
def on_postgresql(cluster: run_postgres.Cluster | None) -> str:
    """The same on PostgreSQL."""
    if cluster is None:
        pytest.skip(run_postgres.MISSING)
    return cluster.create(f"hopscribe_{uuid4().hex}", like=MIGRATED)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of a migrated database without rows, once of each kind."""
    return str(request.getfixturevalue(f"on_{request.param}"))


@pytest.fixture
def install(tmp_path: Path, database: str, static: Path) -> Iterator[Callable[..., Installation]]:
    """Makes installations on `database`, migrated, and ends what they started."""
    made: list[Installation] = []

    def make(**arguments: Any) -> Installation:
        var = tmp_path / f"var-{len(made)}"
        var.mkdir()
        file = Path(database.removeprefix("sqlite:///"))
        ready = not database.startswith("sqlite") or file.exists()  # a test's own database may still be empty
        made.append(Installation(var, database, static=static, ready=ready, **arguments))
        return made[-1]

    yield make
    for installation in made:
        installation.close()


@pytest.fixture
def installation(install: Callable[..., Installation]) -> Installation:
    return install()
