"""A double of an endpoint, a rated batch, and runs that wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.batches import create_batch
from tests.judges.double import Double, running

RUBRIC = {
    "title": "How good is the question?",
    "show": ["question", "paragraphs"],
    "criteria": [
        {"name": "clear", "ask": "Is it clear?", "scale": [1, 5]},
        {"name": "natural", "ask": "Would a person ask it?", "choice": ["yes", "no"]},
    ],
}
KEY = "sk-a-key-of-the-tests-0123456789"


@pytest.fixture
def double(settings: Any) -> Iterator[Double]:
    settings.MODEL_ENDPOINTS = ["127.0.0.1"]
    with running(Double()) as there:
        yield there


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation.judges import conversation

    monkeypatch.setattr(conversation, "FIRST_WAIT", timedelta(0))
    monkeypatch.setattr(conversation, "BEAT", 0.02)


@pytest.fixture
def rated(project: Any, dataset: Any) -> Any:
    """A draft that asks about four items."""
    return create_batch(
        project, "rated", task="rate", datasets=[dataset], options={"rubric": RUBRIC}, instructions="Read it twice."
    )


@pytest.fixture
def drafted(rated: Any, double: Double) -> Callable[..., Any]:
    """Makes a run about the batch, not confirmed."""
    from annotation.judges import runs

    def make(**settings: Any) -> Any:
        usual = {"endpoint": double.url, "model": "oracle-1", "secret": KEY, "most_calls": 1000}
        return runs.draft(rated, **(usual | settings))

    return make


@pytest.fixture
def asked(drafted: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a run and carries it on; gives it as it is stored afterwards."""
    from annotation.judges import runs

    def make(**settings: Any) -> Any:
        run = drafted(**settings)
        runs.confirm(run, here=True)
        runs.carry_on(run, progress=lambda _done, _total: None)
        return type(run).objects.get(pk=run.pk)

    return make
