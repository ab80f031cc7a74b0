"""Tables of suggestions: how far people follow them, beside the responses without."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from statistics import median

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import Aspect, table_of
from annotation.pure.reports.tables import rounded, table, text_cell
from annotation.pure.statistics.suggestions import LEAST_ITEMS, NOTHING, Responded, pulls, time_ratio
from annotation.pure.statistics.worker_intervals import Response, over_workers
from annotation.pure.text.translation_marks import gettext_noop as _

SIDES = {"all": _("all"), "right": _("right"), "wrong": _("wrong")}
RATIO = _(
    "On the %(items)s items with responses of both kinds, the mean time with a suggestion is %(ratio)s times that "
    "without (geometric means)."
)
PULL = _(
    "Suggestions of %(model)s. Pull: the share of responses equal to the suggestion when it is shown minus that when "
    "it is not, on items with responses of both kinds. Whether a suggestion is right is decided by gold, or without "
    "gold by the majority of at least two others who saw none. Below %(least)s items there are no shares and no pull. "
    "Other figures of this report are of responses without a suggestion, unless a table says otherwise."
)
INTERVALS = _(
    "95 % intervals are over annotators and items, or over items only where all values are equal. Shares of fewer than "
    "seven annotators have none, nor have comparisons with fewer than seven on either side."
)
KEPT = _(
    "Of the items that have a suggestion. Left unchanged: the share of shown suggestions that were submitted as they "
    "were, from %(least)s items on."
)


def pull_table(
    asked: Aspect,
    model: str,
    rows: Sequence[Responded],
    suggestions: Mapping[Hashable, Hashable],
    gold: Mapping[Hashable, Hashable],
) -> JSON:
    """The pull of all, right and wrong suggestions in one thing that is judged."""
    found = pulls(rows, suggestions, gold)
    cells = [
        [
            text_cell(words),
            *(one.as_json() for one in (pull.when_shown, pull.when_blind, pull.difference)),
            pull.difference.n,
            pull.shown,
            pull.blind,
        ]
        for name, words in SIDES.items()
        for pull in [found[name]]
    ]
    columns = (
        _("Suggestions"),
        _("Same when shown"),
        _("Same when blind"),
        _("Pull"),
        _("Items"),
        _("Responses with it"),
        _("Responses without"),
    )
    note = [text_cell(PULL, model=model, least=LEAST_ITEMS), INTERVALS]
    return table_of("suggestions", asked, _("Suggestions followed"), columns, cells, note)


def arm_table(rows: Sequence[Responded], suggestions: Mapping[Hashable, Hashable]) -> JSON:
    """Responses, time and unchanged suggestions of both arms; `rows` and `suggestions` are of whole responses."""
    cells = []
    for words, is_shown in ((_("blind"), False), (_("with a suggestion"), True)):
        own = [row for row in rows if row.suggested is is_shown]
        times = [row.seconds for row in own if row.seconds > 0]
        kept = NOTHING
        if is_shown and len({row.item for row in own}) >= LEAST_ITEMS:
            kept = over_workers(Response(r.item, r.worker, float(r.label == suggestions[r.item])) for r in own)
        people = len({row.worker for row in own})
        unchanged = kept.as_json() if is_shown else None
        cells.append([text_cell(words), len(own), people, rounded(median(times), 1) if times else None, unchanged])
    columns = (_("Pages"), _("Responses"), _("Annotators"), _("Median seconds"), _("Left unchanged"))
    return table(
        "suggestion-arms", _("Work with and without suggestions"), columns, cells, list(_about_time(rows)),
        kind="suggestion-arms", leads=False, bars=False,
    )  # fmt: skip


def _about_time(rows: Sequence[Responded]) -> Iterator[JSON | str]:
    found = time_ratio(rows)
    if found.value is not None:
        ends = f" [{found.low:.2f}, {found.high:.2f}]" if found.low is not None and found.high is not None else ""
        yield text_cell(RATIO, items=found.n, ratio=f"{found.value:.2f}{ends}")
    yield from (text_cell(KEPT, least=LEAST_ITEMS), INTERVALS)
