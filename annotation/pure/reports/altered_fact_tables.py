"""Responses to hidden gold with altered facts, for a report."""

from collections import Counter
from collections.abc import Mapping

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.intervals import clustered_share
from annotation.pure.text.translation_marks import gettext_noop as _

STATED, REAL, OTHER = "stated", "real", "other"
LABELS = {STATED: _("Altered answer"), REAL: _("Real answer"), OTHER: _("Another answer")}


def altered_fact_tables(by_worker: Mapping[str, Counter[str]], *, seed: int) -> list[JSON]:
    """The table "altered-facts": of each worker and of all, how many responses are STATED, REAL and OTHER.

    [] without responses.
    """
    if not by_worker:
        return []
    answers = [(worker, kind) for worker, counted in by_worker.items() for kind in counted.elements()]
    shares = [clustered_share([(worker, float(kind == name)) for worker, kind in answers], seed) for name in LABELS]
    rows = [[text_cell(_("all")), len(answers), *(share.as_json() for share in shares)]]
    for worker, counted in sorted(by_worker.items(), key=lambda pair: (-pair[1][REAL], pair[0])):
        rows.append([worker, counted.total(), *(counted[name] for name in LABELS)])
    columns = [_("Worker"), _("Responses"), *LABELS.values()]
    note = _(
        "Responses to hidden gold in which the paragraphs state an altered fact. A worker who gives the real answer "
        "knew it, found it elsewhere or misread the text. These items are in no other figure. Intervals resample "
        "workers."
    )
    return [table("altered-facts", _("Altered facts"), columns, rows, note, leads=False)]
