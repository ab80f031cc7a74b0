"""Look-up of workers by pseudonym or worker id, and display names of items."""

from collections.abc import Iterable

from annotation.models import Item, Project, Worker


def worker_named(project: Project, name: str) -> Worker | None:
    """The project's worker with that worker id or pseudonym."""
    return workers_named(project, [name]).get(name)


def workers_named(project: Project, names: Iterable[str]) -> dict[str, Worker]:
    """The workers of the project with these names, by name."""
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
    """Name items without a question by their hops' questions, loading deferred content in one query."""
    nameless = [item for item in items if not item.question]
    known = Item.every.only("content").in_bulk({item.pk for item in nameless})
    for item in nameless:
        item.hop_questions = known[item.pk].hop_questions
