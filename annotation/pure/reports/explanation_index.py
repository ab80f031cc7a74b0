"""All explanations in the order of the guide: of all reports, of the tasks, of comparisons, plans and studies."""

from collections.abc import Iterable
from typing import Any

from annotation.pure.reports.comparison_explained import ARMS, COMPARISON, PLAN
from annotation.pure.reports.explained import CHAPTERS
from annotation.pure.reports.explanations import ROWS, WHOM, Chapter
from annotation.pure.reports.tables import Translate
from annotation.pure.studies.explained import STUDIES

JSON = dict[str, Any]


def sections(tasks: Iterable[Chapter], translate: Translate = str) -> list[JSON]:
    """[{"title", "entries": [{"anchor", "title", "whom", "how", "source", "rows", "changes"}]}] as text."""
    return [
        {"title": translate(chapter.title), "entries": list(_entries(chapter, translate))}
        for chapter in (*CHAPTERS, *tasks, COMPARISON, ARMS, PLAN, STUDIES)
        if chapter.entries
    ]


def _entries(chapter: Chapter, translate: Translate) -> Iterable[JSON]:
    for key, one in chapter.entries.items():
        texts = {"title": one.title, "whom": WHOM[one.whom], "how": one.how, "changes": one.changes}
        words = {name: translate(text) for name, text in texts.items()}
        yield {"anchor": chapter.anchor(key), "source": one.source, "rows": translate(ROWS[one.rows][2])} | words
