"""Databases, installations and servers for the fault tests; each is of the test's own making and gone after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from tests import run_postgres
from tests.process.installation import Installation


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.process)


@pytest.fixture(scope="session")
def cluster() -> Iterator[run_postgres.Cluster | None]:
    with run_postgres.cluster() as running:
        yield running


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Collected static files, as production has them; made once."""
    from django.test import override_settings

    folder = tmp_path_factory.mktemp("static")
    storages = {"staticfiles": {"BACKEND": "annotation.storage.Storage"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path, cluster: Any) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hopscribe.sqlite3'}"
    if cluster is None:
        pytest.skip(run_postgres.MISSING)
    return str(cluster.create(f"hopscribe_{uuid4().hex}"))


@pytest.fixture
def install(tmp_path: Path, database: str, static: Path) -> Iterator[Callable[..., Installation]]:
    """Makes installations on `database`, migrated, and ends what they started."""
    made: list[Installation] = []

    def make(**arguments: Any) -> Installation:
        var = tmp_path / f"var-{len(made)}"
        var.mkdir()
        made.append(Installation(var, database, static=static, **arguments))
        return made[-1]

    yield make
    for installation in made:
        installation.close()


@pytest.fixture
def installation(install: Callable[..., Installation]) -> Installation:
    return install()
