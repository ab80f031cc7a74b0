"""Finding workers by the names that requesters call them by, pseudonym and WorkerId; and what to call items."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import Item, Project, Worker


def worker_named(project: Project, name: str) -> Worker | None:
    """The project's worker of that WorkerId or pseudonym."""
    return workers_named(project, [name]).get(name)


def workers_named(project: Project, names: Iterable[str]) -> dict[str, Worker]:
    """Those of the names that a worker of the project has, each with its worker."""
    wanted = set(names)
    if not wanted:
        return {}
    found = {worker.public_id: worker for worker in project.workers.filter(public_id__in=wanted)}
    left = wanted - found.keys()
    keys = project.workers.values_list("pk", flat=True) if left else []
    named = {pk: name for pk in keys if (name := project.pseudonym(pk)) in left}
    for worker in project.workers.filter(pk__in=named):
        found[named[worker.pk]] = worker
    for worker in found.values():
        worker.project = project
    return found


def name_uncomposed(items: Iterable[Item]) -> None:
    """Have items without a question go by those of their hops, also where their content was left out: one query."""
    nameless = [item for item in items if not item.question]
    known = Item.every.only("content").in_bulk({item.pk for item in nameless})
    for item in nameless:
        item.hop_questions = known[item.pk].hop_questions
