"""The registry of tasks: the folders in tasks/. The only module that imports them."""

from __future__ import annotations

import importlib.util
import json
import pkgutil
from functools import cache
from pathlib import Path

import tasks
from annotation.pure.data.example import Example
from annotation.pure.reports.explanations import Chapter, read
from annotation.pure.text.languages import in_texts
from annotation.tasktype import TaskType
from annotation.tasktype.capabilities import variants
from annotation.tasktype.helpers.task_form import DecisionForm, TaskForm


@cache
def task_types() -> dict[str, TaskType]:
    """Every task by its kind, in alphabetical order."""
    found = {}
    for module in sorted(pkgutil.iter_modules(tasks.__path__), key=lambda m: m.name):
        if module.ispkg and not module.name.startswith("_"):
            found[module.name] = importlib.import_module(f"tasks.{module.name}.task").TASK
    return found


@cache
def explanations_of(task: TaskType) -> Chapter:
    """A task's own explanations of the tables of its report."""
    file = folder_of(task.kind) / "explained.toml"
    return Chapter(task.kind, task.title, read(file) if file.exists() else {})


def task_type(kind: str) -> TaskType:
    """The task of that kind; raises KeyError for an unknown one."""
    return task_types()[kind]


@cache
def form_class(kind: str) -> type[TaskForm]:
    """The task's form: built with (payload as shown, POST), `answer()` gives the response."""
    name = f"tasks.{kind}.form"
    base = importlib.import_module(name).Form if importlib.util.find_spec(name) else DecisionForm
    return type("Form", (base,), {"task": task_type(kind)})


def kinds() -> list[tuple[str, str]]:
    """Choices of tasks for batches."""
    return [(kind, task.title) for kind, task in task_types().items() if task.launched]


def folder_of(kind: str) -> Path:
    """The folder of the task."""
    return Path(tasks.__path__[0]) / kind


@cache
def made_elsewhere(kind: str) -> str:
    """How a response that was made elsewhere is written, with an example, from the task's page for requesters."""
    page = (folder_of(kind) / "README.md").read_text(encoding="utf-8")
    return page.partition("## An answer made elsewhere")[2].partition("\n## ")[0].strip()


@cache
def presets(kind: str) -> dict[str, Path]:
    """Files of options that a batch of the task can begin with, by the names of their folders in its `presets/`."""
    return {file.parent.name: file for file in sorted((folder_of(kind) / "presets").glob("*/*.json"))}


@cache
def default_instructions(kind: str, variant: str = "") -> str:
    """The default instructions of the task, or of its variant, in Markdown."""
    return (folder_of(kind) / f"{variant or 'instructions'}.md").read_text(encoding="utf-8")


def all_default_instructions() -> set[str]:
    """The default instructions of every task and variant, stripped."""
    found = {(kind, variant) for kind, task in task_types().items() if task.launched for variant in variants(task)}
    return {default_instructions(kind, variant).strip() for kind, variant in found}


@cache
def practice(kind: str, variant: str = "", language: str = "en") -> tuple[Example, ...]:
    """The practice items of the task, or those of its variant if that has its own, in order; often none.

    A file beside theirs, such as `practice.de.json`, has their texts in the language, or a list of items instead of
    them where words cannot be translated one by one.
    """
    files = [folder_of(kind) / f"{name}.json" for name in (variant, "practice") if name]
    file = next((each for each in files if each.exists()), None)
    if file is None:
        return ()
    own = file.with_suffix(f".{language}.json")
    texts = json.loads(own.read_text(encoding="utf-8")) if own.exists() else {}
    entries = texts if isinstance(texts, list) else in_texts(json.loads(file.read_text(encoding="utf-8")), texts)
    return tuple(Example.from_json(entry["example"]) for entry in entries)
