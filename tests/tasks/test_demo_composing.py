"""The demo's composers: whatever they hand in passes the checks, and the traps are traps."""

from __future__ import annotations

from random import Random
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from annotation.demo import compose_batch, encyclopedia
from annotation.pure.data.example import Example
from annotation.registry import form_class, task_type

GRAPHS = compose_batch.graphs()
WRITTEN = {example.id: example.question for example in encyclopedia.examples(seed=0)}


@pytest.mark.parametrize("example", GRAPHS, ids=lambda example: example.id)
def test_whatever_a_composer_hands_in_passes_the_checks(example: Example) -> None:
    task = task_type("compose")
    payload = task.prepare(example, task.options({}), Random(1))
    assert payload is not None
    for seed in range(12):
        posted = compose_batch.form_data(example, WRITTEN.get(example.id, ""), (0.4, 0.8, 0.95)[seed % 3], Random(seed))
        answer = form_class("compose")(payload, QueryDict(urlencode(posted))).answer()
        assert [p.message % p.values for p in task.check(payload, answer)] == []


def test_all_six_shapes_and_three_traps_are_there_without_a_question() -> None:
    assert {example.shape for example in GRAPHS} == {"2hop", "3hop1", "3hop2", "4hop1", "4hop2", "4hop3"}
    assert not any(example.question for example in GRAPHS)
    known = [example.extra["known_bridges"][0] for example in GRAPHS if "known_bridges" in example.extra]
    assert (known.count("same"), known.count("different")) == (compose_batch.KNOWN_SAME, len(compose_batch.TRAPS))


def test_traps_are_seen_through() -> None:
    traps = [example for example in GRAPHS if example.extra.get("known_bridges") == ["different"]]
    posted = [compose_batch.form_data(example, "", 0.9, Random(1)) for example in traps]
    assert [p["bridge-1"] for p in posted] == ["different"] * 3
