"""All explanations in the order of the guide: of all reports, of the tasks, of comparisons, plans and studies."""

from collections.abc import Iterable

from annotation.pure.data.example import JSON
from annotation.pure.reports.explanations import ROWS, WHOM, Chapter, chapter
from annotation.pure.reports.tables import Translate

SHARED = ("answers", "labels", "batch", "models")  # of reports of several tasks


def sections(tasks: Iterable[Chapter], translate: Translate = str) -> list[JSON]:
    """[{"title", "entries": [{"anchor", "title", "whom", "how", "source", "rows", "changes"}]}] as text."""
    return [
        {"title": translate(own.title), "entries": list(_entries(own, translate))}
        for own in (*map(chapter, SHARED), *tasks, *map(chapter, ("comparison", "arms", "plan", "studies")))
        if own.entries
    ]


def _entries(own: Chapter, translate: Translate) -> Iterable[JSON]:
    for key, one in own.entries.items():
        texts = {"title": one.title, "whom": WHOM[one.whom], "how": one.how, "changes": one.changes}
        words = {name: translate(text) for name, text in texts.items()}
        yield {"anchor": own.anchor(key), "source": one.source, "rows": translate(ROWS[one.rows][2])} | words
