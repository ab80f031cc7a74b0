"""Tables of the report of ratings, from what was collected of each criterion."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from annotation.pure.ratings.fields import strata_of
from annotation.pure.ratings.rubric import MARK, NUMBER, ORDER
from annotation.pure.reports.model_aspects import part_of
from annotation.pure.reports.tables import own_words, rounded, table, text_cell
from annotation.pure.review.label_tables import agreed, agreement_columns
from annotation.pure.statistics.distance_agreement import NO_INTERVAL
from annotation.pure.statistics.intervals import Figure, wilson
from annotation.pure.statistics.preferences import SystemShares, by_position, strengths, system_shares
from annotation.pure.statistics.ratings import Rating, Share, leanings, rescaled, shares, units_of
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, too_few
from annotation.pure.text.languages import Text
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses

from .collected import Collected
from .figures import Figures, as_points, over_workers, value_shares

OVER, OF_ITEMS = _("Over annotators and items"), _("Mean over items")
OF_ITEMS_OVER = _("Mean over items, over annotators and items")
LOW, HIGH = _("95 % low"), _("95 % high")
MOST_STRATA = 50
ByName = Mapping[str, Figures]  # by criterion


def name_of(one: Collected) -> str:
    """The criterion's name in names of tables, which have no underscores."""
    return one.criterion.name.replace("_", "-")


def cell(figure: Figure | None) -> JSON | None:
    return figure.as_json() if figure else None


def value_tables(found: Iterable[Collected], figures: ByName) -> Iterator[JSON]:
    """How often each value was given, by criterion."""
    for one in found:
        rows = []
        for label, share in figures[one.criterion.name].values:
            parts = (share.of_elements, share.of_items) if one.criterion.each else (share.of_elements,)
            count = round((share.of_elements.figure.value or 0) * share.responses)
            rows.append([label, count, *(cell(figure) for of in parts for figure in (of.figure, over_workers(of)))])
        columns = [_("Value"), _("Responses"), _("Share"), OVER, OF_ITEMS, OF_ITEMS_OVER]
        if rows:
            about = {"about": own_words(one.criterion.ask), "kind": "values", "in_order": one.is_numeric}
            note = [too_few(len(one.workers))] if len(one.workers) < LEAST_WORKERS else []
            title = _("How often each value was given")
            yield table(f"values-{name_of(one)}", title, columns[: len(rows[0])], rows, note, leads=False, **about)


def mean_table(found: Iterable[Collected], figures: ByName) -> Iterator[JSON]:
    """The mean of each scale and number; of lists over all elements, and over items."""
    rows = []
    for one in found:
        if mean := figures[one.criterion.name].mean:
            parts = {_("Over items"): mean.of_elements.figure, OVER: over_workers(mean.of_elements)}
            if one.criterion.each:
                parts |= {OF_ITEMS: mean.of_items.figure, OF_ITEMS_OVER: over_workers(mean.of_items)}
            known = [(text_cell(words), as_points(one.criterion, figure)) for words, figure in parts.items() if figure]
            rows += [[one.criterion.name, words, *points] for words, points in known]
    if rows:
        columns = (_("Criterion"), _("Interval"), _("Mean"), LOW, HIGH)
        yield table("means", _("Means"), columns, rows, leads=False)


def agreement_tables(found: Iterable[Collected], figures: ByName) -> Iterator[JSON]:
    """Agreement on each criterion that two or more were asked about the same thing."""
    for one in found:
        on = text_cell("“%(name)s”", name=one.criterion.name)
        about = agreed(units_of(one.ratings)[0], on)
        if about["pairs"]:
            rows, notes = figures[one.criterion.name].agreement, [NO_INTERVAL]
            title, columns = _("Agreement"), agreement_columns(_("Units"))
            more = {**about, "about": own_words(one.criterion.name), "kind": "agreement", "leads": False}
            yield table(f"agreement-{name_of(one)}", title, columns, rows, notes, **more)


def mark_table(found: Iterable[Collected], seed: int) -> Iterator[JSON]:
    """How many of the words were marked, by label."""
    rows = []
    for one in found:
        for label, n, share in marked_words(one, one.ratings, seed):
            rows.append([one.criterion.name, own_words(label), n, share.responses, cell(share.of_elements.figure)])
    columns = (_("Criterion"), _("Label"), _("Responses"), _("Words read"), _("Marked"))
    if rows:
        yield table("marks", _("Marked words"), columns, rows, leads=False)


def marked_words(one: Collected, ratings: Iterable[Rating], seed: int) -> Iterator[tuple[Text, int, Share]]:
    """(label, number of ratings, share of the words read that were marked) of some ratings."""
    known = [each for each in ratings if one.words.get((each.item, each.element))]
    size = max(1, len(one.criterion.marks))
    for label, words in (one.criterion.marks or {"": ""}).items() if known else ():
        given = [
            (item, worker, [float(sum(of == label for _p, _s, of in value))], [one.words[item, k] / size])
            for item, worker, value, k in known
        ]
        yield words, len(given), shares(given, seed)[0]


def system_tables(found: Iterable[Collected], figures: ByName, seed: int) -> Iterator[JSON]:
    """Of the best one, and of orders: how systems did against each other, and what stood at each position."""
    columns = [_("System"), _("Comparisons"), _("Win rate"), OVER, _("First place"), _("Mean rank"), _("Strength")]
    title = _("Systems compared")
    for one in found:
        about: JSON = {"about": own_words(one.criterion.ask), "kind": "systems", "leads": False}
        if rows := _systems(one, figures[one.criterion.name].systems, seed):
            yield table(f"systems-{name_of(one)}", title, [*columns, LOW, HIGH], rows, STRENGTHS, **about)
        placed = system_shares(by_position(one.preferences), seed)
        if rows := [[at, *_wins(placed[at])] for at in sorted(placed, key=int)]:
            about["variant"] = _("by position on the page, of responses given here")
            yield table(f"systems-{name_of(one)}-by-position", title, [_("Position"), *columns[1:5]], rows, **about)


STRENGTHS = _(
    "A tie is half a win. Strengths (Bradley–Terry, with ties Davidson) sum to 0; where two differ by d, one wins "
    "exp(d) times for each win of the other. A dash: wins do not connect all systems in both directions."
)


def _systems(one: Collected, found: Mapping[str, SystemShares], seed: int) -> list[list[Any]]:
    fitted, rows = strengths(one.preferences, seed), []
    for system, of in found.items():
        rank = rescaled(of.mean_rank.of_elements.figure, 1, len(found)) if one.criterion.kind == ORDER else None
        strength = fitted.figures[system] if fitted else Figure(None, None, None, 0)
        ends = [rounded(end) for end in (strength.value, strength.low, strength.high)]
        rows.append([system, *_wins(of), rank and rounded(rank.value), *ends])
    return rows


def _wins(of: SystemShares) -> list[Any]:
    wins, first = of.win_rate, of.first_place.of_elements
    return [wins.responses, cell(wins.of_elements.figure), cell(over_workers(wins.of_elements)), cell(first.figure)]


def gold_table(found: Iterable[Collected], seed: int) -> Iterator[JSON]:
    """Responses and aggregated responses against gold."""
    rows = []
    for one in found:
        if one.scores:
            [single] = shares(one.scores, seed)
            whole = shares(one.aggregate_scores, seed)
            over, aggregate = cell(over_workers(single.of_elements)), whole and cell(whole[0].of_elements.figure)
            row = [one.criterion.name, single.items, single.responses, cell(single.of_elements.figure), over]
            rows.append([*row, aggregate or None])
    columns = (_("Criterion"), _("Items"), _("Responses"), _("Single response"), OVER, _("Aggregated response"))
    note = _("1 − distance over range, equal or not, or the shared part; open aggregated responses are left out.")
    if rows:
        yield table("gold", _("Against gold"), columns, rows, note, leads=False)


def strata_tables(rows: Sequence[HitWithResponses], found: Sequence[Collected], by: str, seed: int) -> Iterator[JSON]:
    """Shares and means by hops, dataset, and the field `by` of items or of their elements; texts have none."""
    fields = {row.hit: strata_of(row.example, by) for row in rows} if by else {}
    ways: dict[str, tuple[str, Mapping[Any, Any]]] = {
        "hops": (_("Hops"), {row.hit: len(row.example.hops) for row in rows}),
        "dataset": (_("Dataset"), {row.hit: row.dataset for row in rows}),
        "field": (_("Stratum"), fields),
    }
    columns = [_("Criterion"), _("Value"), _("Items"), _("Responses"), _("Share"), _("Mean"), LOW, HIGH]
    for name, (column, of_item) in ways.items():
        cells = [row for one in found for row in _by_stratum(one, of_item, by, seed)]
        if cells:
            about: JSON = {"about": own_words(by), "leads": False} if name == "field" else {}
            cells.sort(key=lambda row: row[0])
            yield table(f"strata-{name}", _("By stratum"), [column, *columns], cells, kind="strata", **about)


def _by_stratum(one: Collected, of_item: Mapping[Any, Any], by: str, seed: int) -> Iterator[list[Any]]:
    """A row for each value in each stratum; of a field of the elements that are rated, an element has its own."""
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    is_of_elements = by.startswith(f"{one.criterion.each}.")
    for place, rating in enumerate(one.ratings):
        stratum = of_item.get(rating.item)
        if isinstance(stratum, list):
            stratum = part_of(stratum, rating.element if is_of_elements else None)
        if stratum:  # 0 hops: unknown
            groups[stratum].append(place)
    for key, places in groups.items() if 1 < len(groups) <= MOST_STRATA else ():
        yield from ([key, one.criterion.name, *row] for row in _stratum(one, places, seed))


def _stratum(one: Collected, places: Sequence[int], seed: int) -> Iterator[list[Any]]:
    """Value, items, responses, share, mean and its ends, of ratings; of orders the first place and the rank."""
    ratings = [one.ratings[place] for place in places]
    if one.criterion.kind == ORDER:
        systems = system_shares([one.preferences[place] for place in places], seed)
        for system, of in systems.items():
            first, rank = of.first_place, rescaled(of.mean_rank.of_elements.figure, 1, len(systems))
            row = [system, first.items, first.responses, cell(first.of_elements.figure)]
            yield [*row, *map(rounded, (rank.value, rank.low, rank.high))]
    for words, n, share in marked_words(one, ratings, seed):
        label = own_words(words) if words else text_cell(_("Marked words"))
        yield [label, share.items, n, cell(share.of_elements.figure), None, None, None]
    values, mean = value_shares(one, ratings, seed)
    for cell_of_value, share in values if mean is None else ():
        yield [cell_of_value, share.items, share.responses, cell(share.of_elements.figure), None, None, None]
    if mean:
        points = as_points(one.criterion, mean.of_elements.figure)
        yield [text_cell(_("mean")), mean.items, mean.responses, None, *points]


def worker_table(found: Iterable[Collected]) -> Iterator[JSON]:
    """Each worker beside the others on the same things: equal values, bias and spread, and gold."""
    rows = []
    for one in found:
        units, items = units_of(one.ratings)
        leaning = leanings(units, items) if one.is_numeric else {}
        scores: defaultdict[str, list[float]] = defaultdict(list)
        for _item, worker, [score], _n in one.scores:
            scores[worker].append(score)
        for worker, (n, others, equal) in _equal(units).items():
            own = leaning.get(worker)
            bias = [rounded(end) for end in (own.bias.value, own.bias.low, own.bias.high)] if own else [None] * 3
            met = None if one.criterion.kind in (NUMBER, MARK) else wilson(equal, others).as_json()
            gold = wilson(sum(scores[worker]), len(scores[worker])).as_json() if worker in scores else None
            rows.append([worker, one.criterion.name, n, met, *bias, own and rounded(own.spread), gold])
    columns = [_("Worker"), _("Criterion"), _("Responses"), _("Equal to another response"), _("Bias"), LOW, HIGH]
    columns += [_("Spread"), _("Against gold")]
    note = _(
        "Bias: the mean minus that of the others on the same things, in points of the scale; interval over items. "
        "Spread: the standard deviation divided by theirs."
    )
    if rows:
        yield table("by-worker", _("By worker"), columns, sorted(rows, key=itemgetter(0, 1)), note)


def _equal(units: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Of each worker the number of ratings, of others of the same things, and of those of these that are equal."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for unit in units:
        values = list(unit.values())
        for worker, value in unit.items():
            counts = found[worker]
            counts[0] += 1
            counts[1] += len(values) - 1
            counts[2] += values.count(value) - 1
    return found
