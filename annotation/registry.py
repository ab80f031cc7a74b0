"""Finds the task types: the folders in tasks/. The only module that imports them."""

from __future__ import annotations

import importlib
import json
import pkgutil
from functools import cache
from pathlib import Path

from django import forms

import tasks
from annotation.pure.example import Example
from annotation.tasktype import TaskType


@cache
def task_types() -> dict[str, TaskType]:
    """Every task type by its kind, in alphabetical order."""
    found = {}
    for module in sorted(pkgutil.iter_modules(tasks.__path__), key=lambda m: m.name):
        if module.ispkg and not module.name.startswith("_"):
            found[module.name] = importlib.import_module(f"tasks.{module.name}.task").TASK
    return found


def task_type(kind: str) -> TaskType:
    """The task type of that kind; raises KeyError for an unknown one."""
    return task_types()[kind]


@cache
def form_class(kind: str) -> type[forms.Form]:
    """The Form of the task type: built with (payload as shown, POST), `answer()` gives the answer."""
    return importlib.import_module(f"tasks.{kind}.form").Form


def kinds() -> list[tuple[str, str]]:
    """Choices of the task kinds of which requesters launch batches."""
    return [(kind, task.title) for kind, task in task_types().items() if task.launched]


@cache
def default_guide(kind: str) -> str:
    """The task type's own instructions in Markdown, from which a batch's guide begins."""
    return (Path(tasks.__path__[0]) / kind / "guide.md").read_text(encoding="utf-8")


@cache
def practice(kind: str) -> tuple[Example, ...]:
    """The items that a worker does for practice before the first paid HIT, in their order; mostly none."""
    file = Path(tasks.__path__[0]) / kind / "practice.json"
    if not file.exists():
        return ()
    return tuple(Example.from_json(entry["example"]) for entry in json.loads(file.read_text(encoding="utf-8")))
