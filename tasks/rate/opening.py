"""What the report begins with: a line for each criterion with its main figure and agreement, and some as tiles."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.ratings.rubric import TEXT
from annotation.pure.reports.tables import own_words, table, text_cell
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON

from .collected import Collected
from .figures import Figures, mean_in_points
from .tables import marked_words

NOTES = [
    _("Means are in points, shares in percent of the answers given; each element of a list counts."),
    _("Alpha is Krippendorff's, for the kind of the values; “Agreement” below says which."),
]
ByName = Mapping[str, Figures]  # by criterion


def criteria_table(found: Sequence[Collected], figures: ByName, unchanged: Mapping[str, JSON], seed: int) -> JSON:
    """A line for each criterion: how often and by whom it was answered, mean or share, and alpha.

    `unchanged`: the share left as it was, of texts that were there to be corrected.
    """
    rows = []
    for one in found:
        own = one.criterion
        words, figure = _main(one, figures[own.name], seed)
        if own.name in unchanged:
            words, figure = text_cell(_("left unchanged")), unchanged[own.name]
        mean, share = (figure, None) if figure and "points" in figure else (None, figure)
        counts = [len(one.items), len(one.workers), one.asked, one.given]
        alpha = figures[own.name].alpha
        in_points = alpha and {**alpha.as_json(), "points": True}
        rows.append([own.name, own_words(own.ask), *counts, words, mean, share, in_points])
    columns = [_("Criterion"), _("Question"), _("Items"), _("Workers"), _("Times asked"), _("Times answered")]
    columns += [_("Figure"), _("Mean"), _("Share"), _("Alpha")]
    numbers = [False, False, True, True, True, True, False, True, True, True]
    more: JSON = {"numbers": numbers, "leads": False, "bars": False}
    return table("criteria", _("Criteria"), columns, rows, NOTES, **more)


def headline(criteria: JSON) -> Iterator[JSON]:
    """The main figure of each criterion that has one, with its question."""
    for _name, ask, *_counts, words, mean, share, _alpha in criteria["rows"]:
        if figure := mean or share:
            yield {"words": text_cell("%(ask)s %(figure)s", ask=ask, figure=words), "figure": figure, "key": "criteria"}


def _main(one: Collected, own: Figures, seed: int) -> tuple[Any, JSON | None]:
    """The mean of a scale or number, the first system's win rate, or the first value's share; with its name."""
    values = one.criterion.values
    if own.mean:
        words = text_cell(_("mean (%(low)s–%(high)s)"), low=values[0], high=values[-1])
        return words, mean_in_points(one.criterion, own.mean)
    for system, of in own.systems.items():
        return text_cell(_("win rate of %(system)s"), system=system), of.win_rate.of_elements.figure.as_json()
    for label, share in own.values:
        return text_cell("“%(value)s”", value=label), share.of_elements.figure.as_json()
    for label, _n, share in marked_words(one, one.ratings, seed):
        marked = text_cell(_("words marked “%(label)s”"), label=own_words(label))
        words = marked if label else text_cell(_("marked words"))
        return words, share.of_elements.figure.as_json()
    return text_cell(_("a text")) if one.criterion.kind == TEXT else None, None
