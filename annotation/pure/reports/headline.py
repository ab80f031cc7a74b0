"""The figures that a report begins with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.pure.reports import tables
from annotation.pure.reports.answer_tables import MEASURES, PARTS, TABLE4
from annotation.pure.reports.explanations import table_key
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import Translate

MOST = 4


class Figure(NamedTuple):
    """A figure as a table has it, its words, the key of its explanation, and the dataset it is about ("": all)."""

    words: str
    figure: Mapping[str, Any]
    key: str
    study: str = ""


def headline(content: Mapping[str, Any], translate: Translate = str) -> list[Figure]:
    """Up to four figures of a report: those of the human study, those it names, or its first table's first."""
    datasets, named = content.get("datasets") or {}, content.get("headline")
    found = _of_study(datasets, translate) if datasets else _of_table(content, translate)
    if named:
        found = (Figure(tables.cell_text(one["words"], translate), one["figure"], one["key"]) for one in named)
    return [one for one in found if one.figure["value"] is not None][:MOST]


def _of_study(datasets: Mapping[str, Any], translate: Translate) -> Iterator[Figure]:
    """The measures of a single dataset's answers and the human score of its support; of several, each human score."""
    score = "human_score"
    if len(datasets) > 1:
        for name, study in datasets.items():
            yield Figure(name, study["answer"][score]["f1"], f"measure-{score}", name)
        return
    for name, study in datasets.items():
        for measure in TABLE4:
            words = translate(MEASURES[measure])
            yield Figure(words, study["answer"][measure]["f1"], f"measure-{measure}", name)
        words = f"{translate(PARTS['support'])}: {translate(MEASURES[score])}"
        yield Figure(words, study["support"][score]["f1"], f"measure-{score}", name)


def _of_table(content: Mapping[str, Any], translate: Translate) -> Iterator[Figure]:
    """The first column of figures of the first table that has any; of a single row, its figures."""
    for table in tables_of(content):
        rows = [row for row in table["rows"] if any(map(_is_known, row))]
        if rows:
            break
    else:
        return
    head = tables.head_of(table, translate)
    places = [k for k in range(len(head)) if any(_is_known(row[k]) for row in rows)]
    cells = [(row, k) for row in rows for k in (places if len(rows) == 1 else places[:1])]
    for row, k in cells:
        if _is_known(row[k]):
            words = [tables.cell_text(table["about"], translate)] if table.get("about") else []
            words += [tables.cell_text(row[0], translate)] if len(rows) > 1 else []
            words += [head[k]] if len(rows) == 1 or len(places) > 1 else []
            yield Figure(_joined(words), row[k], table_key(table))


def _joined(words: Sequence[str]) -> str:
    """Words with colons between them, but after a question none."""
    return "".join(word + (" " if word.endswith("?") else ": ") for word in words[:-1]) + words[-1]


def _is_known(cell: Any) -> bool:
    return tables.is_figure(cell) and cell["value"] is not None
