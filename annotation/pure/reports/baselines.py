"""Baselines that need no multihop reasoning, of people and of models, beside the human score on the same questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table, text_cell
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
    "same questions, without workers who answered the question in this batch too. Each n counts the questions of its "
    "row."
)


def baseline_table(name: str, baselines: Sequence[Mapping[str, Any]], percent: str) -> JSON:
    """For each baseline three rows: its own score, the human score on its questions, and the paired difference."""
    rows: list[list[Any]] = []
    for one in baselines:
        model, words = one["model"], (MODELS if one["model"] else PEOPLE)[one["shown"]]
        rows += [
            _row(text_cell(words, model=model) if model else text_cell(words), one["answer"]),
            _row(text_cell(_("Human score on the same questions")), one["people"]["answer"]),
            _row(text_cell(_("Human score minus this baseline")), one["gap"]["answer"]),
        ]
    columns = [_("Baseline"), "n", _("Answer EM"), _("Answer F1")]
    of = [None] * len(rows)
    title = _("Baselines without multihop reasoning")
    made = table(f"baselines-{name}", title, columns, rows, percent, of=of, bars=False)
    return made | {"leads": False, "note": [percent, NOTE]}


def _row(label: JSON, figures: Mapping[str, JSON]) -> list[Any]:
    return [label, figures["f1"]["n"], figures["em"], figures["f1"]]
