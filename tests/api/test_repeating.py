"""Writes that may be sent again: once done, they answer the same; and a key is free while nothing was done."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from annotation.flow.data import dataset_removal
from annotation.models import ApiRequest, Job
from tests.api.ground import PROJECT, Caller, is_problem
from tests.conftest import write_records

DATASETS = f"{PROJECT}datasets/"
RAW = {"content_type": "application/octet-stream"}


@pytest.fixture
def caller(alice: Any) -> Caller:
    return Caller(alice, quiet=True)


def test_the_same_under_the_same_key_is_done_once(caller: Caller, dataset: Any) -> None:
    first = caller.send(f"{DATASETS}wells/", method="delete", key="k-1")
    again = caller.send(f"{DATASETS}wells/", method="delete", key="k-1")
    assert (first.status_code, "Idempotent-Replayed" in first) == (202, False)
    assert (again.status_code, again.json(), again["Location"]) == (202, first.json(), first["Location"])
    assert again["Idempotent-Replayed"] == "true"
    assert Job.objects.count() == 1
    is_problem(caller.send(f"{DATASETS}wells/", method="delete", key="k-2"), 404)


def test_a_file_counts_by_what_is_in_it(caller: Caller, tmp_path: Any) -> None:
    body = write_records(tmp_path / "a.jsonl", 2).read_bytes()
    sent = [caller.post(f"{DATASETS}?name=a", body, headers={"Idempotency-Key": "up"}, **RAW) for _try in range(2)]
    assert sent[0].json() == sent[1].json()
    other = caller.post(f"{DATASETS}?name=a", body + b"\n", headers={"Idempotency-Key": "up"}, **RAW)
    assert "a different request" in is_problem(other, 422)["detail"]
    elsewhere = caller.post(f"{DATASETS}?name=b", body, headers={"Idempotency-Key": "up"}, **RAW)
    is_problem(elsewhere, 422)
    assert Job.objects.count() == 1


def test_keys_are_of_their_owner_and_last_a_day(caller: Caller, dataset: Any) -> None:
    for wrong in ("x" * 256, "a b", "", "\xe4"):
        refused = caller.delete(f"{DATASETS}wells/", headers={"Idempotency-Key": wrong})
        assert is_problem(refused, 422)["errors"][0]["field"] == "Idempotency-Key"
    caller.send(f"{DATASETS}wells/", method="delete", key="k")
    ApiRequest.objects.update(created_at=timezone.now() - timedelta(hours=25))
    is_problem(caller.send(f"{DATASETS}wells/", method="delete", key="k"), 404)


def test_a_call_that_died_in_the_middle_leaves_its_key_free(
    caller: Caller, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = dataset_removal.begin

    def dies(*given: Any, **more: Any) -> Any:
        whole(*given, **more)
        raise RuntimeError("canary")

    with monkeypatch.context() as patched:
        patched.setattr(dataset_removal, "begin", dies)
        is_problem(caller.send(f"{DATASETS}wells/", method="delete", key="k"), 500)
    assert (ApiRequest.objects.count(), Job.objects.count()) == (0, 0)
    assert caller.get(f"{DATASETS}wells/").status_code == 200
    assert caller.send(f"{DATASETS}wells/", method="delete", key="k").status_code == 202


def test_a_refusal_leaves_its_key_free(caller: Caller, batch: Any) -> None:
    refused = caller.send(f"{DATASETS}wells/", method="delete", key="k")
    assert "cannot be deleted" in is_problem(refused, 409)["detail"]
    assert not ApiRequest.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_at_once_have_one_effect(alice: Any, dataset: Any) -> None:
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite has one writer at a time (PostgreSQL is needed)")
    start, found, callers = Barrier(4), [], [Caller(alice) for _caller in range(4)]

    def call(caller: Caller) -> None:
        try:
            start.wait(timeout=20)
            found.append(caller.send(f"{DATASETS}wells/", method="delete", key="k"))
        finally:
            connections.close_all()

    calls = [Thread(target=call, args=[caller]) for caller in callers]
    for each in calls:
        each.start()
    for each in calls:
        each.join(timeout=60)
    assert [response.status_code for response in found] == [202] * 4
    assert len({response["Location"] for response in found}) == 1
    assert Job.objects.count() == 1
