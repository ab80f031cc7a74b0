"""Graphs of the demo's island to compose from, and answers to them."""

from __future__ import annotations

from random import Random
from typing import Any

from annotation.demo import encyclopedia
from annotation.pure.data.example import Example
from tasks.compose.task import TASK

JSON = dict[str, Any]
QUESTION = "Where was the captain of the Grey Petrel born?"
OTHER = "In which town was the Grey Petrel's captain born?"


def example(shape: str = "2hop") -> Example:
    return next(found for found in encyclopedia.examples(1) if found.shape == shape)


def payload(shape: str = "2hop", **options: Any) -> JSON:
    made = TASK.prepare(example(shape), TASK.options(options), Random(1))
    assert made is not None
    return made


def answer(*bridges: str, question: str = QUESTION, **parts: Any) -> JSON:
    return {"bridges": list(bridges), "why": "", "question": question, "overrides": {}, "pasted": 0.0, **parts}
