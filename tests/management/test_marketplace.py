"""Marketplaces and the batches there from a shell."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.marketplaces.flow import publications
from annotation.marketplaces.models import Connection
from annotation.models import Batch
from tests.marketplaces import visitors
from tests.marketplaces.conftest import abroad, connection, elsewhere, launched  # noqa: F401
from tests.marketplaces.fake_mturk import FakeMTurk


def run(*arguments: str, command: str = "marketplace") -> dict[str, Any]:
    out = StringIO()
    call_command(command, *arguments, "--project", "wells", "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_a_marketplace_is_added_tested_listed_and_removed(
    project: Any,
    elsewhere: FakeMTurk,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MARKETPLACE_SECRET", "of the environment")
    run("add", "lab", "--preset", "other", "--endpoint-url", elsewhere.url, "--key-id", "AKIATEST")
    assert Connection.objects.get().secret == "of the environment"
    assert run("test", "lab")["marketplaces"] == [{"name": "lab", "available": "10000.00"}]
    assert "of the environment" not in json.dumps(run("list"))
    run("remove", "lab")
    assert run("list") == {"marketplaces": []}


def test_a_secret_is_not_taken_from_the_command_line(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARKETPLACE_SECRET", raising=False)
    with pytest.raises(CommandError) as wrong:
        run("add", "lab", "--key-id", "AKIATEST")
    assert wrong.value.returncode == 2


def test_nothing_is_published_under_an_address_that_nobody_gave(
    abroad: Any,  # noqa: F811
    elsewhere: FakeMTurk,  # noqa: F811
    settings: Any,
) -> None:
    settings.HAS_PUBLIC_URL = False
    with pytest.raises(CommandError, match="Set PUBLIC_URL to the address at which workers reach this site"):
        run("publish", "abroad")
    assert not elsewhere.hits


def test_a_batch_goes_through_its_life_there(abroad: Any, elsewhere: FakeMTurk, settings: Any) -> None:  # noqa: F811
    settings.HAS_PUBLIC_URL = True
    assert run("pause", "abroad")["batches"] == [{"batch": "abroad", "paused": True}]
    assert run("publish", "abroad")["batches"][0]["published"] == 0
    run("resume", "abroad")
    assert run("publish")["batches"][0]["published"] == len(elsewhere.hits) == 4
    row = publications.of_batch(abroad).select_related("hit__batch", "connection").first()
    visitors.work(elsewhere, row, "ANNA")
    assert run("sync", "abroad")["batches"][0]["looked"] == 4
    assert run("settle")["batches"] == [
        {"batch": "abroad", "waiting": "0", "due": 0, "sending": 0, "paid": 0, "failed": 0}
    ]


def test_a_batch_is_created_on_a_marketplace(dataset: Any, connection: Any, elsewhere: FakeMTurk) -> None:  # noqa: F811
    wish = ["far", "--task", "answer", "--dataset", "wells", "--marketplace", "elsewhere"]
    run(*wish, command="create_batch")
    assert Batch.objects.get(slug="far").marketplace.connection == connection
    call_command("sweep", stdout=StringIO())
    assert len(elsewhere.hits) == 4


def test_an_unknown_name_is_refused_with_those_there_are(connection: Any, batch: Any) -> None:  # noqa: F811
    with pytest.raises(CommandError, match="There are: elsewhere"):
        run("test", "nowhere")
    with pytest.raises(CommandError, match="not on a marketplace"):
        run("publish", batch.slug)
