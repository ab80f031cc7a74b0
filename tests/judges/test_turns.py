"""Which process has a run, and what it leaves to the next turn."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.judges import calls, conversation, prompts, runs
from annotation.judges.models import ModelRun
from tests.judges.conftest import KEY
from tests.judges.double import Double


def test_a_run_that_is_sent_twice_stays_with_the_process_that_has_it(drafted: Callable[..., Any]) -> None:
    run = drafted()
    runs.confirm(run)
    taken = calls.take(run)
    open_call = calls.reserve(taken, prompts.item_keys(taken)[0], 0, Decimal(0))
    runs.confirm(ModelRun.objects.get(pk=run.pk))
    runs.carry_on_due()
    open_call.refresh_from_db()
    assert (open_call.state, ModelRun.objects.get(pk=run.pk).turn) == ("open", taken.turn)


def test_an_item_that_keeps_failing_lets_the_others_have_their_turn_first(
    drafted: Callable[..., Any], double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "MOST_TRIES", 1)
    double.script = ["500"]
    run = drafted(concurrency=1)
    runs.confirm(run)
    talk = conversation.Conversation(calls.take(run), progress=lambda _done, _total: None)
    now, settle = [0.0], calls.settle
    monkeypatch.setattr(conversation, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=lambda _seconds: None))

    def time_is_up(*call: Any, **columns: Any) -> bool:
        now[0] = 100.0
        return settle(*call, **columns)

    monkeypatch.setattr(calls, "settle", time_is_up)
    talk.go(seconds=1)
    run.refresh_from_db()
    assert (run.state, run.trouble, run.calls_made) == ("running", "", 1)


def test_a_new_ceiling_without_the_key_keeps_the_key(drafted: Callable[..., Any], asked: Callable[..., Any]) -> None:
    assert asked(most_calls=2).state == "paused"
    drafted(most_calls=50, secret="")
    assert ModelRun.objects.get().secret == KEY
