"""How far a request walks through the code: two ways that are walked often, with ceilings in tests/measures.toml."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import events
from annotation.models import WorkerResponse
from annotation.mturk_api.models import Listing
from tests import measures
from tests.flow.acting import take
from tests.marketplaces.test_frame import fields
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT
from tests.walks import Walk, walk

pytestmark = pytest.mark.django_db


def holds(found: Walk, name: str) -> None:
    most = measures.ceilings()["walks"][name]
    lists = "\n".join(sorted(found.files)) + "\n\n" + "\n".join(map(" -> ".join, sorted(found.crossings)))
    assert len(found.files) <= most["files"], f"{found}, at most {most['files']} files\n{lists}"
    assert len(found.crossings) <= most["crossings"], f"{found}, at most {most['crossings']} crossings\n{lists}"


def test_a_response_from_the_post_to_the_stored_row(batch: Any, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    events.load()
    monkeypatch.setattr(events, "_listeners", {})  # of no app
    client = Client()
    client.force_login(bob.user)
    first = take(bob, batch)
    assert first is not None
    client.post(reverse("submit", args=[first.public_id]), fields(first))  # so that everything is imported
    row = bob.assignments.get(state="accepted")
    body = fields(row)
    holds(
        walk(lambda: client.post(reverse("submit", args=[row.public_id]), body)),
        "a response from the POST to the stored row",
    )
    assert WorkerResponse.objects.count() == 2


def test_a_hit_that_a_script_creates(db: None) -> None:
    client = mturk(requester())
    client.create_hit(**HIT)
    holds(walk(lambda: client.create_hit(**HIT)), "a HIT that a script creates")
    assert Listing.objects.count() == 2
