"""How far texts that were there to be corrected (`prefill`) were changed."""

from collections.abc import Iterable, Iterator, Sequence

from annotation.pure.ratings.responses import cells, prefilled
from annotation.pure.ratings.rubric import Criterion
from annotation.pure.reports.tables import rounded, table
from annotation.pure.statistics.rating_shares import shares
from annotation.pure.statistics.word_edits import word_edits
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses

LOW, HIGH = _("95 % low"), _("95 % high")
NOTE = _(
    "Edits: words put in, taken out or replaced, divided by the words of the corrected text, all texts together "
    "(HTER, Snover et al. 2006, without moves of words). 0: nothing was changed. Intervals over items."
)


def edit_table(rows: Iterable[HitWithResponses], criteria: Sequence[Criterion], seed: int) -> Iterator[JSON]:
    """The share of texts that were left as they were, and the edits per word."""
    corrected: dict[str, list[tuple[str, str, list[float], list[float]]]] = {}
    for row in rows:
        for given in row.given:
            for asked, k, value in cells(row.payload, given.answer):
                if "prefill" in asked and value:
                    edits, words = word_edits(prefilled(asked, k), value)
                    own = [float(edits == 0), float(edits)], [1.0, float(words)]
                    corrected.setdefault(asked["name"], []).append((row.hit, given.worker, *own))
    cells_of = []
    for name in (each.name for each in criteria if each.name in corrected):
        unchanged, edited = shares(corrected[name], seed)
        figure = edited.of_elements.figure
        ends = [rounded(figure.value), rounded(figure.low), rounded(figure.high)]
        cells_of.append([name, unchanged.items, unchanged.responses, unchanged.of_elements.figure.as_json(), *ends])
    columns = (_("Criterion"), _("Items"), _("Responses"), _("Left unchanged"), _("Edits per word"), LOW, HIGH)
    if cells_of:
        yield table("edits", _("Corrections"), columns, cells_of, NOTE, leads=False)
