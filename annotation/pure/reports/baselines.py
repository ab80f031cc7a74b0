"""Baselines that need no multihop reasoning, of people and of models, beside the human score on the same questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.pure.data.datasheet import Table
from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import quotable, table, text_cell
from annotation.pure.text.translation_marks import gettext_noop as _

QUESTION, ONE_PARAGRAPH, CLOSED_BOOK = "question", "one_paragraph", "closed_book"
PEOPLE = {ONE_PARAGRAPH: _("People, one supporting paragraph"), CLOSED_BOOK: _("People, closed-book")}
MODELS = {
    QUESTION: _("%(model)s, question only"),
    ONE_PARAGRAPH: _("%(model)s, one supporting paragraph"),
    CLOSED_BOOK: _("%(model)s, closed-book"),
}
SHOWN = tuple(MODELS)  # what a model may have been shown instead of the item
NOTE = _(
    "Baselines answer without combining paragraphs. People: the human score of this project's other batches on the "
    "same questions, without workers who answered the question in this batch too. n counts the questions; intervals "
    "resample these, not people."
)


def baselines_of(report: JSON) -> tuple[Table, ...]:
    """The baselines of a batch's report by dataset, as text cells; () if it has none."""
    found = []
    for name, study in sorted((report.get("datasets") or {}).items()):
        if study.get("baselines"):
            head, rows = quotable(baseline_table(name, study["baselines"], ""))
            title = f"Baselines without multihop reasoning on {name}, in percent"
            found.append(Table(title, tuple(head), tuple(map(tuple, rows))))
    return tuple(found)


def baseline_table(name: str, baselines: Sequence[Mapping[str, Any]], percent: str) -> JSON:
    """A row for each baseline: its own score, the human score on its questions, and the paired difference."""
    rows = []
    for one in baselines:
        words = (MODELS if one["model"] else PEOPLE)[one["shown"]]
        label = text_cell(words, model=one["model"]) if one["model"] else text_cell(words)
        parts = (one["answer"], one["people"]["answer"], one["gap"]["answer"])
        rows.append([label, one["n"], *(figures[kind] for figures in parts for kind in ("em", "f1"))])
    title = _("Baselines without multihop reasoning")
    spans = [["", 2], [_("Baseline"), 2], [_("Human score"), 2], [_("Human score minus baseline"), 2]]
    columns = [_("Answered by"), "n", *["EM", "F1"] * 3]
    made = table(f"baselines-{name}", title, columns, rows, of=[None] * len(rows), bars=False, spans=spans)
    return made | {"leads": False, "note": [percent, NOTE]}
